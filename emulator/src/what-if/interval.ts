// Several futures as one number: their mean, and how far off it may be.

/**
 * A mean; plusMinus is half of its 90 % interval, range what holds the next value in nine of ten cases; both are absent where
 * there are fewer than two values.
 */
export interface Amount {
  mean: number;
  plusMinus?: number;
  range?: [low: number, high: number];
}

/** 95 % points of Student's t for 1 to 31 degrees of freedom: one side of an interval of 90 %. */
const studentT = [
  6.313752, 2.919986, 2.353363, 2.131847, 2.015048, 1.94318, 1.894579, 1.859548, 1.833113, 1.812461, 1.795885, 1.782288,
  1.770933, 1.76131, 1.75305, 1.745884, 1.739607, 1.734064, 1.729133, 1.724718, 1.720743, 1.717144, 1.713872, 1.710882,
  1.708141, 1.705618, 1.703288, 1.701131, 1.699127, 1.697261, 1.695519,
];
const meanDigits = 6;
const plusMinusDigits = 3;

/** How many futures an interval is made of, at most. */
export const maxFutures = studentT.length + 1;

/** Undefined for no values. To six digits, half of the interval to three. */
export function toAmount(values: readonly number[]): Amount | undefined {
  const [first, ...rest] = values;
  if (first === undefined) return undefined;
  if (rest.length === 0) return { mean: shortened(first, meanDigits) };
  // Not left to rounding: what is the same in every future is certain.
  if (rest.every((value) => value === first)) {
    const mean = shortened(first, meanDigits);
    return { mean, plusMinus: 0, range: [mean, mean] };
  }
  const count = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const variance = values.reduce((sum, value) => sum + (value - mean) * (value - mean), 0) / (count - 1);
  const t = studentT[Math.min(count - 2, studentT.length - 1)]!;
  const plusMinus = t * Math.sqrt(variance / count);
  // The next one differs from the mean by what the mean itself may be off, and by its own chance.
  const reach = plusMinus * Math.sqrt(count + 1);
  // What never is below nothing will not be.
  const least = values.every((value) => value >= 0) ? 0 : -Infinity;
  return {
    mean: shortened(mean, meanDigits),
    plusMinus: shortened(plusMinus, plusMinusDigits),
    range: [shortened(Math.max(least, mean - reach), meanDigits), shortened(mean + reach, meanDigits)],
  };
}

/** Of what is there in every case. */
export function requireAmount(values: readonly number[]): Amount {
  const amount = toAmount(values);
  if (!amount) throw new RangeError('there is no future');
  return amount;
}

function shortened(value: number, digits: number): number {
  return Number(value.toPrecision(digits)) + 0;
}
