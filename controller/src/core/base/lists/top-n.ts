// The first ones of many, without sorting all of them.

/**
 * The first `count` of what it is given, in order, in little memory: a heap with the last of them on top, so that most of what
 * comes is compared once and dropped.
 */
export class TopN<T> {
  readonly #heap: T[] = [];
  readonly #count: number;
  readonly #compare: (a: T, b: T) => number;

  constructor(count: number, compare: (a: T, b: T) => number) {
    this.#count = count;
    this.#compare = compare;
  }

  /** The last of as many as wanted; undefined until there are so many. */
  get last(): T | undefined {
    return this.#heap.length < this.#count ? undefined : this.#heap[0];
  }

  add(item: T): void {
    const heap = this.#heap;
    if (heap.length < this.#count) {
      heap.push(item);
      this.#rise(heap.length - 1);
    } else if (this.#compare(item, heap[0]!) < 0) {
      heap[0] = item;
      this.#sink();
    }
  }

  take(): T[] {
    return this.#heap.sort(this.#compare);
  }

  #rise(start: number): void {
    const heap = this.#heap;
    for (let at = start; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (this.#compare(heap[at]!, heap[parent]!) <= 0) return;
      [heap[at], heap[parent]] = [heap[parent]!, heap[at]!];
      at = parent;
    }
  }

  #sink(): void {
    const heap = this.#heap;
    for (let at = 0; ; ) {
      let last = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < heap.length && this.#compare(heap[child]!, heap[last]!) > 0) last = child;
      }
      if (last === at) return;
      [heap[at], heap[last]] = [heap[last]!, heap[at]!];
      at = last;
    }
  }
}
