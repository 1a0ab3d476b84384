// Gathers what is known around an alarm, as far as the caller may see it, and diagnoses it.

import type { Diagnosis } from '@weft/contract/operations';
import type { EventLog } from '../../../core/accounts/event-log/event-log.ts';
import type { Caller } from '../../../core/base/caller.ts';
import { notFound } from '../../../core/base/errors.ts';
import { rightsOf } from '../../../core/base/rights/rights.ts';
import type { FairTurns } from '../../../core/base/shares/fair-turns.ts';
import { principalOf, type Shares } from '../../../core/base/shares/shares.ts';
import { inSlices } from '../../../core/base/time-slices.ts';
import type { AgentRow } from '../../../core/network/agent-rows.ts';
import type { Network } from '../../../core/network/network.ts';
import type { Frame, TelemetryStore } from '../../../core/telemetry/store/telemetry-store.ts';
import { canSeeAlarm } from '../../alarms/api/alarm-rights.ts';
import type { AlarmRecord } from '../../alarms/store/alarm-store.ts';
import { familyOf } from '../grouping/grouped-alarm.ts';
import type { IncidentAlarm, IncidentStore } from '../incident-store.ts';
import { type Change, diagnose, type Neighbour, type Values } from './diagnose.ts';

const minuteMs = 60_000;
export const newestMs = 2 * minuteMs;
export const pastMs = 15 * minuteMs;
const changesMs = 10 * minuteMs;
const maxNeighbours = 40;
const maxChanges = 50;
const changeKinds = ['command.succeeded', 'conflict.*', 'config.confirmed', 'config.in_sync', 'config.reverted'];
const turns = { slots: 4, perPrincipal: 2, maxWaiting: 200 };
export const metrics = [
  ...[
    'noise_floor_dbm',
    'channel',
    'channel_width_mhz',
    'channel_utilisation_pct',
    'airtime_pct',
    'connected_devices',
    'served_devices',
  ],
  ...['prb_load_pct', 'prb_quota_pct', 'tx_power_dbm', 'dimming_pct', 'blocked_pct', 'power_w', 'uptime_seconds'],
];

export interface DiagnosisServiceOptions {
  store: Pick<IncidentStore, 'alarm' | 'alarmsOf'>;
  network: Network;
  active: { readonly active: Iterable<AlarmRecord> };
  telemetry: Pick<TelemetryStore, 'query' | 'latest'>;
  eventLog: Pick<EventLog, 'read'>;
  productOf: (rule_id: string) => string | null;
  shares: Shares;
}

export class DiagnosisService {
  readonly #options: DiagnosisServiceOptions;
  readonly #turns: FairTurns;

  constructor(options: DiagnosisServiceOptions) {
    this.#options = options;
    this.#turns = options.shares.turns('diagnoses', turns);
  }

  /** Throws NotFoundError for an alarm that is unknown or that the caller may not see. */
  async diagnose(alarm_id: string, caller: Caller): Promise<Diagnosis> {
    const { store, network } = this.#options;
    const sight = await network.visibleTo(caller);
    const alarm = await store.alarm(alarm_id);
    if (!alarm || !canSeeAlarm(sight, alarm)) throw notFound('Alarm');
    return this.of(alarm, caller);
  }

  /** Of an alarm that the caller may see. */
  readonly of = (alarm: IncidentAlarm, caller: Caller): Promise<Diagnosis> =>
    this.#turns.run(principalOf(caller), () => this.#look(alarm, caller));

  async #look(alarm: IncidentAlarm, caller: Caller): Promise<Diagnosis> {
    const { network, productOf } = this.#options;
    const { product = productOf(alarm.rule_id), set, ...others } = alarm.incident_context ?? {};
    // As in the changes below.
    const context = rightsOf(caller).isUser ? { ...others, set } : others;
    const agent = alarm.ap_id === null ? undefined : network.get(alarm.ap_id);
    if (!agent) {
      const nothing = { now: {}, before: {}, neighbours: [], changes: [], commands: new Map() };
      return diagnose({ alarm, product, context, ...nothing });
    }
    const { ap_id } = agent;
    const endMs = endOf(alarm, Date.now());
    return diagnose({
      alarm,
      product,
      context,
      now: meansOf(await this.#frame(ap_id, Math.max(alarm.since, endMs - newestMs), endMs)),
      before: firstsOf(await this.#frame(ap_id, alarm.since - pastMs, alarm.since)),
      neighbours: await this.#neighbours(agent, alarm, caller),
      changes: await this.#changes(ap_id, alarm.since, caller),
      commands: agent.commands ?? new Map(),
    });
  }

  #frame(ap_id: string, startMs: number, endMs: number): Promise<Frame> {
    const range = { startMs, endMs: Math.max(endMs, startMs + 1) };
    return this.#options.telemetry.query({ ap_id, ...range, metrics, maxPoints: 100, aggregate: 'mean' });
  }

  /** Of the same type and site; of those without a site, of the same emulated network. */
  async #neighbours(agent: AgentRow, alarm: IncidentAlarm, caller: Caller): Promise<Neighbour[]> {
    const { network, productOf } = this.#options;
    const sight = network.sight(caller);
    const near: string[] = [];
    await inSlices(network.agents, (other) => {
      if (other.ap_id === agent.ap_id || near.length >= maxNeighbours || other.isEnded) return;
      if (other.access_point_type !== agent.access_point_type || other.site !== agent.site) return;
      const isKnownPlace = agent.site !== null || (agent.emulated && other.emulated_for === agent.emulated_for);
      if (isKnownPlace && sight.sees(other)) near.push(other.ap_id);
    });
    if (near.length === 0) return [];
    const familyOfRule = (each: AlarmRecord) => familyOf({ ...each, product: productOf(each.rule_id) });
    const own = familyOfRule(alarm);
    const same = new Set<string | null>();
    for (const each of await this.#besides(alarm)) if (familyOfRule(each) === own) same.add(each.ap_id);
    const values = await this.#valuesOf(near, alarm);
    return near.map((ap_id) => ({ ap_id, values: values.get(ap_id) ?? {}, hasSame: same.has(ap_id) }));
  }

  /** What is wrong now; of one that is over what was wrong with it. */
  async #besides({ cleared_at, incident_id }: IncidentAlarm): Promise<Iterable<AlarmRecord>> {
    if (cleared_at === null || incident_id === null) return this.#options.active.active;
    return (await this.#options.store.alarmsOf([incident_id])).get(incident_id)!;
  }

  /** The newest ones; of an alarm that is over those of its time. */
  async #valuesOf(names: readonly string[], alarm: IncidentAlarm): Promise<Map<string, Values>> {
    const endMs = endOf(alarm, Date.now());
    if (alarm.cleared_at !== null) {
      const means = names.map(async (ap_id) => meansOf(await this.#frame(ap_id, endMs - minuteMs, endMs)));
      return new Map((await Promise.all(means)).map((values, n) => [names[n]!, values]));
    }
    const latest = await this.#options.telemetry.latest(names);
    const toValues = ({ metrics: list }: (typeof latest)[number]) => list.map(({ name, value }) => [name, value]);
    return new Map(latest.map((each) => [each.ap_id, Object.fromEntries(toValues(each))]));
  }

  /** Newest first. Apps and agents do not learn who else sends commands. */
  async #changes(ap_id: string, sinceMs: number, caller: Caller): Promise<Change[]> {
    const { events } = await this.#options.eventLog.read({
      kinds: changeKinds,
      ap_id,
      fromMs: sinceMs - changesMs,
      untilMs: sinceMs + minuteMs,
      order: 'newest_first',
      limit: maxChanges,
    });
    const isUser = rightsOf(caller).isUser;
    return events.map(({ text, ts, data }) => {
      const by = isUser && typeof data.by === 'string' ? ` (${data.by})` : '';
      return { text: `${text}${by}`, atMs: ts };
    });
  }
}

/** Of one that is over: when it fired, because what was wrong may have gone away long before it cleared. */
export function endOf({ fired_at, cleared_at }: Pick<AlarmRecord, 'fired_at' | 'cleared_at'>, nowMs: number): number {
  return cleared_at === null ? nowMs : fired_at;
}

export function meansOf({ columns }: Pick<Frame, 'columns'>): Values {
  return eachColumn(columns, (values) => values.reduce((sum, value) => sum + value, 0) / values.length);
}

export function firstsOf({ columns }: Pick<Frame, 'columns'>): Values {
  return eachColumn(columns, ([first]) => first!);
}

function eachColumn(columns: Frame['columns'], toValue: (values: number[]) => number): Values {
  const found: Record<string, number> = Object.create(null);
  for (const [name, column] of columns) {
    const values = [...column].filter((value) => typeof value === 'number' && Number.isFinite(value)) as number[];
    if (values.length > 0) found[name] = toValue(values);
  }
  return found;
}
