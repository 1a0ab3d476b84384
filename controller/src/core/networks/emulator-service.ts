// Emulated networks for callers: created (`emulator_spinup`, #25), listed, stopped, what-if. Creates the
// run and closes it; an external process runs it (emulator-lease-service).
import { randomInt, randomUUID } from 'node:crypto';
import type {
  EmulatorAccepted,
  EmulatorRun,
  EmulatorRunWithAgents,
  EmulatorSpinupRequest,
  FaultRequest,
  StatusAnswer,
  StepAnswer,
} from '@weft/contract';
import type { AgentService } from '../accounts/agents/agent-service.ts';
import type { AuditService } from '../accounts/audit/audit-service.ts';
import type { SiteService } from '../accounts/sites/site-service.ts';
import type { Caller } from '../base/caller.ts';
import { ConflictError, NotFoundError, notFound, TryLaterError, ValidationError } from '../base/errors.ts';
import { adminsOnly, requirePermission } from '../base/rights/permission.ts';
import { rightsOf } from '../base/rights/rights.ts';
import type { FairTurns } from '../base/shares/fair-turns.ts';
import { type OpenShare, principalOf, type Shares } from '../base/shares/shares.ts';
import type { SqlQueries } from '../base/storage/sql-database.ts';
import type { CommandsPart } from '../commands/commands-part.ts';
import type { MailboxService } from '../jobs/mailbox/mailbox-service.ts';
import { type JobOutbox, publishHoldMs } from '../jobs/publish/job-outbox.ts';
import type { JobRecord, NewJob } from '../jobs/store/job-record.ts';
import type { JobStore } from '../jobs/store/job-store.ts';
import type { EmulatorLeaseService } from './emulator-lease-service.ts';
import { planRun, type RunPlan } from './emulator-plan.ts';
import type { EmulatorRunRecord, EmulatorRunStore, NewRun } from './emulator-run-store.ts';
import type { RunCloser } from './run-closer.ts';
import { type EmulatorLimits, limitsFor, requireQuota } from './run-quota.ts';
import { runStarted, toAccepted, toAgentRecord, toMembers, toRun, toTask } from './run-records.ts';

export interface EmulatorServiceOptions {
  runs: EmulatorRunStore;
  closer: RunCloser;
  leases: EmulatorLeaseService;
  agents: AgentService;
  jobs: Pick<JobStore, 'countOpen' | 'countUnpublished'>;
  maxUnpublished: number;
  /** Throws if the results of the caller's jobs, or of all, take too much. */
  requireRoomForResults: (owner_id: string) => void;
  mailbox: Pick<MailboxService, 'end'>;
  outbox: Pick<JobOutbox, 'seal' | 'publish'>;
  audit: AuditService;
  sites: Pick<SiteService, 'createMissing' | 'changed'>;
  commands: Pick<CommandsPart, 'listUnderWay'>;
  /** Throws unless the owner of the run may have it now, by its record in the transaction. */
  requireRight: (tx: SqlQueries, run: NewRun) => Promise<void>;
  shares: Shares;
  limits: EmulatorLimits;
  now?: () => number;
}

/** A page of agents' names; a run has no more. */
const maxAgentsShown = 20_000;
/** An hour of a large network. */
const stepWithinMs = 150_000;
/** Steps, faults and what-ifs that wait for their answers. */
const maxRequestsPerCaller = 10;

export type NetworkRequest = Parameters<EmulatorLeaseService['ask']>;

export class EmulatorService {
  readonly #options: EmulatorServiceOptions;
  readonly #spinUps: FairTurns;
  readonly #requests: OpenShare;
  readonly #now: () => number;

  constructor(options: EmulatorServiceOptions) {
    this.#options = options;
    this.#spinUps = options.shares.turns('spin_ups', { slots: 4, perPrincipal: 1, maxWaiting: 20 });
    this.#requests = options.shares.open('emulator_requests', maxRequestsPerCaller);
    this.#now = options.now ?? Date.now;
  }

  /**
   * Agents, run and job are durable together when it resolves. Throws ValidationError with all problems, TryLaterError
   * 429 above a quota (`too_many_runs`, `too_many_access_points`, `too_many_device_seconds`, `too_many_jobs`,
   * `too_many_agents`, `too_many_sites`, `share_used_up`), 503 `outbox_full`; then nothing was created.
   */
  async spinUp(caller: Caller, request: EmulatorSpinupRequest): Promise<EmulatorAccepted> {
    if (request.sites) requirePermission(adminsOnly, caller);
    const limits = limitsFor(caller, this.#options.limits);
    const now = this.#now();
    const { plan, problems } = planRun(request, limits, now, () => randomInt(2 ** 32));
    if (problems.length > 0) throw new ValidationError(problems);
    // One of a caller after the other: each counts for the quota of the next.
    return this.#spinUps.run(principalOf(caller), async () => {
      await this.#requireRoom(caller, plan, limits);
      return this.#create(caller, request, plan, now);
    });
  }

  async #create(caller: Caller, request: EmulatorSpinupRequest, plan: RunPlan, now: number): Promise<EmulatorAccepted> {
    const { runs, agents, outbox, audit, requireRight, sites } = this.#options;
    let job_number = randomUUID();
    while (await runs.isNameTaken(job_number)) job_number = randomUUID();
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
    const wanted = plan.accessPoints.map(({ site }) => site);
    const records = members.map((member, at) => toAgentRecord(member, wanted[at]?.path ?? null, caller, now));
    const also = audit.entry<EmulatorRunRecord>(({ after }) => runStarted(caller, after!));
    const stems = plan.accessPoints.map(({ stem }) => stem);
    const places = wanted.flatMap((site) => site ?? []);
    const check = async (tx: SqlQueries) => {
      await requireRight(tx, run);
      if (places.length > 0) await sites.createMissing(tx, places, caller);
    };
    await runs.create(run, records, job, { requireOwner: true, stems, check, also });
    if (places.length > 0) sites.changed();
    agents.emulated(records);
    outbox.publish(job);
    return toAccepted(request, plan, members, job_number);
  }

  /** Newest first; those of all callers for an administrator with `all`. */
  async list(caller: Caller, { all, before, limit }: { all: boolean; before?: string; limit: number }) {
    const { runs, closer } = this.#options;
    const isEverybodys = all && rightsOf(caller).isAdmin;
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
      await mailbox.end(
        job_number,
        'cancelled',
        `Stopped by ${rightsOf(caller).owns(run) ? 'its owner' : 'an administrator'}`,
      );
      await closer.close(run, caller);
    }
    const after = (await runs.get(job_number)) ?? run;
    if (after.state !== 'cancelled') throw runOver();
    return closer.toRunResponse(after);
  }

  /** Called when a job is cancelled: ends its run. Resolves whether the job was a run. */
  async cancel(caller: Caller, { job_number, task_type }: JobRecord): Promise<boolean> {
    if (task_type !== 'emulator_spinup') return false;
    await this.stop(caller, job_number);
    return true;
  }

  /** Injects a fault. Throws NotFoundError `agent_not_found`, ConflictError `run_over` or `run_not_started`, TryLaterError 503. */
  async fault(caller: Caller, job_number: string, request: FaultRequest): Promise<StatusAnswer> {
    await this.requireRunning(caller, job_number);
    await this.requireMembers(job_number, [request.agent_id]);
    const { agent_id, kind, seconds, amount } = request;
    const fault = { agent_id, kind, seconds, ...(amount !== undefined && { amount }) };
    await this.ask(caller, [job_number, 'fault', fault]);
    return { status: 'success', detail: `${kind} holds for ${seconds} seconds of model time` };
  }

  /**
   * So many seconds pass in a network that stands still. Resolves when its access points have reported them, and have taken
   * every command that was sent before. Throws as fault does, and ConflictError `not_stepped` or `commands_not_taken`.
   */
  async step(caller: Caller, job_number: string, seconds: number, gone: AbortSignal): Promise<StepAnswer> {
    const { commands, runs } = this.#options;
    await this.requireRunning(caller, job_number);
    const underWay = await commands.listUnderWay(await this.agentsOf(job_number));
    const sent = underWay.map(({ ap_id, command_id }) => ({ ap_id, command_id }));
    const options = { signal: gone, withinMs: stepWithinMs };
    const answer = await this.ask(caller, [job_number, 'step', { seconds, sent }, options]);
    // Before the caller goes on: what it sends next is sent at that time.
    await runs.noteModelTime(job_number, Date.parse(String(answer.model_time)));
    return { job_number, ...answer } as StepAnswer;
  }

  /** Waits for the answer for up to a minute; with `turns`, a question that is long to compute waits its turn first. */
  async ask(caller: Caller, request: NetworkRequest, turns?: FairTurns): Promise<Record<string, unknown>> {
    const [job_number, kind, body, options] = request;
    const principal = principalOf(caller);
    const release = this.#requests.take(principal, 'too_many_requests');
    const ask = () => this.#options.leases.ask(job_number, kind, body, { ...options, by: caller });
    try {
      return await (turns ? turns.run(principal, ask, { signal: options?.signal }) : ask());
    } finally {
      release();
    }
  }

  async #requireRoom(caller: Caller, plan: RunPlan, limits: EmulatorLimits): Promise<void> {
    const { jobs, agents, runs, maxUnpublished } = this.#options;
    this.#options.requireRoomForResults(caller.id);
    const wants = { accessPoints: plan.accessPoints.length, deviceSeconds: plan.devices * plan.duration };
    requireQuota(limits, await runs.usageOf(caller.id), wants, this.#now());
    await agents.requireRoomFor(plan.accessPoints.length, { areEmulated: true });
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
    if (!run || !rightsOf(caller).ownsOrAdministers(run)) throw notFound('Emulator run', 'run');
    return run;
  }

  /** Throws NotFoundError `run_not_found`, ConflictError `run_over` or `run_not_started`. */
  async requireRunning(caller: Caller, job_number: string): Promise<void> {
    const run = await this.#requireVisible(caller, job_number);
    const work = run.state === null ? await this.#options.closer.work(job_number) : 'over';
    if (work === 'over') throw runOver();
    if (work === 'waiting') {
      throw new ConflictError('run_not_started', 'No emulator works on this run yet; try again shortly', {}, 2);
    }
  }

  /** The names of all agents of the run. */
  agentsOf(job_number: string): Promise<string[]> {
    return this.#options.runs.agentsOf(job_number, maxAgentsShown);
  }

  /** Throws NotFoundError `agent_not_found` unless all are agents of the run. */
  async requireMembers(job_number: string, ap_ids: readonly string[]): Promise<void> {
    const members = new Set(await this.agentsOf(job_number));
    if (ap_ids.some((ap_id) => !members.has(ap_id)))
      throw new NotFoundError('agent_not_found', 'Agent not found in this run');
  }
}

function runOver(): ConflictError {
  return new ConflictError('run_over', 'This run has ended');
}
