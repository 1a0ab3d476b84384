// Reports of an agent with a spool. While the channel is open and nothing waits they go straight to Weft; else they are
// kept on disk, and sent in their order when Weft is back: after a while that differs from agent to agent, and in steps.
import { randomUUID } from 'node:crypto';
import { pauseUnless } from '@weft/contract/pause';
import { Report, type Stamp } from '../report.ts';
import { type ReportQueue, stopped } from '../report-queue.ts';
import type { ServerClock } from '../server-clock.ts';
import { WeftRefusal } from '../weft-refusal.ts';
import type { Spool, SpooledRecord } from './spool.ts';

/** Of one message; Weft takes four times as much. */
const maxMessage = { maxRecords: 500, maxBytes: 256 * 1024 };
/** The longer Weft was away, the more agents wait for it, up to this. */
const longestStartMs = 10_000;
const startShare = 0.1;
const pauseMs = 200;
/** After a refusal that is not about the reports. */
const longPauseMs = 60_000;
/** What no repetition can change. */
const hopelessStatuses = new Set([400, 413, 422]);

export interface SpooledReportsOptions {
  spool: Spool;
  queue: ReportQueue;
  clock: ServerClock;
  stamp: Stamp;
  onError: (error: Error) => void;
  random?: () => number;
}

export class SpooledReports {
  readonly #options: SpooledReportsOptions;
  #isOpen = false;
  #awaySinceMs = performance.now();
  #draining: AbortController | undefined;
  /** One after the other: what one has sent and not yet taken out of the spool, the next would take out a second time. */
  #lastDrain: Promise<void> = Promise.resolve();
  #isClosed = false;
  /** The records that were sent and have no answer, by their number: what is sent twice must be the same. */
  readonly #sent = new Map<number, string[]>();

  constructor(options: SpooledReportsOptions) {
    this.#options = options;
  }

  /** Reports that Weft has not stored yet, about: what is on its way out of the spool is in both. */
  get size(): number {
    const { spool, queue } = this.#options;
    return Math.max(spool.size, queue.size);
  }

  /** Resolves the number of samples once they are durable: in Weft, or on disk here. */
  post(report: Report): Promise<number> {
    const { spool, queue } = this.#options;
    if (this.#isClosed) return Promise.reject(stopped());
    if (this.#isOpen && spool.size === 0 && queue.hasRoom) return queue.add(report);
    return this.#keep(report);
  }

  /** The channel is open, perhaps in place of another. */
  opened(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#drain();
  }

  /** What has no answer yet waits on disk for the next channel. */
  closed(): void {
    this.#isOpen = false;
    this.#awaySinceMs = performance.now();
    this.#draining?.abort();
    this.#draining = undefined;
    for (const { report, resolve, reject } of this.#options.queue.take()) {
      // What comes from the spool is there still.
      if (spooled.has(report)) reject(new Error('the channel was closed'));
      else this.#keep(report).then(resolve, reject);
    }
  }

  /** Everything that was promised stays on disk. */
  async close(): Promise<void> {
    this.closed();
    this.#isClosed = true;
    // What was sent last may still be on its way out of the files.
    await this.#lastDrain;
    await this.#options.spool.close();
  }

  async #keep(report: Report): Promise<number> {
    const { spool, clock, stamp } = this.#options;
    await spool.append(toSpoolText(report, stamp, clock.isKnown));
    // The channel may have come back while the disk was busy.
    this.#drain();
    return report.count;
  }

  /** Nothing to do, or done already, is fine. */
  #drain(): void {
    if (this.#draining || !this.#isOpen || this.#options.spool.size === 0) return;
    const draining = new AbortController();
    this.#draining = draining;
    this.#lastDrain = this.#lastDrain
      .then(() => this.#run(draining.signal))
      .finally(() => {
        if (this.#draining !== draining) return;
        this.#draining = undefined;
        // Something may have been kept after the last look.
        this.#drain();
      });
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { spool, onError, random = Math.random } = this.#options;
    const awayMs = performance.now() - this.#awaySinceMs;
    await pauseUnless(signal, Math.min(longestStartMs, awayMs * startShare) * random());
    while (spool.size > 0 && !signal.aborted) {
      try {
        const records = await spool.peek(maxMessage);
        if (records.length > 0) await this.#send(records, signal);
        await pauseUnless(signal, pauseMs * (0.5 + random()));
      } catch (error) {
        if (signal.aborted) return;
        onError(error as Error);
        await pauseUnless(signal, longPauseMs * (0.5 + random() / 2));
      }
    }
  }

  /** Throws if it is not about the reports themselves; then they stay. */
  async #send(records: readonly SpooledRecord[], signal: AbortSignal): Promise<void> {
    const { spool, queue, onError } = this.#options;
    const texts = records.flatMap((record) => this.#textsOf(record));
    try {
      if (texts.length > 0) {
        const parts = Report.ofTexts(texts).parts();
        for (const part of parts) spooled.add(part);
        await queue.add(...parts);
      }
    } catch (error) {
      if (!(error instanceof WeftRefusal && hopelessStatuses.has(error.status))) throw error;
      // One of them spoils the rest: each goes alone, and only that one is given up.
      if (records.length > 1) {
        for (const record of records) if (!signal.aborted) await this.#send([record], signal);
        return;
      }
      onError(error);
    }
    await spool.done(records.length);
    for (const { id } of records) this.#sent.delete(id);
  }

  #textsOf({ id, text }: SpooledRecord): string[] {
    const { clock, onError } = this.#options;
    if (text === undefined) {
      onError(Object.assign(new Error('the disk has damaged a report that waited'), { code: 'damaged_report' }));
      return [];
    }
    const texts = this.#sent.get(id) ?? fromSpoolText(text, clock.isOff ? (moment) => clock.timeOf(moment) : undefined);
    this.#sent.set(id, texts);
    return texts;
  }
}

/** Reports made of what the spool holds. */
const spooled = new WeakSet<Report>();

// A report as the spool keeps it. Where the clock was not known yet, it also says at which moment of this run it was made, so
// that its time can be set right when the clock is known.

/** Moments of another run mean nothing in this one. */
const run = randomUUID();

interface Kept {
  samples: Record<string, unknown>[];
  guessed?: { run: string; moment: number; indexes: number[] };
}

export function toSpoolText(report: Report, stamp: Stamp, isClockKnown: boolean): string {
  const indexes = isClockKnown ? [] : report.untimed;
  const { moment } = report;
  const samples = `"samples":[${report.texts(stamp).join(',')}]`;
  if (indexes.length === 0) return `{${samples}}`;
  return `{${samples},"guessed":${JSON.stringify({ run, moment, indexes })}}`;
}

/** The samples as JSON; those with a guessed time of this run are given the one that `timeOf` says. */
export function fromSpoolText(text: string, timeOf: ((moment: number) => number) | undefined): string[] {
  const { samples, guessed }: Kept = JSON.parse(text);
  if (timeOf && guessed?.run === run) {
    for (const [place, index] of guessed.indexes.entries()) samples[index]!.ts = timeOf(guessed.moment + place);
  }
  return samples.map((sample) => JSON.stringify(sample));
}

/** The time of its newest sample; 0 if none has a number. */
export function newestTime(text: string | undefined): number {
  if (text === undefined) return 0;
  const { samples }: Kept = JSON.parse(text);
  return Math.max(0, ...samples.map(({ ts }) => (typeof ts === 'number' ? ts : 0)));
}
