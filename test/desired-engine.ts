// What goes on with roll-outs and speaks with access points, on the database of a running Weft and step by step: with a clock of its
// own, or on a database that dies.

import { labelWatcher } from '../controller/src/core/accounts/agents/label-service.ts';
import type { SqlDatabase } from '../controller/src/core/base/storage/sql-database.ts';
import { channelTopic } from '../controller/src/core/commands/delivery/channel/channel-topic.ts';
import { parameterOwner } from '../controller/src/core/commands/parameter-owner.ts';
import { createEvents } from '../controller/src/core/events.ts';
import { createDesiredPart } from '../controller/src/operations/desired/desired-part.ts';
import type { TestWeft } from './weft.ts';

export interface EngineOptions {
  database?: SqlDatabase;
  now?: () => number;
  onError: (error: unknown) => void;
}

/** The Weft must not do it itself: `await weft.parts.desired.drain()`. */
export function createEngine({ parts, platform }: TestWeft, options: EngineOptions) {
  const { desired } = createDesiredPart(
    {
      ...platform,
      ...options,
      audit: parts.audit.audit,
      auditLog: parts.audit.log,
      eventLog: parts.eventLog.eventLog,
      zones: parts.alarms.zones,
      network: parts.network.network,
      agentRows: parts.network.agentRows,
      registry: parts.devices.registry,
      activeAlarms: parts.alarms.activeAlarms,
      readings: parts.alarms.readings,
      principals: parts.auth.principals,
      transports: { hub: parts.transports.hub, topic: channelTopic() },
      parameters: parameterOwner(),
      labelWatcher: labelWatcher(),
    },
    createEvents(),
  );
  Object.defineProperty(desired.lease, 'isHeld', { value: true });
  desired.lease.require = async () => {};
  return desired;
}
