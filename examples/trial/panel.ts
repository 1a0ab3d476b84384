// Several trials in one panel of a chart: a line for each, in its own colour, and a fitting axis.
import type { Axis, Panel } from '../../research/plots/svg-chart.ts';
import type { Course, Moment } from './course.ts';

export type Line = readonly (readonly [x: number, y: number])[];

/** `lines` in the order of `cases`; `y` is the vertical axis, or its label if it should fit the lines. */
export function panelOf(
  cases: readonly { name: string; colour: string }[],
  lines: readonly Line[],
  { title, x, y }: { title: string; x: Axis; y: Axis | string },
): Panel {
  return {
    title,
    x,
    y: typeof y === 'string' ? axisOf(y, lines) : y,
    series: lines.map((points, index) => {
      const { name, colour } = cases[index]!;
      return { name, colour, kind: 'line' as const, points };
    }),
  };
}

/** One value per interval of the course; `at` maps its middle to the axis. */
export function lineOver(
  { moments }: Course,
  seconds: number,
  of: (part: readonly Moment[]) => number,
  at: (seconds: number) => number,
): Line {
  const per = Math.max(1, Math.round(seconds / moments[0]!.seconds));
  return Array.from({ length: Math.floor(moments.length / per) }, (_, n) => {
    return [at((n + 0.5) * seconds), of(moments.slice(n * per, (n + 1) * per))];
  });
}

export function meanOf(of: (moment: Moment) => number): (part: readonly Moment[]) => number {
  return (part) => part.reduce((sum, moment) => sum + of(moment), 0) / part.length;
}

/** With a round step. */
function axisOf(label: string, lines: readonly Line[]): Axis {
  const values = lines.flatMap((points) => points.map(([, value]) => value));
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const rough = Math.max(1e-3, (most - least) / 5);
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * ([1, 2, 5, 10].find((n) => n * unit >= rough) ?? 10);
  const min = Math.floor(least / step) * step;
  return { label, min, max: Math.max(min + step, Math.ceil(most / step) * step), step };
}
