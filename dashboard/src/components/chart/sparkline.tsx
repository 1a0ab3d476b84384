// A line without axes: which way a figure is going. Drawn as one SVG path.

const width = 120;
const height = 28;
const inset = 2;

/** Values from old to new; undefined where there were none, which is drawn as a gap. */
export function Sparkline({ values }: { values: readonly (number | undefined)[] }) {
  const path = sparklinePath(values);
  return (
    <svg class="sparkline" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      {path !== '' && <path d={path} fill="none" stroke="currentColor" vector-effect="non-scaling-stroke" />}
    </svg>
  );
}

export function sparklinePath(values: readonly (number | undefined)[]): string {
  const known = values.filter((value) => value !== undefined);
  if (known.length < 2) return '';
  const high = Math.max(...known);
  const low = Math.min(...known);
  // A figure that hardly moves is drawn as a line that hardly moves.
  const span = high === low ? 0 : Math.max(high - low, Math.abs(high) * 0.1);
  let isGap = true;
  let path = '';
  for (const [index, value] of values.entries()) {
    if (value === undefined) {
      isGap = true;
      continue;
    }
    const x = (index / (values.length - 1)) * width;
    const share = span === 0 ? 0.5 : (value - low) / span;
    const y = height - inset - share * (height - 2 * inset);
    path += `${isGap ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`;
    isGap = false;
  }
  return path;
}
