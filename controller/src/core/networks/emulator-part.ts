// Emulated networks as a part: requests for them, their records and their leases. Another process may run them.
import type { AgentService } from '../accounts/agents/agent-service.ts';
import type { AgentStore } from '../accounts/agents/agent-store.ts';
import type { AuditService } from '../accounts/audit/audit-service.ts';
import type { AuditLog } from '../accounts/audit/audit-store.ts';
import type { CallerChanges } from '../accounts/audit/caller-changes.ts';
import type { SiteService } from '../accounts/sites/site-service.ts';
import { callerNow, ownerRef, type Principals } from '../base/caller.ts';
import { rightsOf } from '../base/rights/rights.ts';
import type { CommandsPart } from '../commands/commands-part.ts';
import type { Events } from '../events.ts';
import type { JobsPart } from '../jobs/jobs-part.ts';
import type { Part, Platform } from '../part.ts';
import { EmulatorLeaseService } from './emulator-lease-service.ts';
import { EmulatorRequestStore } from './emulator-request-store.ts';
import { emulatorRoutes } from './emulator-routes.ts';
import { EmulatorRunStore } from './emulator-run-store.ts';
import { EmulatorService } from './emulator-service.ts';
import { EmulatorUpkeep } from './emulator-upkeep.ts';
import { RunCloser } from './run-closer.ts';
import { RunEnding, requireRunRight } from './run-ending.ts';
import { RunTurns } from './run-turns.ts';

const minute = 60_000;
const hour = 3_600_000;
/** Of one run. */
const maxAgents = 20_000;

interface EmulatorPartDeps extends Platform {
  agents: AgentService;
  agentStore: AgentStore;
  audit: AuditService;
  sites: SiteService;
  auditLog: AuditLog;
  changes: CallerChanges;
  principals: Principals;
  commands: Pick<CommandsPart, 'listUnderWay' | 'parameters'>;
  jobs: Pick<JobsPart, 'kinds' | 'jobStore' | 'ownedJobs' | 'mailboxStore' | 'mailbox' | 'outbox' | 'results'>;
}

export function createEmulatorPart(deps: EmulatorPartDeps, events: Events) {
  const { config, database, agents, agentStore, audit, auditLog, changes, principals, shares } = deps;
  const { now, onChange } = deps;
  const { jobStore, ownedJobs, mailboxStore, mailbox, outbox } = deps.jobs;
  const runs = new EmulatorRunStore(database, agentStore, jobStore);
  const requests = new EmulatorRequestStore(database);
  const closer = new RunCloser({
    runs,
    jobs: jobStore,
    mailbox: mailboxStore,
    database,
    audit: auditLog,
    owned: ownedJobs,
    changes,
    ending: events.networkEnded,
    keepMs: config.emulatorKeepHours * hour,
    now,
  });
  const ending = new RunEnding({
    runs,
    closer,
    mailbox: mailboxStore,
    tell: (messages) => mailbox.tell(messages),
    retentionMs: config.jobRetentionHours * hour,
    now,
  });
  const turns = new RunTurns({
    jobs: jobStore,
    async isAdministrators(job) {
      const caller = await callerNow(principals, database, ownerRef(job));
      return caller !== undefined && rightsOf(caller).isAdmin;
    },
    maxRunning: config.emulatorRunningPerCaller,
    publish: () => void outbox.sweep().catch(() => {}),
    now,
  });
  const leases = new EmulatorLeaseService({
    jobs: jobStore,
    turns,
    mailbox,
    messages: mailboxStore,
    runs,
    settingsOf: async (job_number) => deps.commands.parameters.owner.given(await runs.agentsOf(job_number, maxAgents)),
    requests,
    now,
    // Alone on its data, this process hears of everything itself.
    lookAgainMs: database.dialect === 'postgres' ? 250 : 2_000,
  });
  const emulator = new EmulatorService({
    runs,
    async requireRight(tx, run) {
      if (run.owner_kind !== 'third_party_app') return;
      const app = await callerNow(principals, tx, ownerRef(run));
      if (app) await requireRunRight(tx, runs, app, run);
    },
    closer,
    leases,
    agents,
    mailbox,
    outbox,
    audit,
    sites: deps.sites,
    shares,
    commands: deps.commands,
    jobs: jobStore,
    now,
    maxUnpublished: config.maxWaitingJobs,
    requireRoomForResults: (owner_id) => deps.jobs.results.requireRoom(owner_id),
    limits: {
      maxAccessPoints: config.emulatorMaxAccessPoints,
      maxAccessPointsPerCaller: config.emulatorMaxPerCaller,
      maxRuns: config.emulatorMaxRunsPerCaller,
      maxDeviceSeconds: config.emulatorMaxDeviceSeconds,
      maxDurationSeconds: config.emulatorMaxHours * 3600,
      retentionDays: config.telemetryRetentionDays,
      maxOpenJobs: config.maxOpenJobs,
      jobTimeoutMs: config.jobTimeoutMinutes * minute,
    },
  });
  const upkeep = new EmulatorUpkeep({ runs, closer, jobs: jobStore, mailbox, agents, turns, now, onChange });
  deps.retention.add(
    {
      name: 'emulated networks',
      keptMs: config.emulatorKeepHours * hour,
      remove: (nowMs) => upkeep.remove(nowMs),
    },
    { name: 'questions to emulated networks', keptMs: hour, remove: (nowMs) => requests.prune(nowMs) },
  );
  mailbox.onMessage(({ job_number, type, final }) => {
    if (!final || (type !== 'emulator' && type !== 'status')) return;
    leases.changed(job_number);
    turns.freed();
    upkeep.soon();
  });
  events.callerChanged.within(ending.step);
  events.agentRemoved.add('record', (ap_id) => runs.agentRemoved(ap_id));
  deps.jobs.kinds.set('emulator_spinup', emulator);

  return {
    emulator,
    leases,
    upkeep,
    routes: emulatorRoutes({ emulator, leases }),
    start() {
      if (config.roles.includes('api')) upkeep.start();
    },
    async drain() {
      leases.stop();
      await upkeep.stop();
    },
  } satisfies Part & Record<string, unknown>;
}
