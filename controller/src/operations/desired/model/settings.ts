// Settings as a layer writes them and as an access point gets them: a JSON object whose scalars and arrays are leaves, each
// with a path. An object `{"secret": name}` stands for a secret and is a leaf too.
import { hash } from 'node:crypto';
import { isLeafName, unusableStep } from '@weft/contract/declared-settings';
import { isObject } from '@weft/contract/is-object';
import { type Problem, ValidationError } from '../../../core/base/errors.ts';
import { type Loc, valueError } from '../../../core/base/input/value-rules.ts';

export type Settings = Record<string, unknown>;

export interface SecretReference {
  secret: string;
  /** Once it is rendered. */
  version?: number;
  /** Once it is rendered: the id of the access point or site that it belongs to; absent for one of the installation. */
  of?: string;
}

export const maxSettingsBytes = 64 * 1024;
const maxLeaves = 500;
const secretName = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

export function isSecretReference(value: unknown): value is SecretReference {
  if (!isObject(value) || typeof value.secret !== 'string') return false;
  return Object.keys(value).every((key) => key === 'secret' || key === 'version' || key === 'of');
}

/** In the order in which they stand; null takes a leaf away that a lighter layer has set. */
export function leavesOf(settings: Settings): Map<string, unknown> {
  const leaves = new Map<string, unknown>();
  const walk = (object: Settings, before: string) => {
    for (const [key, value] of Object.entries(object)) {
      const path = before + key;
      if (isObject(value) && !isSecretReference(value) && key !== unusableStep) walk(value, `${path}.`);
      else leaves.set(path, value);
    }
  };
  walk(settings, '');
  return leaves;
}

/** What makes settings unusable, if anything does: older versions stored them. */
export function unusableLeaf(leaves: Iterable<string>): string | undefined {
  for (const leaf of leaves) if (leaf.split('.').includes(unusableStep)) return leaf;
  return undefined;
}

/** The object with these leaves. No path may be the beginning of another. */
export function fromLeaves(leaves: Iterable<readonly [path: string, value: unknown]>): Settings {
  const settings: Settings = Object.create(null);
  for (const [path, value] of leaves) {
    const steps = path.split('.');
    const last = steps.pop()!;
    let object = settings;
    for (const step of steps) {
      object[step] ??= Object.create(null);
      object = object[step] as Settings;
    }
    object[last] = value;
  }
  return settings;
}

/** As they may be stored in a layer. Throws ValidationError. */
export function requireSettings(settings: Settings, loc: Loc): void {
  const problems: Problem[] = [];
  const leaves = leavesOf(settings);
  if (leaves.size === 0) problems.push(valueError(loc, 'a layer sets or takes away at least one setting'));
  if (leaves.size > maxLeaves) problems.push(valueError(loc, `a layer has at most ${maxLeaves} settings`));
  if (Buffer.byteLength(JSON.stringify(settings)) > maxSettingsBytes) {
    problems.push(valueError(loc, `settings have at most ${maxSettingsBytes} bytes`));
  }
  for (const [path, value] of leaves) {
    if (!isKept(value)) problems.push(valueError([...loc, ...path.split('.')], tooManyDigits));
    if (isLeafName(path)) continue;
    const rule = `names of settings have letters, digits, _ and -, and at most four steps, none of them ${unusableStep}`;
    problems.push(valueError([...loc, ...path.slice(0, 256).toWellFormed().split('.')], rule));
  }
  for (const name of secretsOf(settings)) {
    if (!isSecretName(name)) problems.push(valueError(loc, 'names of secrets have letters, digits, . _ and -'));
  }
  if (problems.length > 0) throw new ValidationError(problems.slice(0, 20));
}

export const tooManyDigits = 'has too many digits for a number: as a text all of them are kept';

/** Whether no number in it was another one in the JSON. */
export function isKept(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isInteger(value) || Number.isSafeInteger(value);
  return !(Array.isArray(value) || isObject(value)) || Object.values(value).every(isKept);
}

/** The names of the secrets in it, each once. */
export function secretsOf(value: unknown): Set<string> {
  return new Set(referencesOf(value).map(({ secret }) => secret));
}

/** Every reference in it. */
export function referencesOf(value: unknown): SecretReference[] {
  const found: SecretReference[] = [];
  replaced(value, (part) => {
    if (isSecretReference(part)) found.push(part);
    return part;
  });
  return found;
}

/** One text for values that are equal but for what secrets belong to, which an access point need not say again. */
export function comparable(value: unknown): string {
  const bare = ({ secret, version }: SecretReference) => ({ secret, version });
  return canonicalJson(replaced(value, (part) => (isSecretReference(part) ? bare(part) : part)));
}

/** The value with each text and each secret in it replaced. */
export function replaced(value: unknown, replace: (part: string | SecretReference) => unknown): unknown {
  if (typeof value === 'string' || isSecretReference(value)) return replace(value);
  if (Array.isArray(value)) return value.map((item) => replaced(item, replace));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaced(item, replace)]));
}

/**
 * What an access point says of a leaf, for a layer: with the names of secrets that it was given for this leaf, and of no others.
 * Undefined if it would mean more there than it does now.
 */
export function asData(said: unknown, given: unknown): unknown {
  const own = referencesOf(given);
  let isData = said !== undefined;
  const value = replaced(said, (part) => {
    if (typeof part === 'string') {
      isData &&= !part.includes('${');
      return part;
    }
    isData &&= own.some((each) => comparable(each) === comparable(part) && (part.of ?? each.of) === each.of);
    return { secret: part.secret };
  });
  return isData ? value : undefined;
}

/** Whether the leaf is one still when it is read again: what stands beside a setting called `secret` may make a reference of both. */
export function isLeafOf(settings: Settings, leaf: string): boolean {
  return leavesOf({ settings }).has(`settings.${leaf}`);
}

/** One text for equal values (RFC 8785). */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`).join(',')}}`;
}

export function hashOf(canonical: string): string {
  return hash('sha256', canonical, 'hex');
}
