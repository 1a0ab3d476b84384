// What a caller sees of the event log: events about agents that it may see; of one about many agents, those; all others if
// nothing restricts it.
import type { EventItem } from '@weft/contract';
import type { AgentService } from '../agents/agent-service.ts';
import { canSeeAll } from '../agents/agent-visibility.ts';
import type { Caller } from '../caller.ts';
import { NotFoundError } from '../errors.ts';
import type { LoggedEvent } from '../event-log/event-log.ts';
import { groupedNames, narrowed } from '../event-log/grouped-event.ts';

/** Whether an event about this agent, or about a site, is wanted. */
export type Select = (about: { ap_id: string } | { site: string }) => boolean;

export interface EventViewOptions {
  agents: Pick<AgentService, 'requireVisible'>;
}

export class EventView {
  readonly #agents: EventViewOptions['agents'];

  constructor({ agents }: EventViewOptions) {
    this.#agents = agents;
  }

  /** Those of the events that the caller may see and that are selected, in their order. */
  async show(caller: Caller, events: readonly LoggedEvent[], select?: Select): Promise<LoggedEvent[]> {
    const seesAll = canSeeAll(caller);
    const visible = seesAll ? undefined : await this.#visible(caller, events);
    const isSeen = (ap_id: string) => (visible?.has(ap_id) ?? true) && (select?.({ ap_id }) ?? true);
    return events.flatMap((event) => {
      const isWhole = visible === undefined && select === undefined;
      if (isWhole) return [event];
      if (groupedNames(event) !== undefined) return narrowed(event, isSeen) ?? [];
      if (event.ap_id !== null) return isSeen(event.ap_id) ? [event] : [];
      if (!seesAll) return [];
      return select === undefined || (event.site !== null && select({ site: event.site })) ? [event] : [];
    });
  }

  /** Agents that are gone are seen by nobody who may not see all. */
  async #visible(caller: Caller, events: readonly LoggedEvent[]): Promise<Set<string>> {
    const names = new Set(events.flatMap((event) => groupedNames(event) ?? event.ap_id ?? []));
    const visible = new Set<string>();
    for (const ap_id of names) {
      try {
        await this.#agents.requireVisible(ap_id, caller);
        visible.add(ap_id);
      } catch (error) {
        if (!(error instanceof NotFoundError)) throw error;
      }
    }
    return visible;
  }
}

/** Apps and agents do not learn who else sends commands. */
export function toEventItem({ ts, ...event }: LoggedEvent, caller: Caller): EventItem {
  const { by: _by, detail: _detail, ...data } = event.data;
  return {
    ...event,
    ts: new Date(ts).toISOString(),
    data: caller.kind === 'user' ? event.data : data,
  };
}
