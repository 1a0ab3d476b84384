// Live values of agents that report to other nodes. A node with open streams says what they ask for; the others send on just that,
// over the broker. While the broker is away, the node reads the newest values from the store once a second. Without streams nothing is sent.
import { randomUUID } from 'node:crypto';
import { BoundedMap } from '@weft/contract/bounded-map';
import { PeriodicTask } from '../../base/periodic-task.ts';
import type { Sample, TelemetryStore } from '../store/telemetry-store.ts';
import type { StreamFilter } from './live-stream.ts';

const askEveryMs = 1_000;
/** A node that has not asked again for so long wants nothing any more. */
const forgottenMs = 5_000;
const gatherMs = 50;
const samplesPerNews = 200;
/** Filters with more names are asked for as a whole: the streams leave out what they do not want. */
const maxNames = 100;
const maxNodes = 1_000;
const maxAgents = 200_000;
const agentsAtOnce = 1_000;
const agentsFreshMs = 10_000;
const [wantedKind, samplesKind] = ['samples_wanted', 'samples'];

type Sent = [ap_id: string, receivedMs: number, ts: number, names: string[], values: number[]];

interface Wanted {
  agents?: string[];
  metrics?: string[];
}

export interface RemoteSamplesOptions {
  /** What the streams of this node ask for. */
  filters: () => Iterable<StreamFilter>;
  /** Over the broker only: too much for any other way. */
  send: (news: string) => void;
  isBrokerThere: () => boolean;
  /** Reaches the other nodes, by whatever way. */
  ask: (news: string) => void;
  telemetry: Pick<TelemetryStore, 'latest'>;
  /** The names of all agents. */
  listAgents: () => Promise<string[]>;
  publish: (ap_id: string, samples: readonly Sample[], receivedMs: number) => void;
  onError: (error: unknown, message: string) => void;
}

export class RemoteSamples {
  readonly #options: RemoteSamplesOptions;
  readonly #node = randomUUID();
  /** What other nodes ask for. */
  readonly #wanted = new BoundedMap<string, StreamFilter>(maxNodes, { ttlMs: forgottenMs });
  /** The time of the newest sample that was published of each agent of another node. */
  readonly #newest = new BoundedMap<string, number>(maxAgents);
  readonly #asking: PeriodicTask;
  #gathered: Sent[] = [];
  #timer: NodeJS.Timeout | undefined;
  #agents: { names: string[]; atMs: number } | undefined;
  /** Samples that were sent on to other nodes. */
  sent = 0;

  constructor(options: RemoteSamplesOptions) {
    this.#options = options;
    const { onError } = options;
    this.#asking = new PeriodicTask({
      everyMs: askEveryMs,
      what: 'the look at live values of other nodes',
      run: () => this.#ask(),
      onError,
    });
  }

  start(): void {
    this.#asking.start();
  }

  /** A stream was opened. */
  opened(): void {
    this.#asking.soon();
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#asking.stop();
  }

  /** Runs for every report to this node. */
  recorded(ap_id: string, samples: readonly Sample[], receivedMs: number): void {
    if (samples.length > 0 && !isEmpty(this.#options.filters())) this.#newest.set(ap_id, samples.at(-1)!.ts);
    if (this.#wanted.size === 0) return;
    const filters = Array.from(this.#wanted, ([, filter]) => filter).filter(({ agents }) => agents?.has(ap_id) ?? true);
    if (filters.length === 0) return;
    const isWanted = (name: string) => filters.some(({ metrics }) => metrics?.has(name) ?? true);
    for (const { ts, names, values } of samples) {
      if (names.some(isWanted)) this.#gathered.push([ap_id, receivedMs, ts, names, values]);
    }
    if (this.#gathered.length >= samplesPerNews) this.#send();
    else if (this.#gathered.length > 0) this.#timer ??= setTimeout(() => this.#send(), gatherMs).unref();
  }

  /** What another node has told. */
  heard(text: string): void {
    if (text.startsWith(`{"kind":"${wantedKind}"`)) {
      const { node, agents, metrics } = JSON.parse(text) as Wanted & { node: string };
      if (node !== this.#node) this.#wanted.set(node, { agents: setOf(agents), metrics: setOf(metrics) });
    } else if (text.startsWith(`{"kind":"${samplesKind}"`) && !isEmpty(this.#options.filters())) {
      const { samples } = JSON.parse(text) as { samples: Sent[] };
      for (const [ap_id, receivedMs, ts, names, values] of samples) {
        this.#newest.set(ap_id, Math.max(ts, this.#newest.get(ap_id) ?? 0));
        this.#options.publish(ap_id, [{ ts, names, values, texts: [] }], receivedMs);
      }
    }
  }

  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const samples = this.#gathered;
    this.#gathered = [];
    this.sent += samples.length;
    for (let start = 0; start < samples.length; start += samplesPerNews) {
      const part = samples.slice(start, start + samplesPerNews);
      this.#options.send(JSON.stringify({ kind: samplesKind, samples: part }));
    }
  }

  async #ask(): Promise<void> {
    const wanted = union(this.#options.filters());
    if (!wanted) return;
    this.#options.ask(JSON.stringify({ kind: wantedKind, node: this.#node, ...wanted }));
    if (!this.#options.isBrokerThere()) await this.#readNewest(wanted);
  }

  async #readNewest({ agents }: Wanted): Promise<void> {
    const { telemetry, publish } = this.#options;
    const names = agents ?? (await this.#allAgents());
    for (let start = 0; start < names.length && !this.#asking.isStopped; start += agentsAtOnce) {
      const nowMs = Date.now();
      for (const { ap_id, metrics } of await telemetry.latest(names.slice(start, start + agentsAtOnce))) {
        // Of an agent that has not reported before, what is old is no news.
        const before = this.#newest.get(ap_id) ?? nowMs - 2 * askEveryMs;
        const samples = samplesAfter(before, metrics);
        if (samples.length === 0) continue;
        this.#newest.set(ap_id, samples.at(-1)!.ts);
        publish(ap_id, samples, nowMs);
      }
    }
  }

  async #allAgents(): Promise<string[]> {
    const nowMs = performance.now();
    if (!this.#agents || nowMs - this.#agents.atMs > agentsFreshMs) {
      this.#agents = { names: await this.#options.listAgents(), atMs: nowMs };
    }
    return this.#agents.names;
  }
}

/** What all of them together ask for; undefined if there are none. */
function union(filters: Iterable<StreamFilter>): Wanted | undefined {
  const [agents, metrics] = [new Set<string>(), new Set<string>()];
  let [areAll, isEvery, count] = [false, false, 0];
  for (const filter of filters) {
    count++;
    areAll ||= filter.agents === undefined;
    isEvery ||= filter.metrics === undefined;
    for (const name of filter.agents ?? []) agents.add(name);
    for (const name of filter.metrics ?? []) metrics.add(name);
  }
  if (count === 0) return undefined;
  return {
    ...(!areAll && agents.size <= maxNames && { agents: [...agents] }),
    ...(!isEvery && metrics.size <= maxNames && { metrics: [...metrics] }),
  };
}

function samplesAfter(afterMs: number, metrics: readonly { name: string; ts: number; value: number }[]): Sample[] {
  const byTime = Map.groupBy(
    metrics.filter(({ ts }) => ts > afterMs),
    ({ ts }) => ts,
  );
  return [...byTime]
    .sort(([a], [b]) => a - b)
    .map(([ts, own]) => ({
      ts,
      names: own.map(({ name }) => name),
      values: own.map(({ value }) => value),
      texts: [],
    }));
}

function setOf(names: string[] | undefined): ReadonlySet<string> | undefined {
  return names && new Set(names);
}

function isEmpty(items: Iterable<unknown>): boolean {
  for (const _ of items) return false;
  return true;
}
