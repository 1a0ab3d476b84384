// What the gates of a roll-out look at: metrics of treated and untreated access points, alarms, devices.
import type { RolloutSeries } from '@weft/contract';
import type { ActiveAlarms } from '../../alarms/watch/active-alarms.ts';
import type { DeviceRegistry } from '../../devices/registry/device-registry.ts';
import type { FleetIndex, IndexedAgent } from '../../fleet/index/fleet-index.ts';
import type { TelemetryStore } from '../../telemetry/store/telemetry-store.ts';
import { giveWay } from '../../time-slices.ts';
import { judge, type Means, type Measured, meanOf } from '../model/gates.ts';
import type { RolloutRecord, StandingAgent } from '../store/rollout-store.ts';

const defaultOverSeconds = 120;
/** Of each side; a mean over more does not say more. */
const maxMeasured = 100;
const hourMs = 3_600_000;
/** Of each side of a picture, which is looked at again and again. */
const maxPictured = 50;
const beforeMs = 600_000;
const picturedPoints = 120;
const finestMs = 10_000;

export interface GateReaderOptions {
  telemetry: Pick<TelemetryStore, 'query'>;
  alarms: Pick<ActiveAlarms, 'active'>;
  devices: Pick<DeviceRegistry, 'agent'>;
  index: FleetIndex;
  now: () => number;
}

export class GateReader {
  readonly #options: GateReaderOptions;

  constructor(options: GateReaderOptions) {
    this.#options = options;
  }

  /** How many devices each of these serves now. */
  devicesOf(agents: readonly IndexedAgent[]): Map<string, number> {
    return new Map(agents.map(({ id, ap_id }) => [id, this.#options.devices.agent(ap_id)?.linkCount ?? 0]));
  }

  /** Whether an agent that is back may keep its settings. */
  mayConfirm({ plan }: RolloutRecord, agent: StandingAgent): boolean {
    const share = plan.gates?.find(({ devices_back }) => devices_back !== undefined)?.devices_back;
    if (share === undefined || !agent.devices_before) return true;
    return (this.#options.devices.agent(agent.ap_id)?.linkCount ?? 0) >= share * agent.devices_before;
  }

  /** In words, if treated agents have more new alarms than the plan allows. */
  async tooManyAlarms(
    { plan, created_at }: RolloutRecord,
    agents: readonly StandingAgent[],
  ): Promise<string | undefined> {
    const most = plan.gates?.find(({ alarms }) => alarms !== undefined)?.alarms;
    if (most === undefined) return undefined;
    const since = new Map(
      agents.flatMap(({ ap_id, treated, treated_at }) => (treated ? [[ap_id, treated_at ?? created_at]] : [])),
    );
    const found = [...this.#options.alarms.active].filter(
      ({ subject_kind, subject, fired_at }) =>
        subject_kind === 'agent' && fired_at >= (since.get(subject) ?? Number.POSITIVE_INFINITY),
    );
    if (found.length <= most) return undefined;
    return `${found.length} new alarms where the change is, more than ${most}: ${found[0]!.subject}`;
  }

  /** Undefined while the time of a gate is not over. */
  async judge(rollout: RolloutRecord, agents: readonly StandingAgent[]): Promise<Measured[] | undefined> {
    const { now, index } = this.#options;
    const measured: Measured[] = [];
    const startMs = rollout.wave_started_at ?? rollout.created_at;
    for (const { metric, worse_by, over_seconds = defaultOverSeconds } of rollout.plan.gates ?? []) {
      if (metric === undefined || worse_by === undefined) continue;
      const overMs = over_seconds * 1000;
      // Counted from the end of the wave's last change.
      const settledMs = Math.max(
        startMs,
        ...agents.filter(({ wave }) => wave === rollout.wave).map(({ updated_at }) => updated_at ?? 0),
      );
      if (now() < settledMs + overMs) return undefined;
      const treated = agents
        .filter((agent) => agent.treated && agent.wave === rollout.wave)
        .flatMap(({ ap_id }) => index.get(ap_id) ?? []);
      const untreated = this.#untreated(agents, treated);
      const afterFrom = settledMs;
      const ownBefore = untreated.length < 5 ? hourMs : overMs;
      const beforeOf = { fromMs: startMs - ownBefore, untilMs: startMs };
      const afterOf = { fromMs: afterFrom, untilMs: afterFrom + overMs };
      const ofTreated = await this.#means(treated, metric, beforeOf, afterOf);
      const ofOthers = await this.#means(untreated, metric, beforeOf, afterOf);
      measured.push(judge({ metric, worse_by }, rollout.wave, ofTreated, { ...ofOthers, agents: untreated.length }));
    }
    return measured;
  }

  /** How a metric went on both sides, from a while before the roll-out to a while after it, for whoever sees the access points. */
  async pictured(
    rollout: RolloutRecord,
    agents: readonly StandingAgent[],
    metric: string,
    sees: (agent: IndexedAgent) => boolean,
  ): Promise<RolloutSeries> {
    const { index, now } = this.#options;
    await index.refresh();
    const treated = agents.filter((agent) => agent.treated).flatMap(({ ap_id }) => index.get(ap_id) ?? []);
    const span = {
      fromMs: rollout.created_at - beforeMs,
      untilMs: Math.min(now(), (rollout.ended_at ?? now()) + beforeMs),
    };
    const stepMs = Math.ceil((span.untilMs - span.fromMs) / picturedPoints / finestMs) * finestMs;
    const sideOf = async (all: readonly IndexedAgent[]) => {
      const seen = all.filter(sees).slice(0, maxPictured);
      return { access_points: seen.length, points: await this.#points(seen, metric, span, stepMs) };
    };
    return {
      metric,
      resolution_seconds: stepMs / 1000,
      treated: await sideOf(treated),
      untreated: await sideOf(this.#untreated(agents, treated)),
    };
  }

  /** Those of the same types that have not been touched. */
  #untreated(agents: readonly StandingAgent[], treated: readonly IndexedAgent[]): IndexedAgent[] {
    const treatedIds = new Set(agents.filter((agent) => agent.treated).map(({ agent_id }) => agent_id));
    const types = new Set(treated.map(({ access_point_type }) => access_point_type));
    return this.#options.index.agents.filter(
      ({ id, access_point_type, isEnded, isDevice }) =>
        !isEnded && !isDevice && !treatedIds.has(id) && types.has(access_point_type),
    );
  }

  /** The mean over access points of each step, and the lowest and highest of them. */
  async #points(agents: readonly IndexedAgent[], metric: string, { fromMs, untilMs }: Span, stepMs: number) {
    const steps = new Map<number, number[]>();
    for (const { ap_id } of agents) {
      const frame = await this.#options.telemetry.query({
        ap_id,
        metrics: [metric],
        startMs: fromMs,
        endMs: untilMs,
        maxPoints: 10_000,
        aggregate: 'mean',
      });
      const values = frame.columns.get(metric) ?? [];
      const own = Map.groupBy(values.entries(), ([at]) => Math.floor(frame.ts[at]! / stepMs) * stepMs);
      for (const [step, found] of own) {
        const mean = meanOf(found.map(([, value]) => value).filter((value) => !Number.isNaN(value)));
        if (mean !== null) steps.set(step, [...(steps.get(step) ?? []), mean]);
      }
      await giveWay();
    }
    return [...steps]
      .sort(([a], [b]) => a - b)
      .map(([step, means]) => ({
        ts: new Date(step).toISOString(),
        mean: meanOf(means)!,
        low: Math.min(...means),
        high: Math.max(...means),
      }));
  }

  async #means(agents: readonly IndexedAgent[], metric: string, before: Span, after: Span): Promise<Means> {
    const [old, now]: (number | null)[][] = [[], []];
    for (const { ap_id } of agents.slice(0, maxMeasured)) {
      old!.push(await this.#mean(ap_id, metric, before));
      now!.push(await this.#mean(ap_id, metric, after));
      await giveWay();
    }
    return { before: meanOf(old!), after: meanOf(now!) };
  }

  async #mean(ap_id: string, metric: string, { fromMs, untilMs }: Span): Promise<number | null> {
    const frame = await this.#options.telemetry.query({
      ap_id,
      metrics: [metric],
      startMs: fromMs,
      endMs: untilMs,
      maxPoints: 10_000,
      aggregate: 'mean',
    });
    return meanOf([...(frame.columns.get(metric) ?? [])].filter((value) => !Number.isNaN(value)));
  }
}

interface Span {
  fromMs: number;
  untilMs: number;
}
