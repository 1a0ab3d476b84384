// The parts of the core: what the 32 operations of the specification need, and nothing else.
import { createAgentsPart } from './accounts/agents/agents-part.ts';
import { createAuditPart } from './accounts/audit/audit-part.ts';
import { createAuthPart } from './accounts/auth/auth-part.ts';
import { createEventLogPart } from './accounts/event-log/event-log-part.ts';
import { createSitesPart } from './accounts/sites/sites-part.ts';
import { createThirdPartyAppsPart } from './accounts/third-party-apps/third-party-apps-part.ts';
import { createUsersPart } from './accounts/users/users-part.ts';
import { createCommandsPart } from './commands/commands-part.ts';
import { createTransportsPart } from './commands/delivery/transports-part.ts';
import { createDevicesPart } from './devices/devices-part.ts';
import type { Events } from './events.ts';
import { createFleetPart } from './fleet/fleet-part.ts';
import { createJobsPart } from './jobs/jobs-part.ts';
import { createNetworkPart } from './network/network-part.ts';
import { createEmulatorPart } from './networks/emulator-part.ts';
import type { Platform } from './part.ts';
import { createRetentionPart } from './retention/retention-part.ts';
import { createTelemetryPart } from './telemetry/telemetry-part.ts';

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

/** In the order in which they start. A part may use those above it; what it tells those below goes through the events. */
export function createCoreParts(platform: Platform, events: Events) {
  const accounts = createAccountParts(platform, events);
  const { audit, log: auditLog, changes } = accounts.audit;
  const { eventLog } = accounts.eventLog;
  const { network, agentRows, agentDetails } = accounts.network;
  const { agents, agentStore } = accounts.agents;
  const { sites } = accounts.sites;
  const { principals } = accounts.auth;
  const devices = createDevicesPart({ ...platform, network, eventLog }, events);
  const telemetry = createTelemetryPart({ ...platform, network, agentDetails, agents, eventLog, devices }, events);
  const retention = createRetentionPart({ ...platform, auditLog, eventLog }, events);
  const jobs = createJobsPart({ ...platform, network, agentDetails, principals, changes }, events);
  const commands = createCommandsPart(
    { ...platform, network, agentRows, principals, auditLog, eventLog, jobs, devices },
    events,
  );
  const transports = createTransportsPart(
    { ...platform, network, agents, audit, telemetry: telemetry.telemetry, delivery: commands.delivery },
    events,
  );
  const emulator = createEmulatorPart(
    { ...platform, principals, agents, agentStore, audit, sites, auditLog, changes, jobs, commands },
    events,
  );
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
  return { ...accounts, telemetry, retention, devices, jobs, commands, transports, emulator, fleet };
}

export type CoreParts = ReturnType<typeof createCoreParts>;
