// A live subscription (#23 with an end ahead): what is stored first, then what arrives, until the end. Reads the store
// again and again, a while back each time, since samples may come late and on other nodes; what this node hears of
// earlier ones (`recorded`) goes out from the report itself.
import type { Sample } from '../../telemetry/store/telemetry-store.ts';
import { type AgentDataRange, type AgentSource, parseRecords, progressAt } from './agent-data-source.ts';
import { JobFailed, type JobRun } from './job-run.ts';
import { LateSamples } from './late-samples.ts';
import { RecordChunks } from './record-chunks.ts';

const mailboxPageBytes = 1024 * 1024;

export interface LiveSubscriptionOptions {
  /** How far back the store is read again. */
  lookBackMs?: number;
  /** Most polls look back this far only; whose samples come later than that waits for the next long look. */
  shortLookBackMs?: number;
  longLookEveryMs?: number;
  pollMs?: number;
  /** How long after its end a subscription waits for what is late. */
  graceMs?: number;
  /** Messages that a job may have; the pace is such that they last until the end. */
  maxMessages?: number;
  now?: () => number;
}

export class LiveSubscriptions {
  readonly #options: Required<LiveSubscriptionOptions>;
  readonly #late = new Map<string, Set<LateSamples>>();

  constructor(options: LiveSubscriptionOptions = {}) {
    this.#options = {
      lookBackMs: 60_000,
      shortLookBackMs: 2_000,
      longLookEveryMs: 2_000,
      pollMs: 500,
      graceMs: 3_000,
      // Some room for what a message too many would spoil: the end, and posts of others.
      maxMessages: 9_900,
      now: Date.now,
      ...options,
    };
  }

  /** Samples of this agent are durable. */
  recorded(ap_id: string, samples: readonly Sample[]): void {
    const listeners = this.#late.get(ap_id);
    if (listeners) for (const late of listeners) late.offer(samples);
  }

  async run(run: JobRun, range: AgentDataRange, source: AgentSource): Promise<void> {
    const late = new LateSamples(range);
    const listeners = this.#late.get(range.ap_id) ?? new Set();
    this.#late.set(range.ap_id, listeners.add(late));
    try {
      await new LiveSubscription(run, range, source, late, this.#options).run();
    } finally {
      listeners.delete(late);
      if (listeners.size === 0 && this.#late.get(range.ap_id) === listeners) this.#late.delete(range.ap_id);
    }
  }
}

class LiveSubscription {
  readonly #run: JobRun;
  readonly #range: AgentDataRange;
  readonly #source: AgentSource;
  readonly #late: LateSamples;
  readonly #options: Required<LiveSubscriptionOptions>;
  readonly #chunks = new RecordChunks();
  #window: DeliveredWindow;
  #messages = 0;
  #lastPostAt = Number.NEGATIVE_INFINITY;
  #lastLongLookAt = Number.NEGATIVE_INFINITY;
  /** Up to when the store had been read at the last poll. */
  #readUntil = Number.NEGATIVE_INFINITY;

  constructor(
    run: JobRun,
    range: AgentDataRange,
    source: AgentSource,
    late: LateSamples,
    options: Required<LiveSubscriptionOptions>,
  ) {
    this.#run = run;
    this.#range = range;
    this.#source = source;
    this.#late = late;
    this.#options = options;
    this.#window = new DeliveredWindow(range.startMs);
  }

  async run(): Promise<void> {
    if (await this.#run.resume()) await this.#recall();
    const { endMs } = this.#range;
    const { graceMs, now } = this.#options;
    for (;;) {
      const isLast = now() >= endMs + graceMs;
      await this.#poll(isLast);
      const rest = this.#chunks.take();
      if (isLast) return this.#run.post(rest?.text ?? '[]', { final: true, progress: 1 });
      if (rest) await this.#post(rest.text);
      await this.#wait();
    }
  }

  /** Reads what has come since the last time, and what is late within the time that is looked back. */
  async #poll(isLast: boolean): Promise<void> {
    const { lookBackMs, shortLookBackMs, longLookEveryMs, now } = this.#options;
    const { endMs } = this.#range;
    const startedAt = now();
    const isLong = isLast || startedAt - this.#lastLongLookAt >= longLookEveryMs;
    if (isLong) this.#lastLongLookAt = startedAt;
    let from = Math.max(this.#window.startMs, this.#reached() - (isLong ? lookBackMs : shortLookBackMs));
    for (let hasMore = true; hasMore && from <= endMs; ) {
      await this.#sendLate();
      const page = await this.#source.page({ startMs: from, endMs });
      hasMore = page.hasMore;
      for (const chunk of this.#chunks.add(page.frame, (ts, series) => this.#window.add(ts, series))) {
        await this.#post(chunk.text);
      }
      from = (page.frame.ts.at(-1) ?? endMs) + 1;
      this.#readUntil = hasMore ? from : startedAt;
      this.#moveOn();
    }
    if (isLast) await this.#sendLate();
  }

  /** In a message of their own: each message is in the order of time. */
  async #sendLate(): Promise<void> {
    const frame = this.#late.take();
    if (!frame) return;
    const before = this.#chunks.take();
    if (before) await this.#post(before.text);
    const isNew = (ts: number, series: string) => ts < this.#window.startMs || this.#window.add(ts, series);
    for (const chunk of this.#chunks.add(frame, isNew)) await this.#post(chunk.text);
    const rest = this.#chunks.take();
    if (rest) await this.#post(rest.text);
  }

  /** What leaves the window must be settled before it is forgotten. */
  #moveOn(): void {
    const reached = this.#reached();
    this.#window.forgetBefore(reached - this.#options.lookBackMs, (startMs) =>
      this.#late.settle(startMs, (ts, series) => ts < this.#window.startMs || this.#window.add(ts, series)),
    );
    this.#late.beforeMs = reached;
  }

  /** An agent's clock may run ahead; what others then report of now must not count as late. */
  #reached(): number {
    return Math.min(this.#window.newestMs, this.#readUntil);
  }

  async #post(text: string): Promise<void> {
    await this.#run.post(text, { progress: progressAt(this.#range, this.#reached()) });
    this.#messages++;
    this.#lastPostAt = this.#options.now();
  }

  /** Such that the messages last until the end; a full chunk of late samples need not wait. */
  async #wait(): Promise<void> {
    const { pollMs, maxMessages, graceMs, now } = this.#options;
    const left = Math.max(1, maxMessages - this.#messages);
    const overAt = this.#range.endMs + graceMs;
    const paceMs = (overAt - now()) / left;
    const until = Math.min(overAt, this.#lastPostAt + Math.max(pollMs, paceMs));
    const wake = new AbortController();
    this.#late.onMany = () => wake.abort();
    await this.#run.pause(Math.max(pollMs, until - now()), wake.signal);
    this.#run.signal.throwIfAborted();
  }

  /** After somebody else's work: which records of the last while are in the mailbox already. */
  async #recall(): Promise<void> {
    const { job, mailbox } = this.#run;
    const messages: { seq: number; newestMs: number }[] = [];
    let reached = Number.NEGATIVE_INFINITY;
    let postedAt = Number.NEGATIVE_INFINITY;
    for (let after = 0; ; ) {
      const page = await this.#run.retryUnavailable(() => mailbox.list(job.job_number, after, mailboxPageBytes));
      if (page.length === 0) break;
      for (const { seq, chunk, ts, data } of page) {
        after = seq;
        if (chunk === null) continue;
        const newestMs = parseRecords(data).at(-1)?.ts ?? Number.NEGATIVE_INFINITY;
        messages.push({ seq, newestMs });
        reached = Math.max(reached, newestMs);
        postedAt = ts;
      }
    }
    this.#messages = messages.length;
    this.#readUntil = Math.min(reached, postedAt);
    const { lookBackMs } = this.#options;
    this.#window = new DeliveredWindow(Math.max(this.#range.startMs, this.#readUntil - lookBackMs));
    for (const { seq, newestMs } of messages) {
      if (newestMs < this.#window.startMs) continue;
      const [message] = await this.#run.retryUnavailable(() => mailbox.list(job.job_number, seq - 1, 1));
      if (message?.seq !== seq) throw new JobFailed('The messages of this job are gone');
      for (const { ts, series } of parseRecords(message.data)) {
        if (ts >= this.#window.startMs) this.#window.add(ts, series);
      }
    }
    this.#late.beforeMs = this.#reached();
  }
}

const maxRows = 2_000;

/** What was delivered of the last while: by moment, a bit for each series. What is older than its beginning is not known. */
class DeliveredWindow {
  readonly #series = new Map<string, number>();
  readonly #rows = new Map<number, Uint8Array>();
  /** From here on all that was delivered is known. */
  startMs: number;
  /** The newest moment of which something was delivered. */
  newestMs = Number.NEGATIVE_INFINITY;

  constructor(startMs: number) {
    this.startMs = startMs;
  }

  /** True the first time, for moments since `startMs`. */
  add(ts: number, series: string): boolean {
    let no = this.#series.get(series);
    if (no === undefined) {
      no = this.#series.size;
      this.#series.set(series, no);
    }
    if (ts > this.newestMs) this.newestMs = ts;
    const byte = no >> 3;
    const bit = 1 << (no & 7);
    let bits = this.#rows.get(ts);
    if (bits === undefined || byte >= bits.length) {
      const larger = new Uint8Array(Math.max(byte + 1, (this.#series.size + 7) >> 3));
      if (bits) larger.set(bits);
      this.#rows.set(ts, larger);
      bits = larger;
    }
    if ((bits[byte]! & bit) !== 0) return false;
    bits[byte]! |= bit;
    return true;
  }

  /** Forgets what lies before, and more if there are too many moments; says so while it still knows it all. */
  forgetBefore(ms: number, beforehand: (startMs: number) => void): void {
    let from = Math.max(this.startMs, ms);
    if (this.#rows.size > 2 * maxRows) {
      const moments = Float64Array.from(this.#rows.keys()).sort();
      from = Math.max(from, moments[moments.length - maxRows]!);
    }
    if (from === this.startMs) return;
    beforehand(from);
    this.startMs = from;
    for (const ts of this.#rows.keys()) if (ts < from) this.#rows.delete(ts);
  }
}
