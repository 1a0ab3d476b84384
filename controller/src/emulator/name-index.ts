// An index of names, with eight bytes per name: a hash and a number, sorted. Results are compared with the
// names themselves, so hash collisions are harmless.

/** Entry numbers are below this; the higher bits hold the 32-bit hash. */
const maxEntries = 2 ** 16;

export class NameIndex {
  readonly #hashed: Float64Array;
  readonly #namesOf: (entry: number) => readonly string[];

  /** Entries are numbered from 0. `namesOf` must be deterministic. */
  constructor(entries: number, namesOf: (entry: number) => readonly string[]) {
    if (entries > maxEntries) throw new RangeError(`At most ${maxEntries} entries`);
    const hashed: number[] = [];
    for (let entry = 0; entry < entries; entry++) {
      for (const name of namesOf(entry)) hashed.push(hash(name) * maxEntries + entry);
    }
    this.#hashed = Float64Array.from(hashed).sort();
    this.#namesOf = namesOf;
  }

  /** The entries with this name, in ascending order, each once. */
  find(name: string): number[] {
    const first = hash(name) * maxEntries;
    const found = new Set<number>();
    for (let at = this.#firstFrom(first); this.#hashed[at]! < first + maxEntries; at++) {
      const entry = this.#hashed[at]! - first;
      if (!found.has(entry) && this.#namesOf(entry).includes(name)) found.add(entry);
    }
    return [...found];
  }

  #firstFrom(value: number): number {
    let low = 0;
    let high = this.#hashed.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#hashed[middle]! < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** FNV-1a over the characters. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value >>> 0;
}
