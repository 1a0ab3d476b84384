// "Did you mean ...?": finds the known name that is closest to a mistyped one.

/** The closest of `known`, or undefined when none is close enough to be a typing error. */
export function closestName(typed: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  // Two swapped letters are a distance of two.
  let bestDistance = typed.length < 4 ? 2 : Math.max(2, Math.floor(typed.length / 3)) + 1;
  for (const name of known) {
    if (Math.abs(name.length - typed.length) > bestDistance) continue;
    const distance = editDistance(typed, name);
    const isNearer = best !== undefined && distance === bestDistance && beginning(typed, name) > beginning(typed, best);
    if (distance < bestDistance || isNearer) [best, bestDistance] = [name, distance];
  }
  return best;
}

/** A sentence to append to a message, beginning with a space; empty when no name is close. */
export function didYouMean(typed: string, known: Iterable<string>): string {
  const name = closestName(typed.slice(0, 100), known);
  return name === undefined ? '' : ` Did you mean ${name}?`;
}

/** How many letters both begin with: of names at one distance, what was typed first was more likely meant. */
function beginning(a: string, b: string): number {
  let count = 0;
  while (count < a.length && a[count] === b[count]) count++;
  return count;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
