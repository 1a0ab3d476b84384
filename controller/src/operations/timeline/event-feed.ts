// Live events: reads what is new once for all streams and keeps a bounded tail; streams that are further behind read the log
// themselves. Looks every second whether other nodes have appended.

import type { EventLog } from '../../core/accounts/event-log/event-log.ts';
import { type LoggedEvent, matchesKinds } from '../../core/accounts/event-log/event-record.ts';
import { isAbout } from '../../core/accounts/event-log/grouped-event.ts';
import type { Caller } from '../../core/base/caller.ts';
import type { Shown } from '../../core/base/credential.ts';
import { PeriodicTask } from '../../core/base/periodic-task.ts';
import { ServerSentEvents, StreamHub, type StreamHubOptions } from '../../core/http/streams/stream-hub.ts';
import { type EventView, toEventItem } from './event-view.ts';

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
  shown: Shown;
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
  async open({ caller, shown, kinds, ap_id, selector, after }: EventStreamRequest): Promise<EventStream> {
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
      return this.add(stream, shown, giveBack);
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

/** A connection that takes nothing of what waits for this long is gone. */
const stuckMs = 60_000;

interface EventStreamOptions {
  caller: Caller;
  /** The id after which it begins. */
  after: number;
  /** Events after that one are no longer kept. */
  hasGap: boolean;
  kinds: readonly string[] | undefined;
  ap_id: string | undefined;
  /** Some of the events after this id, and how far that was; the same id if there are none. */
  next: (after: number) => Promise<{ events: readonly LoggedEvent[]; position: number }>;
  /** Those that the caller may see. */
  show: (caller: Caller, events: readonly LoggedEvent[]) => Promise<LoggedEvent[]>;
}

/** One reader. It takes events from wherever it is in the log, so that a slow one misses nothing. */
class EventStream extends ServerSentEvents {
  readonly #options: EventStreamOptions;
  #position: number;
  #hungrySinceMs = performance.now();
  #pumping: Promise<void> | undefined;
  #isWanted = false;

  constructor(options: EventStreamOptions) {
    const { caller, after, hasGap } = options;
    // With where it begins: one that breaks before anything has come goes on there.
    super(caller, `id: ${after}\n\n${hasGap ? 'event: gap\ndata: {}\n\n' : ''}`);
    this.#options = options;
    this.#position = after;
  }

  pump(): void {
    this.#isWanted = true;
    this.#pumping ??= this.#pumpAll()
      .catch(() => {
        // While the database is away: again with the next round.
        this.#isWanted = false;
      })
      .finally(() => {
        this.#pumping = undefined;
        if (this.#isWanted && this.isHungry && !this.isOver) this.pump();
      });
  }

  /** Whether its connection has taken nothing for a minute although something waits. */
  isTooSlow(): boolean {
    return !this.isHungry && performance.now() - this.#hungrySinceMs > stuckMs;
  }

  async #pumpAll(): Promise<void> {
    while (this.#isWanted && this.isHungry && !this.isOver) {
      this.#isWanted = false;
      const { events, position } = await this.#options.next(this.#position);
      if (position === this.#position) continue;
      this.#isWanted = true;
      const { kinds, ap_id, show } = this.#options;
      const wanted = events.filter(
        (event) => (!kinds || matchesKinds(kinds, event.kind)) && (ap_id === undefined || isAbout(event, ap_id)),
      );
      const seen = await show(this.caller, wanted);
      if (this.isOver) return;
      this.#position = position;
      if (seen.length === 0) continue;
      this.#hungrySinceMs = performance.now();
      this.isHungry = false;
      const text = (event: LoggedEvent) =>
        `id: ${event.id}\nevent: event\ndata: ${JSON.stringify(toEventItem(event, this.caller))}\n\n`;
      this.push(seen.map(text).join(''));
    }
  }
}
