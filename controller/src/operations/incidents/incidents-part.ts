// Incidents as a part: alarms that belong together, who was affected, and what is known of the cause.
import type { EventLog } from '../../core/accounts/event-log/event-log.ts';
import type { SiteStore } from '../../core/accounts/sites/site-store.ts';
import type { NodeLease } from '../../core/base/storage/node-lease.ts';
import type { DeviceRegistry } from '../../core/devices/registry/device-registry.ts';
import type { TransactionStep } from '../../core/event-kinds.ts';
import type { Events } from '../../core/events.ts';
import type { Network } from '../../core/network/network.ts';
import type { Part, Platform } from '../../core/part.ts';
import type { AlarmService } from '../alarms/api/alarm-service.ts';
import type { AlarmRecord } from '../alarms/store/alarm-store.ts';
import type { RuleStore } from '../alarms/store/rule-store.ts';
import type { ActiveAlarms } from '../alarms/watch/active-alarms.ts';
import type { RolloutStore } from '../desired/store/rollout-store.ts';
import type { EventView } from '../timeline/event-view.ts';
import { DiagnosisService } from './diagnosis/diagnosis-service.ts';
import { IncidentKeeper } from './incident-keeper.ts';
import { incidentRoutes } from './incident-routes.ts';
import { IncidentService } from './incident-service.ts';
import { IncidentStore } from './incident-store.ts';

const dayMs = 86_400_000;
const pruneRows = 500;

interface IncidentsPartDeps extends Platform {
  alarms: {
    alarms: AlarmService;
    activeAlarms: ActiveAlarms;
    ended: TransactionStep<[alarms: readonly AlarmRecord[]]>;
    lease: NodeLease;
    ruleStore: RuleStore;
  };
  eventLog: EventLog;
  view: EventView;
  network: Network;
  registry: DeviceRegistry;
  rolloutStore: RolloutStore;
  siteStore: SiteStore;
}

export function createIncidentsPart(deps: IncidentsPartDeps, events: Events) {
  const { config, database, telemetryStore: telemetry, eventLog, network, retention, onChange } = deps;
  const { activeAlarms, lease, ruleStore } = deps.alarms;
  const store = new IncidentStore(database);
  let products = new Map<string, string | null>();
  const readProducts = async () => {
    products = new Map((await ruleStore.list()).map(({ id, product }) => [id, product]));
  };
  activeAlarms.rulesChanged.on(
    () => void readProducts().catch((error) => deps.onError(error, 'the rules of alarms could not be read')),
  );
  const productOf = (rule_id: string) => products.get(rule_id) ?? null;
  const keeper = new IncidentKeeper({
    database,
    store,
    lease,
    eventLog,
    rollouts: deps.rolloutStore,
    telemetry,
    registry: deps.registry,
    productOf,
    nameOf: (ap_id) => network.get(ap_id)?.display_name ?? ap_id,
    placeOf: (ap_id) => network.get(ap_id)?.place,
    sites: deps.siteStore,
    onChange,
  });
  const shared = { store, network, eventLog };
  const diagnoses = new DiagnosisService({
    ...shared,
    active: activeAlarms,
    telemetry,
    productOf,
    shares: deps.shares,
  });
  const incidents = new IncidentService({
    ...shared,
    alarms: deps.alarms.alarms,
    sites: deps.siteStore,
    view: deps.view,
    diagnose: diagnoses.of,
  });
  const keptMs = config.eventRetentionDays * dayMs;
  retention.add({
    name: 'incidents',
    keptMs,
    remove: (nowMs) => store.prune(nowMs - keptMs, nowMs - dayMs, pruneRows),
  });
  deps.alarms.ended.add((tx, cleared) => keeper.closeEnded(tx, cleared));
  network.columns.devicesAffected = () => store.devicesAffected();
  events.agentRemoved.add('data', (ap_id) => store.removeAgent(ap_id));
  events.deviceErased.within(async (tx, { names }) => {
    await store.forgetDevices(tx, names);
    return {};
  });
  return {
    keeper,
    routes: incidentRoutes(incidents, diagnoses),
    prepare: readProducts,
    start() {
      if (config.roles.includes('api')) keeper.start();
    },
    stop: () => keeper.stop(),
  } satisfies Part & Record<string, unknown>;
}
