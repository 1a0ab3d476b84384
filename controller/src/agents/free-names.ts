// Display names that count on: `bristol-5g-1`, `bristol-5g-2` and so on, after the last one that is taken.

/** One name for each stem, in their order; no two are the same, and none is taken. */
export function freeNames(stems: readonly string[], taken: Iterable<string>): string[] {
  const last = new Map(stems.map((stem) => [stem, 0]));
  for (const name of taken) {
    const dash = name.lastIndexOf('-');
    const stem = name.slice(0, dash);
    const number = name.slice(dash + 1);
    const known = last.get(stem);
    if (known !== undefined && /^[0-9]{1,9}$/.test(number)) last.set(stem, Math.max(known, Number(number)));
  }
  return stems.map((stem) => {
    const number = last.get(stem)! + 1;
    last.set(stem, number);
    return `${stem}-${number}`;
  });
}
