// Which events a selector selects: those about access points that it selects now, and those about sites that it names.
import { parseSelector, type Selectable, type Selector } from '@weft/contract/selector';
import type { AgentRecord, AgentStore } from '../agents/agent-store.ts';
import type { LoggedEvent } from '../event-log/event-log.ts';
import { groupedNames, narrowed } from '../event-log/grouped-event.ts';
import type { PresenceService } from '../telemetry/presence/presence-service.ts';

/** More are read as a list. */
const maxSingleReads = 100;
const maxParsed = 200;

export interface EventSelectionOptions {
  agents: Pick<AgentStore, 'get' | 'list'>;
  presence: Pick<PresenceService, 'states'>;
}

export class EventSelection {
  readonly #options: EventSelectionOptions;
  readonly #parsed = new Map<string, Selector>();

  constructor(options: EventSelectionOptions) {
    this.#options = options;
  }

  /** Those of the events that the selector selects, in their order; of one about many agents, those. An empty one selects all. */
  readonly choose = async (text: string, events: readonly LoggedEvent[]): Promise<LoggedEvent[]> => {
    const selector = this.#parse(text);
    if (selector.node.kind === 'all' || events.length === 0) return [...events];
    const names = new Set(events.flatMap((event) => groupedNames(event) ?? event.ap_id ?? []));
    const known = await this.#selectables(selector, names);
    const isSelected = (ap_id: string, site: string | null) => selector.test(known.get(ap_id) ?? bare(ap_id, site));
    return events.flatMap((event) => {
      if (groupedNames(event) !== undefined) return narrowed(event, (ap_id) => isSelected(ap_id, null)) ?? [];
      if (event.ap_id !== null) return isSelected(event.ap_id, event.site) ? [event] : [];
      return event.site !== null && selector.test(bare('', event.site)) ? [event] : [];
    });
  };

  async #selectables(selector: Selector, names: ReadonlySet<string>): Promise<Map<string, Selectable>> {
    const { agents, presence } = this.#options;
    const records: AgentRecord[] = [];
    if (names.size > maxSingleReads) records.push(...(await agents.list()).filter(({ ap_id }) => names.has(ap_id)));
    else for (const ap_id of names) records.push(...[await agents.get(ap_id)].filter((each) => each !== undefined));
    const stateOf = selector.needsState ? await presence.states() : undefined;
    return new Map(
      records.map((record) => {
        const { ap_id, display_name, site, tags, configuration, emulated_for } = record;
        const type = configuration.access_point_type;
        const selectable: Selectable = {
          ap_id,
          display_name,
          site,
          tags,
          access_point_type: typeof type === 'string' ? type : null,
          emulated: emulated_for !== null,
          ...(stateOf && { state: stateOf(ap_id, configuration) }),
        };
        return [ap_id, selectable];
      }),
    );
  }

  #parse(text: string): Selector {
    const known = this.#parsed.get(text);
    if (known) return known;
    const selector = parseSelector(text);
    if (this.#parsed.size >= maxParsed) this.#parsed.clear();
    this.#parsed.set(text, selector);
    return selector;
  }
}

/** An agent that is gone, or a site without one. */
function bare(ap_id: string, site: string | null): Selectable {
  return { ap_id, display_name: null, site, tags: [], access_point_type: null };
}
