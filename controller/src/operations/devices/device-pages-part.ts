// The lists of devices for callers, and what they do with one: pin it, watch it, erase it.
import type { AuditLog } from '../../core/accounts/audit/audit-store.ts';
import type { EventLog } from '../../core/accounts/event-log/event-log.ts';
import { toTime } from '../../core/base/input/date-time.ts';
import { rightsOf } from '../../core/base/rights/rights.ts';
import type { DevicesPart } from '../../core/devices/devices-part.ts';
import type { DeviceExtras } from '../../core/devices/registry/device-extras.ts';
import type { Events } from '../../core/events.ts';
import type { Network } from '../../core/network/network.ts';
import type { Part, Platform } from '../../core/part.ts';
import { deviceActionsRoutes } from './device-actions-routes.ts';
import { DeviceActionsService } from './device-actions-service.ts';
import { countPresent, type DeviceExtras as DeviceExtraFields } from './device-answer.ts';
import { deviceRoutes } from './device-routes.ts';
import { DeviceService } from './device-service.ts';

interface DevicePagesPartDeps extends Platform {
  network: Network;
  auditLog: AuditLog;
  eventLog: EventLog;
  devices: DevicesPart;
}

export function createDevicePagesPart(deps: DevicePagesPartDeps, events: Events) {
  const { database, network, auditLog, eventLog, shares } = deps;
  const { registry, names, extras, extrasStore, store, journal, history, hasEnded } = deps.devices;
  const devices = new DeviceService({
    registry,
    names,
    network,
    eventLog,
    shares,
    showsAddresses: (caller) => extras.areClearAllowed && rightsOf(caller).isAdmin,
    extrasOf: (device) => toExtras(extras, device),
    hasEnded,
  });
  const care = new DeviceActionsService({
    database,
    devices,
    names,
    extras,
    extrasStore,
    store,
    journal,
    history,
    eventLog,
    auditLog,
    network,
    onErased: events.deviceErased.run,
  });
  return {
    devices,
    routes: [...deviceRoutes(devices), ...deviceActionsRoutes(care)],
    metrics: {
      weft_devices: { help: 'Devices that this node knows', value: () => countPresent(registry, hasEnded) },
    },
    stop: () => devices.stop(),
  } satisfies Part & Record<string, unknown>;
}

function toExtras(extras: DeviceExtras, device: string): DeviceExtraFields {
  const sticky = extras.stickyOf(device);
  const watch = extras.watchOf(device);
  const identities = extras.identitiesOf(device);
  return {
    ...(sticky && { sticky: { until: toTime(sticky.until), reason: sticky.reason, target: sticky.target } }),
    ...(identities.length > 0 && { identities: [...identities] }),
    ...(watch && { watched_until: toTime(watch.until) }),
  };
}
