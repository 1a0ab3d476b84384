// One rule on one agent: ok or firing, and since when the samples have spoken for the other state. Only times of samples count, and
// no clock: whoever replays the samples gets the same alarms.
import type { MetricCondition } from './metric-condition.ts';
import type { Quantity } from './quantity.ts';

export interface Transition {
  to: 'firing' | 'cleared';
  /** Since when the condition, or its end, has held. */
  sinceMs: number;
  /** The sample that made it certain. */
  atMs: number;
  /** What was compared with the limit then. */
  value: number;
}

export class AlarmTracker {
  readonly condition: MetricCondition;
  /** Between samples that are further apart than this it is unknown how it was: what was pending begins again. */
  gapMs: number;
  isFiring = false;
  /** The newest sample that was looked at. */
  newestMs = Number.NEGATIVE_INFINITY;
  value = Number.NaN;
  /** NaN while the newest sample speaks for the present state. */
  sinceMs = Number.NaN;
  /** Whether `sinceMs` is known to be right: not after a start, and not after a late sample. */
  isCertain = false;
  /** What happened before does not count any more: it was cleared by hand. */
  floorMs = Number.NEGATIVE_INFINITY;
  #quantity: Quantity;

  constructor(condition: MetricCondition, gapMs: number) {
    this.condition = condition;
    this.gapMs = gapMs;
    this.#quantity = condition.createQuantity();
  }

  /**
   * Takes a sample, in constant time. A late one (not newer than the newest) never leads to a transition; it may have
   * changed since when something has held, which only the stored samples tell. Returns whether a transition is due, or
   * whether only the stored samples tell.
   */
  add(ts: number, value: number, other: number, isAsleep: boolean): boolean {
    if (!(ts > this.newestMs)) {
      this.isCertain = false;
      return false;
    }
    const { condition } = this;
    const gap = ts - this.newestMs;
    this.newestMs = ts;
    if (isAsleep && condition.ignoresSleep) {
      this.value = Number.NaN;
      if (!this.isFiring) {
        this.sinceMs = Number.NaN;
        return false;
      }
    } else {
      const quantity = this.#quantity.add(ts, value, other);
      this.value = quantity;
      if (this.isFiring ? !condition.clears(quantity) : !condition.fires(quantity)) {
        this.sinceMs = Number.NaN;
        // Without the window before, it is unknown what the quantity is.
        return !this.isCertain && condition.windowMs > 0;
      }
    }
    if (Number.isNaN(this.sinceMs) || gap > this.gapMs) this.sinceMs = ts;
    return !this.isCertain || ts - this.sinceMs >= (this.isFiring ? condition.clearForMs : condition.forMs);
  }

  /** The transition that is due now, if any. Call `turn` once it is durable. */
  get due(): Transition | undefined {
    const { sinceMs, newestMs, value, isFiring, condition } = this;
    const neededMs = isFiring ? condition.clearForMs : condition.forMs;
    if (!(newestMs - sinceMs >= neededMs)) return undefined;
    return { to: isFiring ? 'cleared' : 'firing', sinceMs, atMs: newestMs, value };
  }

  /** The state is another one now, since the sample of `atMs` if a transition of this tracker made it so. */
  turn(isFiring: boolean, atMs?: number): void {
    if (this.isFiring === isFiring) return;
    this.isFiring = isFiring;
    this.sinceMs = Number.NaN;
    // Samples that came meanwhile were held against the other limit.
    this.isCertain = this.isCertain && atMs === this.newestMs;
  }

  /** From when on the stored samples have to be replayed. */
  get replayFromMs(): number {
    const { condition, newestMs, gapMs, isFiring, floorMs } = this;
    const neededMs = (isFiring ? condition.clearForMs : condition.forMs) + condition.windowMs + gapMs;
    return Math.max(newestMs - neededMs, floorMs + 1);
  }

  /** The same, before any sample: for a replay of the stored ones. */
  beginning(): AlarmTracker {
    const tracker = new AlarmTracker(this.condition, this.gapMs);
    tracker.isFiring = this.isFiring;
    tracker.floorMs = this.floorMs;
    tracker.isCertain = true;
    return tracker;
  }

  /** Takes over what a replay up to the same newest sample has found. */
  adopt(replayed: AlarmTracker): void {
    this.#quantity = replayed.#quantity;
    this.newestMs = replayed.newestMs;
    this.sinceMs = replayed.sinceMs;
    this.value = replayed.value;
    this.isCertain = true;
  }
}
