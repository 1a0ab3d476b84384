// Those whose time comes first, first: a binary heap whose members know their places, so that each is in it once and can be
// moved or taken out.

export interface Due {
  /** When something about it changes by itself. Changed only by the heap. */
  dueMs: number;
  /** Its place in the heap; -1 while it is not in it. */
  heapAt: number;
}

export class DueHeap<T extends Due> {
  readonly #heap: T[] = [];

  get first(): T | undefined {
    return this.#heap[0];
  }

  get size(): number {
    return this.#heap.length;
  }

  /** Adds it, or moves it. */
  set(item: T, dueMs: number): void {
    if (item.heapAt < 0) {
      item.heapAt = this.#heap.length;
      this.#heap.push(item);
    }
    item.dueMs = dueMs;
    this.#settle(item);
  }

  remove(item: T): void {
    const { heapAt } = item;
    if (heapAt < 0) return;
    item.heapAt = -1;
    const last = this.#heap.pop()!;
    if (last === item) return;
    this.#place(last, heapAt);
    this.#settle(last);
  }

  /** All of them by the same: the order stays. */
  shift(ms: number): void {
    for (const item of this.#heap) item.dueMs += ms;
  }

  #settle(item: T): void {
    const heap = this.#heap;
    let at = item.heapAt;
    for (; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (heap[parent]!.dueMs <= item.dueMs) break;
      this.#place(heap[parent]!, at);
      at = parent;
    }
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && heap[child + 1]!.dueMs < heap[child]!.dueMs) child++;
      if (heap[child]!.dueMs >= item.dueMs) break;
      this.#place(heap[child]!, at);
      at = child;
    }
    this.#place(item, at);
  }

  #place(item: T, at: number): void {
    this.#heap[at] = item;
    item.heapAt = at;
  }
}
