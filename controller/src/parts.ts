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
import { createNetworkPart } from './core/network/network-part.ts';
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
  const network = createNetworkPart(platform, events);
  const known = { ...platform, network: network.network };
  const audit = createAuditPart(known, events);
  const eventLog = createEventLogPart({ ...known, auditLog: audit.log }, events);
  const deps = { ...known, audit: audit.audit, changes: audit.changes, security: audit.security };
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
  return { network, audit, eventLog, auth, users, sites, agents, apps };
}

/** In the order of the interface document, and in the order in which they start. */
export function createParts(platform: Platform, events: Events) {
  const accounts = createAccountParts(platform, events);
  const { audit, log: auditLog, changes } = accounts.audit;
  const { eventLog } = accounts.eventLog;
  const { network, agentRows, agentDetails } = accounts.network;
  const { agents, agentStore } = accounts.agents;
  const { sites, siteStore } = accounts.sites;
  const { auth, principals } = accounts.auth;
  const devices = createDevicesPart({ ...platform, network, eventLog }, events);
  const telemetry = createTelemetryPart(
    { ...platform, network, agentDetails, agents, auth, eventLog, devices },
    events,
  );
  const { presence } = telemetry;
  const retention = createRetentionPart({ ...platform, auditLog, eventLog }, events);
  const jobs = createJobsPart({ ...platform, network, agentDetails, auth, principals, changes }, events);
  const commands = createCommandsPart(
    { ...platform, network, agentRows, principals, auditLog, eventLog, jobs, devices },
    events,
  );
  const transports = createTransportsPart(
    { ...platform, network, auth, agents, audit, telemetry: telemetry.telemetry, delivery: commands.delivery },
    events,
  );
  const devicePages = createDevicePagesPart({ ...platform, network, auditLog, eventLog, devices }, events);
  const steering = createSteeringPart({ ...platform, network, commands, devices }, events);
  const emulator = createEmulatorPart(
    { ...platform, principals, agents, agentStore, audit, sites, auditLog, changes, jobs, commands },
    events,
  );
  const lab = createLabPart({ ...platform, emulator, devices });
  const fleet = createFleetPart({
    ...platform,
    network,
    agentRows,
    principals,
    agents,
    labels: accounts.agents.labels,
    labelWatcher: accounts.agents.labelWatcher,
    auditLog,
    jobs,
    batches: commands.batches,
  });
  const energy = createEnergyPart({ ...platform, network, emulator, jobs, principals });
  const timeline = createTimelinePart({ ...platform, eventLog, auth, network }, events);
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
      siteStore,
      network,
      agentRows,
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
      eventLog,
      view: timeline.view,
      network,
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
