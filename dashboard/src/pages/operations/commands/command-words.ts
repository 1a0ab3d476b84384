// A command in a line, and what was decided about it as a sentence: who held what until when, who asked, and how it came out. Pure.
import type { Command, Conflict, Rival } from '../../../api/client.ts';
import { formatMoment, shortAgentName } from '../../../format.ts';

const text = {
  /** By reason, where no other caller is involved. */
  unopposed: {
    free: 'Not leased by others',
    same_value: 'Already leased with this value',
    own_lease: 'Already leased by the same caller',
  } as Record<string, string>,
  because: {
    higher_rank: ': users take precedence over apps',
    higher_priority: ': higher priority',
    last_wins: ': the last command wins',
  } as Record<string, string>,
};

/** `dbm 17, mode "eco"`. */
export function argumentsInWords(args: Record<string, unknown>): string {
  return Object.entries(args)
    .map(
      ([arg, value]) =>
        `${arg} ${typeof value === 'number' || typeof value === 'boolean' ? value : JSON.stringify(value)}`,
    )
    .join(', ');
}

export function commandInWords({ name, args }: Pick<Command, 'name' | 'args'>): string {
  const rest = argumentsInWords(args);
  return rest === '' ? name : `${name} ${rest}`;
}

export interface Decision {
  ap_id: string;
  parameter?: string | undefined;
  caller_name?: string | null | undefined;
  verdict: string | null;
  reason: string | null;
  detail: string;
  rival: Rival | null;
}

/** Undefined where nobody was in the way, which needs no words in a list. */
export function rivalSentence(decision: Command | Conflict): string | undefined {
  return decision.rival || decision.verdict === 'rejected' || decision.verdict === 'queued'
    ? decisionSentence(decision)
    : undefined;
}

export function decisionSentence({ ap_id, caller_name, verdict, reason, detail, rival }: Decision): string {
  const unopposed = text.unopposed[reason ?? ''];
  if (unopposed !== undefined) return unopposed;
  if (!rival) return plainDetail(detail);
  const holder = rival.caller_kind === 'weft' ? 'Weft' : rival.caller_name;
  const what = `${parameterWords(rival.parameter)} of ${shortAgentName(rival.ap_id || ap_id)}`;
  const until = formatMoment(rival.until);
  const asker = caller_name ?? 'this command';
  if (verdict === 'rejected')
    return `${holder} holds the lease on ${what} until ${until}; ${asker} requested a different value and was rejected`;
  if (verdict === 'queued') return `${holder} holds the lease on ${what} until ${until}; ${asker} is queued until then`;
  if (verdict === 'accepted_modified')
    return `${holder} and ${asker} requested different values for ${what}; a merged value is sent`;
  if (reason === 'related')
    return `${asker} was accepted; ${holder} holds the lease on ${what}, which affects the same thing`;
  return `${asker} overrides the lease of ${holder} on ${what}${text.because[reason ?? ''] ?? ''}`;
}

/** With a full stop, where something follows. */
export function withFullStop(sentence: string): string {
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}

/** `tx_power` as people say it. */
export function parameterWords(parameter: string): string {
  return parameter.replaceAll('_', ' ');
}

/** The sentence of the server with its moments in the time of the reader, and without prefixes meant for programs. */
export function plainDetail(detail: string): string {
  const words = detail
    .replace(/^Value error, /, '')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (moment) => formatMoment(moment))
    .replaceAll(/\S+/g, shortAgentName);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
