// What the gates of a roll-out look at: metrics of treated and untreated access points, alarms, devices.
import { hash } from 'node:crypto';
import type { RolloutSeries } from '@weft/contract/operations';
import type { Caller } from '../../../core/base/caller.ts';
import { giveWay } from '../../../core/base/time-slices.ts';
import type { DeviceRegistry } from '../../../core/devices/registry/device-registry.ts';
import { none } from '../../../core/devices/registry/device-table.ts';
import type { AgentRow } from '../../../core/network/agent-rows.ts';
import type { Network } from '../../../core/network/network.ts';
import type { TelemetryStore } from '../../../core/telemetry/store/telemetry-store.ts';
import type { ActiveAlarms } from '../../alarms/watch/active-alarms.ts';
import { isSuccess } from '../model/agent-config.ts';
import { fewestUntreated, judge, type Means, meanOf, type StoredMeasured } from '../model/gates.ts';
import type { RolloutRecord, StandingAgent } from '../store/rollout-store.ts';

const defaultOverSeconds = 120;
/** Of each side; a mean over more does not say more. */
const maxMeasured = 100;
const hourMs = 3_600_000;
/** Of one access point; a share of more does not say more. */
const maxDevices = 1_000;
/** Of devices that one access point has served. */
const hashedLength = 12;
/** Of each side of a picture, which is looked at again and again. */
const maxPictured = 50;
const beforeMs = 600_000;
const picturedPoints = 120;
const finestMs = 10_000;

export interface GateReaderOptions {
  telemetry: Pick<TelemetryStore, 'query'>;
  alarms: Pick<ActiveAlarms, 'active'>;
  devices: Pick<DeviceRegistry, 'agent' | 'table'>;
  network: Network;
  /** In whose name it goes on, with its rights of now; undefined if it is gone. */
  ownerOf: (rollout: RolloutRecord) => Promise<Caller | undefined>;
  now: () => number;
}

export class GateReader {
  readonly #options: GateReaderOptions;

  constructor(options: GateReaderOptions) {
    this.#options = options;
  }

  /** The devices that each of these serves now, hashed for this roll-out; undefined if no gate asks for them. */
  devicesOf(rollout: RolloutRecord, agents: readonly AgentRow[]): Map<string, string[]> | undefined {
    if (shareBack(rollout) === undefined) return undefined;
    return new Map(agents.map(({ id, ap_id }) => [id, this.#served(rollout, ap_id).slice(0, maxDevices)]));
  }

  /** Whether an agent that is back may keep its settings. */
  mayConfirm(rollout: RolloutRecord, { ap_id, devices, trial_at }: StandingAgent): boolean {
    const share = shareBack(rollout);
    if (share === undefined || !devices || devices.length === 0) return true;
    // A list from before the change says nothing of those that have come back since.
    const heardMs = this.#options.devices.agent(ap_id)?.heardMs ?? 0;
    if (trial_at === null || heardMs < trial_at) return false;
    const present = new Set(this.#served(rollout, ap_id));
    return devices.filter((device) => present.has(device)).length >= share * devices.length;
  }

  #served({ id }: RolloutRecord, ap_id: string): string[] {
    const { devices } = this.#options;
    const { nextOfAgent, device } = devices.table.links;
    const found: string[] = [];
    for (let link = devices.agent(ap_id)?.firstLink ?? none; link !== none; link = nextOfAgent[link]!)
      found.push(hash('sha256', `${id} ${devices.table.idOf(device[link]!)}`, 'hex').slice(0, hashedLength));
    return found;
  }

  /** In words, if treated agents have more new alarms than the plan allows. */
  async tooManyAlarms(rollout: RolloutRecord, agents: readonly StandingAgent[]): Promise<string | undefined> {
    const {
      plan,
      created_at,
      changes: { accepted_at = 0 },
    } = rollout;
    const most = plan.gates?.find(({ alarms }) => alarms !== undefined)?.alarms;
    if (most === undefined) return undefined;
    const { isSeen } = await this.#sightOf(rollout);
    const since = new Map(
      agents.flatMap(({ ap_id, treated, treated_at }) =>
        treated ? [[ap_id, Math.max(treated_at ?? created_at, accepted_at)]] : [],
      ),
    );
    const found = [...this.#options.alarms.active].filter(
      ({ subject_kind, subject, fired_at }) =>
        subject_kind === 'agent' &&
        fired_at >= (since.get(subject) ?? Number.POSITIVE_INFINITY) &&
        isSeen(this.#options.network.get(subject)),
    );
    if (found.length <= most) return undefined;
    return `${found.length} new alarms where the change is, more than ${most}: ${found[0]!.subject}`;
  }

  /** At the end of a wave, by its access points; undefined while the time of a gate is not over. */
  async judge(rollout: RolloutRecord, agents: readonly StandingAgent[]): Promise<StoredMeasured[] | undefined> {
    const measured: StoredMeasured[] = [];
    const wave = watched(rollout, agents).filter((agent) => agent.wave === rollout.wave);
    if (wave.length === 0) return measured;
    const settledMs = Math.max(rollout.created_at, ...wave.map(settledAt));
    for (const gate of metricGates(rollout)) {
      const after = { fromMs: settledMs, untilMs: settledMs + gate.overMs };
      if (this.#options.now() < after.untilMs) return undefined;
      measured.push(await this.#compare(rollout, gate, wave, agents, after));
    }
    return measured;
  }

  /** What is worse now where the change has been for the time of a gate, of this wave or of one before; undefined: nothing. */
  async worse(rollout: RolloutRecord, agents: readonly StandingAgent[]): Promise<StoredMeasured | undefined> {
    const nowMs = this.#options.now();
    for (const gate of metricGates(rollout)) {
      const after = { fromMs: nowMs - gate.overMs, untilMs: nowMs };
      const isSettled = (agent: StandingAgent) => isSuccess(agent.state) && settledAt(agent) <= after.fromMs;
      const settled = watched(rollout, agents).filter(isSettled);
      if (settled.length === 0) continue;
      const measured = await this.#compare(rollout, gate, settled, agents, after);
      // What is not measured yet is no reason to stop; at the end of the wave it is one not to go on.
      if (!measured.passed && measured.worse_by !== null) return measured;
    }
    return undefined;
  }

  async #compare(
    rollout: RolloutRecord,
    { metric, worse_by, overMs }: MetricGate,
    those: readonly StandingAgent[],
    agents: readonly StandingAgent[],
    after: Span,
  ): Promise<StoredMeasured> {
    const { owner, isSeen } = await this.#sightOf(rollout);
    const treated = those.flatMap(({ ap_id }) => this.#options.network.get(ap_id) ?? []).filter(isSeen);
    const untreated = this.#untreated(agents, treated).filter(isSeen);
    const untilMs = Math.min(...those.map(({ treated_at }) => treated_at ?? rollout.created_at));
    const before = { fromMs: untilMs - (untreated.length < fewestUntreated ? hourMs : overMs), untilMs };
    const ofTreated = await this.#means(treated, metric, before, after);
    const ofOthers = await this.#means(untreated, metric, before, after);
    const measured = judge({ metric, worse_by }, rollout.wave, ofTreated, { ...ofOthers, agents: untreated.length });
    return { ...measured, seen_by: owner?.id };
  }

  /**
   * How a metric went where the change is and where it is not, for whoever sees the access points. Until it is treated one is on the
   * other side, so that there are two sides for as long as somebody is left.
   */
  async pictured(
    rollout: RolloutRecord,
    agents: readonly StandingAgent[],
    metric: string,
    sees: (agent: AgentRow) => boolean,
  ): Promise<RolloutSeries> {
    const { network, now } = this.#options;
    await network.fresh();
    const own = agents.flatMap(({ ap_id }) => network.get(ap_id) ?? []);
    const isOwn = new Set(own);
    const others = this.#untreated(agents, own).filter((agent) => !isOwn.has(agent));
    const shown = [own, others].flatMap((side) => side.filter(sees).slice(0, maxPictured));
    const treatedAt = new Map(
      agents.map(({ agent_id, treated, treated_at }) => [agent_id, treated ? treated_at : null]),
    );
    const fromMs = rollout.created_at - beforeMs;
    const untilMs = Math.min(now(), (rollout.ended_at ?? now()) + beforeMs);
    const stepMs = Math.ceil((untilMs - fromMs) / picturedPoints / finestMs) * finestMs;
    const sides = { treated: new Map<number, number[]>(), untreated: new Map<number, number[]>() };
    for (const { id, ap_id } of shown) {
      const frame = await this.#read(ap_id, metric, { fromMs, untilMs });
      const since = treatedAt.get(id) ?? Number.POSITIVE_INFINITY;
      const own = new Map<number, number[]>();
      for (const [at, value] of (frame.columns.get(metric) ?? []).entries()) {
        const step = Math.floor(frame.ts[at]! / stepMs) * stepMs;
        if (!Number.isNaN(value)) own.set(step, [...(own.get(step) ?? []), value]);
      }
      for (const [step, values] of own) {
        const side = step >= since - (since % stepMs) ? sides.treated : sides.untreated;
        side.set(step, [...(side.get(step) ?? []), meanOf(values)!]);
      }
      await giveWay();
    }
    const touched = shown.filter(({ id }) => treatedAt.get(id) != null).length;
    return {
      metric,
      resolution_seconds: stepMs / 1000,
      treated: { access_points: touched, points: toPoints(sides.treated) },
      untreated: { access_points: shown.length - touched, points: toPoints(sides.untreated) },
    };
  }

  /** What it is told is of these alone, and it is decided by nothing else: nobody learns how others do by rolling something out. */
  async #sightOf(rollout: RolloutRecord) {
    const owner = await this.#options.ownerOf(rollout);
    const sight = owner && this.#options.network.sight(owner);
    return { owner, isSeen: (agent?: AgentRow) => agent !== undefined && sight?.sees(agent) === true };
  }

  /** Those of the same types that have not been touched. */
  #untreated(agents: readonly StandingAgent[], treated: readonly AgentRow[]): AgentRow[] {
    const treatedIds = new Set(agents.filter((agent) => agent.treated).map(({ agent_id }) => agent_id));
    const types = new Set(treated.map(({ access_point_type }) => access_point_type));
    return this.#options.network.agents.filter(
      ({ id, access_point_type, isEnded, isDevice }) =>
        !isEnded && !isDevice && !treatedIds.has(id) && types.has(access_point_type),
    );
  }

  async #means(agents: readonly AgentRow[], metric: string, before: Span, after: Span): Promise<Means> {
    const [old, now]: (number | null)[][] = [[], []];
    for (const { ap_id } of agents.slice(0, maxMeasured)) {
      old!.push(await this.#mean(ap_id, metric, before));
      now!.push(await this.#mean(ap_id, metric, after));
      await giveWay();
    }
    return { before: meanOf(old!), after: meanOf(now!) };
  }

  async #mean(ap_id: string, metric: string, span: Span): Promise<number | null> {
    const frame = await this.#read(ap_id, metric, span);
    return meanOf([...(frame.columns.get(metric) ?? [])].filter((value) => !Number.isNaN(value)));
  }

  #read(ap_id: string, metric: string, { fromMs, untilMs }: Span) {
    const range = { startMs: fromMs, endMs: untilMs };
    return this.#options.telemetry.query({ ap_id, metrics: [metric], ...range, maxPoints: 10_000, aggregate: 'mean' });
  }
}

/** The mean over access points of each step, and the lowest and highest of them. */
function toPoints(steps: ReadonlyMap<number, readonly number[]>) {
  const ordered = [...steps].sort(([a], [b]) => a - b);
  return ordered.map(([step, values]) => ({
    ts: new Date(step).toISOString(),
    mean: meanOf(values)!,
    low: Math.min(...values),
    high: Math.max(...values),
  }));
}

interface Span {
  fromMs: number;
  untilMs: number;
}

interface MetricGate {
  metric: string;
  worse_by: number;
  overMs: number;
}

function metricGates({ plan }: RolloutRecord): MetricGate[] {
  return (plan.gates ?? []).flatMap(({ metric, worse_by, over_seconds = defaultOverSeconds }) =>
    metric === undefined || worse_by === undefined ? [] : [{ metric, worse_by, overMs: over_seconds * 1000 }],
  );
}

function shareBack({ plan }: RolloutRecord): number | undefined {
  return plan.gates?.find(({ devices_back }) => devices_back !== undefined)?.devices_back;
}

/** Those that have the change; how it went until somebody let it go on is accepted. */
function watched({ changes: { accepted_at = 0 } }: RolloutRecord, agents: readonly StandingAgent[]): StandingAgent[] {
  return agents.filter(({ treated, treated_at }) => treated && (treated_at ?? 0) >= accepted_at);
}

/** When it began to run what it was given; one that ran it already, when it was asked. */
function settledAt({ trial_at, treated_at }: StandingAgent): number {
  return trial_at ?? treated_at ?? 0;
}
