// Devices as a part: what attaches to access points, under pseudonyms, from reports to lists.
import { randomUUID } from 'node:crypto';
import type { AgentService } from '../agents/agent-service.ts';
import type { AgentSight } from '../agents/agent-sight.ts';
import { canSeeAll, canSeeName } from '../agents/agent-visibility.ts';
import type { Caller } from '../caller.ts';
import type { EventLog } from '../event-log/event-log.ts';
import type { Events } from '../events.ts';
import type { Part, Platform } from '../part.ts';
import { deviceRoutes } from './api/device-routes.ts';
import { DeviceService } from './api/device-service.ts';
import { readOrCreateDeviceKey } from './privacy/device-key.ts';
import { DeviceNames } from './privacy/device-names.ts';
import { Pseudonyms } from './privacy/pseudonyms.ts';
import { DeviceIntake } from './registry/device-intake.ts';
import { DeviceJournal } from './registry/device-journal.ts';
import { DeviceRegistry } from './registry/device-registry.ts';
import { DeviceUpkeep } from './registry/device-upkeep.ts';
import { createDeviceStore } from './store/device-store.sql.ts';

const dayMs = 86_400_000;

interface DevicesPartDeps extends Platform {
  agents: AgentService;
  eventLog: EventLog;
}

export function createDevicesPart(deps: DevicesPartDeps, events: Events) {
  const { config, database, keyring, agents, eventLog, shares, onError } = deps;
  const isShared = database.dialect === 'postgres';
  const pseudonyms = new Pseudonyms(isShared ? keyring.deviceKey : readOrCreateDeviceKey(config.dataDir));
  const store = createDeviceStore(database, { node: randomUUID() });
  const journal = new DeviceJournal({ database, store, eventLog });
  const registry = new DeviceRegistry({
    pseudonyms,
    maxDevices: config.quotas.devices,
    onChanges: (changes) => journal.add(changes),
  });
  const intake = new DeviceIntake(registry, journal);
  const upkeep = new DeviceUpkeep({ registry, store, journal, isShared, keptMs: dayMs, onError });
  const names = new DeviceNames({ pseudonyms, areClearAllowed: () => false, canonical: (device) => device });
  const sightOf = (caller: Caller, selector: string): Promise<AgentSight> =>
    events.agentSight.ask(caller, selector) ?? Promise.resolve(byName(caller));
  const devices = new DeviceService({
    registry,
    names,
    agents,
    eventLog,
    shares,
    sightOf,
    showsAddresses: () => false,
    extrasOf: () => ({}),
  });

  events.devicesReported.onAsk((ap_id, lists) => intake.take(ap_id, lists));
  events.presenceChanged.on((changes) => {
    for (const { ap_id, to, atMs } of changes) {
      if (to === 'offline' || to === 'ended') registry.leaveAll(ap_id, atMs);
    }
    journal
      .settled()
      .catch((error) => onError(error, 'devices of access points that are offline could not be written'));
  });
  events.agentRemoved.add('data', async (ap_id) => {
    registry.removeAgent(ap_id);
    await store.removeAgent(ap_id);
  });

  return {
    devices,
    names,
    registry,
    routes: deviceRoutes(devices),
    metrics: {
      weft_devices: { help: 'Devices that this node knows', value: () => registry.table.deviceCount },
      weft_device_links: { help: 'Links between devices and access points', value: () => registry.table.linkCount },
      weft_devices_left_out: {
        help: 'Devices of reports that were left out because there are too many',
        value: () => registry.leftOut,
      },
    },
    prepare: () => upkeep.load(),
    start: () => upkeep.start(),
    stop: () => upkeep.stop(),
  } satisfies Part & Record<string, unknown>;
}

/** What is known without a list of all agents. */
function byName(caller: Caller): AgentSight {
  return {
    seesAll: canSeeAll(caller),
    isSeen: (ap_id) => canSeeName(caller, ap_id),
    isSelected: () => true,
    typeOf: () => null,
  };
}
