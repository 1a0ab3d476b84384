// The times of samples: no two of an agent share one, and those of a clock that was wrong do not drag the rest along.
import type { ServerClock } from './server-clock.ts';

/** A sample further ahead has the time of a clock that was wrong. */
const maxAheadMs = 60_000;

export class SampleTimes {
  readonly #clock: ServerClock;
  #lastTs = 0;
  /** As long as the clock is not known. */
  #lastGuessedTs = 0;
  #lastMoment = 0;

  constructor(clock: ServerClock) {
    this.#clock = clock;
  }

  /** Those of the next process must not fall on this one. */
  goOnAfter(newest: number): void {
    if (newest < Date.now() + maxAheadMs) this.#lastTs = this.#lastGuessedTs = newest;
  }

  /** No two samples share one, so that no two share a time. */
  moment(count: number): number {
    const moment = Math.max(this.#clock.moment(), this.#lastMoment + 1);
    this.#lastMoment = moment + count - 1;
    return moment;
  }

  stamp(moment: number): number {
    const clock = this.#clock;
    const time = clock.timeOf(moment);
    if (!clock.isKnown) {
      this.#lastGuessedTs = Math.max(this.#lastGuessedTs + 1, time);
      return this.#lastGuessedTs;
    }
    // A guess of a clock that was wrong is set right before it is sent, and must not drag the rest along.
    const lastTs = clock.isOff ? this.#lastTs : Math.max(this.#lastTs, this.#lastGuessedTs);
    this.#lastTs = Math.max(lastTs + 1, time);
    return this.#lastTs;
  }
}
