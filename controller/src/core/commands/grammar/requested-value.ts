// What is wanted of a parameter: a command's name and arguments. Compares two requests, and makes one of
// several where the rules say so.
import { createHash } from 'node:crypto';
import type { ParameterGroup } from '@weft/contract';
import type { DeclaredCommand } from '@weft/contract/declared-commands';
import type { ParsedCommand } from './command-text.ts';
import { checkArguments } from './require-declared.ts';

/** `sleep` and `wake` set the same parameter and have no arguments: the name is part of what is wanted. */
export type Want = Pick<ParsedCommand, 'name' | 'args'>;

/** The same value, whatever the order of its keys. */
export function isSameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every(
    (key) =>
      Object.hasOwn(b, key) && isSameValue(a[key as keyof typeof a] as unknown, b[key as keyof typeof b] as unknown),
  );
}

export function isSameWant(a: Want, b: Want): boolean {
  return a.name === b.name && isSameValue(a.args, b.args);
}

/** Equal for equal wants, different for different ones, and short however long they are. */
export function fingerprint({ name, args }: Want): string {
  const text = JSON.stringify([name, sorted(args)]);
  return text.length <= 128 ? text : createHash('sha256').update(text).digest('base64url');
}

/**
 * One set of arguments for all wants: numbers are merged, each argument by itself, and lie between the lowest and the
 * highest that was wanted; everything else must agree. Undefined where it does not, where no number is given, and where
 * the agent's declaration does not take the result.
 */
export function mergeWants(
  wants: readonly Want[],
  how: NonNullable<ParameterGroup['merge']>,
  declaration: DeclaredCommand | null,
): Record<string, unknown> | undefined {
  const [first, ...others] = wants;
  if (!first) return undefined;
  const keys = Object.keys(first.args);
  const isAlike = others.every(({ name, args }) => {
    return (
      name === first.name && Object.keys(args).length === keys.length && keys.every((key) => Object.hasOwn(args, key))
    );
  });
  if (!isAlike) return undefined;
  let hasNumber = false;
  const entries: [string, unknown][] = [];
  for (const key of keys) {
    const values = wants.map(({ args }) => args[key]);
    if (values.every((value) => typeof value === 'number')) {
      hasNumber = true;
      entries.push([key, mergeNumbers(values, how, stepOf(declaration, key))]);
    } else if (values.every((value) => isSameValue(value, values[0]))) entries.push([key, values[0]]);
    else return undefined;
  }
  const merged = Object.fromEntries(entries);
  const fits = !declaration || checkArguments(declaration, merged).length === 0;
  return hasNumber && fits ? merged : undefined;
}

function mergeNumbers(values: number[], how: 'min' | 'max' | 'mean', step: number | undefined): number {
  const lowest = values.reduce((a, b) => Math.min(a, b));
  const highest = values.reduce((a, b) => Math.max(a, b));
  if (how !== 'mean') return how === 'min' ? lowest : highest;
  // Divided first, because the sum of two large numbers may be none.
  let mean = values.reduce((sum, value) => sum + value / values.length, 0);
  // A step of 0.1 leaves rounding digits.
  if (step !== undefined) mean = Number((Math.round(mean / step) * step).toPrecision(12));
  return Math.min(Math.max(mean, lowest), highest);
}

function stepOf(declaration: DeclaredCommand | null, arg: string): number | undefined {
  const params = declaration?.params ?? {};
  const bounds = Object.hasOwn(params, arg) ? params[arg] : undefined;
  return bounds?.multipleOf ?? (bounds?.type === 'integer' ? 1 : undefined);
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value).map(([key, each]) => [key, sorted(each)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
