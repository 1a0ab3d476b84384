// Learns which cells cover a place that no other cell covers: a map shows no walls. After a cell has gone to
// sleep its devices must attach to its neighbours; if they do not, the cell is woken and stays awake for some hours. One
// cell of a neighbourhood at a time, to know which cell caused it.
import type { Cell } from '@weft/sdk';

/** Devices come and go: a cell's count is a mean over minutes. */
const meanOverMs = 180_000;
/** Time to drain, to find another cell, to report it, and for the mean to show it. */
const settleMs = 480_000;
/** The number that may be missing: less than one device, or a small share of many. */
const missing = { devices: 0.9, share: 0.05 };
/** Doubled each time. */
const firstNeededMs = 6 * 3_600_000;

interface Watched {
  atMs: number;
  takers: readonly string[];
  own: number;
  before: number;
}

export class CoverageWatch {
  readonly #watched = new Map<string, Watched>();
  readonly #needed = new Map<string, { untilMs: number; forMs: number }>();
  readonly #connected = new Map<string, { mean: number; atMs: number }>();

  /** This cell is sent to sleep, and these should take over its devices. */
  begin({ ap_id }: Cell, takers: readonly Cell[], nowMs: number): void {
    const names = takers.map((taker) => taker.ap_id);
    const own = this.#mean(ap_id);
    this.#watched.set(ap_id, { atMs: nowMs, takers: names, own, before: own + this.#sum(names) });
  }

  /** The cell did not go to sleep. */
  end(ap_id: string): void {
    this.#watched.delete(ap_id);
  }

  /** Whether this cell and its neighbours do not overlap with those being watched. */
  canBegin({ ap_id }: Cell, takers: readonly Cell[]): boolean {
    const names = [ap_id, ...takers.map((taker) => taker.ap_id)];
    return !this.#watched.entries().some(([other, watched]) => {
      return names.includes(other) || watched.takers.some((taker) => names.includes(taker));
    });
  }

  /** Must be called in every round. Returns the sleeping cells whose devices are missing. */
  look(cells: readonly Cell[], nowMs: number): Set<string> {
    for (const cell of cells) this.#count(cell, nowMs);
    const asleep = new Set(cells.filter(({ isAwake }) => !isAwake).map(({ ap_id }) => ap_id));
    const missed = new Set<string>();
    for (const [ap_id, { atMs, takers, own, before }] of this.#watched) {
      if (nowMs - atMs < settleMs) continue;
      this.#watched.delete(ap_id);
      const lost = before - this.#sum(takers);
      if (!asleep.has(ap_id) || lost <= missing.devices + missing.share * own) continue;
      missed.add(ap_id);
      const forMs = 2 * (this.#needed.get(ap_id)?.forMs ?? firstNeededMs / 2);
      this.#needed.set(ap_id, { untilMs: nowMs + forMs, forMs });
    }
    return missed;
  }

  isNeeded(ap_id: string, nowMs: number): boolean {
    return nowMs < (this.#needed.get(ap_id)?.untilMs ?? 0);
  }

  #count({ ap_id, connected }: Cell, nowMs: number): void {
    const { mean, atMs } = this.#connected.get(ap_id) ?? { mean: connected, atMs: nowMs };
    const weight = 1 - Math.exp((atMs - nowMs) / meanOverMs);
    this.#connected.set(ap_id, { mean: mean + (connected - mean) * weight, atMs: nowMs });
  }

  #mean(ap_id: string): number {
    return this.#connected.get(ap_id)?.mean ?? 0;
  }

  #sum(names: readonly string[]): number {
    return names.reduce((sum, ap_id) => sum + this.#mean(ap_id), 0);
  }
}
