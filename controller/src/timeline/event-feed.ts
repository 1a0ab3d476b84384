// Live events: reads what is new once for all streams and keeps a bounded tail; streams that are further behind read the log
// themselves. Looks every second whether other nodes have appended.
import type { Caller } from '../caller.ts';
import type { EventLog } from '../event-log/event-log.ts';
import type { LoggedEvent } from '../event-log/event-record.ts';
import { StreamHub, type StreamHubOptions } from '../http/streams/stream-hub.ts';
import { PeriodicTask } from '../periodic-task.ts';
import { EventStream } from './event-stream.ts';
import type { EventView } from './event-view.ts';

/** Events that come within this time are handed on together. */
const gatherMs = 20;
const readEveryMs = 1_000;
const maxTail = 1_000;
/** Less than a millisecond of work. */
const readAtOnce = 50;

export interface EventFeedOptions extends StreamHubOptions {
  log: Pick<EventLog, 'read' | 'newest' | 'oldest'>;
  view: EventView;
  onError: (error: unknown, message: string) => void;
}

export interface EventStreamRequest {
  caller: Caller;
  token: string;
  kinds: readonly string[] | undefined;
  ap_id?: string | undefined;
  selector?: string | undefined;
  /** The id of the last event the reader has; undefined to begin with what comes next. */
  after: number | undefined;
}

export class EventFeed extends StreamHub<EventStream> {
  readonly #options: EventFeedOptions;
  /** The newest events, and the id after which there are no others than these. */
  #tail: LoggedEvent[] = [];
  #tailAfter = 0;
  #newest = 0;
  readonly #reading: PeriodicTask;

  constructor(options: EventFeedOptions) {
    super(options);
    this.#options = options;
    const { onError } = options;
    this.#reading = new PeriodicTask({
      everyMs: readEveryMs,
      what: 'the reading of new events',
      run: () => this.#readNew(),
      onError,
    });
  }

  /** This node has appended. */
  logged(): void {
    if (this.openStreams > 0) this.#reading.soon(gatherMs);
  }

  /** Throws TryLaterError (429) if the caller has too many open. */
  async open({ caller, token, kinds, ap_id, selector, after }: EventStreamRequest): Promise<EventStream> {
    const { log, view } = this.#options;
    const giveBack = this.take(caller);
    try {
      const newest = await log.newest();
      const oldest = (await log.oldest()) ?? newest + 1;
      if (this.openStreams === 0) this.#startTail(newest);
      const stream = new EventStream({
        caller,
        after: Math.min(after ?? newest, newest),
        hasGap: after !== undefined && (after > newest || after < oldest - 1),
        kinds,
        ap_id,
        next: (position) => this.#next(position),
        show: (present, events) => view.show(present, events, selector),
      });
      this.#reading.start();
      return this.add(stream, token, giveBack);
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  override close(): void {
    void this.#reading.stop();
    super.close();
  }

  #startTail(newest: number): void {
    this.#tail = [];
    this.#tailAfter = newest;
    this.#newest = newest;
  }

  /** Reads some of what is new, and wakes the streams. */
  async #readNew(): Promise<void> {
    if (this.openStreams === 0 || (await this.#options.log.newest()) <= this.#newest) return;
    const { events, next } = await this.#options.log.read({ after: this.#newest, limit: readAtOnce });
    if (next !== null) this.#reading.soon();
    this.#newest = next ?? events.at(-1)?.id ?? this.#newest;
    this.#tail.push(...events);
    const surplus = this.#tail.splice(0, Math.max(0, this.#tail.length - maxTail));
    this.#tailAfter = surplus.at(-1)?.id ?? this.#tailAfter;
    this.pumpAll();
  }

  /** What follows this id, as far as it is known: from the tail, or from the log for whoever is behind it. */
  async #next(after: number): Promise<{ events: readonly LoggedEvent[]; position: number }> {
    if (after >= this.#tailAfter) {
      const events = this.#tail.filter(({ id }) => id > after).slice(0, readAtOnce);
      return { events, position: events.at(-1)?.id ?? after };
    }
    const { events, next } = await this.#options.log.read({ after, limit: readAtOnce });
    return { events, position: next ?? events.at(-1)?.id ?? Math.max(after, this.#tailAfter) };
  }
}
