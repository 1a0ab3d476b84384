// All access points as this node knows them, with the facts that parts add as columns, and what each caller sees of
// them. Everything is in memory; only what a question needs is prepared.
import type { AlarmSeverity, HealthWord } from '@weft/contract';
import {
  type AgentState,
  type ConfigState,
  parseSelector,
  type Selectable,
  type Selector,
} from '@weft/contract/selector';
import type { Caller } from '../base/caller.ts';
import type { ValidationError } from '../base/errors.ts';
import { invalidValue } from '../base/input/value-rules.ts';
import { mayReadConfig } from '../base/rights/permission.ts';
import type { SqlQueries } from '../base/storage/sql-database.ts';
import { inSlices } from '../base/time-slices.ts';
import { type AgentRow, AgentRows } from './agent-rows.ts';
import type { Columns } from './columns.ts';
import { healthWordOf } from './columns.ts';
import { NetworkSight, Sight } from './sight.ts';

/** What emulated access points report: 1 while they serve, 0 while they sleep. */
const powerMetric = 'active';

export interface NetworkNeeds {
  state?: boolean;
  /** By alarms and states. */
  health?: boolean;
  power?: boolean;
  config?: boolean;
  metrics?: readonly string[];
}

export interface NetworkMoment {
  /** Ordered by ap_id. */
  agents: readonly AgentRow[];
  sightOf(caller: Caller): NetworkSight;
  stateOf(agent: AgentRow): AgentState;
  lastSeenOf(agent: AgentRow): number | null;
  powerOf(agent: AgentRow): 'awake' | 'asleep' | null;
  /** Null once its run has ended. */
  healthOf(agent: AgentRow): HealthWord | null;
  /** How it stands to what it shall be; undefined if no layer is about it, or nobody asked. */
  configOf(agent: AgentRow): ConfigState | undefined;
  metricOf(name: string): (agent: AgentRow) => number | undefined;
  /** The same by slot, for scans; NaN, or nothing, for none. */
  valuesOf(name: string): Float64Array | undefined;
}

export class Network extends AgentRows {
  /** The part that owns a fact sets its column. */
  readonly columns: Columns = {};

  /** What the caller sees; knows every change that was durable before the call, those of other processes so much later. */
  async visibleTo(caller: Caller, withinMs = 0): Promise<NetworkSight> {
    if (!this.isWithin(withinMs)) await this.fresh();
    return this.sight(caller);
  }

  /** The same as of the last look: after `moment`, which has looked. */
  sight(caller: Caller): NetworkSight {
    return new NetworkSight(this, caller);
  }

  /** What the caller sees of these as the transaction has them, which may have changed them. */
  async visibleIn(tx: SqlQueries, caller: Caller, ap_ids: readonly string[]): Promise<Sight> {
    const rows = await this.store.visible(tx, ap_ids);
    return new Sight(caller, new Map(rows.map((row) => [row.ap_id, row])));
  }

  /** Knows every change that was durable before the call. */
  async moment(needs: NetworkNeeds): Promise<NetworkMoment> {
    const { state = false, health = false, power = false, config = false, metrics = [] } = needs;
    const { presence, metrics: values, ...columns } = this.columns;
    if (health && !columns.severities) throw unknownTerm('health');
    if (config && !columns.config) throw unknownTerm('config');
    await this.fresh();
    if (state) await presence?.fresh();
    const names = [...metrics, ...(power ? [powerMetric] : [])];
    if (names.length > 0) await values?.require(names);
    const configs = config ? await columns.config?.() : undefined;
    const metricOf = (name: string) => values?.newest(name) ?? (() => undefined);
    const activeOf = metricOf(powerMetric);
    const stateOf = (agent: AgentRow) => presence?.stateOf(agent) ?? (agent.isEnded ? 'ended' : 'never');
    let worst: ReadonlyMap<string, AlarmSeverity> | undefined;
    return {
      agents: this.agents,
      sightOf: (caller) => this.sight(caller),
      stateOf,
      lastSeenOf: ({ ap_id }) => presence?.lastSeen(ap_id) ?? null,
      powerOf: (agent) => {
        const active = activeOf(agent);
        return active === undefined ? null : active === 0 ? 'asleep' : 'awake';
      },
      healthOf: (agent) => {
        if (agent.isEnded) return null;
        worst ??= columns.severities?.() ?? new Map();
        return healthWordOf(stateOf(agent), worst.get(agent.ap_id) ?? null);
      },
      configOf: ({ id }) => configs?.get(id),
      metricOf,
      valuesOf: (name) => values?.values(name),
    };
  }

  /** The ids of those with this id or display name, in any case. */
  called(name: string): Promise<string[]> {
    const wanted = name.trim().toLowerCase();
    return this.named((each) => each === wanted);
  }

  /** The ids of those whose id or display name passes the test; both in lower case. */
  async named(isMeant: (name: string) => boolean): Promise<string[]> {
    await this.fresh();
    const found: string[] = [];
    await inSlices(this.agents, ({ ap_id, display_name }) => {
      if (isMeant(ap_id.toLowerCase()) || (display_name !== null && isMeant(display_name.toLowerCase())))
        found.push(ap_id);
    });
    return found;
  }

  /** Whether it matches, for as long as nothing changes; of what the caller (undefined: Weft itself) may not read it matches nothing. */
  async selection(selector: Selector | string, caller: Caller | undefined): Promise<(agent: AgentRow) => boolean> {
    const parsed = typeof selector === 'string' ? parseSelector(selector) : selector;
    return createTest(parsed, await this.moment(needsOf(parsed, caller)));
  }

  /** Those that match and that the caller may see (undefined: Weft itself), ordered by ap_id. */
  async select(selector: Selector | string, caller: Caller | undefined): Promise<AgentRow[]> {
    const parsed = typeof selector === 'string' ? parseSelector(selector) : selector;
    const isSelected = createListTest(parsed, await this.moment(needsOf(parsed, caller)));
    const sight = caller && this.sight(caller);
    const found: AgentRow[] = [];
    await inSlices(this.agents, (agent) => {
      if (isSelected(agent) && (!sight || sight.sees(agent))) found.push(agent);
    });
    return found;
  }
}

/** Of a part that this process has not got. */
function unknownTerm(term: string): ValidationError {
  return invalidValue(['query', 'selector'], `this Weft runs without the part that knows ${term}:`);
}

/** For this caller (undefined: Weft itself): of settings it is told nothing that it may not read, and `config:` selects nothing. */
export function needsOf(selector: Selector, caller: Caller | undefined): Required<NetworkNeeds> {
  const { needsState, needsHealth, needsPower, needsConfig, metrics } = selector;
  const config = needsConfig && (!caller || mayReadConfig(caller));
  return { state: needsState || needsHealth, health: needsHealth, power: needsPower, config, metrics };
}

/**
 * Emulated agents whose run has ended stay for a while, thousands of them: they match only a selector that asks for
 * states. One object stands for all agents, because creating 100,000 of them would cost more than the tests.
 */
export function createTest(selector: Selector, moment: NetworkMoment): (agent: AgentRow) => boolean {
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
export function createListTest(selector: Selector, moment: NetworkMoment): (agent: AgentRow) => boolean {
  const test = createTest(selector, moment);
  if (selector.asksForType) return test;
  return (agent) => !agent.isDevice && test(agent);
}

class Probe implements Selectable {
  agent!: AgentRow;
  readonly #moment: NetworkMoment;
  readonly #metrics: Map<string, (agent: AgentRow) => number | undefined>;

  constructor(moment: NetworkMoment, metrics: readonly string[]) {
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
