// Runs emulated networks for Weft, as anybody could: takes their messages from the broker, and holds each run under a lease,
// in a thread of its own, until it is over.

import { randomUUID } from 'node:crypto';
import { type Broker, type Consumer, type Delivery, RejectMessage } from '@weft/broker';
import { BoundedMap } from '@weft/contract/bounded-map';
import { HeldRun } from './held-run.ts';
import { steadyMs } from './model-clock.ts';
import { RunFiles, sweepFiles } from './run-files.ts';
import { parseSpinup, type SpinupMessage } from './spinup-message.ts';
import { LeaseHeld, patiently, Refused, RunOver, WeftClient } from './weft-client.ts';

const queue = 'emulator_spinup';
const maxRemembered = 1_000;

export interface EmulatorWorkerOptions {
  broker: Pick<Broker, 'consume'>;
  /** Where Weft is, without `/api`; a function if that shows only later. */
  url: string | (() => string);
  /** Where runs are kept, so that they continue after a restart; used by this process only. Without it they start again. */
  stateDir?: string | undefined;
  /** At once; others are left to others. Default: 16. */
  maxRuns?: number;
  /** Beyond these, for what Weft lets pass of administrators. Default: none. */
  reservedRuns?: number;
  onError: (error: unknown, message: string) => void;
  /** PEM of the one certificate that may answer, whatever host it names. */
  trustedCertificate?: string | undefined;
}

export class EmulatorWorker {
  readonly #options: EmulatorWorkerOptions;
  readonly #maxRuns: number;
  readonly #reservedRuns: number;
  readonly #holder = randomUUID();
  readonly #runs = new Map<string, HeldRun>();
  readonly #works = new Set<Promise<void>>();
  readonly #crashes = new BoundedMap<string, number>(maxRemembered);
  readonly #stopping = new AbortController();
  #consumer: Promise<Consumer> | undefined;
  /** Of consumers that take no more. */
  #goodbyes: Promise<unknown> = Promise.resolve();
  #stopped: Promise<void> | undefined;

  constructor(options: EmulatorWorkerOptions) {
    this.#options = options;
    this.#maxRuns = options.maxRuns ?? 16;
    this.#reservedRuns = options.reservedRuns ?? 0;
  }

  /** Runs of this process. */
  get runs(): number {
    return this.#runs.size;
  }

  /** Agents online, in all runs. */
  get agents(): number {
    let sum = 0;
    for (const { status } of this.#runs.values()) sum += status?.agents_online ?? 0;
    return sum;
  }

  /** How far the one that is most behind is behind its clock, in seconds of its model time. */
  get lateBySeconds(): number {
    let most = 0;
    for (const { status } of this.#runs.values()) most = Math.max(most, status?.late_by_seconds ?? 0);
    return most;
  }

  async start(): Promise<void> {
    const { stateDir } = this.#options;
    if (stateDir !== undefined) await sweepFiles(stateDir);
    await this.#consume();
  }

  /** Saves and releases every run, so that it can be resumed. Repeated calls are harmless. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stopOnce();
    return this.#stopped;
  }

  async #stopOnce(): Promise<void> {
    this.#stopping.abort(new Error('the emulator is stopping'));
    this.#rest();
    await this.#goodbyes;
    for (const run of this.#runs.values()) run.stop();
    await Promise.all(this.#works);
  }

  get #isFull(): boolean {
    return this.#runs.size >= this.#maxRuns + this.#reservedRuns;
  }

  async #consume(): Promise<void> {
    // One message at a time: a message taken here is not available to a process with free capacity.
    this.#consumer ??= this.#options.broker.consume(queue, { prefetch: 1 }, (delivery) => this.#take(delivery));
    await this.#consumer;
  }

  /** Stops consuming; does not wait for messages under way. */
  #rest(): void {
    const consumer = this.#consumer;
    this.#consumer = undefined;
    const goodbye = consumer?.then((found) => found.stop()).catch(() => {});
    this.#goodbyes = Promise.all([this.#goodbyes, goodbye]);
  }

  /** Resolves when the message can be acknowledged: somebody holds the run, or it is over. */
  async #take({ body }: Delivery): Promise<void> {
    const message = parseSpinup(body);
    if (this.#runs.has(message.job_number)) return;
    const run = await this.#claim(message);
    if (!run) return;
    this.#runs.set(message.job_number, run);
    const work = this.#work(message.job_number, run).finally(() => this.#works.delete(work));
    this.#works.add(work);
    if (this.#isFull) this.#rest();
    if (this.#stopping.signal.aborted) run.stop();
  }

  /** Undefined if the lease is refused. Waits while Weft is away: a message put back would only come again. */
  async #claim(message: SpinupMessage): Promise<HeldRun | undefined> {
    const { trustedCertificate, stateDir, onError } = this.#options;
    const { job_number, callback_token } = message;
    const url = typeof this.#options.url === 'string' ? this.#options.url : this.#options.url();
    const client = new WeftClient({ url, trustedCertificate, job_number, callback_token });
    const holder = this.#holder;
    try {
      const { signal } = this.#stopping;
      const { lease, askedAtMs } = await patiently(async () => {
        const asked = steadyMs();
        const slots = { total: this.#maxRuns, free: Math.max(0, this.#maxRuns - this.#runs.size) };
        return { lease: await client.lease({ holder, slots, settings: true }, signal), askedAtMs: asked };
      }, signal);
      const crashes = this.#crashes.get(job_number) ?? 0;
      return new HeldRun({
        message,
        client,
        holder,
        lease,
        askedAtMs,
        url,
        trustedCertificate,
        stateDir,
        crashes,
        onError,
      });
    } catch (error) {
      if (error instanceof Refused) throw new RejectMessage(error.message);
      if (error instanceof RunOver && stateDir !== undefined) await new RunFiles(stateDir, job_number).remove();
      if (error instanceof RunOver || error instanceof LeaseHeld) return undefined;
      throw error;
    }
  }

  /** Never rejects. */
  async #work(job_number: string, run: HeldRun): Promise<void> {
    const end = await run.ended();
    // Before the lease is given back: the message may be here again at once.
    this.#runs.delete(job_number);
    if (end === 'crashed') this.#countCrash(job_number);
    else this.#crashes.delete(job_number);
    if (end === 'crashed' || end === 'stopped') await run.release();
    if (this.#stopping.signal.aborted || this.#isFull) return;
    await this.#consume().catch((error) => this.#options.onError(error, 'no more emulated networks can be taken'));
  }

  #countCrash(job_number: string): void {
    this.#crashes.set(job_number, (this.#crashes.get(job_number) ?? 0) + 1);
  }
}
