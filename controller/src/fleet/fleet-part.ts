// The fleet as a part: all agents in memory, and what looks at or changes many of them.
import { canSeeAgent, canSeeAll } from '../agents/agent-visibility.ts';
import type { Events } from '../events.ts';
import type { Part, Platform } from '../part.ts';
import type { PresenceService } from '../telemetry/presence/presence-service.ts';
import { fleetFormats } from './fleet-formats.ts';
import { FleetIndex } from './index/fleet-index.ts';
import { createFleetStore } from './index/fleet-store.sql.ts';
import { FleetView, scan } from './index/fleet-view.ts';
import { MetricColumns } from './index/metric-columns.ts';
import { listRoutes } from './list/list-routes.ts';
import { ListService } from './list/list-service.ts';

/** How long the newest values are trusted where other nodes hear of them too. */
const sharedFreshMs = 10_000;

interface FleetPartDeps extends Platform {
  presence: PresenceService;
}

export function createFleetPart(
  { config, database, telemetryStore: telemetry, presence, shares, onError }: FleetPartDeps,
  events: Events,
) {
  const store = createFleetStore(database);
  const index: FleetIndex = new FleetIndex({ store, onGone: ({ slot }) => columns.forget(slot) });
  const columns = new MetricColumns({
    telemetry,
    index,
    freshMs: config.influxUrl === undefined ? Number.POSITIVE_INFINITY : sharedFreshMs,
  });
  const view = new FleetView({ index, columns, presence });
  const lists = new ListService({ view, store, telemetry, shares });
  events.recorded.on((ap_id, samples) => columns.recorded(ap_id, samples));
  events.visibleSites.onAsk(async (caller) => {
    if (canSeeAll(caller)) return undefined;
    const { agents } = await view.moment({});
    const sites = new Set<string>();
    await scan(agents, (agent) => {
      if (agent.site !== null && canSeeAgent(caller, agent)) sites.add(agent.site);
    });
    return sites;
  });
  return {
    fleet: view,
    index,
    lists,
    routes: listRoutes(lists),
    formats: fleetFormats,
    metrics: {
      weft_agent_list_snapshots: {
        help: 'Lists of agents whose next pages are of one moment',
        value: () => lists.openSnapshots,
      },
    },
    start() {
      // So that the first list does not wait for it.
      if (config.roles.includes('api')) {
        view.moment({ power: true }).catch((error) => onError(error, 'the agents could not be read into memory'));
      }
    },
    stop: () => lists.stop(),
  } satisfies Part & Record<string, unknown>;
}
