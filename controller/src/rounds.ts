// Work that comes again and again: one round at a time, a stop waits for the one in progress, and trouble is told when it
// begins and when it is over, not for each round.

export interface RoundsOptions {
  everyMs: number;
  /** What the work is, as in "… is held up; it will be tried again". */
  what: string;
  /** One round; what it throws is told. */
  run: () => Promise<void>;
  onChange: (message: string, error?: unknown) => void;
}

export class Rounds {
  readonly #options: RoundsOptions;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;
  #isFailing = false;
  readonly #stopping = new AbortController();

  constructor(options: RoundsOptions) {
    this.#options = options;
  }

  /** Long rounds look at it between their steps. */
  get isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** And pause no longer than until it is. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  start(): void {
    this.#timer = setInterval(() => this.soon(), this.#options.everyMs).unref();
  }

  /** A round now, unless one is in progress. */
  soon(): void {
    if (this.isStopped) return;
    this.#round ??= this.once().finally(() => {
      this.#round = undefined;
    });
  }

  /** Resolves once the round in progress is over. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearInterval(this.#timer);
    await this.#round;
  }

  /** One round by itself. Never throws. */
  async once(): Promise<void> {
    const { run, what, onChange } = this.#options;
    try {
      await run();
      if (this.#isFailing) onChange(`${what} goes on`);
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) onChange(`${what} is held up; it will be tried again`, error);
      this.#isFailing = true;
    }
  }
}
