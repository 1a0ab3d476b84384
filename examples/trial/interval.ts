// Mean and 90 % confidence interval of a few independent values, by Student's t-distribution.

export interface Interval {
  mean: number;
  /** Half the width; the interval is mean ± margin. NaN for fewer than two values. */
  margin: number;
}

/** 95th percentiles for 1 to 30 degrees of freedom; for more, that of the normal distribution is near enough. */
const t95 = [
  6.314, 2.92, 2.353, 2.132, 2.015, 1.943, 1.895, 1.86, 1.833, 1.812, 1.796, 1.782, 1.771, 1.761, 1.753, 1.746, 1.74,
  1.734, 1.729, 1.725, 1.721, 1.717, 1.714, 1.711, 1.708, 1.706, 1.703, 1.701, 1.699, 1.697,
];

export function intervalOf(values: readonly number[]): Interval {
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  return { mean, margin: n < 2 ? Number.NaN : (t95[n - 2] ?? 1.645) * Math.sqrt(variance / n) };
}

/** `12.3 ± 0.4`, or `12.3` if there is no interval; a difference has its sign. */
export function inInterval({ mean, margin }: Interval, digits: number, isDifference = false): string {
  const sign = isDifference && Number(mean.toFixed(digits)) > 0 ? '+' : '';
  const value = `${sign}${mean.toFixed(digits)}`.replace(/^-(?=[0.]+$)/, '').replace('-', '−');
  return Number.isNaN(margin) ? value : `${value} ± ${margin.toFixed(digits)}`;
}
