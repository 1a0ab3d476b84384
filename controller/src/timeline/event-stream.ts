// One reader of live events. It takes them from wherever it is in the log, so that a slow reader misses nothing.
import type { Caller } from '../caller.ts';
import { type LoggedEvent, matchesKinds } from '../event-log/event-record.ts';
import { isAbout } from '../event-log/grouped-event.ts';
import { ServerSentEvents } from '../http/streams/stream-hub.ts';
import { toEventItem } from './event-view.ts';

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

export class EventStream extends ServerSentEvents {
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
