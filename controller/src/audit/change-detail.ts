// What an entry says about a change of something free-form: which keys, by name, and never more than fits on a page.

const maxKeys = 50;
const maxKeyLength = 100;
const maxValueBytes = 1024;

type FreeForm = Record<string, unknown>;

/** The top-level keys that differ, in the order of `after`, then those that went. */
export function changedKeys(before: FreeForm, after: FreeForm): string[] {
  const keys = new Set([...Object.keys(after), ...Object.keys(before)]);
  return [...keys].filter((key) => textAt(before, key) !== textAt(after, key));
}

/** Names of keys for an entry; of very many, the first ones and how many more there are. */
export function keyNames(keys: readonly string[]): { keys: string[]; more_keys?: number } {
  const shown = keys
    .slice(0, maxKeys)
    .map((key) => (key.length > maxKeyLength ? `${key.slice(0, maxKeyLength)}…` : key));
  return keys.length > maxKeys ? { keys: shown, more_keys: keys.length - maxKeys } : { keys: shown };
}

/** The values of these keys, where they are there; a large one by its size alone. */
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
