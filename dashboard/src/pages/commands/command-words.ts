// A command in a line, and what was decided about it as a sentence: who held what until when, who asked, and how it came out. Pure.
import type { Command, Conflict, Rival } from '../../api/client.ts';
import { formatMoment, shortAgentName } from '../../format.ts';
import { commandsText } from '../../text/commands.ts';

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

const text = commandsText.decision;

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
  const holder = rival.caller_kind === 'weft' ? text.weft : rival.caller_name;
  const what = text.parameterOf(parameterWords(rival.parameter), shortAgentName(rival.ap_id || ap_id));
  const until = formatMoment(rival.until);
  const asker = caller_name ?? text.thisCommand;
  if (verdict === 'rejected') return text.rejected(holder, what, until, asker);
  if (verdict === 'queued') return text.queued(holder, what, until, asker);
  if (verdict === 'accepted_modified') return text.merged(holder, what, asker);
  if (reason === 'related') return text.related(holder, what, asker);
  return text.overridden(holder, what, asker, text.because[reason ?? ''] ?? '');
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
