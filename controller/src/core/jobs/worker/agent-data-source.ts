// What the work behind #23 stands on: the range that is asked for, an agent's rows for as long as the job's owner may see
// them, and the records that are in the mailbox already.
import type { AgentDataTask } from '@weft/contract';
import type { Network } from '../../network/network.ts';
import type { Frame, TelemetryStore } from '../../telemetry/store/telemetry-store.ts';
import type { JobRecord } from '../store/job-record.ts';
import { requireOwner, type SightOf } from './agent-details-task.ts';
import { JobFailed, type JobRun } from './job-run.ts';
import { type RecordPosition, seriesKey } from './record-chunks.ts';

/** Values in one page of the store; a text may take as much room as many numbers. */
const pageValues = 20_000;
const textWeight = 8;
const maxPageRows = 5_000;

export interface AgentSourceOptions {
  network: Pick<Network, 'get'>;
  telemetry: Pick<TelemetryStore, 'fields' | 'rows'>;
  sightOf: SightOf;
}

/** What is asked for, in milliseconds, both ends included. */
export interface AgentDataRange {
  ap_id: string;
  startMs: number;
  endMs: number;
}

/** True if the result cannot be complete when it is asked for; whatever the time is now. */
export function isSubscription(job: JobRecord): boolean {
  return parseAgentDataTask(job).endMs > job.created_at;
}

/** Reads an agent's rows for as long as the agent is there and the job's owner may see it. */
export class AgentSource {
  readonly #run: JobRun;
  readonly #ap_id: string;
  readonly #options: AgentSourceOptions;
  #agentId: string | undefined;
  #rowWeight: number | undefined;

  constructor(run: JobRun, ap_id: string, options: AgentSourceOptions) {
    this.#run = run;
    this.#ap_id = ap_id;
    this.#options = options;
  }

  /** The oldest rows of the range, and whether there may be more of them. Throws JobFailed. */
  page(range: { startMs: number; endMs: number }): Promise<{ frame: Frame; hasMore: boolean }> {
    return this.#run.retryUnavailable(async () => {
      const { telemetry } = this.#options;
      this.#rowWeight ??= weightOf(await telemetry.fields(this.#ap_id, range.startMs));
      const limit = Math.max(1, Math.min(maxPageRows, Math.floor(pageValues / this.#rowWeight)));
      const frame = await telemetry.rows(this.#ap_id, range, limit);
      this.#rowWeight = Math.max(this.#rowWeight, 1, frame.columns.size + textWeight * frame.texts.size);
      // Afterwards, so that rows of an agent that got the name of a removed one never count as the removed one's.
      await this.#requireAgent();
      return { frame, hasMore: frame.ts.length >= limit };
    });
  }

  async #requireAgent(): Promise<void> {
    const sight = await requireOwner(this.#run, this.#options.sightOf);
    const agent = this.#options.network.get(this.#ap_id);
    // An agent that is gone is told from one that may not be seen only to whom might have seen it.
    if (!sight.sees(this.#ap_id)) {
      throw new JobFailed(`Whoever asked for this may not see ${this.#ap_id} any more`);
    }
    this.#agentId ??= agent?.id;
    if (agent === undefined || agent.id !== this.#agentId) throw new JobFailed(`${this.#ap_id} was removed`);
  }
}

export function progressAt({ startMs, endMs }: AgentDataRange, ts: number): number {
  return Math.max(0, Math.min(1, (ts - startMs) / (endMs - startMs)));
}

/** Throws JobFailed for what this worker cannot have written. */
export function parseRecords(data: string): RecordPosition[] {
  const records = JSON.parse(data) as unknown[];
  return records.map((record) => {
    const { time, field, value } = (record ?? {}) as { time?: unknown; field?: unknown; value?: unknown };
    const ts = typeof time === 'string' ? Date.parse(time) : Number.NaN;
    if (Number.isNaN(ts) || typeof field !== 'string') {
      throw new JobFailed('Others have posted to this job: it cannot be gone on with');
    }
    return { ts, series: seriesKey(field, typeof value === 'string') };
  });
}

/** Throws JobFailed if the job is about nothing. */
export function parseAgentDataTask(job: JobRecord): AgentDataRange {
  const { agent_id, start_time, end_time } = JSON.parse(job.data) as AgentDataTask;
  const [startMs, endMs] = [Date.parse(start_time), Date.parse(end_time)];
  if (typeof agent_id !== 'string' || Number.isNaN(startMs) || Number.isNaN(endMs)) {
    throw new JobFailed('The job does not say whose telemetry it is about, and of when');
  }
  return { ap_id: agent_id, startMs, endMs };
}

function weightOf(fields: readonly { kind: 'metric' | 'text' }[]): number {
  const texts = fields.filter(({ kind }) => kind === 'text').length;
  return Math.max(1, fields.length - texts + textWeight * texts);
}
