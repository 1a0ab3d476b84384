// The fleet at one moment, for whoever looks at many agents: who is in which state, what is measured there, who matches a
// selector. Everything is in memory; only what a question needs is prepared.
import type { AlarmSeverity, HealthWord } from '@weft/contract';
import {
  type AgentState,
  type ConfigState,
  parseSelector,
  type Selectable,
  type Selector,
} from '@weft/contract/selector';
import type { Caller } from '../../base/caller.ts';
import { mayReadConfig } from '../../base/rights/permission.ts';
import { rightsOf } from '../../base/rights/rights.ts';
import { inSlices } from '../../base/time-slices.ts';
import type { PresenceService } from '../../telemetry/presence/presence-service.ts';
import type { FleetIndex, IndexedAgent } from './fleet-index.ts';
import { healthWordOf } from './health-word.ts';
import type { MetricColumns } from './metric-columns.ts';
import type { StateColumn } from './state-column.ts';

/** What emulated access points report: 1 while they serve, 0 while they sleep. */
const powerMetric = 'active';

export interface FleetNeeds {
  state?: boolean;
  power?: boolean;
  config?: boolean;
  metrics?: readonly string[];
}

export interface FleetMoment {
  /** Ordered by ap_id. */
  agents: readonly IndexedAgent[];
  stateOf(agent: IndexedAgent): AgentState;
  lastSeenOf(agent: IndexedAgent): number | null;
  powerOf(agent: IndexedAgent): 'awake' | 'asleep' | null;
  /** Null once its run has ended. */
  healthOf(agent: IndexedAgent): HealthWord | null;
  /** How it stands to what it shall be; undefined if no layer is about it, or nobody asked. */
  configOf(agent: IndexedAgent): ConfigState | undefined;
  metricOf(name: string): (agent: IndexedAgent) => number | undefined;
  /** The same by slot, for scans; NaN, or nothing, for none. */
  valuesOf(name: string): Float64Array | undefined;
}

export interface FleetViewOptions {
  index: FleetIndex;
  columns: MetricColumns;
  states: StateColumn;
  presence: Pick<PresenceService, 'followOthers' | 'lastSeen'>;
  /** The worst alarm of each that has one; default: nobody has. */
  severities?: () => ReadonlyMap<string, AlarmSeverity> | undefined;
  /** How agents stand to what they shall be, by their ids. */
  configStates?: () => Promise<ReadonlyMap<string, ConfigState>> | undefined;
}

export class FleetView {
  readonly #options: FleetViewOptions;

  constructor(options: FleetViewOptions) {
    this.#options = options;
  }

  /** Knows every change that was durable before the call. */
  async moment({ state = false, power = false, config = false, metrics = [] }: FleetNeeds): Promise<FleetMoment> {
    const { index, columns, states, presence } = this.#options;
    await index.refresh();
    if (state) await presence.followOthers();
    const names = [...metrics, ...(power ? [powerMetric] : [])];
    if (names.length > 0) await columns.require(names);
    const configs = config ? await this.#options.configStates?.() : undefined;
    const activeOf = columns.newest(powerMetric);
    let worst: ReadonlyMap<string, AlarmSeverity> | undefined;
    return {
      agents: index.agents,
      stateOf: ({ slot }) => states.of(slot),
      lastSeenOf: ({ ap_id }) => presence.lastSeen(ap_id),
      powerOf: (agent) => {
        const active = activeOf(agent);
        return active === undefined ? null : active === 0 ? 'asleep' : 'awake';
      },
      healthOf: (agent) => {
        if (agent.isEnded) return null;
        worst ??= this.#options.severities?.() ?? new Map();
        const state = states.of(agent.slot);
        return healthWordOf(state, worst.get(agent.ap_id) ?? null);
      },
      configOf: ({ id }) => configs?.get(id),
      metricOf: (name) => columns.newest(name),
      valuesOf: (name) => columns.values(name),
    };
  }

  /** The agent as it is known now. */
  get(ap_id: string): IndexedAgent | undefined {
    return this.#options.index.get(ap_id);
  }

  /** The ids of those whose id or display name passes the test; both in lower case. */
  async named(isMeant: (name: string) => boolean): Promise<string[]> {
    const { agents } = await this.moment({});
    const found: string[] = [];
    await inSlices(agents, ({ ap_id, display_name }) => {
      if (isMeant(ap_id.toLowerCase()) || (display_name !== null && isMeant(display_name.toLowerCase())))
        found.push(ap_id);
    });
    return found;
  }

  /** Those that match and that the caller may see (undefined: Weft itself), ordered by ap_id. */
  async select(selector: Selector | string, caller: Caller | undefined): Promise<IndexedAgent[]> {
    const parsed = typeof selector === 'string' ? parseSelector(selector) : selector;
    const moment = await this.moment(needsOf(parsed, caller));
    const test = createListTest(parsed, moment);
    const rights = caller && rightsOf(caller);
    const found: IndexedAgent[] = [];
    await inSlices(moment.agents, (agent) => {
      if (test(agent) && (!rights || rights.sees(agent))) found.push(agent);
    });
    return found;
  }
}

/** For this caller (undefined: Weft itself): of settings it is told nothing that it may not read, and `config:` selects nothing. */
export function needsOf(selector: Selector, caller: Caller | undefined): Required<FleetNeeds> {
  const { needsState, needsHealth, needsPower, needsConfig, metrics } = selector;
  const config = needsConfig && (!caller || mayReadConfig(caller));
  return { state: needsState || needsHealth, power: needsPower, config, metrics };
}

/**
 * Emulated agents whose run has ended stay for a while, thousands of them: they match only a selector that asks for states.
 * One object stands for all agents, because creating 100,000 of them would cost more than the tests.
 */
export function createTest(selector: Selector, moment: FleetMoment): (agent: IndexedAgent) => boolean {
  const { test, needsState, node } = selector;
  if (node.kind === 'all') return (agent) => !agent.isEnded;
  const probe = new Probe(moment, selector.metrics);
  return (agent) => {
    if (agent.isEnded && !needsState) return false;
    probe.agent = agent;
    return test(probe);
  };
}

/** As createTest, for lists of access points: agents of devices are in them only if the selector asks for a type. */
export function createListTest(selector: Selector, moment: FleetMoment): (agent: IndexedAgent) => boolean {
  const test = createTest(selector, moment);
  if (selector.asksForType) return test;
  return (agent) => !agent.isDevice && test(agent);
}

class Probe implements Selectable {
  agent!: IndexedAgent;
  readonly #moment: FleetMoment;
  readonly #metrics: Map<string, (agent: IndexedAgent) => number | undefined>;

  constructor(moment: FleetMoment, metrics: readonly string[]) {
    this.#moment = moment;
    this.#metrics = new Map(metrics.map((name) => [name, moment.metricOf(name)]));
  }

  get ap_id() {
    return this.agent.ap_id;
  }
  get display_name() {
    return this.agent.display_name;
  }
  get site() {
    return this.agent.site;
  }
  get tags() {
    return this.agent.tags;
  }
  get access_point_type() {
    return this.agent.access_point_type;
  }
  get state() {
    return this.#moment.stateOf(this.agent);
  }
  get health() {
    return this.#moment.healthOf(this.agent);
  }
  get power_state() {
    return this.#moment.powerOf(this.agent);
  }
  get config() {
    return this.#moment.configOf(this.agent);
  }
  get emulated() {
    return this.agent.emulated_for !== null;
  }
  metric(name: string) {
    return this.#metrics.get(name)?.(this.agent);
  }
}
