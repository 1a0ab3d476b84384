// What a caller sees of the event log: events about agents that it may see; of one about many agents, those; all others if
// nothing restricts it.
import type { EventItem } from '@weft/contract';
import { BoundedMap } from '@weft/contract/bounded-map';
import { parseSelector, type Selectable, type Selector } from '@weft/contract/selector';
import type { LoggedEvent } from '../../core/accounts/event-log/event-record.ts';
import { groupedNames, narrowed } from '../../core/accounts/event-log/grouped-event.ts';
import type { Caller } from '../../core/base/caller.ts';
import { mayReadConfig } from '../../core/base/rights/permission.ts';
import { rightsOf } from '../../core/base/rights/rights.ts';
import type { Network } from '../../core/network/network.ts';

export interface EventViewOptions {
  network: Pick<Network, 'visibleTo'>;
  selection: Pick<EventSelection, 'choose'>;
}

export class EventView {
  readonly #network: EventViewOptions['network'];
  readonly #selection: EventViewOptions['selection'];

  constructor({ network, selection }: EventViewOptions) {
    this.#network = network;
    this.#selection = selection;
  }

  /** Those of the events that the caller may see and that the selector selects, in their order. */
  async show(caller: Caller, all: readonly LoggedEvent[], selector = ''): Promise<LoggedEvent[]> {
    const events = mayReadConfig(caller) ? all : all.filter(({ kind }) => !isOfSettings(kind));
    const { agent, seesAll } = rightsOf(caller);
    if (seesAll) return this.#selection.choose(selector, events, caller);
    const visible = await this.#visible(caller, events);
    const seen = events.flatMap((event) => {
      // An access point that reports any address would learn its pseudonym.
      if (agent && event.subject_kind.startsWith('device')) return [];
      if (groupedNames(event) !== undefined) return narrowed(event, (ap_id) => visible.has(ap_id)) ?? [];
      return event.ap_id !== null && visible.has(event.ap_id) ? [withoutHidden(event, visible)] : [];
    });
    return this.#selection.choose(selector, seen, caller);
  }

  /** Agents that are gone are seen by nobody who may not see all. */
  async #visible(caller: Caller, events: readonly LoggedEvent[]): Promise<Set<string>> {
    const names = new Set(
      events.flatMap(
        (event) => groupedNames(event) ?? [...(event.ap_id === null ? [] : [event.ap_id]), ...fromOf(event)],
      ),
    );
    const sight = await this.#network.visibleTo(caller);
    return new Set([...names].filter((ap_id) => sight.get(ap_id)));
  }
}

/** Of what access points shall be; `config.changed` is about Weft's own records. */
function isOfSettings(kind: string): boolean {
  return kind.startsWith('rollout.') || (kind.startsWith('config.') && kind !== 'config.changed');
}

/** Other access points in an event about a device: where it came from, or was to go. */
function fromOf({ subject_kind, data }: LoggedEvent): string[] {
  if (subject_kind !== 'device') return [];
  return [data.from, data.target].filter((ap_id) => typeof ap_id === 'string');
}

/** That a device came is seen by whoever sees where it is now; not from where, if that is hidden. */
function withoutHidden(event: LoggedEvent, visible: ReadonlySet<string>): LoggedEvent {
  if (fromOf(event).every((ap_id) => visible.has(ap_id))) return event;
  const { from: _from, target: _target, ...data } = event.data;
  const what = event.kind === 'device.moved' ? `moved to ${event.ap_id}` : `was steered from ${event.ap_id}`;
  return { ...event, text: `${event.subject} ${what}`, data };
}

/** Apps and agents do not learn who else sends commands. */
export function toEventItem({ ts, ...event }: LoggedEvent, caller: Caller): EventItem {
  const { by: _by, detail: _detail, ...data } = event.data;
  return {
    ...event,
    ts: new Date(ts).toISOString(),
    data: rightsOf(caller).isUser ? event.data : data,
  };
}

/** Which events a selector selects: those about access points that it selects now, and those about sites that it names. */
export class EventSelection {
  readonly #network: Network;
  readonly #parsed = new BoundedMap<string, Selector>(200);

  constructor(network: Network) {
    this.#network = network;
  }

  /**
   * Those of the events that the selector selects for this caller (undefined: Weft itself), in their order; of one about many
   * agents, those. An empty one selects all.
   */
  readonly choose = async (text: string, events: readonly LoggedEvent[], caller?: Caller): Promise<LoggedEvent[]> => {
    const selector = this.#parsed.getOrInsert(text, () => parseSelector(text));
    if (selector.node.kind === 'all' || events.length === 0) return [...events];
    const test = await this.#network.selection(selector, caller);
    const isSelected = (ap_id: string, site: string | null) => {
      const agent = this.#network.get(ap_id);
      return agent ? test(agent) : selector.test(bare(ap_id, site));
    };
    return events.flatMap((event) => {
      if (groupedNames(event) !== undefined) return narrowed(event, (ap_id) => isSelected(ap_id, null)) ?? [];
      if (event.ap_id !== null) return isSelected(event.ap_id, event.site) ? [event] : [];
      return event.site !== null && selector.test(bare('', event.site)) ? [event] : [];
    });
  };
}

/** An agent that is gone, or a site without one. */
function bare(ap_id: string, site: string | null): Selectable {
  return { ap_id, display_name: null, site, tags: [], access_point_type: null };
}
