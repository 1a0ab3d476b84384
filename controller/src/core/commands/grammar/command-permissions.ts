// What an app's permissions say about commands, and where a caller stands when callers want different things.
import type { Caller } from '../../base/caller.ts';
import { PermissionError } from '../../base/errors.ts';
import { rightsOf } from '../../base/rights/rights.ts';
import type { ParsedCommand } from './command-text.ts';

/** Higher beats lower under every policy: Weft itself, people, apps. */
export const ranks = { weft: 3, operator: 2, app: 1 } as const;
const defaultPriority = 50;

export interface Standing {
  rank: number;
  /** 0 to 100, a whole number. */
  priority: number;
}

export function standingOf(caller: Caller): Standing {
  const { app, limits } = rightsOf(caller);
  return { rank: app ? ranks.app : ranks.operator, priority: Math.round(limits.priority ?? defaultPriority) };
}

/**
 * Throws PermissionError `command_not_permitted` unless the app may send this command with these arguments. Where the
 * permission limits arguments, they bind whatever the agent makes of others: each of them must be given, as a number
 * within its limits, and no other. `{"sleep":{}}` limits none.
 */
export function requireCommandPermission(caller: Caller, { name, args }: Pick<ParsedCommand, 'name' | 'args'>): void {
  const rights = rightsOf(caller);
  if (rights.agent) throw notPermitted('Agents send no commands');
  const { commands } = rights.limits;
  if (commands === undefined || commands === true) return;
  if (commands === false) throw notPermitted('This app may send no commands');
  if (Array.isArray(commands)) {
    if (commands.includes(name)) return;
    throw notPermitted(`This app may not send ${name}`);
  }
  if (!Object.hasOwn(commands, name)) throw notPermitted(`This app may not send ${name}`);
  const limits = Object.entries(commands[name]!);
  if (limits.length === 0) return;
  const isLimited = (arg: string) => Object.hasOwn(commands[name]!, arg);
  if (!Object.keys(args).every(isLimited)) {
    const allowed = limits.map(([arg]) => arg).join(', ');
    throw notPermitted(`This app may send ${name} only with these arguments: ${allowed}`);
  }
  for (const [arg, { min, max }] of limits) {
    const value = Object.hasOwn(args, arg) ? args[arg] : undefined;
    // Without it the agent would choose; and what is not a number may still be understood as one by an agent.
    if (typeof value !== 'number' || Number.isNaN(value))
      throw notPermitted(`This app may send ${name} only with a number as ${arg}`);
    if (min !== undefined && value < min)
      throw notPermitted(`This app may send ${name} only with ${arg} from ${min} on`);
    if (max !== undefined && value > max) throw notPermitted(`This app may send ${name} only with ${arg} up to ${max}`);
  }
}

function notPermitted(detail: string): PermissionError {
  return new PermissionError('command_not_permitted', detail);
}
