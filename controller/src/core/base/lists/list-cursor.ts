// Where the next page of a list begins, as an opaque text: the key and the name of the last one, of which list it is, and the
// snapshot that the page before was taken from, if it was.
import { hash } from 'node:crypto';
import { isObject } from '@weft/contract/is-object';
import type { ValidationError } from '../errors.ts';
import { invalidValue } from '../input/value-rules.ts';

/** What everybody asks of a list. */
export interface PageQuery {
  cursor?: string | undefined;
  limit: number;
}

export interface ListCursor {
  key: SortKey;
  /** Of the last one; no other has it. */
  name: string;
  snapshot: string | undefined;
}

const version = 1;

/** What a list is asked for; a cursor goes on only in the same. */
export function fingerprint(parts: readonly unknown[]): string {
  return hash('sha1', JSON.stringify(parts), 'base64url').slice(0, 12);
}

export function toCursor({ key, name, snapshot }: ListCursor, list: string): string {
  const json = JSON.stringify({ v: version, k: key, a: name, l: list, s: snapshot });
  return Buffer.from(json).toString('base64url');
}

/** Throws ValidationError for what is no cursor, and for one of another list. */
export function readCursor(text: string, list: string): ListCursor {
  const cursor = parse(text);
  if (!cursor) throw notACursor();
  if (cursor.list !== list) {
    throw invalidValue(['query', 'cursor'], 'this cursor is of a list with another selector, search or sort');
  }
  return cursor;
}

/** For a list in one order: only the name of the last one counts. */
export function toNameCursor(name: string, list: string): string {
  return toCursor({ key: null, name, snapshot: undefined }, list);
}

/** Throws ValidationError also for what cannot be a name of this list. */
export function readNameCursor<T extends string | undefined>(
  text: T,
  list: string,
  isName: (name: string) => boolean,
): T {
  if (text === undefined) return text;
  const { name } = readCursor(text, list);
  if (!isName(name)) throw notACursor();
  return name as T;
}

function notACursor(): ValidationError {
  return invalidValue(['query', 'cursor'], 'this is not a cursor; use `next` of the page before');
}

function parse(text: string): (ListCursor & { list: unknown }) | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (!isObject(value) || value.v !== version) return undefined;
    const { k: key, a: name, l: list, s: snapshot } = value;
    if (key !== null && typeof key !== 'string' && typeof key !== 'number') return undefined;
    if (typeof name !== 'string' || (snapshot !== undefined && typeof snapshot !== 'string')) return undefined;
    return { key, name, snapshot, list };
  } catch {
    return undefined;
  }
}

// What a list is sorted by.

/** Null stands last, in both directions. */
export type SortKey = string | number | null;

/** Negative if the first comes first; ties are the caller's. */
export function compareKeys(a: SortKey, b: SortKey, isDescending: boolean): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  return a < b === isDescending ? 1 : -1;
}
