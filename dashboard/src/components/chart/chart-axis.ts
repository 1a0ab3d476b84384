// The marks of a chart's vertical axis: how far apart they stand, and how they are labelled so that no two look the same.
// Pure.
import { formatNumber, formatPower } from '../../format/numbers.ts';

const nice = [1, 2, 2.5, 5];
/** A number of more digits is written as a power of ten. */
const largestPlain = 1e9;
const maxDecimals = 4;

/** Steps that may be taken between two values, smallest first, whatever their size; whole ones where things are counted. */
export function axisSteps(low: number, high: number, isWhole = false): number[] {
  const span = high - low;
  if (!(span > 0) || !Number.isFinite(span)) return [1];
  const power = Math.floor(Math.log10(span));
  const steps = [power - 2, power - 1, power]
    .flatMap((exponent) => nice.map((digit) => digit * 10 ** exponent))
    .filter((step) => step > 0 && (!isWhole || (step >= 1 && Number.isInteger(step))));
  return steps.length > 0 ? steps : [1];
}

export function axisLabels(marks: readonly number[]): string[] {
  const step = Math.abs((marks[1] ?? 0) - (marks[0] ?? 0));
  const size = Math.max(0, ...marks.map(Math.abs));
  const decimals = decimalsOf(step);
  if (size < largestPlain && decimals <= maxDecimals) return marks.map((value) => formatNumber(value, decimals));
  const significant = Math.min(17, Math.max(1, Math.ceil(Math.log10(size / step || 1)) + 2));
  return marks.map((value) => (Math.abs(value) < step / 2 ? '0' : formatPower(value, significant)));
}

/** How many digits behind the point tell one mark from the next. */
function decimalsOf(step: number): number {
  for (let digits = 0; digits <= maxDecimals; digits++) {
    const scaled = step * 10 ** digits;
    if (scaled >= 1 && Math.abs(scaled - Math.round(scaled)) < 1e-6) return digits;
  }
  return step === 0 ? 2 : maxDecimals + 1;
}
