// The speed of the samples' time relative to the clock: 1 with real access points, more with a faster emulated network.

const overMs = 10_000;
const leastMs = 1_500;
const markEveryMs = 250;
/** Samples arrive in bursts: within this tolerance the speed is 1. */
const nearlyOne = { from: 0.7, to: 1.4 };

export class Pace {
  readonly #marks: { clockMs: number; dataMs: number }[] = [];

  note(clockMs: number, dataMs: number): void {
    const last = this.#marks.at(-1);
    if (last && clockMs - last.clockMs < markEveryMs) return;
    this.#marks.push({ clockMs, dataMs });
    while (this.#marks.length > 2 && clockMs - this.#marks[0]!.clockMs > overMs) this.#marks.shift();
  }

  /** Undefined until it is known. */
  get value(): number | undefined {
    const [first, last] = [this.#marks[0], this.#marks.at(-1)];
    if (!first || !last || last.clockMs - first.clockMs < leastMs) return undefined;
    const pace = (last.dataMs - first.dataMs) / (last.clockMs - first.clockMs);
    return pace >= nearlyOne.from && pace <= nearlyOne.to ? 1 : Math.max(0.1, pace);
  }
}
