// Reads a list of names out of a query, where it may be written as repeated parameters, with commas, or both.

/**
 * Each name once, in the order of first mention. A parameter without a comma is one name, exactly as written; around
 * commas, spaces and empty pieces do not count.
 */
export function parseNames(values: readonly string[]): string[] {
  const names = new Set<string>();
  for (const value of values) {
    if (!value.includes(',')) {
      if (value !== '') names.add(value);
      continue;
    }
    for (const piece of value.split(',')) {
      const name = piece.trim();
      if (name !== '') names.add(name);
    }
  }
  return [...names];
}
