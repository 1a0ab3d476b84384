// Steering as a part: what becomes of commands that move a device, by what the network sees, and who would not be moved.
import type { AgentStore } from '../agents/agent-store.ts';
import type { CommandsPart } from '../commands/commands-part.ts';
import type { DevicesPart } from '../devices/devices-part.ts';
import { none } from '../devices/registry/device-table.ts';
import type { EventLog } from '../event-log/event-log.ts';
import type { Events } from '../events.ts';
import type { Part, Platform } from '../part.ts';
import { SteeringWatch, type TargetSight } from './steering-watch.ts';
import { Stickiness } from './stickiness.ts';

interface SteeringPartDeps extends Platform {
  agentStore: Pick<AgentStore, 'get'>;
  eventLog: EventLog;
  commands: Pick<CommandsPart, 'steering'>;
  devices: Pick<DevicesPart, 'names' | 'registry' | 'addresses' | 'rememberSticky'>;
}

export function createSteeringPart(deps: SteeringPartDeps, events: Events) {
  const { config, database, agentStore, eventLog, commands, devices, onError } = deps;
  const { registry } = devices;
  const lookAt = (ap_id: string, device: string): TargetSight | undefined => {
    const agent = registry.agent(ap_id);
    if (agent?.listTs === undefined) return undefined;
    const slot = registry.table.find(device);
    const hasDevice = slot !== undefined && registry.table.linkBetween(slot, agent.slot) !== none;
    return { heardMs: agent.heardMs, listTs: agent.listTs, hasDevice };
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
    hasModelTime: async (ap_id) => ((await agentStore.get(ap_id))?.emulated_for ?? null) !== null,
    onError,
  });
  const stickiness = new Stickiness({
    isAttached: (ap_id, device) => lookAt(ap_id, device)?.hasDevice ?? false,
    remember: devices.rememberSticky,
    onError,
  });
  events.devicesListed.on((ap_id) => watch.listed(ap_id));
  events.devicesChanged.on((changes) => stickiness.changed(changes));
  events.deviceSteered.on(({ device, ap_id, target, outcome, command_id }) => {
    // One that the access point was to choose, and did not name.
    if (device === '') return;
    if (outcome === 'refused') stickiness.refused({ device, ap_id, target });
    if (outcome === 'moved') stickiness.moved({ device, ap_id, target });
    const text = `${device} was steered from ${ap_id} to ${target}: ${outcome}`;
    const data = { ap_id, target, outcome, command_id };
    database
      .transaction((tx) =>
        eventLog.append(tx, [{ kind: 'device.steered', subject_kind: 'device', subject: device, text, data }]),
      )
      .catch((error) => onError(error, 'the end of a steering command could not be logged as an event'));
  });
  return {
    watch,
    start() {
      if (config.roles.includes('api')) watch.start();
    },
    stop: () => watch.stop(),
  } satisfies Part & Record<string, unknown>;
}
