// What one webhook has before it, in memory: events in lines by subject, oldest first. A line waits for its first event; lines
// do not wait for one another. Knows what has to be written down so that a restart loses nothing.
import type { LoggedEvent } from '../../../core/accounts/event-log/event-record.ts';
import type { WaitingEvent } from './webhook-store.ts';

export interface LineItem {
  event: LoggedEvent;
  attempts: number;
  nextAtMs: number;
  /** There is a row for it. */
  isStored: boolean;
}

interface Line {
  items: LineItem[];
  isBusy: boolean;
}

export class WebhookLines {
  readonly #lines = new Map<string, Line>();
  /** Rows to write, and rows to delete. */
  #changed = new Map<number, WaitingEvent>();
  #done: number[] = [];
  size = 0;

  /** At the end of the line of its subject. */
  add(item: LineItem): void {
    const key = `${item.event.subject_kind}/${item.event.subject}`;
    const line = this.#lines.get(key);
    if (line) line.items.push(item);
    else this.#lines.set(key, { items: [item], isBusy: false });
    this.size++;
  }

  /** The first event of a line that may be sent now; it is busy until `delivered`, `failed` or `parked`. */
  take(nowMs: number): LineItem | undefined {
    for (const [key, line] of this.#lines) {
      const [first] = line.items;
      if (line.isBusy || !first || first.nextAtMs > nowMs) continue;
      line.isBusy = true;
      // The others first next time.
      this.#lines.delete(key);
      this.#lines.set(key, line);
      return first;
    }
    return undefined;
  }

  /** When the next event may be sent that is not busy; infinite if there is none. */
  nextAtMs(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { items, isBusy } of this.#lines.values()) {
      if (!isBusy && items[0]) next = Math.min(next, items[0].nextAtMs);
    }
    return next;
  }

  delivered(item: LineItem): void {
    this.#leave(item);
    this.#changed.delete(item.event.id);
    if (item.isStored) this.#done.push(item.event.id);
  }

  failed(item: LineItem, nextAtMs: number): void {
    item.attempts++;
    item.nextAtMs = nextAtMs;
    this.#lineOf(item)!.isBusy = false;
    this.#store(item);
  }

  /** Given up: those behind it go on. */
  parked(item: LineItem): void {
    item.attempts++;
    this.#leave(item);
    this.#changed.set(item.event.id, toWaiting(item, true));
  }

  /** Everything may be tried at once: the receiver is back. */
  hurry(nowMs: number): void {
    for (const { items } of this.#lines.values()) {
      if (items[0]) items[0].nextAtMs = Math.min(items[0].nextAtMs, nowMs);
    }
  }

  /**
   * What is to be written down now, and the event up to which the log need not be read again. What waits behind a failed event is
   * written too; what is only on its way is not, because the log has it.
   */
  toSave(readUpTo: number): { position: number; waiting: WaitingEvent[]; done: number[] } {
    let position = readUpTo;
    for (const { items } of this.#lines.values()) {
      const isHeldUp = items[0]!.attempts > 0;
      for (const item of items) {
        if (isHeldUp && !item.isStored) this.#store(item);
        if (!item.isStored) position = Math.min(position, item.event.id - 1);
      }
    }
    const waiting = [...this.#changed.values()];
    const done = this.#done;
    this.#changed = new Map();
    this.#done = [];
    return { position, waiting, done };
  }

  /** It could not be written down. */
  notSaved(waiting: readonly WaitingEvent[], done: readonly number[]): void {
    this.#done.push(...done);
    const doneNow = new Set(this.#done);
    for (const each of waiting) {
      if (!doneNow.has(each.event_id) && !this.#changed.has(each.event_id)) this.#changed.set(each.event_id, each);
    }
  }

  get isDirty(): boolean {
    return this.#changed.size > 0 || this.#done.length > 0;
  }

  #store(item: LineItem): void {
    item.isStored = true;
    this.#changed.set(item.event.id, toWaiting(item, false));
  }

  #leave(item: LineItem): void {
    const line = this.#lineOf(item)!;
    line.items.shift();
    line.isBusy = false;
    this.size--;
    if (line.items.length === 0) this.#lines.delete(`${item.event.subject_kind}/${item.event.subject}`);
  }

  #lineOf({ event }: LineItem): Line | undefined {
    return this.#lines.get(`${event.subject_kind}/${event.subject}`);
  }
}

function toWaiting({ event, attempts, nextAtMs }: LineItem, is_parked: boolean): WaitingEvent {
  return { event_id: event.id, attempts, next_at: nextAtMs, is_parked };
}
