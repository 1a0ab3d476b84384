// Shares one write between many: what is added in one turn, or while a write is under way, goes into the next one.

export interface BatchQueueOptions<Item, Result> {
  /** Resolves with the result of each item, in their order. If it throws, that is thrown to all of this batch. */
  write: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** How many of those that wait go into the next batch, at least one; default: all. */
  take?: (waiting: readonly Item[]) => number;
  /** How long the next batch gathers, asked again with each item that comes; default: until the event loop has had its turn. */
  pauseMs?: (waiting: number) => number;
}

interface Waiting<Result> {
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

export class BatchQueue<Item, Result = void> {
  readonly #options: BatchQueueOptions<Item, Result>;
  #items: Item[] = [];
  #waiting: Waiting<Result>[] = [];
  #work: Promise<void> | undefined;
  /** Begins the batch that gathers. */
  #begin: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #soon: NodeJS.Immediate | undefined;

  constructor(options: BatchQueueOptions<Item, Result>) {
    this.#options = options;
  }

  /** How many wait, without those that are being written. */
  get size(): number {
    return this.#items.length;
  }

  /** Resolves once its batch is written. Batches are written one after the other, in the order in which items were added. */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#items.push(item);
      this.#waiting.push({ resolve, reject });
      if (this.#begin) this.#plan();
      else this.#work ??= this.#writeAll();
    });
  }

  /** Resolves once nothing waits and nothing is being written. */
  async idle(): Promise<void> {
    while (this.#work) await this.#work;
  }

  async #writeAll(): Promise<void> {
    while (this.#items.length > 0) {
      await new Promise<void>((resolve) => {
        this.#begin = resolve;
        this.#plan();
      });
      this.#begin = undefined;
      clearTimeout(this.#timer);
      this.#soon = this.#timer = undefined;
      await this.#writeSome();
    }
    // In the same turn in which nothing waited any more: whoever comes now starts again.
    this.#work = undefined;
  }

  #plan(): void {
    if (this.#soon) return;
    const pauseMs = this.#options.pauseMs?.(this.#items.length) ?? 0;
    // What arrived during the last write may still be in the event loop.
    if (pauseMs > 0) this.#timer ??= setTimeout(this.#begin!, pauseMs);
    else this.#soon = setImmediate(this.#begin!);
  }

  async #writeSome(): Promise<void> {
    const { write, take } = this.#options;
    const count = take ? Math.max(1, take(this.#items)) : this.#items.length;
    const items = this.#items.splice(0, count);
    const waiting = this.#waiting.splice(0, count);
    try {
      const results = await write(items);
      for (const [index, { resolve }] of waiting.entries()) resolve(results[index]!);
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }
}
