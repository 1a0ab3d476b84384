// The newest values of a metric of all agents, as columns: sorting and selecting by it looks at all of them. A column is
// loaded from the telemetry store when the metric is first asked for, and follows the reports from then on.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { relaxed } from '../../base/periodic-task.ts';
import type { AgentRow } from '../../network/agent-rows.ts';
import type { Network } from '../../network/network.ts';
import { isNewest, type Sample, type TelemetryStore } from '../store/telemetry-store.ts';

/** 1.6 MB each with 100,000 agents. */
const maxColumns = 16;
const agentsAtOnce = 500;
const maxEarly = 10_000;
/** As long as columns are trusted that take long to load. */
const relaxedFreshMs = 10_000;

interface Column {
  values: Float64Array<ArrayBuffer>;
  times: Float64Array<ArrayBuffer>;
  /** Undefined until all agents have been read. */
  loadedAt: number | undefined;
}

export interface MetricColumnsOptions {
  telemetry: Pick<TelemetryStore, 'latest'>;
  network: Pick<Network, 'agents' | 'get' | 'slots' | 'gone'>;
  /** How long a column is trusted: other nodes may hear of newer values. Infinity if there are none. */
  freshMs: number;
}

export class MetricColumns {
  readonly #options: MetricColumnsOptions;
  /** The one that was asked for longest ago comes first. */
  readonly #columns = new Map<string, Column>();
  /** Agents that have reported before the index knew of them. */
  readonly #early = new Set<string>();
  #loading: Promise<void> = Promise.resolve();
  #loadingTookMs = 0;

  constructor(options: MetricColumnsOptions) {
    this.#options = options;
    options.network.gone.on(({ slot }) => this.#forget(slot));
  }

  /** Once it resolves, `newest` knows these metrics. At most `maxColumns` of them. */
  async require(names: readonly string[]): Promise<void> {
    if (this.#missing(names).length === 0 && this.#early.size === 0) return this.#touch(names);
    // One after the other, so that callers which ask for the same do not load it twice.
    const loading = this.#loading.then(async () => {
      const missing = this.#missing(names);
      if (missing.length > 0) await this.#load(missing);
      await this.#loadEarly();
      this.#touch(names);
    });
    this.#loading = loading.catch(() => {});
    return loading;
  }

  /** A function for many calls: the newest value of the metric, or undefined. */
  newest(name: string): (agent: Pick<AgentRow, 'slot'>) => number | undefined {
    const values = this.values(name);
    if (!values) return () => undefined;
    return ({ slot }) => {
      const value = values[slot];
      return value === undefined || Number.isNaN(value) ? undefined : value;
    };
  }

  /** The newest values by slot, NaN for none; what is longer or newer later may be another array. */
  values(name: string): Float64Array | undefined {
    return this.#columns.get(name)?.values;
  }

  /** These samples of the agent are stored now. */
  recorded(ap_id: string, samples: readonly Sample[]): void {
    if (this.#columns.size === 0) return;
    const agent = this.#options.network.get(ap_id);
    if (!agent) {
      this.#noteEarly(ap_id);
      return;
    }
    for (const [name, column] of this.#columns) {
      for (const { ts, names, values } of samples) {
        const at = names.indexOf(name);
        if (at >= 0) set(grown(column, agent.slot), agent.slot, ts, values[at]!);
      }
    }
  }

  /** The slot belongs to nobody now. */
  #forget(slot: number): void {
    for (const { values, times } of this.#columns.values()) {
      if (slot >= values.length) continue;
      values[slot] = Number.NaN;
      times[slot] = Number.NEGATIVE_INFINITY;
    }
  }

  #noteEarly(ap_id: string): void {
    this.#early.add(ap_id);
    if (this.#early.size <= maxEarly) return;
    // Rather read all again than let this grow.
    this.#early.clear();
    this.#columns.clear();
  }

  async #loadEarly(): Promise<void> {
    const { network } = this.#options;
    const known = [...this.#early].flatMap((ap_id) => network.get(ap_id) ?? []);
    if (known.length === 0) return;
    for (const { ap_id } of known) this.#early.delete(ap_id);
    await this.#read(known, this.#columns);
  }

  #missing(names: readonly string[]): string[] {
    const oldest = performance.now() - Math.max(this.#options.freshMs, relaxed(this.#loadingTookMs, relaxedFreshMs));
    return names.filter((name) => {
      const loadedAt = this.#columns.get(name)?.loadedAt;
      return loadedAt === undefined || loadedAt < oldest;
    });
  }

  #touch(names: readonly string[]): void {
    for (const name of names) {
      const column = this.#columns.get(name);
      if (!column) continue;
      this.#columns.delete(name);
      this.#columns.set(name, column);
    }
  }

  async #load(names: readonly string[]): Promise<void> {
    const { network } = this.#options;
    const columns = new Map(names.map((name) => [name, this.#columns.get(name) ?? emptyColumn(network.slots)]));
    // From now on they follow the reports; what is loaded later is older and does not replace those.
    for (const [name, column] of columns) this.#columns.set(name, column);
    const beganAt = performance.now();
    await this.#read(network.agents, columns);
    this.#loadingTookMs = performance.now() - beganAt;
    for (const column of columns.values()) column.loadedAt = performance.now();
    for (const name of this.#columns.keys()) {
      if (this.#columns.size <= maxColumns) break;
      if (!names.includes(name)) this.#columns.delete(name);
    }
  }

  async #read(agents: readonly AgentRow[], columns: ReadonlyMap<string, Column>): Promise<void> {
    const { network, telemetry } = this.#options;
    for (let start = 0; start < agents.length; start += agentsAtOnce) {
      const part = agents.slice(start, start + agentsAtOnce);
      for (const { ap_id, metrics } of await telemetry.latest(part.map((agent) => agent.ap_id))) {
        const slot = network.get(ap_id)?.slot;
        if (slot === undefined) continue;
        for (const { name, ts, value } of metrics) {
          const column = columns.get(name);
          if (column) set(grown(column, slot), slot, ts, value);
        }
      }
      await nextTurn();
    }
  }
}

/** With room for the slot. */
function grown(column: Column, slot: number): Column {
  if (slot < column.values.length) return column;
  const larger = emptyColumn(Math.max(slot + 1, Math.ceil(column.values.length * 1.5)));
  larger.values.set(column.values);
  larger.times.set(column.times);
  column.values = larger.values;
  column.times = larger.times;
  return column;
}

function emptyColumn(slots: number): Column {
  return {
    values: new Float64Array(slots).fill(Number.NaN),
    times: new Float64Array(slots).fill(Number.NEGATIVE_INFINITY),
    loadedAt: undefined,
  };
}

function set({ values, times }: Column, slot: number, ts: number, value: number): void {
  if (!isNewest(ts, times[slot]!)) return;
  values[slot] = value;
  times[slot] = ts;
}
