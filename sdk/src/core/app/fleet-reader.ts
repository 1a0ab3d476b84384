// The half of an App that reads: agents and their presence, series, history and what comes in live.
import type {
  AgentDataRecord,
  AgentFilter,
  AgentMetrics,
  AgentMultiMetricData,
  AgentPresence,
  JobAccepted,
  JobEnvelope,
  Presence,
} from '@weft/contract';
import { linkedSignal, type Query } from '../http-client.ts';
import { toUnreachable } from '../weft-refusal.ts';
import {
  type Abortable,
  type AgentDetails,
  type AgentRecord,
  type DownloadOptions,
  type FleetOptions,
  type HistoryOptions,
  type LatestOptions,
  type SeriesOptions,
  type SubscribeOptions,
  toTime,
  type Window,
} from './app-options.ts';
import { type JobConnection, type JobOptions, jobMessages, jobRecords } from './job-messages.ts';
import type { RestClient } from './rest-client.ts';
import { onceEach, resumedStream, type StreamListeners } from './resumed-stream.ts';
import type { Stream } from './stream.ts';

/** The newest values of an agent, by metric. */
export interface LatestValues {
  ap_id: string;
  presence: Presence;
  metrics: Record<string, { ts: string; value: number }>;
}

export class FleetReader {
  readonly #connection: JobConnection;

  constructor(connection: JobConnection) {
    this.#connection = connection;
  }

  /**
   * One agent.
   *
   * ```ts
   * const { configuration } = await app.agent('ap-1');
   * console.log(configuration.commands);
   * ```
   */
  agent(ap_id: string, { signal }: Abortable = {}): Promise<AgentRecord> {
    return this.#get(`/api/v1/agents/${encodeURIComponent(ap_id)}`, {}, signal);
  }

  /**
   * Which agents are online, late or offline, since when and why, and whether a command would reach them.
   *
   * ```ts
   * for (const { ap_id, presence, reason } of await app.presence()) console.log(ap_id, presence, reason);
   * ```
   */
  async presence({ agents = [], signal }: FleetOptions = {}): Promise<AgentPresence[]> {
    const path = '/api/v1/metrics/presence';
    return (await this.#get<{ agents: AgentPresence[] }>(path, { agents }, signal)).agents;
  }

  /**
   * The newest value of every metric of every agent.
   *
   * ```ts
   * for (const { ap_id, metrics } of await app.latest({ agents: ['ap-1'], metrics: ['load'] })) {
   *   console.log(ap_id, metrics.load?.value);
   * }
   * ```
   */
  async latest({ agents = [], metrics = [], signal }: LatestOptions = {}): Promise<LatestValues[]> {
    return (await this.#get<{ agents: LatestValues[] }>('/api/v1/metrics/latest', { agents, metrics }, signal)).agents;
  }

  /**
   * The metrics that an agent has reported within a window, with their labels.
   *
   * ```ts
   * for (const { name, label } of await app.metrics('ap-1', { window: '1h' })) console.log(name, label);
   * ```
   */
  async metrics(ap_id: string, options: { window?: Window } & Abortable = {}): Promise<AgentMetrics['metrics']> {
    const { window, signal } = options;
    const path = '/api/v1/metrics/agent_metrics';
    return (await this.#get<AgentMetrics>(path, { agent: ap_id, window }, signal)).metrics;
  }

  /**
   * Metrics of an agent over a window, each as a series; long ones are thinned out to `maxPoints`.
   *
   * ```ts
   * const { series } = await app.series('ap-1', ['load'], { window: '1h', maxPoints: 60, aggregate: 'max' });
   * for (const { metric, points } of series) console.log(metric, points.length);
   * ```
   */
  series(ap_id: string, metrics: readonly string[], options: SeriesOptions = {}): Promise<AgentMultiMetricData> {
    const { window, maxPoints: max_points, aggregate, end, signal } = options;
    const query = { agent: ap_id, metrics, window, max_points, aggregate, end: end && toTime(end) };
    return this.#get('/api/v1/metrics/agent_multi_metric_data', query, signal);
  }

  /**
   * Everything that an agent has reported in a range of time, oldest first, as a job that goes on after a lost connection.
   *
   * ```ts
   * let count = 0;
   * for await (const { time, field, value } of app.history('ap-1', { from: Date.now() - 3_600_000 })) {
   *   console.log(time, field, value);
   *   count++;
   * }
   * ```
   */
  history(ap_id: string, { from, to = Date.now(), signal }: HistoryOptions): Stream<AgentDataRecord> {
    const query = { agent_id: ap_id, start_time: toTime(from), end_time: toTime(to) };
    return this.#records('/api/v1/agent_data/request_agent_data', query, signal);
  }

  /**
   * The same by time: what was measured at one moment is one sample.
   *
   * ```ts
   * for await (const { ts, metrics } of app.samples('ap-1', { from: Date.now() - 3_600_000 })) {
   *   console.log(ts, metrics.load);
   *   break;
   * }
   * ```
   */
  samples(ap_id: string, { signal, ...range }: HistoryOptions): Stream<LiveSample> {
    return this.#connection.rest.stream(
      (ended) => toSamples(ap_id, this.history(ap_id, { ...range, signal: ended })),
      signal,
    );
  }

  /**
   * What an agent has reported in a range of time as the bytes of a file: CSV, or a JSON object a line. Nothing is kept in
   * memory; a download that breaks off throws, and has to be started again.
   *
   * ```ts
   * const file = await app.download('ap-1', { from: Date.now() - 3_600_000, format: 'csv' });
   * let bytes = 0;
   * for await (const piece of file) bytes += piece.length;
   * console.log(`${bytes} bytes`);
   * ```
   */
  async download(ap_id: string, options: DownloadOptions): Promise<AsyncIterable<Uint8Array>> {
    const { from, to, format = 'csv', metrics = [], signal } = options;
    const query = { agent: ap_id, start: toTime(from), end: to && toTime(to), format, metrics };
    const { controller, release } = linkedSignal(signal);
    const request = { method: 'GET', path: '/api/v1/metrics/export', query, signal } as const;
    try {
      const { body } = await this.#connection.rest.open(request, controller.signal);
      return pieces(body!, controller.signal, release);
    } catch (error) {
      release();
      throw error;
    }
  }

  /**
   * The agents that this app may see, as a job: for fleets of many thousands. The filter is that of `agents`.
   *
   * ```ts
   * for await (const { ap_id, onboard } of app.agentDetails()) console.log(ap_id, onboard);
   * ```
   */
  agentDetails({ signal, ...filter }: AgentFilter & Abortable = {}): Stream<AgentDetails> {
    return this.#records('/api/v1/agent_details/request_all_agents_details', filter, signal);
  }

  /**
   * What an agent reports from now on until a moment of at most 24 hours ahead, as a job: nothing is lost, whatever happens
   * to the connection. For newer values with less delay, and of many agents, see `live`.
   *
   * ```ts
   * for await (const { field, value } of app.subscribe('ap-1', { until: Date.now() + 60_000 })) {
   *   console.log(field, value);
   *   break;
   * }
   * ```
   */
  subscribe(ap_id: string, { until, from = Date.now(), signal }: SubscribeOptions): Stream<AgentDataRecord> {
    return this.history(ap_id, { from, to: until, ...(signal && { signal }) });
  }

  /**
   * Samples as they are stored, of all agents or of some, each once. Goes on after a lost connection; what was missed meanwhile comes
   * first, or `onGap` is called.
   *
   * ```ts
   * for await (const { ap_id, ts, metrics } of app.live({ metrics: ['load'] })) {
   *   console.log(ap_id, ts, metrics.load);
   *   break;
   * }
   * ```
   */
  live(options: LiveOptions = {}): Stream<LiveSample> {
    return this.#connection.rest.stream((ended) => liveSamples(this.#connection.rest, options, ended), options.signal);
  }

  /**
   * The messages of a job by its number, in their envelopes, after the one numbered `after`: to go on in another process.
   * Ends with the last one; leaves the job alone when it is left early. `onOpen`, `onBreak` and `onJob` tell how it stands.
   *
   * ```ts
   * const { job_number } = await app.command('ap-1', 'set_tx_power', { dbm: 12 });
   * for await (const { seq, type, final } of app.job(job_number, { after: 0 })) console.log(seq, type, final);
   * ```
   */
  job(job_number: string, { signal, ...options }: JobOptions & Abortable = {}): Stream<JobEnvelope> {
    return this.#connection.rest.stream((ended) => jobMessages(this.#connection, job_number, ended, options), signal);
  }

  #get<Answer>(path: string, query: Query, signal: AbortSignal | undefined): Promise<Answer> {
    return this.#connection.rest.ask({ method: 'GET', path, query, signal });
  }

  #records<T>(path: string, query: Query, signal: AbortSignal | undefined): Stream<T> {
    return this.#connection.rest.stream((ended) => this.#job<T>(path, query, ended), signal);
  }

  async *#job<T>(path: string, query: Query, signal: AbortSignal): AsyncGenerator<T, void> {
    const { job_number } = await this.#connection.rest.ask<JobAccepted>({ method: 'POST', path, query, signal });
    let isOver = false;
    try {
      yield* jobRecords<T>(jobMessages(this.#connection, job_number, signal));
      isOver = true;
    } finally {
      // Nobody waits for the rest; should this fail, the job ends by itself.
      if (!isOver)
        await this.#connection.rest.ask({ method: 'DELETE', path: `/api/v1/jobs/${job_number}` }).catch(() => {});
    }
  }
}

async function* toSamples(ap_id: string, records: AsyncIterable<AgentDataRecord>): AsyncGenerator<LiveSample, void> {
  let sample: LiveSample | undefined;
  for await (const { time, field, value } of records) {
    if (sample && sample.ts !== time) yield sample;
    if (sample?.ts !== time) sample = { ap_id, ts: time, metrics: Object.create(null) };
    if (typeof value === 'number') sample.metrics[field] = value;
  }
  if (sample) yield sample;
}

async function* pieces(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  release: () => void,
): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error) => {
        signal.throwIfAborted();
        throw toUnreachable(error);
      });
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
    release();
  }
}

/** Samples as they are stored; after a break they go on where they were. */
export interface LiveSample {
  ap_id: string;
  /** RFC 3339. */
  ts: string;
  metrics: Record<string, number>;
}

export interface LiveOptions extends StreamListeners {
  /** Only these access points; default: all that may be seen. */
  agents?: readonly string[] | undefined;
  /** Only these metrics. */
  metrics?: readonly string[] | undefined;
  signal?: AbortSignal | undefined;
}

export function liveSamples(
  rest: RestClient,
  { agents = [], metrics = [], onOpen, onBreak, onGap, onWarning }: LiveOptions,
  signal: AbortSignal,
): AsyncGenerator<LiveSample, void> {
  const query = { agents, metrics };
  const options = { path: '/api/v1/metrics/stream', query, event: 'sample', onOpen, onBreak, onGap, onWarning };
  return onceEach(resumedStream<LiveSample>(rest, options, signal));
}
