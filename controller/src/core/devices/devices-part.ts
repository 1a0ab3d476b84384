// Devices as a part: what attaches to access points, under pseudonyms, from reports to lists.

import { randomUUID } from 'node:crypto';
import type { EventLog } from '../accounts/event-log/event-log.ts';
import { isEnded } from '../base/caller.ts';
import type { Events } from '../events.ts';
import type { Network } from '../network/network.ts';
import type { Part, Platform } from '../part.ts';
import type { DeviceList } from '../telemetry/ingest/device-list.ts';
import { readMovedDeviceKey, readOrCreateDeviceKey } from './privacy/device-key.ts';
import { DeviceNames } from './privacy/device-names.ts';
import { Pseudonyms } from './privacy/pseudonyms.ts';
import { DeviceAddresses } from './registry/device-addresses.ts';
import { DeviceExtras } from './registry/device-extras.ts';
import { DeviceHistory } from './registry/device-history.ts';
import { DeviceIntake } from './registry/device-intake.ts';
import { DeviceJournal } from './registry/device-journal.ts';
import { DeviceRegistry } from './registry/device-registry.ts';
import { DeviceUpkeep } from './registry/device-upkeep.ts';
import { mergeDevices } from './registry/merge-devices.ts';
import { DeviceExtrasStore } from './store/device-extras-store.ts';
import { DeviceStore } from './store/device-store.ts';

const dayMs = 86_400_000;

/** Of one access point: each join is a row, an event and later a leave. A full list may come at once. */
const joinRate = { perSecond: 100, reserve: 2_000 };

interface DevicesPartDeps extends Platform {
  network: Pick<Network, 'get'>;
  eventLog: EventLog;
}

export type DevicesPart = ReturnType<typeof createDevicesPart>;

export function createDevicesPart(deps: DevicesPartDeps, events: Events) {
  const { config, database, keyring, eventLog, retention, shares, now, onError } = deps;
  const isShared = database.dialect === 'postgres';
  const pseudonyms = new Pseudonyms(isShared ? keyring.deviceKey : readOrCreateDeviceKey(config.dataDir));
  const store = new DeviceStore(database, { node: randomUUID(), now });
  const extrasStore = new DeviceExtrasStore(database);
  const extras = new DeviceExtras(database, extrasStore);
  const journal = new DeviceJournal({
    database,
    store,
    eventLog,
    onEnded: events.agentEnded.emit,
    onWritten: events.devicesChanged.emit,
  });
  const joins = shares.budget('device_joins', joinRate);
  const registry = new DeviceRegistry({
    pseudonyms,
    maxDevices: config.maxDevices,
    canonical: extras.canonical,
    mayJoin: (ap_id) => joins.spend(ap_id, 1) === 0,
    onChanges: (changes) => journal.add(changes),
    now,
  });
  const history = new DeviceHistory({ registry, extras, telemetry: deps.telemetryStore, onError });
  extras.linked.on((identity, device) => mergeDevices(registry, identity, device));
  extras.erased.on((device) => {
    const slot = registry.table.find(device);
    if (slot !== undefined) registry.removeDevice(slot);
  });
  extras.watchesChanged.on(() => history.watchesChanged());
  const intake = new DeviceIntake(registry, journal, (agent, ts) => {
    history.listed(agent, ts);
    events.devicesListed.emit(agent.ap_id);
  });
  const upkeep = new DeviceUpkeep({
    registry,
    store,
    journal,
    isShared,
    keptMs: dayMs,
    onError,
    now,
  });
  retention.add(
    { name: 'devices', keptMs: dayMs, isLocal: true, remove: (nowMs) => upkeep.prune(nowMs) },
    {
      name: 'notes on devices',
      keptMs: 7 * dayMs,
      isLocal: true,
      async remove(nowMs) {
        for (const { device, until } of [...extras.watches()]) if (until <= nowMs) await history.remove(device);
        await extrasStore.prune(nowMs);
        await extras.head.fresh();
      },
    },
  );
  const names = new DeviceNames({
    pseudonyms,
    areClearAllowed: () => extras.areClearAllowed,
    canonical: extras.canonical,
  });
  const hasEnded = (ap_id: string) => deps.network.get(ap_id)?.isEnded === true;

  const settle = () =>
    journal.settled().catch((error) => onError(error, 'devices of access points that are away could not be written'));
  events.agentEnded.on((ap_id) => {
    registry.leaveAll(ap_id, now(), 'ended');
    void settle();
  });
  events.presenceChanged.on((changes) => {
    for (const { ap_id, to, atMs } of changes) {
      if (to === 'offline' || to === 'ended') registry.leaveAll(ap_id, atMs, to);
    }
    void settle();
  });
  events.agentRemoved.add('data', async (ap_id) => {
    registry.removeAgent(ap_id);
    await store.removeAgent(ap_id);
  });
  const refreshExtras = () =>
    extras.head.fresh().catch((error) => onError(error, 'what is noted about devices could not be read'));
  events.callerChanged.within(async (tx, change) => {
    if (isEnded(change)) await extrasStore.removeWatchesOf(tx, change.kind, change.id);
    return { committed: () => void refreshExtras() };
  });

  events.networkEnded.within(async (tx, network) => {
    await extrasStore.removeWatchesAt(tx, network.agents);
    return { committed: () => void refreshExtras() };
  });

  return {
    names,
    registry,
    extras,
    extrasStore,
    store,
    journal,
    history,
    hasEnded,
    /** Takes the devices of a report, in the order of time; resolves once what changed is durable, with what was left out. */
    report: async (ap_id: string, lists: readonly DeviceList[]) =>
      hasEnded(ap_id) ? undefined : intake.take(ap_id, lists),
    addresses: new DeviceAddresses(registry, pseudonyms, extras.canonical),
    /** Notes which devices would not be moved. */
    sticky: { put: extrasStore.putSticky.bind(extrasStore), refresh: () => extras.head.fresh() },
    replicas: { devices: extras.head },
    metrics: {
      weft_device_links: { help: 'Links between devices and access points', value: () => registry.table.linkCount },
      weft_devices_left_out: {
        help: 'Devices of reports that were left out because there are too many',
        value: () => registry.leftOut,
      },
    },
    async prepare() {
      const movedKey = isShared ? await readMovedDeviceKey(database, keyring) : undefined;
      if (movedKey) pseudonyms.useKey(movedKey);
      await extras.head.fresh();
      await upkeep.load();
    },
    start: () => upkeep.start(),
    stop: () => upkeep.stop(),
  } satisfies Part & Record<string, unknown>;
}
