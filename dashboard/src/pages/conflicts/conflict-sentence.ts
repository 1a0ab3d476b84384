// A conflict as a sentence: who wanted what, what was decided, who was in the way, and until when. Pure.
import type { Conflict } from '../../api/operations.ts';
import { formatMoment } from '../../format/times.ts';
import { conflictsText } from '../../text/conflicts.ts';
import { withFullStop } from '../commands/decision-words.ts';

const say = conflictsText.say;

/** Plain words, and names that somebody chose: those are set apart wherever it is shown. */
export type SentencePart = string | { name: string };

export function conflictSentence(conflict: Conflict, nowMs = Date.now()): SentencePart[] {
  const { kind, ap_id, parameter, caller_name, detail } = conflict;
  const what: SentencePart[] = [{ name: parameter }, say.of, { name: ap_id }];
  if (kind === 'parameter_frozen') return [...what, say.frozen];
  if (kind === 'rolled_back') return [...what, say.rolledBack, withFullStop(detail)];
  const who: SentencePart = caller_name ? { name: caller_name } : say.somebody;
  return [who, say.asked, ...what, ...outcomeOf(conflict, nowMs)];
}

function outcomeOf(conflict: Conflict, nowMs: number): SentencePart[] {
  const { verdict, rival, detail } = conflict;
  const verb = {
    rejected: say.rejected,
    queued: say.queued,
    accepted_modified: say.merged,
    accepted: say.accepted,
  }[verdict ?? 'accepted'];
  return [verb, ...(rival ? becauseOf(conflict, rival, nowMs) : [withFullStop(detail)])];
}

function becauseOf(
  { ap_id, parameter, parameter_group, verdict, reason, detail }: Conflict,
  rival: NonNullable<Conflict['rival']>,
  nowMs: number,
): SentencePart[] {
  const other: SentencePart = { name: rival.caller_name };
  const until = formatMoment(Date.parse(rival.until), nowMs);
  if (verdict === 'rejected' || verdict === 'queued') {
    if (rival.ap_id === ap_id && rival.parameter === parameter) return [other, say.holds, `${until}.`];
    const held: SentencePart[] = [other, say.holdsOther, { name: rival.parameter }, say.of, { name: rival.ap_id }];
    const group: SentencePart[] = parameter_group ? [say.sameGroup, { name: parameter_group }, say.close] : [];
    return [...held, ...group, say.until, `${until}.`];
  }
  const reasons: Record<string, string> = { higher_rank: say.rank, higher_priority: say.priority, last_wins: say.last };
  if (reason === 'merged') return [say.with, other, '.'];
  const words = reason === null ? undefined : reasons[reason];
  return words === undefined ? [withFullStop(detail)] : [say.before, other, `${words}.`];
}
