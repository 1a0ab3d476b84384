// Settings on the disk of the access point, with their secrets, and on their way to Weft, without them.
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, ownOf } from '@weft/contract/is-object';
import { replaceFile, syncFolder } from './spool/append-log.ts';

/** What is written is durable when `write` returns, whole or not at all. Secrets are in it. */
export interface SettingsStorage {
  /** Undefined if there is none. */
  read: (name: string) => unknown;
  /** Undefined: removes it. */
  write: (name: string, value: unknown) => void;
}

export class SettingsFolder implements SettingsStorage {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // Of a process that ended while it wrote: secrets may be in it.
    for (const name of readdirSync(folder)) if (/^settings.*\.new$/.test(name)) rmSync(join(folder, name));
  }

  read(name: string): unknown {
    try {
      return JSON.parse(readFileSync(join(this.#folder, name), 'utf8'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Durable when it returns, whole or not at all; for its owner alone, because secrets are in it. */
  write(name: string, value: unknown): void {
    const path = join(this.#folder, name);
    if (value === undefined) rmSync(path, { force: true });
    else replaceFile(path, JSON.stringify(value));
    syncFolder(this.#folder);
  }
}

/** With secrets in clear. */
export function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isObject(value)) return value;
  if (isSecret(value)) return value.value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}

/** What runs, without secrets: one that was given is said by its name, one that is not ours by version 0. */
export function masked(real: unknown, given: unknown): unknown {
  if (isObject(given) && isSecret(given)) {
    const { secret, version, value } = given;
    if (isObject(real) && !('value' in real)) return { secret, version: real.version ?? 0 };
    return { secret, version: plain(real) === value ? version : 0 };
  }
  if (isObject(real) && isSecret(real)) return { secret: real.secret, version: real.version };
  if (Array.isArray(real))
    return real.map((item, index) => masked(item, Array.isArray(given) ? given[index] : undefined));
  if (!isObject(real)) return real;
  const known = isObject(given) ? given : {};
  return Object.fromEntries(Object.entries(real).map(([key, item]) => [key, masked(item, ownOf(known, key))]));
}

function isSecret(value: Record<string, unknown>): value is { secret: string; version: number; value: string } {
  return typeof value.secret === 'string' && typeof value.version === 'number';
}
