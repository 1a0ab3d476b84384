// A run that this process holds: its thread, its lease and its progress reports, until one of them ends.
import { Worker } from 'node:worker_threads';
import type { EmulatorLease } from '@weft/contract';
import { steadyMs, WeftClock } from './model-clock.ts';
import { ProgressReporter } from './progress-reporter.ts';
import { RunFiles } from './run-files.ts';
import { RunLease } from './run-lease.ts';
import type { FromRunThread, RunStatus, RunThreadOptions, ToRunThread } from './run-messages.ts';
import type { SpinupMessage } from './spinup-message.ts';
import { RunOver, type WeftClient } from './weft-client.ts';

/** A thread that is silent for this long is considered dead. */
const silentMs = 120_000;
const lookEveryMs = 10_000;
const stopTimeoutMs = 15_000;
/** The same problem is reported once in this time. */
const reportEveryMs = 60_000;
/** A run whose thread crashes this often is not tried again. */
const maxCrashes = 3;
const resourceLimits = { maxOldGenerationSizeMb: 2_048 };

/** over: nothing is left to do; stopped, crashed: another process may resume it once the lease is released. */
export type RunEnd = 'over' | 'taken' | 'stopped' | 'crashed';

export interface HeldRunOptions {
  message: SpinupMessage;
  client: WeftClient;
  holder: string;
  lease: EmulatorLease;
  askedAtMs: number;
  url: string;
  trustedCertificate: string | undefined;
  stateDir: string | undefined;
  /** How often its thread has failed here before. */
  crashes: number;
  onError: (error: unknown, message: string) => void;
}

export class HeldRun {
  readonly #options: HeldRunOptions;
  readonly #thread: Worker;
  readonly #lease: RunLease;
  readonly #reporter: ProgressReporter;
  readonly #clock: WeftClock;
  readonly #ending = new AbortController();
  readonly #end = Promise.withResolvers<RunEnd>();
  readonly #watch: NodeJS.Timeout;
  #status: RunStatus | undefined;
  #isEnding = false;
  readonly #reportedAtMs = new Map<string, number>();
  #heardAtMs = performance.now();
  /** Resolves when the thread has nothing more to do. */
  readonly #quiet = Promise.withResolvers<void>();

  constructor(options: HeldRunOptions) {
    this.#options = options;
    const { message, client, holder, lease, askedAtMs, url, trustedCertificate, stateDir } = options;
    const { job_number, task } = message;
    this.#clock = new WeftClock({ weftMs: Date.parse(lease.now), atMs: (askedAtMs + steadyMs()) / 2 });
    const workerData: RunThreadOptions = {
      job_number,
      task,
      url,
      trustedCertificate,
      stateDir,
      settings: lease.settings,
      clock: this.#clock.reading,
    };
    this.#reporter = new ProgressReporter({
      client,
      task,
      lastChunk: lease.last_chunk,
      signal: this.#ending.signal,
      onTrouble: (error) => this.#report(error, 'Weft has not taken how the run goes'),
    });
    this.#lease = new RunLease({
      client,
      holder,
      onRequest: (request) => this.#say({ type: 'request', request }),
      modelTime: () => this.#status?.model_time,
      onNow: (...reading) => {
        if (this.#clock.heard(...reading)) this.#say({ type: 'clock', reading: this.#clock.reading });
      },
      onTrouble: (error) => this.#report(error, 'the lease of the run could not be renewed; it goes on'),
    });
    this.#thread = new Worker(new URL('./run-thread.ts', import.meta.url), { workerData, resourceLimits });
    this.#thread.on('message', (said: FromRunThread) => this.#hear(said));
    this.#thread.on('error', (error) => this.#crash(error));
    this.#thread.on('exit', () => {
      this.#quiet.resolve();
      this.#crash(new Error('the thread of the run has ended'));
    });
    this.#watch = setInterval(() => {
      if (performance.now() - this.#heardAtMs > silentMs) this.#crash(new Error('the thread of the run is silent'));
    }, lookEveryMs);
    for (const request of lease.requests) this.#say({ type: 'request', request });
    void this.#lease.keep().then((end) => {
      if (end === 'refused') this.#report(new Error('its token is refused'), 'a run is given up');
      this.#conclude(end === 'taken' ? 'taken' : 'over');
    });
  }

  /** Its last status. */
  get status(): RunStatus | undefined {
    return this.#status;
  }

  /** Resolves, once and never with an error, when nothing of it runs here any more. The lease is not yet given back. */
  async ended(): Promise<RunEnd> {
    const end = await this.#end.promise;
    clearInterval(this.#watch);
    if (end !== 'crashed') await this.#leave(end === 'stopped');
    // Only now: nobody else may start the run while its agents disconnect.
    this.#lease.end();
    this.#ending.abort();
    this.#thread.removeAllListeners('message');
    await this.#thread.terminate();
    // After a second failure the saved state may be the cause.
    const isKept = end === 'stopped' || (end === 'crashed' && this.#options.crashes === 0);
    if (!isKept) await this.#forget();
    return end;
  }

  /** The run can be resumed later, here or elsewhere. */
  stop(): void {
    this.#conclude('stopped');
  }

  /** Releases the lease, so that another process may resume at once. To be called after the end. */
  release(): Promise<void> {
    return this.#lease.release();
  }

  async #forget(): Promise<void> {
    const { stateDir, message } = this.#options;
    if (stateDir === undefined) return;
    await new RunFiles(stateDir, message.job_number)
      .remove()
      .catch((error) => this.#report(error, 'the files of a run could not be removed'));
  }

  async #leave(save: boolean): Promise<void> {
    this.#say({ type: 'stop', save });
    const timeout = setTimeout(() => this.#quiet.resolve(), stopTimeoutMs);
    await this.#quiet.promise;
    clearTimeout(timeout);
  }

  #hear(said: FromRunThread): void {
    this.#heardAtMs = performance.now();
    switch (said.type) {
      case 'status':
        this.#status = said.status;
        this.#reporter.progress(said.status);
        return;
      case 'answer':
        void this.#lease.answer(said.id, said.answer);
        return;
      case 'trouble':
        this.#report(new Error(said.message), 'something does not work in a run; it goes on');
        return;
      case 'stopped':
        this.#quiet.resolve();
        return;
      case 'ended':
        this.#status = said.status;
        void this.#finish(() => this.#reporter.ended(said.status));
        return;
      case 'impossible':
        void this.#finish(() => this.#reporter.failed(`The network cannot be emulated: ${said.detail}`));
    }
  }

  /** Reports the end. The run is over then, unless another process took the lease meanwhile. */
  async #finish(lastWord: () => Promise<void>): Promise<void> {
    this.#isEnding = true;
    this.#quiet.resolve();
    clearInterval(this.#watch);
    try {
      await lastWord();
    } catch (error) {
      if (this.#ending.signal.aborted) return;
      if (!(error instanceof RunOver)) this.#report(error, 'Weft has not taken the end of a run');
    }
    this.#conclude('over');
  }

  #crash(error: Error): void {
    if (this.#isEnding) return;
    this.#report(error, 'the thread of a run has failed');
    if (this.#options.crashes + 1 < maxCrashes) this.#conclude('crashed');
    else void this.#finish(() => this.#reporter.failed(`The emulator has failed ${maxCrashes} times on this run`));
  }

  #conclude(end: RunEnd): void {
    this.#isEnding = true;
    this.#end.resolve(end);
  }

  #say(message: ToRunThread): void {
    this.#thread.postMessage(message);
  }

  #report(error: unknown, message: string): void {
    const now = performance.now();
    if (now - (this.#reportedAtMs.get(message) ?? Number.NEGATIVE_INFINITY) < reportEveryMs) return;
    this.#reportedAtMs.set(message, now);
    this.#options.onError(error, `${message} (${this.#options.message.job_number})`);
  }
}
