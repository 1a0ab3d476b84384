// Arguments that are credentials: the agent gets them, and everything that stays (audit log, decisions, leases, answers) has a
// keyed fingerprint in their place. Equal values of one caller have equal fingerprints, so that decisions compare them all the
// same; those of two callers never do.

import type { DeclaredCommand } from '@weft/contract/declared-commands';
import { isObject } from '@weft/contract/is-object';
import { looksSecret } from '../../base/input/secret-names.ts';
import { isSameValue, type Want } from './requested-value.ts';

const mark = 'secret:';
/**
 * The arguments with fingerprints in the place of secret ones: those that the declaration says are secret, those whose name
 * or the name of a value inside of them looks so, and texts of a command or free text that speaks of a credential. A
 * declaration with `secret: false` is believed. The same object if there is none.
 */
export function withoutSecretArguments(
  { name, args }: Want,
  declaration: DeclaredCommand | null,
  fingerprint: (text: string) => string,
): Record<string, unknown> {
  const isAbout = looksSecret(name);
  const print = (value: unknown) => `${mark}${fingerprint(JSON.stringify(value))}`;
  let isChanged = false;
  const entries = Object.entries(args).map(([arg, value]): [string, unknown] => {
    const declared =
      declaration?.params && Object.hasOwn(declaration.params, arg) ? declaration.params[arg] : undefined;
    if (declared?.secret === false) return [arg, value];
    const isText = typeof value === 'string';
    const isSecret =
      declared?.secret === true ||
      looksSecret(arg) ||
      (isText && (isAbout || (arg === 'text' && value.split(/[^\w-]+/).some(looksSecret))));
    const shown = isSecret ? print(value) : replaceInside(value, looksSecret, print);
    isChanged ||= shown !== value;
    return [arg, shown];
  });
  return isChanged ? Object.fromEntries(entries) : args;
}

/** What is sent: `sent` with the values that `shown` has fingerprints of. */
export function withSecretArguments(
  sent: Record<string, unknown>,
  shown: Record<string, unknown>,
  given: Record<string, unknown>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(sent).map(([arg, value]) => {
      const isSecret = Object.hasOwn(given, arg) && !isSameValue(shown[arg], given[arg]);
      return [arg, isSecret ? given[arg] : value];
    }),
  );
}

/** What an agent says about a command with secret arguments, without the values that it may repeat. */
export function withoutEchoes<T>(said: T, args: Record<string, unknown>): T {
  const isSecret = (key: string) =>
    looksSecret(key) || (Object.hasOwn(args, key) && typeof args[key] === 'string' && args[key].startsWith(mark));
  return replaceInside(said, isSecret, () => '***') as T;
}

/** The same value if nothing is replaced. Input is nested a few dozen levels at most. */
function replaceInside(value: unknown, isSecret: (key: string) => boolean, by: (value: unknown) => string): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => replaceInside(item, isSecret, by));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isObject(value)) return value;
  const before = Object.entries(value);
  const after = before.map(([key, inner]): [string, unknown] => [
    key,
    isSecret(key) ? by(inner) : replaceInside(inner, isSecret, by),
  ]);
  return after.some(([, inner], index) => inner !== before[index]![1]) ? Object.fromEntries(after) : value;
}
