// A series as one line of text.

const levels = '▁▂▃▄▅▆▇█';

/** The latest values, one character each, scaled between their minimum and maximum; a constant series is a flat line. */
export function sparkline(values: readonly number[], columns: number): string {
  const shown = values.slice(-Math.max(1, columns));
  const [low, high] = [Math.min(...shown), Math.max(...shown)];
  return shown
    .map((value) => levels[high === low ? 0 : Math.round(((value - low) / (high - low)) * (levels.length - 1))])
    .join('');
}

/** Up to four significant digits; an exponent only for very large and very small values. */
export function shortNumber(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e9 || size < 1e-4)) return value.toExponential(2);
  return String(Number(value.toPrecision(size >= 1000 ? Math.max(4, Math.ceil(Math.log10(size))) : 4)));
}
