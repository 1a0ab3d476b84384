// The five figures of a network: what it does now, and its last day in half hours. Of many access points a part is read, which stands
// for all; what was read of one is kept for a while, so that callers who look at the same share the work.

import { BoundedMap } from '@weft/contract/bounded-map';
import type { NetworkFigures } from '@weft/contract/operations';
import type { Caller } from '../../core/base/caller.ts';
import type { FairTurns } from '../../core/base/shares/fair-turns.ts';
import { principalOf, type Shares } from '../../core/base/shares/shares.ts';
import type { AgentRow } from '../../core/network/agent-rows.ts';
import type { Network, NetworkMoment } from '../../core/network/network.ts';
import { defaultIntervalMs } from '../../core/telemetry/presence/presence.ts';
import type { TelemetryStore } from '../../core/telemetry/store/telemetry-store.ts';
import { slotMsOf } from './service-levels.ts';

const metrics = ['served_devices', 'connected_devices', 'qos_met_pct', 'throughput_mbps', 'power_w'] as const;
const slotMs = 5 * 60_000;
const stepMs = 30 * 60_000;
const slotsPerStep = stepMs / slotMs;
/** A day and the half hour that has begun: the first is the same half hour yesterday. */
const steps = 49;
const maxRead = 100;
const readAtOnce = 8;
const keptMs = 5 * 60_000;
const maxKept = 1_000;
const turns = { slots: 2, perPrincipal: 1, maxWaiting: 200 };

type Sums = Record<'devices' | 'throughput' | 'power' | 'judged' | 'met' | 'present' | 'expected' | 'reports', number>;

/** By the number of the half hour since 1970. */
type AgentDay = ReadonlyMap<number, Sums>;

export interface NetworkFiguresOptions {
  network: Network;
  telemetry: Pick<TelemetryStore, 'query'>;
  shares: Shares;
  now?: () => number;
}

export class NetworkFiguresService {
  readonly #options: NetworkFiguresOptions;
  readonly #turns: FairTurns;
  readonly #now: () => number;
  readonly #days: BoundedMap<string, AgentDay>;

  constructor(options: NetworkFiguresOptions) {
    this.#options = options;
    this.#turns = options.shares.turns('network_figures', turns);
    this.#now = options.now ?? Date.now;
    this.#days = new BoundedMap(maxKept, { ttlMs: keptMs });
  }

  /** Of the access points that match the selector and that the caller may see. */
  async figures(caller: Caller, selector: string): Promise<NetworkFigures> {
    const { network } = this.#options;
    const agents = (await network.select(selector, caller)).filter(({ isEnded }) => !isEnded);
    const moment = await network.moment({ state: true, metrics });
    const nowMs = this.#now();
    const read = evenly(agents, maxRead);
    const days = await this.#turns.run(principalOf(caller), () => this.#read(read, moment, nowMs));
    const weight = read.length === 0 ? 0 : agents.length / read.length;
    const last = Math.floor(nowMs / stepMs);
    const day = Array.from({ length: steps }, (_, n) => {
      const sums = emptySums();
      for (const each of days) addSums(sums, each.get(last - steps + 1 + n));
      return sums;
    });
    const present = sumsNow(agents, moment);
    const figure = (of: (sums: Sums) => number | null, scale = weight) => ({
      now: of(present),
      day: day.map((sums) => {
        const value = sums.reports === 0 && sums.expected === 0 ? null : of(sums);
        return value === null ? null : round(value * scale);
      }),
    });
    const share = (part: number, whole: number) => (whole === 0 ? null : round((100 * part) / whole));
    return {
      at: new Date(nowMs).toISOString(),
      step_seconds: stepMs / 1000,
      access_points: agents.length,
      read: read.length,
      served_devices: figure(({ devices }) => round(devices)),
      within_budget_pct: figure(({ met, judged }) => share(met, judged), 1),
      throughput_mbps: figure(({ throughput }) => round(throughput)),
      power_w: figure(({ power }) => round(power)),
      availability_pct: figure(({ present, expected }) => share(present, expected), 1),
    };
  }

  async #read(agents: readonly AgentRow[], moment: NetworkMoment, nowMs: number): Promise<AgentDay[]> {
    const days: AgentDay[] = [];
    for (let start = 0; start < agents.length; start += readAtOnce) {
      const part = agents.slice(start, start + readAtOnce);
      days.push(...(await Promise.all(part.map((agent) => this.#dayOf(agent, moment, nowMs)))));
    }
    return days;
  }

  async #dayOf(agent: AgentRow, moment: NetworkMoment, nowMs: number): Promise<AgentDay> {
    const known = this.#days.get(agent.id);
    if (known) return known;
    const startMs = (Math.floor(nowMs / stepMs) - steps + 1) * stepMs;
    const { ts, columns } = await this.#options.telemetry.query({
      ap_id: agent.ap_id,
      startMs,
      endMs: nowMs,
      metrics,
      maxPoints: steps * slotsPerStep + 1,
      aggregate: 'mean',
    });
    const lastSeenMs = moment.lastSeenOf(agent);
    const day = toDay(ts, columns, {
      startMs,
      nowMs,
      // One that has never reported is not waited for; of one that went away before, all of the day is missing. What other nodes
      // have heard may be stored before this one knows that they did.
      isKnown: ts.length > 0 || (lastSeenMs !== null && lastSeenMs < startMs),
      intervalMs: agent.configuredMs ?? defaultIntervalMs,
    });
    this.#days.set(agent.id, day);
    return day;
  }
}

interface DayOptions {
  startMs: number;
  nowMs: number;
  isKnown: boolean;
  intervalMs: number;
}

/** Points in the order of time; NaN stands for no value. */
export function toDay(
  ts: ArrayLike<number>,
  columns: ReadonlyMap<string, ArrayLike<number>>,
  { startMs, nowMs, isKnown, intervalMs }: DayOptions,
): AgentDay {
  const day = new Map<number, Sums>();
  const sumsOf = (ms: number) => {
    const step = Math.floor(ms / stepMs);
    const sums = day.get(step) ?? emptySums();
    day.set(step, sums);
    return sums;
  };
  const heard = new Set<number>();
  for (let row = 0; row < ts.length; row++) {
    const slot = Math.floor(ts[row]! / slotMs);
    // A report stands for as long as its access point may be silent afterwards.
    for (let n = 0; n < Math.ceil(slotMsOf(intervalMs) / slotMs); n++) heard.add(slot + n);
    const valueFor = (name: string) => columns.get(name)?.[row] ?? Number.NaN;
    addReport(sumsOf(ts[row]!), valueFor);
  }
  for (const sums of day.values()) toMeans(sums);
  if (!isKnown) return day;
  const first = Math.floor((ts.length > 0 ? ts[0]! : startMs) / slotMs);
  for (let slot = first; slot < Math.max(first + 1, Math.floor(nowMs / slotMs)); slot++) {
    const sums = sumsOf(slot * slotMs);
    sums.expected++;
    if (heard.has(slot)) sums.present++;
  }
  return day;
}

function emptySums(): Sums {
  return { devices: 0, throughput: 0, power: 0, judged: 0, met: 0, present: 0, expected: 0, reports: 0 };
}

function addSums(sums: Sums, more: Sums | undefined): void {
  if (more) for (const name of Object.keys(sums) as (keyof Sums)[]) sums[name] += more[name];
}

function addReport(sums: Sums, valueFor: (metric: (typeof metrics)[number]) => number): void {
  const served = valueFor('served_devices');
  const devices = (Number.isNaN(served) ? valueFor('connected_devices') : served) || 0;
  const budget = valueFor('qos_met_pct');
  sums.devices += devices;
  sums.throughput += valueFor('throughput_mbps') || 0;
  sums.power += valueFor('power_w') || 0;
  sums.reports++;
  if (Number.isNaN(budget)) return;
  sums.judged += devices;
  sums.met += (devices * budget) / 100;
}

function toMeans(sums: Sums): void {
  for (const name of ['devices', 'throughput', 'power', 'judged', 'met'] as const) sums[name] /= sums.reports;
}

function sumsNow(agents: readonly AgentRow[], moment: NetworkMoment): Sums {
  const newest = new Map(metrics.map((name) => [name, moment.metricOf(name)]));
  const sums = emptySums();
  for (const agent of agents) {
    const state = moment.stateOf(agent);
    if (state === 'never') continue;
    sums.expected++;
    // What was measured before it went away says nothing about now.
    if (state === 'offline') continue;
    sums.present++;
    addReport(sums, (name) => newest.get(name)!(agent) ?? Number.NaN);
  }
  return sums;
}

/** So many of them, spread over all. */
function evenly<Item>(items: readonly Item[], count: number): Item[] {
  if (items.length <= count) return [...items];
  return Array.from({ length: count }, (_, n) => items[Math.floor((n * items.length) / count)]!);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
