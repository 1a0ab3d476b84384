// Samples of power to energy. A sample stands for the time since the one before it; where that is longer than reports are apart,
// for its own interval only: what is between is missing, and no energy is made up for it. Pure.

export interface PowerSamples {
  /** When each was taken, or its bucket ended; ascending, milliseconds. */
  endsMs: ArrayLike<number>;
  watts: ArrayLike<number>;
  /** The longest time between two samples that the later one stands for. */
  holdMs: number;
  /** What a sample after a gap stands for. */
  ownMs: number;
}

export interface EnergyRange {
  startMs: number;
  endMs: number;
}

/** The time that samples stand for within a range, piece by piece. What is no power (no number, negative) is not measured. */
export function* measuredPieces(
  { endsMs, watts, holdMs, ownMs }: PowerSamples,
  { startMs, endMs }: EnergyRange,
): Generator<{ fromMs: number; toMs: number; watts: number }> {
  let before = Number.NEGATIVE_INFINITY;
  for (let n = 0; n < endsMs.length; n++) {
    const end = endsMs[n]!;
    const power = watts[n]!;
    if (!(power >= 0 && power < Number.POSITIVE_INFINITY)) continue;
    const begin = end - before <= holdMs ? before : Math.max(before, end - ownMs);
    before = end;
    const [fromMs, toMs] = [Math.max(begin, startMs), Math.min(end, endMs)];
    if (fromMs < toMs) yield { fromMs, toMs, watts: power };
  }
}

/** Sums over a range; and the power in buckets of it, which begin at multiples of their width. */
export class EnergySum {
  readonly #widthMs: number;
  readonly #firstMs: number;
  readonly #watts: (number | null)[];
  readonly #range: EnergyRange;

  constructor(range: EnergyRange, widthMs: number) {
    this.#range = range;
    this.#widthMs = widthMs;
    this.#firstMs = Math.floor(range.startMs / widthMs) * widthMs;
    const count = Math.max(1, Math.ceil((range.endMs - this.#firstMs) / widthMs));
    this.#watts = Array.from({ length: count }, () => null);
  }

  get times(): number[] {
    return this.#watts.map((_, n) => this.#firstMs + n * this.#widthMs);
  }

  /** Of each that was added its mean over the time that is known of a bucket; null for one of which nothing is. */
  get watts(): readonly (number | null)[] {
    return this.#watts;
  }

  /** Returns what these samples come to, in joules and milliseconds. */
  add(samples: PowerSamples): { joules: number; measuredMs: number } {
    const sum = { joules: 0, measuredMs: 0 };
    const inBucket = new Map<number, { joules: number; ms: number }>();
    for (const { fromMs, toMs, watts } of measuredPieces(samples, this.#range)) {
      for (let at = fromMs; at < toMs; ) {
        const n = Math.floor((at - this.#firstMs) / this.#widthMs);
        const until = Math.min(toMs, this.#firstMs + (n + 1) * this.#widthMs);
        const bucket = inBucket.get(n) ?? { joules: 0, ms: 0 };
        inBucket.set(n, bucket);
        bucket.joules += (watts * (until - at)) / 1000;
        bucket.ms += until - at;
        at = until;
      }
      sum.joules += (watts * (toMs - fromMs)) / 1000;
      sum.measuredMs += toMs - fromMs;
    }
    for (const [n, { joules, ms }] of inBucket) this.#watts[n] = (this.#watts[n] ?? 0) + (joules * 1000) / ms;
    return sum;
  }
}

export interface EnergyRates {
  currency: string;
  price_per_kwh: number;
  co2_g_per_kwh: number;
}

export function toAmount(joules: number, { price_per_kwh, co2_g_per_kwh }: EnergyRates) {
  const kwh = joules / 3.6e6;
  return { kwh, cost: kwh * price_per_kwh, co2_kg: (kwh * co2_g_per_kwh) / 1000 };
}
