// What access points have drawn, as far as the caller may see them: from the power that they reported, by time.

import { csvCell } from '@weft/contract/enrolment-line';
import type { Energy, EnergyUse } from '@weft/contract/operations';
import type { Caller } from '../../core/base/caller.ts';
import { toTime } from '../../core/base/input/date-time.ts';
import { rightsOf } from '../../core/base/rights/rights.ts';
import type { FairTurns } from '../../core/base/shares/fair-turns.ts';
import { principalOf, type Shares } from '../../core/base/shares/shares.ts';
import { CallerGone, leaving } from '../../core/base/time-slices.ts';
import type { AgentRow } from '../../core/network/agent-rows.ts';
import type { Network } from '../../core/network/network.ts';
import { defaultIntervalMs } from '../../core/telemetry/presence/presence.ts';
import { parseWindow } from '../../core/telemetry/query/time-window.ts';
import { chooseBucketWidth, type TelemetryStore } from '../../core/telemetry/store/telemetry-store.ts';
import { type EnergyRange, type EnergyRates, EnergySum, toAmount } from './energy-use.ts';
import type { PowerCommand, PowerCommandStore } from './power-command-store.ts';

const metric = 'power_w';
const hourMs = 3_600_000;
/** Of a chart. */
const maxBuckets = 120;
/** Values that are read for one answer; of many access points in wider buckets, of none in more than so many. */
const maxValues = 2_000_000;
const pointsEach = { least: 200, most: 2_400 };
/** Reports may come a little late. */
const holdIntervals = 2.5;
const turns = { slots: 2, perPrincipal: 1, maxWaiting: 100 };

export interface EnergyServiceOptions {
  network: Network;
  telemetry: Pick<TelemetryStore, 'query'>;
  commands: PowerCommandStore;
  rates: EnergyRates;
  shares: Shares;
}

export interface EnergyQuery {
  window?: string | undefined;
  end?: string | undefined;
  selector?: string | undefined;
}

interface Drawn {
  agent: AgentRow;
  joules: number;
  measuredMs: number;
}

export class EnergyService {
  readonly #options: EnergyServiceOptions;
  readonly #turns: FairTurns;

  constructor(options: EnergyServiceOptions) {
    this.#options = options;
    this.#turns = options.shares.turns('energy_queries', turns);
  }

  async energy(caller: Caller, query: EnergyQuery): Promise<Energy> {
    const { rates } = this.#options;
    const range = this.#range(query);
    const { drawn, sums, resolutionMs, bucketMs } = await this.#read(caller, query, range);
    const measured = drawn.filter(({ measuredMs }) => measuredMs > 0);
    const lengthMs = range.endMs - range.startMs;
    const groups = (nameOf: (agent: AgentRow) => string | null): EnergyUse[] =>
      [...Map.groupBy(measured, ({ agent }) => nameOf(agent))]
        .map(([name, members]) => toUse(name, members, lengthMs, rates))
        .sort((a, b) => b.kwh - a.kwh || ((a.name ?? '') < (b.name ?? '') ? -1 : 1));
    return {
      start: toTime(range.startMs),
      end: toTime(range.endMs),
      ...rates,
      resolution_seconds: resolutionMs === 0 ? null : resolutionMs / 1000,
      total: toUse(null, measured, lengthMs, rates),
      unmeasured: drawn.length - measured.length,
      kinds: groups(({ emulated_for }) => (emulated_for === null ? 'real' : 'emulated')),
      sites: groups(({ site }) => site),
      technologies: groups(({ access_point_type }) => access_point_type),
      programs: await this.#programs(caller, range, new Set(drawn.map(({ agent }) => agent.ap_id))),
      bucket_seconds: bucketMs / 1000,
      times: [...(sums.values().next().value?.times ?? [])].map(toTime),
      power_w: Object.fromEntries([...sums].map(([name, sum]) => [name, [...sum.watts]])),
    };
  }

  /** One line for each access point that reported its power. */
  async csv(caller: Caller, query: EnergyQuery): Promise<string> {
    const { rates } = this.#options;
    const range = this.#range(query);
    const { drawn } = await this.#read(caller, query, range);
    const head = 'start,end,ap_id,name,site,technology,kind,kwh,cost,currency,co2_kg,measured_hours,missing_hours';
    const [start, end] = [toTime(range.startMs), toTime(range.endMs)];
    const lines = drawn
      .filter(({ measuredMs }) => measuredMs > 0)
      .map((each) => {
        const { ap_id, display_name, site, access_point_type, emulated_for } = each.agent;
        const use = toUse(null, [each], range.endMs - range.startMs, rates);
        const words = [ap_id, display_name, site, access_point_type, emulated_for === null ? 'real' : 'emulated'];
        const values = [use.kwh, use.cost, rates.currency, use.co2_kg, use.measured_hours, use.missing_hours];
        return [start, end, ...words, ...values].map((value) => csvCell(String(value ?? ''))).join(',');
      });
    return `${[head, ...lines].join('\r\n')}\r\n`;
  }

  #range({ window = '24h', end }: EnergyQuery): EnergyRange {
    const endMs = end === undefined ? Date.now() : Date.parse(end);
    return { startMs: endMs - parseWindow(window, Number.POSITIVE_INFINITY).ms, endMs };
  }

  async #agents(caller: Caller, selector: string | undefined): Promise<AgentRow[]> {
    const { network } = this.#options;
    if (selector !== undefined) return network.select(selector, caller);
    // Also those of emulated networks that have ended: they have drawn what they have drawn.
    const sight = await network.visibleTo(caller);
    const found: AgentRow[] = [];
    for await (const page of sight.pages(undefined, true)) found.push(...page.filter(({ isDevice }) => !isDevice));
    return found;
  }

  async #read(caller: Caller, { selector }: EnergyQuery, range: EnergyRange) {
    const agents = await this.#agents(caller, selector);
    const bucketMs = chooseBucketWidth(range.startMs, range.endMs - 1, maxBuckets);
    return this.#turns.run(principalOf(caller), async () => {
      const sums = new Map<string, EnergySum>();
      const drawn: Drawn[] = [];
      let resolutionMs = 0;
      const share = Math.floor(maxValues / Math.max(1, agents.length));
      const maxPoints = Math.max(pointsEach.least, Math.min(pointsEach.most, share));
      const isGone = leaving();
      for (const agent of agents) {
        if (isGone?.()) throw new CallerGone();
        const { samples, widthMs } = await this.#samples(agent, range, maxPoints);
        const technology = agent.access_point_type ?? '';
        const sum = sums.get(technology) ?? new EnergySum(range, bucketMs);
        const found = sum.add(samples);
        drawn.push({ agent, ...found });
        if (found.measuredMs === 0) continue;
        sums.set(technology, sum);
        resolutionMs = Math.max(resolutionMs, widthMs);
      }
      return { drawn, sums, resolutionMs, bucketMs };
    });
  }

  /** Also from before and after the range, as far as a sample may stand for something within. */
  async #samples({ ap_id, configuredMs }: AgentRow, { startMs, endMs }: EnergyRange, maxPoints: number) {
    const intervalMs = configuredMs ?? defaultIntervalMs;
    const aroundMs = holdIntervals * intervalMs;
    const { ts, columns, resolution_seconds } = await this.#options.telemetry.query({
      ap_id,
      startMs: startMs - aroundMs,
      endMs: endMs + aroundMs,
      metrics: [metric],
      maxPoints,
      aggregate: 'mean',
    });
    const widthMs = (resolution_seconds ?? 0) * 1000;
    const samples = {
      endsMs: widthMs === 0 ? ts : ts.map((at) => at + widthMs),
      watts: columns.get(metric) ?? [],
      holdMs: Math.max(aroundMs, widthMs),
      ownMs: Math.max(intervalMs, widthMs),
    };
    return { samples: { ...samples, endsMs: columns.has(metric) ? samples.endsMs : [] }, widthMs };
  }

  async #programs(caller: Caller, { startMs, endMs }: EnergyRange, seen: ReadonlySet<string>) {
    const found = (await this.#options.commands.since(startMs, endMs)).filter(({ ap_id }) => seen.has(ap_id));
    return [...Map.groupBy(found, (command) => programKey(caller, command))]
      .map(([key, sent]) => ({
        ...toProgram(key),
        commands: sent.length,
        access_points: new Set(sent.map(({ ap_id }) => ap_id)).size,
      }))
      .sort((a, b) => b.commands - a.commands);
  }
}

/** A command exists only for its sender and administrators: for all others the senders are one, without a name. */
export function programKey(caller: Caller, { caller_kind, caller_id, caller_name }: PowerCommand): string {
  const isOwn = caller.kind === caller_kind && caller.id === caller_id;
  return rightsOf(caller).isAdmin || isOwn ? `${caller_kind} ${caller_name}` : '';
}

export function toProgram(key: string | null): { kind: string | null; name: string | null } {
  if (!key) return { kind: null, name: null };
  const at = key.indexOf(' ');
  return { kind: key.slice(0, at), name: key.slice(at + 1) };
}

function toUse(name: string | null, members: readonly Drawn[], lengthMs: number, rates: EnergyRates): EnergyUse {
  const total = (read: (each: Drawn) => number) => members.reduce((sum, each) => sum + read(each), 0);
  const measuredMs = total((each) => each.measuredMs);
  return {
    name,
    access_points: members.length,
    ...toAmount(
      total(({ joules }) => joules),
      rates,
    ),
    measured_hours: measuredMs / hourMs,
    missing_hours: Math.max(0, lengthMs * members.length - measuredMs) / hourMs,
  };
}
