// All parts of Weft. A part may use those above it; what it tells those below goes through the events.
import { createAgentsPart } from './core/accounts/agents/agents-part.ts';
import { createAuditPart } from './core/accounts/audit/audit-part.ts';
import { createAuthPart } from './core/accounts/auth/auth-part.ts';
import { createEventLogPart } from './core/accounts/event-log/event-log-part.ts';
import { createSitesPart } from './core/accounts/sites/sites-part.ts';
import { createThirdPartyAppsPart } from './core/accounts/third-party-apps/third-party-apps-part.ts';
import { createUsersPart } from './core/accounts/users/users-part.ts';
import { createCommandsPart } from './core/commands/commands-part.ts';
import { createTransportsPart } from './core/commands/delivery/transports-part.ts';
import { createDevicesPart } from './core/devices/devices-part.ts';
import type { Events } from './core/events.ts';
import { createFleetPart } from './core/fleet/fleet-part.ts';
import { createJobsPart } from './core/jobs/jobs-part.ts';
import { createEmulatorPart } from './core/networks/emulator-part.ts';
import type { Platform } from './core/part.ts';
import { createRetentionPart } from './core/retention/retention-part.ts';
import { createTelemetryPart } from './core/telemetry/telemetry-part.ts';
import { createLabPart } from './lab/lab-part.ts';
import { createAlarmsPart } from './operations/alarms/alarms-part.ts';
import { createDesiredPart } from './operations/desired/desired-part.ts';
import { createDevicePagesPart } from './operations/devices/device-pages-part.ts';
import { createEnergyPart } from './operations/energy/energy-part.ts';
import { createHealthPart } from './operations/health/health-part.ts';
import { createIncidentsPart } from './operations/incidents/incidents-part.ts';
import { createNotificationsPart } from './operations/notifications/notifications-part.ts';
import { createSteeringPart } from './operations/steering/steering-part.ts';
import { createTimelinePart } from './operations/timeline/timeline-part.ts';

/** Who may call: accounts of every kind, and their logins. */
export function createAccountParts(platform: Platform, events: Events) {
  const audit = createAuditPart(platform, events);
  const eventLog = createEventLogPart({ ...platform, auditLog: audit.log }, events);
  const deps = { ...platform, audit: audit.audit, changes: audit.changes, security: audit.security };
  const users = createUsersPart(deps);
  const sites = createSitesPart(deps, events);
  const agents = createAgentsPart({ ...deps, users: users.users }, events);
  const apps = createThirdPartyAppsPart(deps);
  const principals = { user: users.users, agent: agents.agents, third_party_app: apps.apps };
  const auth = createAuthPart(
    {
      ...platform,
      audit: audit.audit,
      security: audit.security,
      users: users.users,
      agents: agents.agents,
      principals,
    },
    events,
  );
  return { auth, users, sites, agents, apps, audit, eventLog };
}

/** In the order of the interface document, and in the order in which they start. */
export function createParts(platform: Platform, events: Events) {
  const accounts = createAccountParts(platform, events);
  const { audit, log: auditLog, changes } = accounts.audit;
  const { eventLog } = accounts.eventLog;
  const { agents, agentStore } = accounts.agents;
  const { sites, siteStore } = accounts.sites;
  const { auth, principals } = accounts.auth;
  const devices = createDevicesPart({ ...platform, eventLog }, events);
  const telemetry = createTelemetryPart({ ...platform, agents, auth, eventLog, devices }, events);
  const { presence } = telemetry;
  const retention = createRetentionPart({ ...platform, auditLog, eventLog }, events);
  const jobs = createJobsPart({ ...platform, auth, principals, agents, agentStore, presence, changes }, events);
  const commands = createCommandsPart(
    { ...platform, principals, agents, agentStore, auditLog, eventLog, jobs, devices },
    events,
  );
  const transports = createTransportsPart(
    { ...platform, auth, agents, audit, telemetry: telemetry.telemetry, delivery: commands.delivery },
    events,
  );
  const devicePages = createDevicePagesPart({ ...platform, agents, auditLog, eventLog, devices }, events);
  const steering = createSteeringPart({ ...platform, agentStore, commands, devices }, events);
  const emulator = createEmulatorPart(
    { ...platform, principals, agents, agentStore, audit, sites, auditLog, changes, jobs, commands },
    events,
  );
  const lab = createLabPart({ ...platform, emulator, devices });
  const fleet = createFleetPart(
    {
      ...platform,
      presence,
      principals,
      agents,
      labels: accounts.agents.labels,
      labelWatcher: accounts.agents.labelWatcher,
      auditLog,
      jobs,
      batches: commands.batches,
    },
    events,
  );
  const energy = createEnergyPart({ ...platform, fleet, emulator, jobs, principals });
  const timeline = createTimelinePart({ ...platform, eventLog, agents, auth, fleet: fleet.fleet }, events);
  const alarms = createAlarmsPart(
    {
      ...platform,
      fleetIndex: fleet.index,
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
  const health = createHealthPart(
    {
      ...platform,
      fleet: fleet.fleet,
      alarms: alarms.activeAlarms,
      siteStore,
    },
    events,
  );
  const desired = createDesiredPart(
    {
      ...platform,
      audit,
      auditLog,
      eventLog,
      siteStore,
      fleet: fleet.fleet,
      fleetIndex: fleet.index,
      registry: devices.registry,
      activeAlarms: alarms.activeAlarms,
      readings: alarms.readings,
      principals,
      transports,
      parameters: commands.parameters,
      labelWatcher: accounts.agents.labelWatcher,
    },
    events,
  );
  const incidents = createIncidentsPart(
    {
      ...platform,
      alarms,
      agentStore,
      eventLog,
      view: timeline.view,
      fleetIndex: fleet.index,
      registry: devices.registry,
      rolloutStore: desired.rolloutStore,
      siteStore: accounts.sites.siteStore,
    },
    events,
  );
  const notifications = createNotificationsPart(
    { ...platform, audit, eventLog, choose: timeline.selection.choose, readings: alarms.readings },
    events,
  );
  return {
    ...accounts,
    telemetry,
    retention,
    devices,
    jobs,
    commands,
    transports,
    devicePages,
    steering,
    emulator,
    lab,
    fleet,
    energy,
    timeline,
    alarms,
    health,
    desired,
    incidents,
    notifications,
  };
}
