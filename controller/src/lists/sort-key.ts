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
