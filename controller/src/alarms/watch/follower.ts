// Repeats a piece of work after changes: soon, one after the other, and once for all that come meanwhile.

const delayMs = 100;

export class Follower {
  readonly #work: () => Promise<void>;
  readonly #onError: (error: unknown, message: string) => void;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isStopped = false;

  constructor(work: () => Promise<void>, onError: (error: unknown, message: string) => void) {
    this.#work = work;
    this.#onError = onError;
  }

  soon(): void {
    if (this.#timer || this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#running = (this.#running ?? Promise.resolve()).then(async () => {
        this.#timer = undefined;
        await this.#work().catch((error) => this.#onError(error, 'agents could not be read; trying again'));
      });
    }, delayMs).unref();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }
}
