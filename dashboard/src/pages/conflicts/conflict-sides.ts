// The two sides of a conflict: who asked for which value, with which priority. Pure.
import { isObject } from '@weft/contract/is-object';
import type { Conflict } from '../../api/operations.ts';

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
  const parsed = parse(command);
  if (!parsed) return command;
  const { name, ...args } = parsed;
  const words = Object.entries(args).map(
    ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return [String(name), ...words].join(' ');
}

/** Undefined for what is no command in JSON. */
function parse(command: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(command);
    return isObject(parsed) && 'name' in parsed ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** The page of a caller, for administrators; undefined if it has none. */
export function callerHref({ caller_kind, caller_name }: Pick<ConflictSide, 'caller_kind' | 'caller_name'>) {
  if (caller_kind === 'third_party_app') return `/apps/${encodeURIComponent(caller_name)}`;
  return caller_kind === 'user' ? `/users?${new URLSearchParams({ user: caller_name })}` : undefined;
}
