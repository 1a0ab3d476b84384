// What comes piece by piece: an async iterator that starts when it is first asked, and ends cleanly whenever nobody wants
// more, also while somebody waits for the next piece.
import { linkedSignal } from '../http-client.ts';

export type StreamSource<T> = (signal: AbortSignal) => AsyncGenerator<T, void>;

/**
 * One reader takes it, once. `break` in a `for await` ends it; an aborted signal ends it with the signal's reason.
 *
 * ```ts
 * for await (const record of app.history('ap-1', { from: Date.now() - 3_600_000 })) {
 *   if (record.field === 'load') break;
 * }
 * ```
 */
export class Stream<T> implements AsyncIterableIterator<T, void> {
  readonly #pieces: AsyncGenerator<T, void>;
  readonly #controller: AbortController;
  readonly #release: () => void;
  #isOver = false;

  constructor(source: StreamSource<T>, signal?: AbortSignal) {
    const { controller, release } = linkedSignal(signal);
    this.#controller = controller;
    this.#release = release;
    this.#pieces = source(controller.signal);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<T, void>> {
    if (this.#isOver) return { done: true, value: undefined };
    try {
      const piece = await this.#pieces.next();
      if (piece.done) this.#end();
      return this.#isOver ? { done: true, value: undefined } : piece;
    } catch (error) {
      const wasEnded = this.#isOver;
      this.#end();
      if (wasEnded) return { done: true, value: undefined };
      throw error;
    }
  }

  /** Ends it; a `next` that waits is told so. */
  async return(): Promise<IteratorResult<T, void>> {
    this.#end();
    // Whoever waits holds the generator: it must be woken before it can be ended.
    this.#controller.abort(new DOMException('The stream was ended by its reader', 'AbortError'));
    await this.#pieces.return().catch(() => {});
    return { done: true, value: undefined };
  }

  /**
   * Everything until the end, in one array.
   *
   * ```ts
   * const records = await app.history('ap-1', { from: Date.now() - 3_600_000 }).toArray();
   * ```
   */
  async toArray(): Promise<T[]> {
    const all: T[] = [];
    for await (const piece of this) all.push(piece);
    return all;
  }

  #end(): void {
    this.#isOver = true;
    this.#release();
  }
}
