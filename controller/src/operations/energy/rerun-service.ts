// Jobs that work out what an emulated network would have drawn without commands about sleep and power. The process that runs the
// network computes it; whoever holds the lease of the job asks it until the answer is there.
import { randomUUID } from 'node:crypto';
import type { JobAccepted } from '@weft/contract';
import type { EnergyRerun, EnergyRerunRequest } from '@weft/contract/operations';
import { type Caller, type CredentialRef, ownerRef } from '../../core/base/caller.ts';
import { ConflictError, TryLaterError, WeftError } from '../../core/base/errors.ts';
import { PeriodicTask } from '../../core/base/periodic-task.ts';
import type { MailboxService } from '../../core/jobs/mailbox/mailbox-service.ts';
import type { JobLimits, JobRecord, JobSummary } from '../../core/jobs/store/job-record.ts';
import type { JobStore } from '../../core/jobs/store/job-store.ts';
import type { Network } from '../../core/network/network.ts';
import type { EmulatorLeaseService } from '../../core/networks/emulator-lease-service.ts';
import type { EmulatorService } from '../../core/networks/emulator-service.ts';
import { parseWindow } from '../../core/telemetry/query/time-window.ts';
import { programKey, toProgram } from './energy-service.ts';
import { type EnergyRates, toAmount } from './energy-use.ts';
import type { PowerCommandStore } from './power-command-store.ts';

const task_type = 'energy';
const everyMs = 1_000;
const leaseMs = 15_000;
const sameWithinMs = 5 * 60_000;
const listed = 50;
const leastProgress = 0.05;
/** Longer than any network lives. */
const wholeSeconds = 10 * 365 * 86_400;

export interface RerunServiceOptions {
  jobs: JobStore;
  mailbox: MailboxService;
  emulator: Pick<EmulatorService, 'requireRunning' | 'agentsOf'>;
  leases: Pick<EmulatorLeaseService, 'ask'>;
  commands: PowerCommandStore;
  network: Pick<Network, 'get'>;
  rates: EnergyRates;
  limits: JobLimits;
  timeoutMs: number;
  requireRoom: (owner_id: string) => void;
  /** The caller with its current rights; undefined if it was removed. */
  callerNow: (ref: CredentialRef) => Promise<Caller | undefined>;
  onError: (error: unknown, message: string) => void;
  now?: () => number;
}

interface Held {
  job: JobRecord;
  /** Whether the process that runs the network knows the question. */
  isAsked: boolean;
  progress: number;
}

export class RerunService extends PeriodicTask {
  readonly #options: RerunServiceOptions;
  readonly #holder = randomUUID();
  readonly #held = new Map<string, Held>();
  readonly #now: () => number;

  constructor(options: RerunServiceOptions) {
    super({
      everyMs,
      what: 'what emulated networks would have drawn',
      run: () => this.goOn(),
      onError: options.onError,
    });
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Durable when it resolves. Throws as a what-if does, and TryLaterError 429 above the limits of jobs. */
  async request(caller: Caller, { job_number: run, window }: EnergyRerunRequest): Promise<JobAccepted> {
    const { jobs, emulator, limits, timeoutMs, requireRoom } = this.#options;
    await emulator.requireRunning(caller, run);
    const window_seconds =
      window === undefined ? wholeSeconds : parseWindow(window, Number.POSITIVE_INFINITY).ms / 1000;
    const data = JSON.stringify({ run, window_seconds });
    const owner = { owner_kind: caller.kind, owner_id: caller.id };
    const known = await this.#same(owner, data);
    if (known !== undefined) return toAccepted(known);
    requireRoom(caller.id);
    const now = this.#now();
    const job_number = randomUUID();
    await jobs.create(
      {
        ...{ job_number, task_type, data, ...owner, owner_name: caller.name, created_at: now },
        ...{ expires_at: now + timeoutMs, published_at: now, publish_after: now },
      },
      limits,
    );
    // From here on it is found by others if this process ends.
    await this.#claim(job_number);
    return toAccepted(job_number);
  }

  /** One round: renews what is held, takes over what others have left, and asks for each. */
  async goOn(): Promise<void> {
    const { jobs } = this.#options;
    const ours = await jobs.renew([...this.#held.keys()], this.#holder, this.#now(), leaseMs);
    for (const job_number of this.#held.keys()) if (!ours.has(job_number)) this.#held.delete(job_number);
    for (const job of await jobs.listAbandoned(this.#now(), listed)) {
      if (job.task_type === task_type) await this.#claim(job.job_number);
    }
    await Promise.all([...this.#held.values()].map((held) => this.#work(held)));
  }

  async #same(owner: Pick<JobRecord, 'owner_kind' | 'owner_id'>, data: string): Promise<string | undefined> {
    const { jobs } = this.#options;
    const isFresh = ({ ended_at, state }: JobSummary) =>
      ended_at === null || (state === 'succeeded' && ended_at > this.#now() - sameWithinMs);
    for (const job of await jobs.list({ owner, limit: listed })) {
      if (job.task_type !== task_type || !isFresh(job)) continue;
      if ((await jobs.get(job.job_number))?.data === data) return job.job_number;
    }
    return undefined;
  }

  async #claim(job_number: string): Promise<void> {
    const job = await this.#options.jobs.claim(job_number, this.#holder, this.#now(), leaseMs);
    if (job) this.#held.set(job_number, { job, isAsked: false, progress: 0 });
  }

  /** Never rejects. */
  async #work(held: Held): Promise<void> {
    const { mailbox, onError } = this.#options;
    const { job_number } = held.job;
    try {
      await this.#ask(held);
    } catch (error) {
      // What is away comes back; what was forgotten is told again.
      if (error instanceof TryLaterError) return;
      if (error instanceof ConflictError && ['run_not_started', 'rerun_unknown'].includes(error.code)) {
        held.isAsked = false;
        return;
      }
      if (!(error instanceof WeftError)) onError(error, `job ${job_number} failed`);
      const detail = error instanceof WeftError ? error.message : 'Unexpected error';
      await mailbox.end(job_number, 'failed', detail).catch((later) => onError(later, 'a job could not be ended'));
    }
  }

  async #ask(held: Held): Promise<void> {
    const { mailbox, emulator, leases, callerNow } = this.#options;
    const { job_number, owner_id, data } = held.job;
    const { run, window_seconds } = JSON.parse(data) as { run: string; window_seconds: number };
    const caller = await callerNow(ownerRef(held.job));
    if (!caller) throw new ConflictError('owner_gone', 'Whoever asked for this is gone');
    await emulator.requireRunning(caller, run);
    const programs = held.isAsked ? undefined : await this.#programs(caller, run);
    const question = { id: job_number, window_seconds, ...(programs && { programs }) };
    const answer = await leases.ask(run, 'rerun', question, { withinMs: leaseMs / 2 });
    held.isAsked = true;
    if (typeof answer.progress === 'number') {
      if (answer.progress < held.progress + leastProgress) return;
      held.progress = answer.progress;
      return mailbox.progress(job_number, answer.progress);
    }
    const result = this.#toRerun(run, answer as unknown as Answer);
    await mailbox.post(
      { job_number, task_type, owner_id },
      {
        ...{ kind: task_type, data: JSON.stringify([result]), isEmpty: false, final: true, chunk: 1 },
        ...{ error: undefined, progress: 1, isByWorker: true },
      },
    );
    this.#held.delete(job_number);
  }

  /** As the caller may know them. */
  async #programs(caller: Caller, run: string): Promise<[string, string[]][]> {
    const { commands, emulator } = this.#options;
    const found = await commands.of(await emulator.agentsOf(run));
    const byProgram = Map.groupBy(found, (command) => programKey(caller, command));
    byProgram.delete('');
    return [...byProgram].map(([key, own]) => [key, own.map(({ command_id }) => command_id)]);
  }

  #toRerun(job_number: string, answer: Answer): EnergyRerun {
    const { rates, network } = this.#options;
    const { start, end, limited_by, commands, bucket_seconds, agents, programs } = answer;
    const groups = (nameOf: (ap_id: string) => string | null | undefined) => {
      const sums = new Map<string | null, [number, number]>();
      for (const [ap_id, used, without] of agents) {
        const name = nameOf(ap_id) ?? null;
        const [sumUsed, sumWithout] = sums.get(name) ?? [0, 0];
        sums.set(name, [sumUsed + used, sumWithout + without]);
      }
      return [...sums].map(([name, [used, without]]) => ({ name, ...toSaved(used, without, rates) }));
    };
    const seconds = (Date.parse(end) - Date.parse(start)) / 1000;
    // The last bucket may be a part of one.
    const watts = (joules: readonly number[]) =>
      joules.map((each, n) => each / Math.min(bucket_seconds, seconds - n * bucket_seconds));
    return {
      ...{ job_number, start, end, limited_by, commands, bucket_seconds, ...rates },
      ...(({ name: _, ...all }) => all)(groups(() => null)[0]!),
      sites: groups((ap_id) => network.get(ap_id)?.site),
      technologies: groups((ap_id) => network.get(ap_id)?.access_point_type),
      programs: programs.map(({ program, commands, saved_j }) => ({
        ...toProgram(program),
        commands,
        saved: toAmount(saved_j, rates),
      })),
      service: { with: toService(answer.with), without: toService(answer.without) },
      power_w: { with: watts(answer.with.buckets_j), without: watts(answer.without.buckets_j) },
    };
  }
}

interface Side {
  buckets_j: number[];
  outage_s: number;
  data_s: number;
  met_s: number;
}

/** What the process that runs the network answers. */
interface Answer extends Pick<EnergyRerun, 'start' | 'end' | 'limited_by' | 'commands' | 'bucket_seconds'> {
  programs: { program: string | null; commands: number; saved_j: number }[];
  with: Side;
  without: Side;
  /** With the joules of both. */
  agents: [ap_id: string, used: number, without: number][];
}

function toSaved(used: number, without: number, rates: EnergyRates) {
  return {
    used: toAmount(used, rates),
    without: toAmount(without, rates),
    saved: toAmount(without - used, rates),
  };
}

function toService({ outage_s, data_s, met_s }: Side): EnergyRerun['service']['with'] {
  return {
    without_service_minutes: outage_s / 60,
    within_delay_budget_pct: data_s === 0 ? null : (100 * met_s) / data_s,
  };
}

function toAccepted(job_number: string): JobAccepted {
  return { job_number, status: 'queued', websocket: `/api/v1/ws/${job_number}` };
}
