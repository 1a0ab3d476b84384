// Emulated networks, put together: those who ask for them (role api), and the outsider that runs them (role emulator). Part
// of the composition root; wire.ts starts and stops what stands here.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Broker } from '@weft/broker';
import { EmulatorWorker } from '@weft/emulator';
import type { AgentService } from './agents/agent-service.ts';
import { createAgentStore } from './agents/agent-store.sql.ts';
import type { AuditService } from './audit/audit-service.ts';
import type { CallerChanged } from './caller.ts';
import type { Config } from './config.ts';
import { EmulatorLeaseService } from './emulator/emulator-lease-service.ts';
import { createEmulatorRequestStore } from './emulator/emulator-request-store.sql.ts';
import { emulatorRoutes } from './emulator/emulator-routes.ts';
import { createEmulatorRunStore } from './emulator/emulator-run-store.sql.ts';
import { EmulatorService } from './emulator/emulator-service.ts';
import { EmulatorUpkeep } from './emulator/emulator-upkeep.ts';
import { RunCloser } from './emulator/run-closer.ts';
import type { Logger } from './http/request/log.ts';
import type { SqlDatabase } from './storage/sql-database.ts';
import type { JobPath } from './wire-jobs.ts';

const minute = 60_000;
const hour = 3_600_000;

export interface EmulationParts {
  config: Config;
  database: SqlDatabase;
  broker: Broker;
  agents: AgentService;
  audit: AuditService;
  callerChanged: CallerChanged;
  jobParts: JobPath['parts'];
  /** Where this process listens, once it does. */
  ownUrl: () => string;
  log: Logger;
}

export type Emulation = ReturnType<typeof createEmulation>;

export function createEmulation(parts: EmulationParts) {
  const { config, database, broker, agents, audit, callerChanged, jobParts, ownUrl, log } = parts;
  const { jobStore, mailboxStore, mailbox, outbox } = jobParts;
  const onChange = (message: string, err?: unknown) => (err ? log.warn({ err }, message) : log.info(message));
  const runs = createEmulatorRunStore(database, createAgentStore(database), jobStore);
  const requests = createEmulatorRequestStore(database);
  const closer = new RunCloser({
    runs,
    jobs: jobStore,
    mailbox: mailboxStore,
    audit,
    callerChanged,
    keepMs: config.emulator.keepHours * hour,
  });
  const leases = new EmulatorLeaseService({
    jobs: jobStore,
    mailbox,
    messages: mailboxStore,
    requests,
    // Alone on its data, this process hears of everything itself.
    lookAgainMs: database.dialect === 'postgres' ? 250 : 2_000,
  });
  const emulator = new EmulatorService({
    ...{ runs, closer, leases, agents, mailbox, outbox, audit },
    jobs: jobStore,
    maxUnpublished: config.jobs.maxWaiting,
    limits: {
      maxAccessPoints: config.emulator.maxAccessPoints,
      maxAccessPointsPerCaller: config.emulator.maxAccessPointsPerCaller,
      maxDurationSeconds: config.emulator.maxHours * 3600,
      retentionDays: config.retention.rawDays,
      maxOpenJobs: config.jobs.maxOpen,
      jobTimeoutMs: config.jobs.timeoutMinutes * minute,
    },
  });
  const upkeep = new EmulatorUpkeep({ runs, closer, requests, jobs: jobStore, mailbox, agents, onChange });
  mailbox.onMessage(({ job_number, type, final }) => {
    if (!final || (type !== 'emulator' && type !== 'status')) return;
    leases.changed(job_number);
    upkeep.soon();
  });
  const worker = config.roles.includes('emulator') && config.emulator.maxRuns > 0 ? createWorker() : undefined;

  function createWorker(): EmulatorWorker {
    return new EmulatorWorker({
      broker,
      url: () => config.callbackUrl ?? ownUrl(),
      stateDir: join(config.dataDir, 'emulator'),
      maxRuns: config.emulator.maxRuns,
      ...(config.callbackUrl === undefined &&
        config.tls && { trustedCertificate: readFileSync(config.tls.certFile, 'utf8') }),
      onError: (err: unknown, message: string) => log.warn({ err }, message),
    });
  }

  return {
    routes: emulatorRoutes({ emulator, leases }),
    metrics: {
      weft_emulator_runs: { help: 'Emulated networks that this process runs', value: () => worker?.runs ?? 0 },
      weft_emulator_agents: { help: 'Emulated agents of this process', value: () => worker?.agents ?? 0 },
      weft_emulator_late_seconds: {
        help: 'How far the slowest emulated network of this process is behind its clock',
        value: () => worker?.lateBySeconds ?? 0,
      },
    },
    cancelJob: emulator.cancelJob.bind(emulator),
    agentRemoved: (ap_id: string) => runs.agentRemoved(ap_id),
    async start(): Promise<void> {
      if (config.roles.includes('api')) upkeep.start();
      await worker?.start();
    },
    /** First of all, while Weft still answers. */
    stopWorker: async () => worker?.stop(),
    async stop(): Promise<void> {
      leases.stop();
      await upkeep.stop();
    },
  };
}
