// An axis that fits what is drawn, with a round step.
import type { Axis } from '../../scripts/plots/svg-chart.ts';
import type { Moment } from './course.ts';

export type Of = (moment: Moment) => number;

export function axisOf(label: string, lines: readonly (readonly (readonly [number, number])[])[]): Axis {
  const values = lines.flatMap((points) => points.map(([, value]) => value));
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const rough = Math.max(1e-3, (most - least) / 5);
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * ([1, 2, 5, 10].find((n) => n * unit >= rough) ?? 10);
  const min = Math.floor(least / step) * step;
  return { label, min, max: Math.max(min + step, Math.ceil(most / step) * step), step };
}
