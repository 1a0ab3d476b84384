// Live values: hears of every stored post and hands it to the open streams. Keeps a bounded past for those who come
// back, asks every second whether each reader may still read, and cuts slow ones off.
import type { Caller } from '../../caller.ts';
import { TryLaterError } from '../../errors.ts';
import type { OpenShare } from '../../shares/open-share.ts';
import { principalOf } from '../../shares/shares.ts';
import type { Sample } from '../store/telemetry-store.ts';
import { LiveStream, type StreamFilter } from './live-stream.ts';
import { RecentSamples } from './recent-samples.ts';

const defaultRecentBytes = 32 * 1024 * 1024;
/**
 * New samples are handed on together: hundreds of streams would otherwise cost a write each for every post. The fewer there
 * are, the less they wait, so that there are never more than so many writes in a millisecond.
 */
const maxWritesPerMs = 10;
const longestGatherMs = 20;
const checkEveryMs = 1_000;
const beatEveryMs = 15_000;
/** For the last event to reach a reader before its connection goes. */
const farewellMs = 1_000;

export interface LiveFeedOptions {
  /** The present caller behind a token; throws if it may not read the feed any more. */
  authorize: (token: string) => Caller | Promise<Caller>;
  /** Those of these agents that the caller may see. */
  visibleAmong: (caller: Caller, ap_ids: readonly string[]) => Promise<ReadonlySet<string>>;
  /** While it is true, all streams end: another node can serve them. */
  isCutOff?: () => boolean;
  /** Streams that each caller has open. */
  share: OpenShare;
  recentBytes?: number;
  now?: () => number;
}

export interface StreamRequest extends StreamFilter {
  caller: Caller;
  token: string;
  /** The id of the last event the reader has; undefined to begin with what comes next. */
  after: string | undefined;
}

export class LiveFeed {
  readonly #authorize: LiveFeedOptions['authorize'];
  readonly #isCutOff: () => boolean;
  readonly #visibleAmong: LiveFeedOptions['visibleAmong'];
  readonly #recent: RecentSamples;
  readonly #now: () => number;
  /** Cursors of an earlier run mean nothing now. */
  readonly #epoch: string;
  readonly #streams = new Map<LiveStream, string>();
  readonly #share: OpenShare;
  readonly #burstBytes: number;
  #handOnAtBytes = 0;
  #gathering: NodeJS.Timeout | undefined;
  #checking: NodeJS.Timeout | undefined;
  #sinceBeatMs = 0;
  #isClosed = false;
  /** Streams that were cut off because their readers were too slow. */
  cutOff = 0;

  constructor(options: LiveFeedOptions) {
    const { authorize, visibleAmong, isCutOff, share, recentBytes = defaultRecentBytes, now = Date.now } = options;
    this.#authorize = authorize;
    this.#isCutOff = isCutOff ?? (() => false);
    this.#visibleAmong = visibleAmong;
    this.#share = share;
    this.#recent = new RecentSamples(recentBytes);
    this.#burstBytes = recentBytes / 8;
    this.#now = now;
    this.#epoch = now().toString(36);
  }

  get openStreams(): number {
    return this.#streams.size;
  }

  get recentBytes(): number {
    return this.#recent.bytes;
  }

  get #gatherMs(): number {
    return Math.min(longestGatherMs, Math.ceil(this.#streams.size / maxWritesPerMs));
  }

  /** Samples of one agent have been stored. */
  publish(ap_id: string, samples: readonly Sample[], receivedMs: number): void {
    for (const sample of samples) {
      if (sample.names.length === 0) continue;
      this.#recent.append(ap_id, sample, receivedMs);
      // A burst must not push out what readers with room for it have not had a chance to take.
      if (this.#recent.appendedBytes > this.#handOnAtBytes) this.#handOn();
    }
    if (this.#streams.size > 0) this.#gathering ??= setTimeout(() => this.#handOn(), this.#gatherMs);
  }

  /** Throws TryLaterError (429) if the caller has too many open. */
  open({ caller, token, agents, metrics, after }: StreamRequest): LiveStream {
    if (this.#isClosed) throw new TryLaterError(503, 'stopping', 'Weft is stopping', 2);
    const giveBack = this.#share.take(principalOf(caller), 'too_many_streams');
    const stream = new LiveStream({
      ...this.#startAt(after),
      recent: this.#recent,
      epoch: this.#epoch,
      caller,
      agents,
      metrics,
      visibleAmong: this.#visibleAmong,
      now: this.#now,
    });
    this.#streams.set(stream, token);
    stream.once('close', () => {
      this.#forget(stream);
      giveBack();
    });
    this.#checking ??= setInterval(() => void this.check(), checkEveryMs).unref();
    return stream;
  }

  /** The rights of this caller have changed, or it is gone. */
  callerChanged(caller_id: string): void {
    for (const [stream, token] of this.#streams)
      if (stream.caller.id === caller_id) void this.#authorizeAgain(stream, token);
  }

  /** Labels or sites have changed: who may see which agents is looked up again. */
  relabelled(): void {
    for (const stream of this.#streams.keys()) stream.relabelled();
  }

  /** Once a second: who may no longer read, who is too slow, who has heard nothing for long. */
  async check(): Promise<void> {
    this.#sinceBeatMs += checkEveryMs;
    const isBeat = this.#sinceBeatMs >= beatEveryMs;
    if (isBeat) this.#sinceBeatMs = 0;
    const now = this.#now();
    for (const [stream, token] of [...this.#streams]) {
      if (this.#isCutOff()) {
        this.#finish(stream, 'this node is cut off from the database');
        continue;
      }
      if (stream.isTooSlow(now)) {
        this.cutOff++;
        stream.destroy();
        continue;
      }
      if (isBeat) stream.beat();
      await this.#authorizeAgain(stream, token);
    }
  }

  async #authorizeAgain(stream: LiveStream, token: string): Promise<void> {
    try {
      const caller = this.#authorize(token);
      stream.caller = caller instanceof Promise ? await caller : caller;
    } catch (error) {
      // While the accounts are out of reach nobody can say; whoever was allowed a second ago goes on.
      if (!(error instanceof TryLaterError)) this.#finish(stream, 'the token is no longer good for this stream');
    }
  }

  /** Ends every stream at once; no more can be opened. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#gathering);
    clearInterval(this.#checking);
    for (const stream of [...this.#streams.keys()]) this.#finish(stream, 'Weft is stopping');
  }

  #handOn(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    this.#handOnAtBytes = this.#recent.appendedBytes + this.#burstBytes;
    for (const stream of this.#streams.keys()) stream.pump();
  }

  #finish(stream: LiveStream, reason: string): void {
    stream.finish(reason);
    this.#forget(stream);
    const deadline = setTimeout(() => stream.destroy(), farewellMs).unref();
    stream.once('close', () => clearTimeout(deadline));
  }

  #forget(stream: LiveStream): void {
    this.#streams.delete(stream);
    if (this.#streams.size > 0) return;
    clearInterval(this.#checking);
    this.#checking = undefined;
  }

  /** Where a reader goes on: after its cursor, or with all there is and a word about the gap. */
  #startAt(after: string | undefined): { from: number; hasGap: boolean } {
    const { oldest, next } = this.#recent;
    if (after === undefined) return { from: next, hasGap: false };
    const [epoch, number] = after.split('-', 2);
    const from = epoch === this.#epoch && /^[0-9]{1,15}$/.test(number ?? '') ? Number(number) + 1 : 0;
    return from >= oldest && from <= next ? { from, hasGap: false } : { from: oldest, hasGap: true };
  }
}
