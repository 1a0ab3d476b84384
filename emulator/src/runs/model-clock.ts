// What time it is for Weft and for the model of a run. Weft's clock is known by what Weft says and by a clock of this
// machine that nobody sets, which is the same in all threads.
import type { EmulatorTask } from '@weft/contract';

/** A new reading of Weft's clock counts only if it differs by more: its way here takes some time. */
const toleranceMs = 1_000;

/** Milliseconds since some moment; never goes back, never jumps. */
export function steadyMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}

/** Weft's time at a moment of the steady clock. */
export interface ClockReading {
  weftMs: number;
  atMs: number;
}

export class WeftClock {
  #reading: ClockReading;
  readonly #steadyMs: () => number;

  constructor(reading: ClockReading, steady = steadyMs) {
    this.#reading = reading;
    this.#steadyMs = steady;
  }

  get reading(): ClockReading {
    return this.#reading;
  }

  now(): number {
    return this.#reading.weftMs + this.#steadyMs() - this.#reading.atMs;
  }

  /** Takes a reading of Weft's clock, made between request and answer. True if it changes the clock. */
  heard(weftMs: number, askedAtMs: number, heardAtMs: number): boolean {
    const believed = this.#reading.weftMs + heardAtMs - this.#reading.atMs;
    const isLikely = believed >= weftMs - toleranceMs && believed <= weftMs + heardAtMs - askedAtMs + toleranceMs;
    if (!isLikely) this.set({ weftMs, atMs: heardAtMs });
    return !isLikely;
  }

  set(reading: ClockReading): void {
    this.#reading = reading;
  }
}

/** The clock of a run that stands still until it is told to go on. */
export function steppedClock(run: {
  readonly steppedTo: number;
}): Pick<ModelClock, 'dueSecond' | 'msUntil' | 'lateBySeconds'> {
  return {
    get dueSecond() {
      return run.steppedTo;
    },
    msUntil: (second) => (second <= run.steppedTo ? 0 : Number.POSITIVE_INFINITY),
    lateBySeconds: () => 0,
  };
}

/** The run's seconds of model time against Weft's clock. */
export class ModelClock {
  readonly #clock: Pick<WeftClock, 'now'>;
  readonly #startedAtMs: number;
  readonly #speed: number;
  readonly #duration: number;

  constructor(clock: Pick<WeftClock, 'now'>, { started_at, speed, duration }: EmulatorTask) {
    this.#clock = clock;
    this.#startedAtMs = Date.parse(started_at);
    this.#speed = speed;
    this.#duration = duration;
  }

  /** How many seconds of model time should have passed by now. */
  get dueSecond(): number {
    const passed = ((this.#clock.now() - this.#startedAtMs) * this.#speed) / 1000;
    return Math.min(this.#duration, Math.max(0, Math.floor(passed)));
  }

  /** Milliseconds until this second is due; not more than 0 if it is. */
  msUntil(second: number): number {
    return this.#startedAtMs + (second * 1000) / this.#speed - this.#clock.now();
  }

  /** How much of model time is due after the second that comes next: seconds of the model, at any speed. */
  lateBySeconds(second: number): number {
    const late = (-this.msUntil(second + 1) * this.#speed) / 1000;
    return Math.round(Math.max(0, Math.min(late, this.#duration - second)) * 10) / 10;
  }
}
