// Decides which cells may sleep and which must wake: an idle cell sleeps while its neighbours can carry its load, and wakes
// before they are overloaded.

import type { Cell, Technology } from '@weft/sdk';
import { helpersOf } from '@weft/sdk';
import type { ControlProgram, Order } from '../fleet/control-program.ts';
import { CoverageWatch } from './coverage-watch.ts';

export interface EnergySaverOptions {
  everySeconds?: number;
  /** A cell may sleep only if no neighbour is expected above this load. */
  sleepBelow?: number;
  /** A neighbour above this load wakes a cell; well above the other limit, so that cells do not change back and forth. */
  wakeAbove?: number;
  /** How far ahead the trend is extrapolated; a 5G cell needs 15 s to wake, an order some more. */
  lookAheadSeconds?: number;
  /** Minimum time awake after a wake. */
  awakeSeconds?: number;
  /** Minimum number of awake neighbours of a sleeping cell. */
  leastHelpers?: number;
  /** Whether to verify that devices find another cell; then only one cell of a neighbourhood goes to sleep at a time. */
  watchesCoverage?: boolean;
}

/** Capacity of a cell if it cannot be measured, in Mb/s. */
const usualCapacityMbps: Partial<Record<Technology, number>> = { '5G': 100, WiFi: 150, LiFi: 60 };
/** Below this load the capacity cannot be estimated. */
const tellingLoad = 0.03;
/** Devices are further away from the cell that takes over, and need more of its airtime. */
const detour = 2;
/** A queue of this length, at the current rate, affects users. */
const felt = { backlogMbitPerDevice: 12 };
/** Time until an order must show in the samples. */
const shownAfterMs = 240_000;
/** Maximum number of orders per round. */
const mostAtOnce = 0.1;

export class EnergySaver implements ControlProgram {
  readonly everySeconds: number;
  readonly #options: Required<EnergySaverOptions>;
  readonly #coverage = new CoverageWatch();
  /** Orders that do not show in the samples yet. */
  readonly #ordered = new Map<string, { name: string; atMs: number }>();

  constructor(options: EnergySaverOptions = {}) {
    this.#options = {
      everySeconds: 60,
      sleepBelow: 0.4,
      wakeAbove: 0.6,
      lookAheadSeconds: 300,
      awakeSeconds: 300,
      leastHelpers: 2,
      watchesCoverage: true,
      ...options,
    };
    this.everySeconds = this.#options.everySeconds;
  }

  decide(reported: readonly Cell[], nowMs: number): Order[] {
    this.#forgetSettled(reported, nowMs);
    const missed = this.#options.watchesCoverage ? this.#coverage.look(reported, nowMs) : new Set<string>();
    // A cell that is going to sleep or waking up takes no devices.
    const cells = reported.map((cell) => (this.#isSent(cell.ap_id, 'sleep') ? { ...cell, isAwake: false } : cell));
    const helpers = helpersOf(cells);
    const orders = [...this.#wakes(cells, helpers, missed), ...this.#sleeps(cells, helpers, nowMs)];
    for (const { ap_id, name } of orders) this.#ordered.set(ap_id, { name, atMs: nowMs });
    return orders;
  }

  undone({ ap_id }: Order): void {
    this.#ordered.delete(ap_id);
    this.#coverage.end(ap_id);
  }

  #forgetSettled(reported: readonly Cell[], nowMs: number): void {
    for (const { ap_id, isAwake } of reported) {
      const { name, atMs } = this.#ordered.get(ap_id) ?? {};
      if (atMs === undefined) continue;
      if (isAwake === (name === 'wake') || nowMs - atMs > shownAfterMs) this.#ordered.delete(ap_id);
    }
  }

  #isSent(ap_id: string, name: string): boolean {
    return this.#ordered.get(ap_id)?.name === name;
  }

  #wakes(cells: readonly Cell[], helpers: Map<string, Cell[]>, missed: ReadonlySet<string>): Order[] {
    const asleep = cells.filter(({ ap_id, isAwake }) => !isAwake && !this.#isSent(ap_id, 'wake'));
    const orders = new Map<string, string>();
    for (const cell of asleep) {
      const awake = helpers.get(cell.ap_id)!.filter(({ isAwake }) => isAwake);
      if (awake.length === 0) orders.set(cell.ap_id, 'nobody else is there');
      else if (missed.has(cell.ap_id)) orders.set(cell.ap_id, 'its devices have not found another');
    }
    // One each: more may not be needed.
    for (const cell of cells) {
      const why = cell.isAwake ? this.#trouble(cell) : undefined;
      if (why === undefined) continue;
      const relief = asleep.find(({ ap_id }) => !orders.has(ap_id) && helpers.get(ap_id)!.includes(cell));
      if (relief) orders.set(relief.ap_id, `${cell.ap_id} ${why}`);
    }
    return [...orders].map(([ap_id, because]) => ({ ap_id, name: 'wake', holdSeconds: 60, because }));
  }

  #trouble(cell: Cell): string | undefined {
    const expected = this.#expected(cell);
    if (expected > this.#options.wakeAbove) return `comes to ${percent(expected)}`;
    if (cell.backlogMbit > felt.backlogMbitPerDevice * Math.max(1, cell.connected)) return 'keeps its devices waiting';
    return undefined;
  }

  #sleeps(cells: readonly Cell[], helpers: Map<string, Cell[]>, nowMs: number): Order[] {
    const { sleepBelow, awakeSeconds, leastHelpers, watchesCoverage } = this.#options;
    const expected = new Map(cells.map((cell) => [cell.ap_id, this.#expected(cell)]));
    const staysAwake = new Set<string>();
    const asleep = new Set(cells.filter(({ isAwake }) => !isAwake).map(({ ap_id }) => ap_id));
    const awakeHelpers = (ap_id: string) => helpers.get(ap_id)!.filter((each) => !asleep.has(each.ap_id));
    const idle = cells
      .filter(({ isAwake, sinceMs }) => isAwake && nowMs - sinceMs >= awakeSeconds * 1000)
      .filter(({ ap_id }) => !this.#coverage.isNeeded(ap_id, nowMs))
      .sort((a, b) => a.throughputMbps - b.throughputMbps || (a.ap_id < b.ap_id ? -1 : 1));
    const orders: Order[] = [];
    for (const cell of idle) {
      if (orders.length >= Math.max(1, mostAtOnce * cells.length)) break;
      const takers = awakeHelpers(cell.ap_id);
      if (staysAwake.has(cell.ap_id) || takers.length < leastHelpers) continue;
      if (watchesCoverage && !this.#coverage.canBegin(cell, takers)) continue;
      const isRelied = [...asleep].some((other) => {
        return helpers.get(other)!.includes(cell) && awakeHelpers(other).length <= leastHelpers;
      });
      const share = (detour * cell.throughputMbps) / takers.length;
      const after = takers.map((taker) => expected.get(taker.ap_id)! + share / capacityMbps(taker));
      if (isRelied || Math.max(...after) > sleepBelow) continue;
      asleep.add(cell.ap_id);
      for (const [index, { ap_id }] of takers.entries()) {
        staysAwake.add(ap_id);
        expected.set(ap_id, after[index]!);
      }
      if (watchesCoverage) this.#coverage.begin(cell, takers, nowMs);
      const because = `${takers.length} neighbours will be at ${percent(Math.max(...after))} at most`;
      orders.push({ ap_id: cell.ap_id, name: 'sleep', holdSeconds: 60, because });
    }
    return orders;
  }

  /** The expected load if the trend continues; a falling trend is ignored. */
  #expected({ load, loadPerSecond }: Cell): number {
    return Math.min(1, load + Math.max(0, loadPerSecond) * this.#options.lookAheadSeconds);
  }
}

function capacityMbps({ technology, load, throughputMbps }: Cell): number {
  const usual = usualCapacityMbps[technology] ?? 100;
  return load >= tellingLoad && throughputMbps > 0 ? Math.max(usual / 10, throughputMbps / load) : usual;
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}
