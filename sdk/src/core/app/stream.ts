// What comes piece by piece: an async iterator that starts when it is first asked, and ends cleanly whenever nobody wants
// more, also while somebody waits for the next piece.
/// <reference lib="esnext.disposable" preserve="true" />
import { unlessAborted } from '@weft/contract/pause';
import { linkedSignal } from '../http-client.ts';

export type StreamSource<T> = (signal: AbortSignal) => AsyncGenerator<T, void>;

/**
 * One reader takes it, once. `break` in a `for await` ends it, and so does an aborted signal, without an error; only `toArray`
 * throws the signal's reason, because what it has is not all.
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

  constructor(source: StreamSource<T>, ...signals: (AbortSignal | undefined)[]) {
    const { controller, release } = linkedSignal(...signals);
    this.#controller = controller;
    this.#release = release;
    this.#pieces = source(controller.signal);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<T, void>> {
    const { signal } = this.#controller;
    try {
      if (!this.#isOver) {
        const piece = await unlessAborted(this.#pieces.next(), signal);
        if (!piece.done && !this.#isOver) return piece;
      }
    } catch (error) {
      if (!signal.aborted) {
        this.#end();
        throw error;
      }
      // It is woken by the same signal, and ends what it holds open.
      void this.#pieces.return().catch(() => {});
    }
    this.#end();
    return { done: true, value: undefined };
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
    this.#controller.signal.throwIfAborted();
    return all;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  #end(): void {
    this.#isOver = true;
    this.#release();
  }
}
