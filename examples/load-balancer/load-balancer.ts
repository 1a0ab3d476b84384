// Decides which devices move: a loaded access point moves devices, one at a time, to the least loaded one that serves them
// no worse, often of another technology. If there is none, a sleeping neighbour is woken.

import type { Cell, Technology } from '@weft/sdk';
import { canTakeOver, distanceM } from '@weft/sdk';
import type { ControlProgram, Order } from '../fleet/control-program.ts';

export interface LoadBalancerOptions {
  everySeconds?: number;
  /** Above this load an access point moves devices away. */
  fullAbove?: number;
  /** Up to this load an access point accepts devices. */
  roomBelow?: number;
  /** Minimum difference of the two loads, else devices would move back and forth. */
  gap?: number;
}

/**
 * The useful moves. On its own a device prefers LiFi to WiFi and WiFi to 5G if the signal is good enough,
 * and the cell or lamp with the best signal. Moved to smaller cells, or to another cell or lamp, it needs more airtime than it
 * frees. It keeps a WiFi access point as long as possible, even if another one is as close.
 */
const worthwhile: Partial<Record<Technology, readonly Technology[]>> = {
  LiFi: ['WiFi', '5G'],
  WiFi: ['WiFi', '5G'],
  '5G': [],
};

const lookAheadSeconds = 60;
/** Waiting traffic per device; above this, a channel is full whatever its load. */
const feltMbitPerDevice = 20;
/** A pair between which no device could move is tried again after this time, because devices move. */
const uselessMs = 300_000;
/** A steered device stays for two minutes; no other caller should move it before. */
const steerHoldSeconds = 10;
/** A woken cell stays awake until its effect is known. */
const wakeHoldSeconds = 1800;
const wakeShowsAfterMs = 120_000;

export class LoadBalancer implements ControlProgram {
  readonly everySeconds: number;
  readonly #options: Required<LoadBalancerOptions>;
  /** Pairs that did not work, and until when they are skipped. */
  readonly #useless = new Map<string, number>();
  readonly #wokenAtMs = new Map<string, number>();

  constructor(options: LoadBalancerOptions = {}) {
    this.#options = { everySeconds: 2, fullAbove: 0.6, roomBelow: 0.5, gap: 0.15, ...options };
    this.everySeconds = this.#options.everySeconds;
  }

  decide(cells: readonly Cell[], nowMs: number): Order[] {
    const orders: Order[] = [];
    // The fullest first; each target takes one device per round, so that none is overloaded.
    const taken = new Set<string>();
    const full = cells.filter((cell) => cell.isAwake && cell.connected >= 1 && this.#isFull(cell));
    for (const cell of full.sort((a, b) => pressure(b) - pressure(a))) {
      const target = this.#target(cell, cells, taken, nowMs);
      if (target) {
        taken.add(target.ap_id);
        orders.push(steer(cell, target));
        continue;
      }
      const relief = cells
        .filter((other) => !other.isAwake && canTakeOver(cell, other) && other.technology === cell.technology)
        .filter(({ ap_id }) => nowMs - (this.#wokenAtMs.get(ap_id) ?? Number.NEGATIVE_INFINITY) > wakeShowsAfterMs)
        .sort((a, b) => distanceM(a, cell) - distanceM(b, cell))[0];
      if (!relief) continue;
      this.#wokenAtMs.set(relief.ap_id, nowMs);
      const because = `${cell.ap_id} is at ${percent(expected(cell))} and nobody awake can relieve it`;
      orders.push({ ap_id: relief.ap_id, name: 'wake', holdSeconds: wakeHoldSeconds, because });
    }
    return orders;
  }

  undone({ ap_id, name, args }: Order, why: string, nowMs: number): void {
    if (name === 'steer_device' && why === 'failed') {
      this.#useless.set(pair(ap_id, String(args?.target)), nowMs + uselessMs);
    }
  }

  #isFull(cell: Cell): boolean {
    return expected(cell) > this.#options.fullAbove || cell.backlogMbit > feltMbitPerDevice * cell.connected;
  }

  #target(cell: Cell, cells: readonly Cell[], taken: ReadonlySet<string>, nowMs: number): Cell | undefined {
    const { roomBelow, gap } = this.#options;
    return cells
      .filter((other) => other.isAwake && !taken.has(other.ap_id))
      .filter((other) => worthwhile[cell.technology]?.includes(other.technology) && canTakeOver(other, cell))
      .filter((other) => expected(other) < roomBelow && expected(cell) - expected(other) > gap)
      .filter((other) => nowMs >= (this.#useless.get(pair(cell.ap_id, other.ap_id)) ?? 0))
      .sort((a, b) => expected(a) - expected(b) || distanceM(a, cell) - distanceM(b, cell))[0];
  }
}

function steer(from: Cell, to: Cell): Order {
  const because = `it is at ${percent(expected(from))}, the other at ${percent(expected(to))}`;
  const args = { target: to.ap_id };
  return { ap_id: from.ap_id, name: 'steer_device', args, holdSeconds: steerHoldSeconds, because };
}

/** The load in a minute, if it is rising. */
function expected({ load, loadPerSecond }: Cell): number {
  return Math.min(1, load + Math.max(0, loadPerSecond) * lookAheadSeconds);
}

function pressure(cell: Cell): number {
  return expected(cell) + cell.backlogMbit / Math.max(1, cell.connected) / feltMbitPerDevice;
}

function pair(from: string, to: string): string {
  return `${from} ${to}`;
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}
