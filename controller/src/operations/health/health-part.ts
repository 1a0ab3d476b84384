// Health as a part: what alarms, states and the last day's telemetry say in one word.
import { productOf } from '@weft/contract/product';
import packageJson from '../../../package.json' with { type: 'json' };
import type { SiteStore } from '../../core/accounts/sites/site-store.ts';
import type { Events } from '../../core/events.ts';
import type { FleetView } from '../../core/fleet/index/fleet-view.ts';
import type { Part, Platform } from '../../core/part.ts';
import type { ActiveAlarms } from '../alarms/watch/active-alarms.ts';
import { healthRoutes } from './health-routes.ts';
import { HealthService } from './health-service.ts';
import { NetworkFiguresService } from './network-figures.ts';

interface HealthPartDeps extends Platform {
  fleet: FleetView;
  alarms: ActiveAlarms;
  siteStore: SiteStore;
}

export function createHealthPart(deps: HealthPartDeps, events: Events) {
  const { fleet, alarms, siteStore, telemetryStore, shares } = deps;
  const telemetry = telemetryStore;
  const affected = async () => (await events.devicesAffected.ask()) ?? new Map();
  const health = new HealthService({ fleet, alarms, sites: siteStore, telemetry, shares, affected });
  const figures = new NetworkFiguresService({ fleet, telemetry, shares });
  events.agentSeverities.onAsk(() => health.severities());
  return { health, routes: healthRoutes(health, figures, productOf(packageJson)) } satisfies Part &
    Record<string, unknown>;
}
