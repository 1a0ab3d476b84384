// The detail of an entry about a change of free-form data: the names of the changed keys, limited in size.

const maxKeys = 50;
const maxKeyLength = 100;
const maxValueBytes = 1024;

type FreeForm = Record<string, unknown>;

/** The top-level keys that differ, in the order of `after`, then the removed ones. */
export function changedKeys(before: FreeForm, after: FreeForm): string[] {
  const keys = new Set([...Object.keys(after), ...Object.keys(before)]);
  return [...keys].filter((key) => textAt(before, key) !== textAt(after, key));
}

/** The names of keys for an entry; if there are very many, the first ones and the number of the rest. */
export function keyNames(keys: readonly string[]): { keys: string[]; more_keys?: number } {
  const shown = keys
    .slice(0, maxKeys)
    .map((key) => (key.length > maxKeyLength ? `${key.slice(0, maxKeyLength)}…` : key));
  return keys.length > maxKeys ? { keys: shown, more_keys: keys.length - maxKeys } : { keys: shown };
}

/** The values of these keys, if present; only the size of a large value. */
export function shownValues(values: FreeForm, keys: readonly string[]): FreeForm {
  const shown = keys.filter((key) => Object.hasOwn(values, key));
  return Object.fromEntries(shown.map((key) => [key, abridged(values[key])]));
}

function abridged(value: unknown): unknown {
  const bytes = Buffer.byteLength(JSON.stringify(value) ?? '');
  return bytes <= maxValueBytes ? value : { omitted_bytes: bytes };
}

function textAt(values: FreeForm, key: string): string | undefined {
  return Object.hasOwn(values, key) ? JSON.stringify(values[key]) : undefined;
}
