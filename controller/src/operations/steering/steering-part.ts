// Steering as a part: the result of commands that move a device, by what the network sees, and who would not be moved.

import { PeriodicTask } from '../../core/base/periodic-task.ts';
import type { CommandsPart } from '../../core/commands/commands-part.ts';
import type { DevicesPart } from '../../core/devices/devices-part.ts';
import { none } from '../../core/devices/registry/device-table.ts';
import { SteeredStore } from '../../core/devices/store/steered-store.ts';
import type { Events } from '../../core/events.ts';
import type { Network } from '../../core/network/network.ts';
import type { Part, Platform } from '../../core/part.ts';
import { SteeringWatch, type TargetSight } from './steering-watch.ts';
import { Stickiness } from './stickiness.ts';

const lookBackEveryMs = 5_000;

interface SteeringPartDeps extends Platform {
  network: Pick<Network, 'get'>;
  commands: Pick<CommandsPart, 'steering'>;
  devices: Pick<DevicesPart, 'names' | 'registry' | 'addresses' | 'sticky'>;
}

export function createSteeringPart(deps: SteeringPartDeps, events: Events) {
  const { config, database, network, commands, devices, now, onError, onChange } = deps;
  const { registry } = devices;
  /** Since when the device is there; undefined if it is not. */
  const attachedSince = (ap_id: string, device: string): number | undefined => {
    const agent = registry.agent(ap_id);
    const slot = registry.table.find(device);
    if (agent?.listTs === undefined || slot === undefined) return undefined;
    const link = registry.table.linkBetween(slot, agent.slot);
    return link === none ? undefined : registry.table.links.since[link];
  };
  const lookAt = (ap_id: string, device: string, from: string): TargetSight | undefined => {
    const agent = registry.agent(ap_id);
    if (agent?.listTs === undefined) return undefined;
    return {
      heardMs: agent.heardMs,
      listTs: agent.listTs,
      since: attachedSince(ap_id, device),
      sinceAtSource: attachedSince(from, device),
    };
  };
  /** The names of emulated devices are known wherever they are. */
  const emulatedDevice = (identity: string): string | undefined => {
    try {
      return devices.names.read(identity, []);
    } catch {
      return undefined;
    }
  };
  const watch = new SteeringWatch({
    ...commands.steering,
    lookAt,
    deviceAt: (ap_id, identity) => devices.addresses.deviceAt(ap_id, identity) ?? emulatedDevice(identity),
    hasModelTime: (ap_id) => network.get(ap_id)?.emulated === true,
    onError,
    now,
  });
  const stickiness = new Stickiness({
    database,
    store: new SteeredStore(database),
    isAttached: (ap_id, device) => attachedSince(ap_id, device) !== undefined,
    putSticky: devices.sticky.put,
    refreshSticky: devices.sticky.refresh,
    onError,
    now,
  });
  const rounds = new PeriodicTask({
    everyMs: lookBackEveryMs,
    what: 'looking for devices that went back',
    async run() {
      stickiness.check();
      if (database.dialect === 'postgres') await stickiness.refresh();
    },
    onChange,
  });
  events.devicesListed.on((ap_id) => watch.listed(ap_id));
  events.devicesChanged.on((changes) => stickiness.changed(changes));
  events.devicesSteering.add((tx, steered) => stickiness.ending(tx, steered));
  events.devicesSteered.on((steered) => void stickiness.ended(steered));
  return {
    watch,
    prepare: () => stickiness.refresh(),
    start() {
      if (!config.roles.includes('api')) return;
      watch.start();
      rounds.start();
    },
    async stop() {
      await rounds.stop();
      await watch.stop();
    },
  } satisfies Part & Record<string, unknown>;
}
