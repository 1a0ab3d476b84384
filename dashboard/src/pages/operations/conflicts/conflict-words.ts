// A conflict in words: what happened as a sentence, and who wanted what. Pure.
import { parseObject } from '@weft/contract/is-object';
import type { Conflict } from '../../../api/client.ts';
import { withAgentName } from '../../../data/agents.ts';
import { formatMoment } from '../../../format.ts';
import { withFullStop } from '../commands/command-words.ts';

const ofText = ' of ';

/** Plain words, and names that somebody chose: those are set apart wherever it is shown. */
export type WordOrName = string | { name: string };
/** The same with access points by their ids. */
export type SentencePart = WordOrName | { agent: string };

export function conflictSentence(conflict: Conflict, nowMs = Date.now()): SentencePart[] {
  const { kind, ap_id, parameter, caller_name, detail } = conflict;
  const what: SentencePart[] = [{ name: parameter }, ofText, { agent: ap_id }];
  if (kind === 'parameter_frozen')
    return [...what, ' was changed back and forth by different callers and is now frozen.'];
  if (kind === 'rolled_back') return [...what, ' was rolled back: ', wordsOf(detail, ap_id)];
  const who: SentencePart = caller_name ? { name: caller_name } : 'a caller';
  return [who, ' asked to change ', ...what, ...outcomeOf(conflict, nowMs)];
}

/** The server's own words, with the name instead of the id. */
function wordsOf(detail: string, ap_id: string): string {
  return withFullStop(withAgentName(detail, ap_id));
}

function outcomeOf(conflict: Conflict, nowMs: number): SentencePart[] {
  const { verdict, rival, detail } = conflict;
  const verb = {
    rejected: ' and was rejected: ',
    queued: ' and is queued: ',
    accepted_modified: ' and was accepted with a merged value: ',
    accepted: ' and was accepted: ',
  }[verdict ?? 'accepted'];
  return [verb, ...(rival ? becauseOf(conflict, rival, nowMs) : [wordsOf(detail, conflict.ap_id)])];
}

function becauseOf(
  { ap_id, parameter, parameter_group, verdict, reason, detail }: Conflict,
  rival: NonNullable<Conflict['rival']>,
  nowMs: number,
): SentencePart[] {
  const other: SentencePart = { name: rival.caller_name };
  const until = formatMoment(Date.parse(rival.until), nowMs);
  if (verdict === 'rejected' || verdict === 'queued') {
    if (rival.ap_id === ap_id && rival.parameter === parameter) return [other, ' holds the lease until ', `${until}.`];
    const held: SentencePart[] = [
      other,
      ' holds the lease on ',
      { name: rival.parameter },
      ofText,
      { agent: rival.ap_id },
    ];
    const group: SentencePart[] = parameter_group ? [' (same group: ', { name: parameter_group }, ')'] : [];
    return [...held, ...group, ' until ', `${until}.`];
  }
  const reasons: Record<string, string> = {
    higher_rank: ', because users take precedence over apps',
    higher_priority: ', which has a lower priority',
    last_wins: ', because the last command wins in this group',
  };
  if (reason === 'merged') return ['combined with the request of ', other, '.'];
  const words = reason === null ? undefined : reasons[reason];
  return words === undefined ? [wordsOf(detail, ap_id)] : ['it overrides ', other, `${words}.`];
}

export interface ConflictSide {
  role: 'asked' | 'sent' | 'held';
  caller_kind: string;
  caller_name: string;
  /** `set_tx_power dbm=30`. */
  value: string;
  priority: number | null;
}

/** Those whose values the reader may know. */
export function conflictSides(conflict: Conflict): ConflictSide[] {
  const { command, sent_command, priority, rival, rival_command, rival_priority } = conflict;
  const caller = { caller_kind: conflict.caller_kind ?? '', caller_name: conflict.caller_name ?? '' };
  const sides: ConflictSide[] = [];
  if (command !== null) sides.push({ role: 'asked', ...caller, value: valueWords(command), priority });
  if (sent_command !== null) sides.push({ role: 'sent', ...caller, value: valueWords(sent_command), priority: null });
  if (rival && rival_command !== null) {
    const { caller_kind, caller_name } = rival;
    sides.push({ role: 'held', caller_kind, caller_name, value: valueWords(rival_command), priority: rival_priority });
  }
  return sides;
}

/** A command as `name argument=value`; a name alone as it is. */
export function valueWords(command: string): string {
  const parsed = parseObject(command);
  if (!parsed || !('name' in parsed)) return command;
  const { name, ...args } = parsed;
  const words = Object.entries(args).map(
    ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return [String(name), ...words].join(' ');
}

/** The page of a caller, for administrators; undefined if it has none. */
export function callerHref({ caller_kind, caller_name }: Pick<ConflictSide, 'caller_kind' | 'caller_name'>) {
  if (caller_kind === 'third_party_app') return `/apps/${encodeURIComponent(caller_name)}`;
  return caller_kind === 'user' ? `/users?${new URLSearchParams({ user: caller_name })}` : undefined;
}
