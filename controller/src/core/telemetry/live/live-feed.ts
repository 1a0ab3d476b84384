// Live values: hears of every stored post and hands it to the open streams. Keeps a bounded past for those who come back.
import type { Caller } from '../../base/caller.ts';
import type { Shown } from '../../base/credential.ts';
import { StreamHub, type StreamHubOptions } from '../../http/streams/stream-hub.ts';
import type { Network } from '../../network/network.ts';
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

export interface LiveFeedOptions extends StreamHubOptions {
  network: Pick<Network, 'visibleTo'>;
  recentBytes?: number;
  onOpened?: (() => void) | undefined;
  now?: () => number;
}

export interface StreamRequest extends StreamFilter {
  caller: Caller;
  shown: Shown;
  /** The id of the last event the reader has; undefined to begin with what comes next. */
  after: string | undefined;
}

export class LiveFeed extends StreamHub<LiveStream> {
  readonly #network: LiveFeedOptions['network'];
  readonly #recent: RecentSamples;
  readonly #now: () => number;
  /** Cursors of an earlier run mean nothing now. */
  readonly #epoch: string;
  readonly #burstBytes: number;
  readonly #onOpened: LiveFeedOptions['onOpened'];
  #handOnAtBytes = 0;
  #gathering: NodeJS.Timeout | undefined;

  constructor(options: LiveFeedOptions) {
    super(options);
    const { network, recentBytes = defaultRecentBytes, now = Date.now } = options;
    this.#network = network;
    this.#recent = new RecentSamples(recentBytes);
    this.#burstBytes = recentBytes / 8;
    this.#now = now;
    this.#onOpened = options.onOpened;
    this.#epoch = now().toString(36);
  }

  get recentBytes(): number {
    return this.#recent.bytes;
  }

  get #gatherMs(): number {
    return Math.min(longestGatherMs, Math.ceil(this.openStreams / maxWritesPerMs));
  }

  /** What each of the open streams asks for. */
  *filters(): Iterable<StreamFilter> {
    for (const { wanted } of this.streams) yield wanted;
  }

  /** Samples of one agent have been stored. */
  publish(ap_id: string, samples: readonly Sample[], receivedMs: number): void {
    for (const sample of samples) {
      if (sample.names.length === 0) continue;
      this.#recent.append(ap_id, sample, receivedMs);
      // A burst must not push out what readers with room for it have not had a chance to take.
      if (this.#recent.appendedBytes > this.#handOnAtBytes) this.#handOn();
    }
    if (this.openStreams > 0) this.#gathering ??= setTimeout(() => this.#handOn(), this.#gatherMs);
  }

  /** Throws TryLaterError (429) if the caller has too many open. */
  open({ caller, shown, agents, metrics, after }: StreamRequest): LiveStream {
    const giveBack = this.take(caller);
    const stream = new LiveStream({
      ...this.#startAt(after),
      recent: this.#recent,
      epoch: this.#epoch,
      caller,
      agents,
      metrics,
      network: this.#network,
      now: this.#now,
    });
    this.#onOpened?.();
    return this.add(stream, shown, giveBack);
  }

  override close(): void {
    clearTimeout(this.#gathering);
    super.close();
  }

  #handOn(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    this.#handOnAtBytes = this.#recent.appendedBytes + this.#burstBytes;
    this.pumpAll();
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
