// Which cells may sleep and which must wake: an idle cell sleeps while its neighbours can carry what it carries, and wakes
// before they cannot.
import type { ControlProgram, Order } from '../fleet/control-program.ts';
import type { Cell, Technology } from '../fleet/fleet.ts';
import { helpersOf } from '../fleet/neighbourhood.ts';
import { CoverageWatch } from './coverage-watch.ts';

export interface EnergySaverOptions {
  everySeconds?: number;
  /** No helper may be expected above this load when a cell goes to sleep. */
  sleepBelow?: number;
  /** A helper above this load gets a neighbour back; well above the other, so that cells do not go back and forth. */
  wakeAbove?: number;
  /** So far ahead the trend is looked at; a 5G cell needs 15 s to wake, an order some more. */
  lookAheadSeconds?: number;
  /** Who has just woken stays awake for so long. */
  awakeSeconds?: number;
  /** So many awake neighbours each sleeping cell has at least. */
  leastHelpers?: number;
  /** Whether it looks if devices find somebody else, and sends one cell of a neighbourhood to sleep at a time for that. */
  watchesCoverage?: boolean;
}

/** What a cell can carry where it does not show by itself, in Mb/s. */
const usualCapacityMbps: Record<Technology, number> = { '5G': 100, WiFi: 150, LiFi: 60 };
/** Below this the load says nothing about the capacity. */
const tellingLoad = 0.03;
/** Devices are further away from who takes them over, and take more of its air. */
const detour = 2;
/** Traffic that waits this long at the present rate is felt. */
const felt = { backlogMbitPerDevice: 12 };
/** By then an order shows in the samples, or it never will. */
const shownAfterMs = 240_000;
/** The fleet is not turned upside down in one round. */
const mostAtOnce = 0.1;

export class EnergySaver implements ControlProgram {
  readonly everySeconds: number;
  readonly #options: Required<EnergySaverOptions>;
  readonly #coverage = new CoverageWatch();
  /** What was ordered and does not show yet. */
  readonly #ordered = new Map<string, { name: string; atMs: number }>();

  constructor(options: EnergySaverOptions = {}) {
    this.#options = {
      ...{ everySeconds: 60, sleepBelow: 0.4, wakeAbove: 0.6, lookAheadSeconds: 300 },
      ...{ awakeSeconds: 300, leastHelpers: 2, watchesCoverage: true },
      ...options,
    };
    this.everySeconds = this.#options.everySeconds;
  }

  decide(reported: readonly Cell[], nowMs: number): Order[] {
    this.#forgetSettled(reported, nowMs);
    const missed = this.#options.watchesCoverage ? this.#coverage.look(reported, nowMs) : new Set<string>();
    // Whoever is on the way to sleep takes nobody any more; whoever is on the way back does not yet.
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
    // One each: more may turn out not to be needed.
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

  /** The load some time ahead, if the trend goes on; a falling one is not believed before it has fallen. */
  #expected({ load, loadPerSecond }: Cell): number {
    return Math.min(1, load + Math.max(0, loadPerSecond) * this.#options.lookAheadSeconds);
  }
}

function capacityMbps({ technology, load, throughputMbps }: Cell): number {
  const usual = usualCapacityMbps[technology];
  return load >= tellingLoad && throughputMbps > 0 ? Math.max(usual / 10, throughputMbps / load) : usual;
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}
