// The parts of operations: what people who run a network want beside the core.

import type { CoreParts } from '../core/core-parts.ts';
import type { Events } from '../core/events.ts';
import type { Platform } from '../core/part.ts';
import { createAlarmsPart } from './alarms/alarms-part.ts';
import { createDesiredPart } from './desired/desired-part.ts';
import { createDevicePagesPart } from './devices/device-pages-part.ts';
import { createEnergyPart } from './energy/energy-part.ts';
import { createHealthPart } from './health/health-part.ts';
import { createIncidentsPart } from './incidents/incidents-part.ts';
import { createNotificationsPart } from './notifications/notifications-part.ts';
import { createSteeringPart } from './steering/steering-part.ts';
import { createTimelinePart } from './timeline/timeline-part.ts';

export function createOperationsParts(platform: Platform, core: CoreParts, events: Events) {
  const { network, agentRows } = core.network;
  const { audit, log: auditLog } = core.audit;
  const { eventLog } = core.eventLog;
  const { siteStore } = core.sites;
  const { principals } = core.auth;
  const { devices, telemetry, jobs, commands, transports, emulator } = core;
  const { presence } = telemetry;
  const devicePages = createDevicePagesPart({ ...platform, network, auditLog, eventLog, devices }, events);
  const steering = createSteeringPart({ ...platform, network, commands, devices }, events);
  const energy = createEnergyPart({ ...platform, network, emulator, jobs, principals });
  const timeline = createTimelinePart({ ...platform, eventLog, network }, events);
  const alarms = createAlarmsPart(
    {
      ...platform,
      network,
      siteStore,
      auditLog,
      eventLog,
      presence,
      agentStates: telemetry.agentStates,
      reportBudget: telemetry.reportBudget,
      deadLetters: jobs.letterStore,
      principals,
    },
    events,
  );
  const health = createHealthPart({
    ...platform,
    network,
    alarms: alarms.activeAlarms,
    siteStore,
  });
  const desired = createDesiredPart(
    {
      ...platform,
      audit,
      auditLog,
      eventLog,
      zones: alarms.zones,
      network,
      agentRows,
      registry: devices.registry,
      activeAlarms: alarms.activeAlarms,
      readings: alarms.readings,
      principals,
      transports,
      parameters: commands.parameters,
      labelWatcher: core.agents.labelWatcher,
    },
    events,
  );
  const incidents = createIncidentsPart(
    {
      ...platform,
      alarms,
      eventLog,
      view: timeline.view,
      network,
      registry: devices.registry,
      rolloutStore: desired.rolloutStore,
      siteStore: core.sites.siteStore,
    },
    events,
  );
  const notifications = createNotificationsPart(
    { ...platform, audit, eventLog, choose: timeline.selection.choose, readings: alarms.readings },
    events,
  );
  return { devicePages, steering, energy, timeline, alarms, health, desired, incidents, notifications };
}
