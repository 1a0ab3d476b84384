// Emulated networks for callers: created (`emulator_spinup`, #25), listed, stopped, what-if. Creates the
// run and closes it; an external process runs it (emulator-lease-service).
import { randomInt, randomUUID } from 'node:crypto';
import type {
  EmulatorAccepted,
  EmulatorRun,
  EmulatorRunWithAgents,
  EmulatorSpinupRequest,
  EmulatorTask,
  FaultRequest,
  StatusAnswer,
  WhatIfAnswer,
  WhatIfRequest,
} from '@weft/contract';
import type { AgentService } from '../agents/agent-service.ts';
import type { AgentRecord } from '../agents/agent-store.ts';
import { toGeneratedHash } from '../agents/generated-password.ts';
import type { AuditService } from '../audit/audit-service.ts';
import type { Caller } from '../caller.ts';
import { ConflictError, NotFoundError, TryLaterError, ValidationError } from '../errors.ts';
import type { MailboxService } from '../jobs/mailbox/mailbox-service.ts';
import { type JobOutbox, publishHoldMs } from '../jobs/publish/job-outbox.ts';
import type { JobRecord, JobStore, NewJob } from '../jobs/store/job-store.ts';
import { generateSecret } from '../secrets.ts';
import { runStarted } from './emulator-entries.ts';
import type { EmulatorLeaseService } from './emulator-lease-service.ts';
import { planRun, type RunPlan } from './emulator-plan.ts';
import { type EmulatorRunRecord, type EmulatorRunStore, emulatedName, type NewRun } from './emulator-run-store.ts';
import type { RunCloser } from './run-closer.ts';

export interface EmulatorLimits {
  maxAccessPoints: number;
  maxAccessPointsPerCaller: number;
  maxDurationSeconds: number;
  retentionDays: number;
  /** Limit of unfinished jobs of one caller. */
  maxOpenJobs: number;
  /** How long after its end a job may still be processed. */
  jobTimeoutMs: number;
}

export interface EmulatorServiceOptions {
  runs: EmulatorRunStore;
  closer: RunCloser;
  leases: EmulatorLeaseService;
  agents: AgentService;
  jobs: Pick<JobStore, 'countOpen' | 'countUnpublished'>;
  maxUnpublished: number;
  mailbox: Pick<MailboxService, 'end'>;
  outbox: Pick<JobOutbox, 'seal' | 'publish'>;
  audit: AuditService;
  limits: EmulatorLimits;
  now?: () => number;
}

/** A page of agents' names; a run has no more. */
const maxAgentsShown = 20_000;

export class EmulatorService {
  readonly #options: EmulatorServiceOptions;
  readonly #now: () => number;

  constructor(options: EmulatorServiceOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /**
   * Agents, run and job are durable together when it resolves. Throws ValidationError with all problems, TryLaterError
   * 429 `too_many_jobs` or `too_many_agents`, 503 `outbox_full`; then nothing was created.
   */
  async spinUp(caller: Caller, request: EmulatorSpinupRequest): Promise<EmulatorAccepted> {
    const { runs, agents, outbox, audit } = this.#options;
    const now = this.#now();
    const { plan, problems } = planRun(request, await this.#limitsFor(caller), now, () => randomInt(2 ** 32));
    if (problems.length > 0) throw new ValidationError(problems);
    await this.#requireRoom(caller, plan);
    const job_number = randomUUID();
    const members = toMembers(plan, job_number);
    const run = toRun(caller, plan, job_number, now);
    const job: NewJob = {
      job_number,
      task_type: 'emulator_spinup',
      owner_kind: caller.kind,
      owner_id: caller.id,
      owner_name: caller.name,
      data: outbox.seal(JSON.stringify(toTask(request, plan, members, now)), job_number),
      created_at: now,
      expires_at: plan.endsAtMs + this.#options.limits.jobTimeoutMs,
      published_at: null,
      publish_after: now + publishHoldMs,
    };
    const records = members.map((member) => toAgentRecord(member, caller, now));
    const also = audit.entry<EmulatorRunRecord>(({ after }) => runStarted(caller, after!));
    await runs.create(run, records, job, { requireOwner: true, also });
    agents.emulated(records);
    outbox.publish(job);
    return {
      job_number,
      status: 'queued',
      websocket: `/api/v1/ws/${job_number}`,
      agents: members.map(({ ap_id, access_point_type, location }) => ({ ap_id, access_point_type, location })),
      places: plan.places,
      seed: plan.seed,
      ends_at: new Date(plan.endsAtMs).toISOString(),
    };
  }

  /** Newest first; those of all callers for an administrator with `all`. */
  async list(caller: Caller, { all, before, limit }: { all: boolean; before?: string; limit: number }) {
    const { runs, closer } = this.#options;
    const isEverybodys = all && isAdmin(caller);
    const found = await runs.list({
      ...(!isEverybodys && { owner: { owner_kind: caller.kind, owner_id: caller.id } }),
      ...(before !== undefined && { before: await this.#requireVisible(caller, before) }),
      limit,
    });
    return Promise.all(found.map((run) => closer.toRunResponse(run)));
  }

  async get(caller: Caller, job_number: string): Promise<EmulatorRunWithAgents> {
    const { runs, closer } = this.#options;
    const run = await this.#requireVisible(caller, job_number);
    const [answer, agents] = await Promise.all([closer.toRunResponse(run), runs.agentsOf(job_number, maxAgentsShown)]);
    return { ...answer, agents };
  }

  /** Stops a run; idempotent. Throws ConflictError `run_over`. */
  async stop(caller: Caller, job_number: string): Promise<EmulatorRun> {
    const { mailbox, closer, runs } = this.#options;
    const run = await this.#requireVisible(caller, job_number);
    if (run.state === null) {
      const isOwner = run.owner_kind === caller.kind && run.owner_id === caller.id;
      await mailbox.end(job_number, 'cancelled', `Stopped by ${isOwner ? 'its owner' : 'an administrator'}`);
      await closer.close(run, caller);
    }
    const after = (await runs.get(job_number)) ?? run;
    if (after.state !== 'cancelled') throw runOver();
    return closer.toRunResponse(after);
  }

  /** Called when a job is cancelled: ends its run. Resolves whether the job was a run. */
  async cancelJob(caller: Caller, { job_number, task_type }: JobRecord): Promise<boolean> {
    if (task_type !== 'emulator_spinup') return false;
    await this.stop(caller, job_number);
    return true;
  }

  /** Throws NotFoundError `agent_not_found`, ConflictError `run_over` or `run_not_started`, TryLaterError 503. */
  async whatIf(caller: Caller, request: WhatIfRequest): Promise<WhatIfAnswer> {
    const { job_number, commands, minutes = 5 } = request;
    await this.#requireRunning(caller, job_number);
    await this.#requireMembers(
      job_number,
      commands.map(({ agent_id }) => agent_id),
    );
    const answer = await this.#options.leases.ask(job_number, 'what_if', { commands, minutes });
    return { job_number, ...answer } as WhatIfAnswer;
  }

  /** Injects a fault into a running network. Throws as whatIf does. */
  async fault(caller: Caller, job_number: string, request: FaultRequest): Promise<StatusAnswer> {
    await this.#requireRunning(caller, job_number);
    await this.#requireMembers(job_number, [request.agent_id]);
    const { agent_id, kind, seconds, amount } = request;
    await this.#options.leases.ask(job_number, 'fault', {
      agent_id,
      kind,
      seconds,
      ...(amount !== undefined && { amount }),
    });
    return { status: 'success', detail: `${kind} holds for ${seconds} seconds of model time` };
  }

  async #limitsFor(caller: Caller) {
    const { runs, limits } = this.#options;
    const own = caller.kind === 'third_party_app' ? caller.permissions.emulator : undefined;
    const most = Math.min(
      limits.maxAccessPointsPerCaller,
      typeof own === 'object' ? (own.max_access_points ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY,
    );
    return { ...limits, accessPointsLeft: most - (await runs.countAccessPoints(caller.id)) };
  }

  async #requireRoom(caller: Caller, plan: RunPlan): Promise<void> {
    const { jobs, agents, limits, maxUnpublished } = this.#options;
    await agents.requireRoomFor(plan.accessPoints.length);
    if ((await jobs.countOpen(caller.id)) >= limits.maxOpenJobs) {
      throw new TryLaterError(
        429,
        'too_many_jobs',
        `At most ${limits.maxOpenJobs} of your jobs may be open at once`,
        10,
      );
    }
    if ((await jobs.countUnpublished()) >= maxUnpublished) {
      throw new TryLaterError(503, 'outbox_full', 'Too many jobs wait for the message broker; try again later', 5);
    }
  }

  async #requireVisible(caller: Caller, job_number: string): Promise<EmulatorRunRecord> {
    const run = await this.#options.runs.get(job_number);
    const isOwner = run?.owner_kind === caller.kind && run.owner_id === caller.id;
    if (!run || !(isOwner || isAdmin(caller))) throw new NotFoundError('run_not_found', 'Emulator run not found');
    return run;
  }

  async #requireRunning(caller: Caller, job_number: string): Promise<void> {
    const run = await this.#requireVisible(caller, job_number);
    if (run.state !== null) throw runOver();
    if (!(await this.#options.closer.isHeld(job_number))) {
      throw new ConflictError('run_not_started', 'No emulator works on this run yet; try again shortly', {}, 2);
    }
  }

  async #requireMembers(job_number: string, ap_ids: readonly string[]): Promise<void> {
    const members = new Set(await this.#options.runs.agentsOf(job_number, maxAgentsShown));
    if (!ap_ids.every((ap_id) => members.has(ap_id))) {
      throw new NotFoundError('agent_not_found', 'Agent not found in this run');
    }
  }
}

type Member = EmulatorTask['agents'][number];

function toMembers({ accessPoints }: RunPlan, job_number: string): Member[] {
  return accessPoints.map(({ spec, location }, index) => ({
    ap_id: emulatedName(spec.access_point_type, job_number, index + 1),
    password: generateSecret(),
    access_point_type: spec.access_point_type,
    location,
    num_devices: spec.num_devices,
    duration: spec.duration,
    ...(spec.scenario !== undefined && { scenario: spec.scenario }),
    ...(spec.profile !== undefined && { profile: spec.profile }),
  }));
}

function toTask(request: EmulatorSpinupRequest, plan: RunPlan, agents: Member[], nowMs: number): EmulatorTask {
  return {
    agents,
    num_devices: Math.max(...request.emulators.map(({ num_devices }) => num_devices)),
    duration: plan.duration,
    seed: plan.seed,
    speed: plan.speed,
    model_start: new Date(plan.modelStartMs).toISOString(),
    started_at: new Date(nowMs).toISOString(),
    report_interval_seconds: request.report_interval_seconds ?? 1,
    faults: request.faults ?? [],
  };
}

/** The location is stored only here. */
function toAgentRecord(member: Member, caller: Caller, nowMs: number): AgentRecord {
  const { ap_id, password, access_point_type, location } = member;
  return {
    id: randomUUID(),
    ap_id,
    password_hash: toGeneratedHash(password),
    configuration: { geolocation: location, access_point_type },
    onboard: false,
    emulated_for: caller.id,
    ver: generateSecret(),
    created_at: nowMs,
  };
}

function toRun(caller: Caller, plan: RunPlan, job_number: string, nowMs: number): NewRun {
  const by_type: Record<string, number> = {};
  for (const { spec } of plan.accessPoints) {
    by_type[spec.access_point_type] = (by_type[spec.access_point_type] ?? 0) + 1;
  }
  return {
    job_number,
    owner_kind: caller.kind,
    owner_id: caller.id,
    owner_name: caller.name,
    access_points: plan.accessPoints.length,
    devices: plan.devices,
    by_type,
    seed: plan.seed,
    speed: plan.speed,
    model_start: plan.modelStartMs,
    duration: plan.duration,
    created_at: nowMs,
    ends_at: plan.endsAtMs,
  };
}

function runOver(): ConflictError {
  return new ConflictError('run_over', 'This run has ended');
}

function isAdmin(caller: Caller): boolean {
  return caller.kind === 'user' && caller.isAdmin;
}
