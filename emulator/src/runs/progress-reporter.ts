// Reports a run to Weft: its start, its progress at intervals, and its end. Reports are numbered, so that each counts once
// however often it is sent.
import type { EmulatorEvent, EmulatorTask } from '@weft/contract';
import type { RunStatus } from './run-messages.ts';
import { type ProgressReport, patiently, type WeftClient } from './weft-client.ts';

const comingUpEveryMs = 1_000;
/** An agent that Weft keeps refusing must not cause a report each time. */
const comingUpMs = 60_000;
const leastPauseMs = 5_000;
/** How many progress reports a whole run makes, at most, about. */
const mostProgress = 1_000;

export interface ProgressReporterOptions {
  client: WeftClient;
  task: EmulatorTask;
  /** Of those who ran it before. */
  lastChunk: number;
  signal: AbortSignal;
  /** Weft refuses a report, or cannot take it yet. */
  onTrouble: (error: unknown) => void;
  now?: () => number;
}

export class ProgressReporter {
  readonly #options: ProgressReporterOptions;
  readonly #now: () => number;
  readonly #begunAtMs: number;
  readonly #pauseMs: number;
  #lastChunk: number;
  #nextAtMs = Number.NEGATIVE_INFINITY;
  #underWay: Promise<void> | undefined;

  constructor(options: ProgressReporterOptions) {
    this.#options = options;
    this.#now = options.now ?? performance.now.bind(performance);
    this.#begunAtMs = this.#now();
    const { duration, speed } = options.task;
    this.#pauseMs = Math.max(leastPauseMs, (duration * 1000) / speed / mostProgress);
    this.#lastChunk = options.lastChunk;
  }

  /** Sends a report if it is due. While Weft is away nothing piles up. */
  progress(status: RunStatus): void {
    const now = this.#now();
    if (this.#underWay || now < this.#nextAtMs) return;
    const isComingUp = status.isComingUp && now - this.#begunAtMs < comingUpMs;
    this.#nextAtMs = now + (isComingUp ? comingUpEveryMs : this.#pauseMs);
    const event = this.#lastChunk === 0 ? 'started' : 'progress';
    // The holder of the lease learns of the end.
    this.#underWay = this.#report(event, status, { progress: status.progress })
      .catch((error) => this.#options.onTrouble(error))
      .finally(() => {
        this.#underWay = undefined;
      });
  }

  /** Resolves once Weft has stored it; throws if Weft refuses it for good. */
  async ended(status: RunStatus): Promise<void> {
    await this.#underWay;
    await this.#report('ended', status, { progress: 1, final: true });
  }

  /** As `ended`. */
  async failed(detail: string): Promise<void> {
    await this.#underWay;
    await this.#post([], { error: detail });
  }

  #report(event: EmulatorEvent['event'], status: RunStatus, report: Omit<ProgressReport, 'chunk'>): Promise<void> {
    const { progress: _, isComingUp: __, ...rest } = status;
    return this.#post([{ event, ...rest }], report);
  }

  async #post(events: EmulatorEvent[], report: Omit<ProgressReport, 'chunk'>): Promise<void> {
    const { client, signal, onTrouble } = this.#options;
    this.#lastChunk++;
    const numbered = { ...report, chunk: this.#lastChunk };
    await patiently(() => client.report(events, numbered, signal), signal, onTrouble);
  }
}
