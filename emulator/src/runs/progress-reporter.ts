// Tells Weft how a run goes: its start, now and then its progress, and its end. What is told is numbered, so that it counts
// once however often it is sent.
import type { EmulatorEvent, EmulatorTask } from '@weft/contract';
import type { RunStatus } from './run-messages.ts';
import { patiently, type Telling, type WeftClient } from './weft-client.ts';

const comingUpEveryMs = 1_000;
/** An agent that is not let in at all must not keep everybody informed all the time. */
const comingUpMs = 60_000;
const leastPauseMs = 5_000;
/** How often progress is told in a whole run, at most, about. */
const mostProgress = 1_000;

export interface RunTellerOptions {
  client: WeftClient;
  task: EmulatorTask;
  /** Of those who ran it before. */
  lastChunk: number;
  signal: AbortSignal;
  /** Weft does not take it, or not yet. */
  onTrouble: (error: unknown) => void;
  now?: () => number;
}

export class ProgressReporter {
  readonly #options: RunTellerOptions;
  readonly #now: () => number;
  readonly #begunAtMs: number;
  readonly #pauseMs: number;
  #lastChunk: number;
  #nextAtMs = Number.NEGATIVE_INFINITY;
  #underWay: Promise<void> | undefined;

  constructor(options: RunTellerOptions) {
    this.#options = options;
    this.#now = options.now ?? performance.now.bind(performance);
    this.#begunAtMs = this.#now();
    const { duration, speed } = options.task;
    this.#pauseMs = Math.max(leastPauseMs, (duration * 1000) / speed / mostProgress);
    this.#lastChunk = options.lastChunk;
  }

  /** Told if it is time. While Weft is away nothing piles up. */
  progress(status: RunStatus): void {
    const now = this.#now();
    if (this.#underWay || now < this.#nextAtMs) return;
    const isComingUp = status.isComingUp && now - this.#begunAtMs < comingUpMs;
    this.#nextAtMs = now + (isComingUp ? comingUpEveryMs : this.#pauseMs);
    const event = this.#lastChunk === 0 ? 'started' : 'progress';
    // Whoever holds the lease hears of an end.
    this.#underWay = this.#tell(event, status, { progress: status.progress })
      .catch((error) => this.#options.onTrouble(error))
      .finally(() => {
        this.#underWay = undefined;
      });
  }

  /** Resolves once Weft has taken it; throws what else becomes of it. */
  async ended(status: RunStatus): Promise<void> {
    await this.#underWay;
    await this.#tell('ended', status, { progress: 1, final: true });
  }

  /** As `ended`. */
  async failed(detail: string): Promise<void> {
    await this.#underWay;
    await this.#post([], { error: detail });
  }

  #tell(event: EmulatorEvent['event'], status: RunStatus, telling: Omit<Telling, 'chunk'>): Promise<void> {
    const { progress: _, isComingUp: __, ...rest } = status;
    return this.#post([{ event, ...rest }], telling);
  }

  async #post(events: EmulatorEvent[], telling: Omit<Telling, 'chunk'>): Promise<void> {
    const { client, signal, onTrouble } = this.#options;
    this.#lastChunk++;
    const numbered = { ...telling, chunk: this.#lastChunk };
    await patiently(() => client.tell(events, numbered, signal), signal, onTrouble);
  }
}
