// What an access point says it can be set to: `configuration.settings`, an object with one declaration for each leaf, in the
// grammar of the arguments of commands. Nothing in a configuration is trusted to have a certain shape.
import { type DeclaredArgument, isCommandName, readArgument } from './declared-commands.ts';
import { isObject } from './is-object.ts';

/** What is interrupted when a setting changes. */
export const restarts = ['none', 'radio', 'device'] as const;
export type Restart = (typeof restarts)[number];

export interface DeclaredSetting extends Omit<DeclaredArgument, 'type'> {
  type?: DeclaredArgument['type'] | 'array';
  /** What commands call the same thing: one of them may hold it. */
  parameter: string;
  restart: Restart;
}

const segment = '[A-Za-z_][A-Za-z0-9_-]{0,63}';
const leafName = new RegExp(`^${segment}(?:\\.${segment}){0,3}$`);
const maxSettings = 500;

/** No step of a path: programs that write an object by it would reach what all objects share. */
export const unusableStep = '__proto__';

/** A leaf by its path, the steps separated by dots: `tx_power_dbm`, `radio_5ghz.channel`. */
export function isLeafName(name: string): boolean {
  return leafName.test(name) && !name.split('.').includes(unusableStep);
}

/** By leaf; empty for an agent that declares none. What makes no sense is left out. */
export function readDeclaredSettings(configuration: Record<string, unknown>): Map<string, DeclaredSetting> {
  const declared = new Map<string, DeclaredSetting>();
  if (!isObject(configuration.settings)) return declared;
  for (const [leaf, input] of Object.entries(configuration.settings).slice(0, maxSettings)) {
    if (!isLeafName(leaf) || !isObject(input)) continue;
    const { parameter, restart, type } = input;
    declared.set(leaf, {
      ...readArgument(input, true),
      ...(type === 'array' && { type }),
      parameter: isCommandName(parameter) ? parameter : leaf,
      restart: restarts.find((known) => known === restart) ?? 'none',
    });
  }
  return declared;
}
