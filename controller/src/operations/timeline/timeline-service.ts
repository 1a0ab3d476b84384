// Pages of the event log, as a caller may see them.
import type { EventItem, EventList } from '@weft/contract';
import type { EventLog } from '../../core/accounts/event-log/event-log.ts';
import type { EventFilters, LoggedEvent } from '../../core/accounts/event-log/event-record.ts';
import { groupedNames, isAbout, narrowed } from '../../core/accounts/event-log/grouped-event.ts';
import type { Caller } from '../../core/base/caller.ts';
import { ValidationError } from '../../core/base/errors.ts';
import { valueError } from '../../core/base/input/value-rules.ts';
import { inSlices } from '../../core/base/time-slices.ts';
import type { Network } from '../../core/network/network.ts';
import { type EventView, toEventItem } from './event-view.ts';

/** How many stretches of the log one call looks at. */
const maxRounds = 10;
/** More access points than this are looked for among the events instead of by the database. */
const maxNames = 50;
/** Fewer would be many reads for a caller that may see little. */
const minRead = 50;

export interface TimelineQuery extends EventFilters {
  /** Oldest first, events with a higher id. */
  after?: number | undefined;
  /** What `next` was. It holds the order; all other parameters must be the same again. */
  cursor?: string | undefined;
  order?: 'oldest_first' | 'newest_first' | undefined;
  selector?: string | undefined;
  /** A part of the id or display name of the access points that they are about. */
  search?: string | undefined;
  limit: number;
}

export interface TimelineServiceOptions {
  log: Pick<EventLog, 'read'>;
  view: EventView;
  /** Asked for the access points of a search. */
  network: Pick<Network, 'named'>;
}

export class TimelineService {
  readonly #log: TimelineServiceOptions['log'];
  readonly #view: EventView;
  readonly #network: TimelineServiceOptions['network'];

  constructor({ log, view, network }: TimelineServiceOptions) {
    this.#log = log;
    this.#view = view;
    this.#network = network;
  }

  async list(caller: Caller, query: TimelineQuery): Promise<EventList> {
    const { cursor, after, limit, order: wanted, selector, search, ...rest } = query;
    const names = search === undefined || search.trim() === '' ? undefined : await this.#named(search.trim());
    const filters = { ...rest, ...(names && names.size <= maxNames && { ap_ids: [...names] }) };
    const start = cursor === undefined ? undefined : parseCursor(cursor);
    const order = start?.order ?? wanted ?? (after === undefined ? 'newest_first' : 'oldest_first');
    const isUp = order === 'oldest_first';
    let edge: number | null = start?.id ?? (isUp ? (after ?? 0) : Number.MAX_SAFE_INTEGER);
    const items: EventItem[] = [];
    for (let round = 0; edge !== null && items.length < limit && round < maxRounds; round++) {
      const bounds: { after?: number; before?: number } = isUp ? { after: edge } : { before: edge };
      if (!isUp && after !== undefined) bounds.after = after;
      const room = limit - items.length;
      const { events, next } = await this.#log.read({ ...filters, ...bounds, order, limit: Math.max(room, minRead) });
      const { ap_id } = filters;
      const visible = await this.#view.show(caller, events, selector);
      // Among many it may be one that the caller does not see.
      const about = ap_id === undefined ? visible : visible.filter((event) => isAbout(event, ap_id));
      const seen = names ? about.flatMap((event) => amongNames(event, names) ?? []) : about;
      const shown: LoggedEvent[] = seen.slice(0, room);
      await inSlices(shown, (event) => items.push(toEventItem(event, caller)));
      edge = shown.length < seen.length ? shown.at(-1)!.id : next;
    }
    return { items, next: edge === null ? null : `${isUp ? 'a' : 'd'}${edge}` };
  }

  /** Whoever is called exactly so, else all whose names contain it; one that is gone is found by its id alone. */
  async #named(text: string): Promise<Set<string>> {
    const part = text.toLowerCase();
    const exact = await this.#network.named((name) => name === part);
    const found = exact.length > 0 ? exact : await this.#network.named((name) => name.includes(part));
    return new Set(found.length > 0 ? found : [text]);
  }
}

/** Of an event about many, those; undefined if it is about none of them. */
function amongNames(event: LoggedEvent, names: ReadonlySet<string>): LoggedEvent | undefined {
  if (event.ap_id !== null) return names.has(event.ap_id) ? event : undefined;
  return groupedNames(event) === undefined ? undefined : narrowed(event, (ap_id) => names.has(ap_id));
}

function parseCursor(cursor: string): { order: 'oldest_first' | 'newest_first'; id: number } {
  const [, letter, id] = /^([ad])([0-9]{1,16})$/.exec(cursor) ?? [];
  if (id === undefined) throw new ValidationError([valueError(['query', 'cursor'], 'it is no cursor of this list')]);
  return { order: letter === 'a' ? 'oldest_first' : 'newest_first', id: Number(id) };
}
