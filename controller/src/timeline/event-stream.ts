// One reader of live events. It takes them as fast as its connection drains, from wherever it is in the log, so that a slow
// reader costs no memory and misses nothing.
import { Readable } from 'node:stream';
import type { Caller } from '../caller.ts';
import { type LoggedEvent, matchesKinds } from '../event-log/event-record.ts';
import { isAbout } from '../event-log/grouped-event.ts';
import { toEventItem } from './event-view.ts';

const bufferBytes = 64 * 1024;
/** A connection that takes nothing of what waits for this long is gone. */
const stuckMs = 60_000;

export interface EventStreamOptions {
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

export class EventStream extends Readable {
  readonly #options: EventStreamOptions;
  #caller: Caller;
  #position: number;
  /** The connection has room for more. */
  #isHungry = false;
  #hungrySinceMs = performance.now();
  #pumping: Promise<void> | undefined;
  #isWanted = false;
  #isOver = false;

  constructor(options: EventStreamOptions) {
    super({ highWaterMark: bufferBytes });
    this.#options = options;
    this.#caller = options.caller;
    this.#position = options.after;
    // The first bytes also carry the headers to the client, and where it begins: one that breaks before anything has come goes on there.
    this.push(`retry: 2000\nid: ${options.after}\n\n${options.hasGap ? 'event: gap\ndata: {}\n\n' : ''}`);
  }

  override _read(): void {
    this.#isHungry = true;
    this.pump();
  }

  /** Takes what has come, as far as there is room. */
  pump(): void {
    this.#isWanted = true;
    this.#pumping ??= this.#pumpAll()
      .catch(() => {
        // While the database is away: again with the next round.
        this.#isWanted = false;
      })
      .finally(() => {
        this.#pumping = undefined;
        if (this.#isWanted && this.#isHungry && !this.#isOver) this.pump();
      });
  }

  /** Whether its connection has taken nothing for a minute although something waits. */
  isStuck(): boolean {
    return !this.#isHungry && performance.now() - this.#hungrySinceMs > stuckMs;
  }

  get caller(): Caller {
    return this.#caller;
  }

  /** Rights may have changed since the stream began. */
  set caller(caller: Caller) {
    this.#caller = caller;
  }

  /** A comment, which keeps proxies and time-outs quiet. */
  beat(): void {
    if (!this.#isOver && this.#isHungry) this.push(': \n\n');
  }

  /** Says why, and ends. */
  finish(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.push(`event: end\ndata: ${JSON.stringify({ reason })}\n\n`);
    this.push(null);
  }

  async #pumpAll(): Promise<void> {
    while (this.#isWanted && this.#isHungry && !this.#isOver) {
      this.#isWanted = false;
      const { events, position } = await this.#options.next(this.#position);
      if (position === this.#position) continue;
      this.#isWanted = true;
      const { kinds, ap_id, show } = this.#options;
      const wanted = events.filter(
        (event) => (!kinds || matchesKinds(kinds, event.kind)) && (ap_id === undefined || isAbout(event, ap_id)),
      );
      const seen = await show(this.#caller, wanted);
      if (this.#isOver) return;
      this.#position = position;
      if (seen.length === 0) continue;
      this.#hungrySinceMs = performance.now();
      this.#isHungry = false;
      this.push(seen.map((event) => this.#textOf(event)).join(''));
    }
  }

  #textOf(event: LoggedEvent): string {
    return `id: ${event.id}\nevent: event\ndata: ${JSON.stringify(toEventItem(event, this.#caller))}\n\n`;
  }
}
