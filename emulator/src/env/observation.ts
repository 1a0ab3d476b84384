// What an environment shows of a world: a row for each access point with a row that says which of its values hold, the graph
// of who stands near whom, a table of devices, and the parts of which rewards are made.

import { cos, sin } from '@weft/contract/exact-math';
import { type AccessPoint, isReachable } from '../access-points/access-point.ts';
import { metricsOf, readMetrics } from '../access-points/metrics.ts';
import { carrierOf } from '../multi-link/link-policies.ts';
import { localHour } from '../traffic/demand.ts';
import { accessPointTypes } from '../world/world-spec.ts';
import type { WorldState } from '../world/world-state.ts';

const powerStates = ['on', 'draining', 'asleep', 'dozing', 'starting', 'down'] as const;

/** Known of every access point at every moment; its metrics follow. */
const ownColumns = [
  ...accessPointTypes.map((type) => `is_${type.toLowerCase()}`),
  ...[...powerStates, 'settling'],
  ...['hour_sin', 'hour_cos', 'is_weekend', 'x_m', 'y_m'],
];

export const deviceColumns = [
  ...['x_m', 'y_m', 'serving', 'rate_mbps', 'snr_db', 'backlog_mbit', 'latency_ms', 'traffic_class', 'energy_j'],
] as const;

/** Of one step and world, over all access points and devices; sums of steps are those of the time in between. */
export const components = [
  ...['delivered_mbit', 'asked_mbit', 'lost_mbit', 'energy_kj', 'device_energy_j'],
  /** Device-seconds with data, and of those within the budget of their class. */
  ...['data_s', 'budget_met_s', 'hand_overs', 'hand_over_failures', 'minutes_without_service'],
] as const;

export type Component = (typeof components)[number];

const waitsInVainMs = 1e6;
const nearest = 8;

/** The names of the columns: what is known of each, and the metrics of all kinds that there are. */
export function columnsOf(accessPoints: readonly Pick<AccessPoint, 'type'>[]): string[] {
  const metrics = accessPointTypes
    .filter((type) => accessPoints.some((ap) => ap.type === type))
    .flatMap((type) => Object.keys(metricsOf(type)));
  return [...ownColumns, ...new Set(metrics)];
}

/** Writes a row of values and one of what holds; metrics are those since the last step, as the agent would report them. */
export function observe(
  state: WorldState,
  index: number,
  columns: ReadonlyMap<string, number>,
  row: Float32Array,
  isValid: Float32Array,
): void {
  const ap = state.accessPoints[index]!;
  const hour = localHour(state.startMs + state.step * 1000, ap.longitude);
  const angle = (Math.PI * (hour % 24)) / 12;
  const kinds = accessPointTypes.map((type) => (ap.type === type ? 1 : 0));
  const states = powerStates.map((name) => (ap.power_state === name ? 1 : 0));
  const place = [state.cells.x[index]!, state.cells.y[index]!];
  row.set([...kinds, ...states, isSettling(state, ap) ? 1 : 0, sin(angle), cos(angle), hour >= 120 ? 1 : 0, ...place]);
  isValid.fill(1, 0, ownColumns.length);
  if (state.tallies.steps[index] === 0 || !isReachable(ap)) return;
  const fields = readMetrics(state, index);
  for (const name in fields) {
    const column = columns.get(name)!;
    row[column] = fields[name]!;
    isValid[column] = 1;
  }
}

function isSettling({ step }: WorldState, { power_state, wished, actual, retunesUntilStep }: AccessPoint): boolean {
  if (power_state === 'draining' || power_state === 'starting' || step < retunesUntilStep) return true;
  for (const name in wished) {
    if (wished[name as keyof typeof wished] !== actual[name as keyof typeof wished]) return true;
  }
  return false;
}

export function listDevices(state: WorldState, table: Float32Array): void {
  const { devices } = state;
  const width = deviceColumns.length;
  for (let device = 0; device < devices.count; device++) {
    const at = device * width;
    table[at] = devices.x[device]!;
    table[at + 1] = devices.y[device]!;
    table[at + 2] = carrierOf(state, device);
    table[at + 3] = devices.rateBps[device]! / 1e6;
    table[at + 4] = devices.qualityDb[device]!;
    table[at + 5] = devices.backlogBits[device]! / 1e6;
    table[at + 6] = Math.min(waitsInVainMs, devices.latencyMs[device]!);
    table[at + 7] = devices.trafficClass[device]!;
    table[at + 8] = devices.energyJ[device]!;
  }
}

/** Sums since the beginning of the world, but for hand-overs, which are those since the last step. */
export function sumUp(state: WorldState): Record<Component, number> {
  const { balance, experience, devices, accessPoints, tallies } = state;
  const sum = (values: Float64Array) => values.reduce((total, value) => total + value, 0);
  return {
    delivered_mbit: balance.deliveredBits / 1e6,
    asked_mbit: balance.askedBits / 1e6,
    lost_mbit: balance.lostBits / 1e6,
    energy_kj: accessPoints.reduce((total, { energyJ }) => total + energyJ, 0) / 1e3,
    device_energy_j: sum(devices.energyJ),
    data_s: experience.dataS,
    budget_met_s: experience.metS,
    hand_overs: sum(tallies.handoversOut),
    hand_over_failures: sum(tallies.handoverFailures),
    minutes_without_service: experience.outageS / 60,
  };
}

/** Each with those that stand nearest to it, of whatever kind. */
export interface NeighbourGraph {
  from: number[];
  to: number[];
  distance_m: number[];
}

export function neighboursIn({ cells: { count, x, y } }: WorldState): NeighbourGraph {
  const graph: NeighbourGraph = { from: [], to: [], distance_m: [] };
  for (let ap = 0; ap < count; ap++) {
    const others = Array.from({ length: count }, (_, other) => {
      const [dx, dy] = [x[other]! - x[ap]!, y[other]! - y[ap]!];
      return { other, metres: Math.sqrt(dx * dx + dy * dy) };
    })
      .filter(({ other }) => other !== ap)
      .sort((a, b) => a.metres - b.metres || a.other - b.other);
    for (const { other, metres } of others.slice(0, nearest)) {
      graph.from.push(ap);
      graph.to.push(other);
      graph.distance_m.push(Math.round(metres * 10) / 10);
    }
  }
  return graph;
}
