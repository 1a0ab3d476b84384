// The devices in the order of their names, for pages of a list. Those that come are put in order when somebody looks: sorting a
// hundred thousand for each that joins would cost more than everything else.

/** So many that are gone are taken out at once, although nobody looks. */
const maxGone = 10_000;

export interface DeviceOrderOptions {
  /** The name in this slot; undefined once the device is gone. */
  idOf: (slot: number) => string | undefined;
  /** From now on the slot may be given to another. */
  release: (slot: number) => void;
}

export class DeviceOrder {
  readonly #options: DeviceOrderOptions;
  #sorted: number[] = [];
  #added: number[] = [];
  #gone: number[] = [];

  constructor(options: DeviceOrderOptions) {
    this.#options = options;
  }

  add(slot: number): void {
    this.#added.push(slot);
  }

  /** Its name must be gone already. */
  remove(slot: number): void {
    this.#gone.push(slot);
    if (this.#gone.length >= maxGone) this.#settle();
  }

  /** The slots in order; not to be changed, and of this moment. */
  slots(): readonly number[] {
    this.#settle();
    return this.#sorted;
  }

  /** Some of them, in order. */
  sorted(slots: Iterable<number>): number[] {
    const { idOf } = this.#options;
    return [...slots].filter((slot) => idOf(slot) !== undefined).sort((a, b) => (idOf(a)! < idOf(b)! ? -1 : 1));
  }

  /** The position of the first device after this name, of all or of some in order. */
  firstAfter(name: string, slots: readonly number[] = this.slots()): number {
    const { idOf } = this.#options;
    let [low, high] = [0, slots.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (idOf(slots[middle]!)! > name) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #settle(): void {
    if (this.#added.length === 0 && this.#gone.length === 0) return;
    const { idOf, release } = this.#options;
    const added = this.sorted(this.#added);
    const merged: number[] = [];
    let at = 0;
    for (const slot of this.#sorted) {
      const id = idOf(slot);
      if (id === undefined) continue;
      while (at < added.length && idOf(added[at]!)! < id) merged.push(added[at++]!);
      merged.push(slot);
    }
    while (at < added.length) merged.push(added[at++]!);
    for (const slot of this.#gone) release(slot);
    this.#sorted = merged;
    this.#added = [];
    this.#gone = [];
  }
}
