// Which events a selector selects: those about access points that it selects now, and those about sites that it names.
import { BoundedMap } from '@weft/contract/bounded-map';
import { parseSelector, type Selectable, type Selector } from '@weft/contract/selector';
import type { LoggedEvent } from '../event-log/event-record.ts';
import { groupedNames, narrowed } from '../event-log/grouped-event.ts';
import { createTest, type FleetView, needsOf } from '../fleet/index/fleet-view.ts';

export class EventSelection {
  readonly #fleet: FleetView;
  readonly #parsed = new BoundedMap<string, Selector>(200);

  constructor(fleet: FleetView) {
    this.#fleet = fleet;
  }

  /** Those of the events that the selector selects, in their order; of one about many agents, those. An empty one selects all. */
  readonly choose = async (text: string, events: readonly LoggedEvent[]): Promise<LoggedEvent[]> => {
    const selector = this.#parsed.getOrInsert(text, () => parseSelector(text));
    if (selector.node.kind === 'all' || events.length === 0) return [...events];
    const test = createTest(selector, await this.#fleet.moment(needsOf(selector)));
    const isSelected = (ap_id: string, site: string | null) => {
      const agent = this.#fleet.get(ap_id);
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
