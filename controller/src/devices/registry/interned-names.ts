// The names that devices hear around them: the same few texts for very many devices, each kept once under a number.

/** Names in use are looked for when there are this many, and twice as many as were in use then. */
const firstSweep = 4_096;

export class InternedNames {
  readonly #ids = new Map<string, number>();
  readonly #names: (string | undefined)[] = [];
  readonly #free: number[] = [];
  readonly #used: () => Iterable<number>;
  #sweepAt = firstSweep;

  /** `used` tells which numbers are still in use; asked when there are many. */
  constructor(used: () => Iterable<number>) {
    this.#used = used;
  }

  get count(): number {
    return this.#ids.size;
  }

  idOf(name: string): number {
    const known = this.#ids.get(name);
    if (known !== undefined) return known;
    if (this.#ids.size >= this.#sweepAt) this.#sweep();
    const id = this.#free.pop() ?? this.#names.length;
    this.#names[id] = name;
    this.#ids.set(name, id);
    return id;
  }

  nameOf(id: number): string {
    return this.#names[id] ?? '';
  }

  #sweep(): void {
    const used = new Set(this.#used());
    for (const [name, id] of this.#ids) {
      if (used.has(id)) continue;
      this.#ids.delete(name);
      this.#names[id] = undefined;
      this.#free.push(id);
    }
    this.#sweepAt = Math.max(firstSweep, this.#ids.size * 2);
  }
}
