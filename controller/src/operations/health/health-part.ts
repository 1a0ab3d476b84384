// Health as a part: what alarms, states and the last day's telemetry say in one word.
import { productOf } from '@weft/contract/product';
import packageJson from '../../../package.json' with { type: 'json' };
import type { SiteStore } from '../../core/accounts/sites/site-store.ts';
import type { Network } from '../../core/network/network.ts';
import type { Part, Platform } from '../../core/part.ts';
import type { ActiveAlarms } from '../alarms/watch/active-alarms.ts';
import { healthRoutes } from './health-routes.ts';
import { HealthService } from './health-service.ts';
import { NetworkFiguresService } from './network-figures.ts';

interface HealthPartDeps extends Platform {
  network: Network;
  alarms: ActiveAlarms;
  siteStore: SiteStore;
}

export function createHealthPart(deps: HealthPartDeps) {
  const { network, alarms, siteStore, telemetryStore, shares } = deps;
  const telemetry = telemetryStore;
  const health = new HealthService({ network, alarms, sites: siteStore, telemetry, shares });
  const figures = new NetworkFiguresService({ network, telemetry, shares });
  network.columns.severities = () => health.severities();
  return { health, routes: healthRoutes(health, figures, productOf(packageJson)) } satisfies Part &
    Record<string, unknown>;
}
