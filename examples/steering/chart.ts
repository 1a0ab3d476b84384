// The plot of README.md: each seed with its three cases beside each other, because seeds differ more than cases do.
import { type Chart, colours, type Series } from '../../research/plots/svg-chart.ts';
import type { Figures } from '../trial/model-trial.ts';
import { panelOf } from '../trial/panel.ts';

const quantities = [
  { title: 'Outage', y: '1000 device-s', of: ({ outageS }: Figures) => outageS / 1000 },
  { title: 'Seconds with data in which it arrived in time', y: '%', of: ({ inBudgetPct }: Figures) => inBudgetPct },
  { title: 'Energy of access points', y: 'Wh', of: ({ energyKwh }: Figures) => energyKwh * 1000 },
  { title: 'Energy of the radios in devices', y: 'kJ', of: ({ batteryKj }: Figures) => batteryKj },
];
const palette = [colours.grey, colours.blue, colours.green];
const halfWidth = 0.12;

/** `results` by seed, from the first on; cases in the order of `names`. */
export function chartOf(
  names: readonly string[],
  firstSeed: number,
  results: readonly Record<string, Figures>[],
): Chart {
  const cases = names.map((name, n) => ({ name, colour: palette[n]! }));
  const x = { label: 'seed', min: firstSeed - 1, max: firstSeed + results.length, step: 1 };
  return {
    description: 'Outage, data in time, energy and batteries for each seed, in three cases',
    panels: quantities.map(({ title, y, of }) => {
      const values = names.map((name) => results.map((seed, n) => [firstSeed + n, of(seed[name]!)] as const));
      const panel = panelOf(cases, values, { title, x, y });
      return { ...panel, series: panel.series.flatMap(dashes) };
    }),
    arranged: 'below',
    panelWidth: 760,
    panelHeight: 130,
  };
}

/** A short line for each point, beside those of the other cases. */
function dashes(series: Series, number: number): Series[] {
  const shift = (number - 1) * 0.27;
  return series.points.map(([at, value], n) => ({
    ...series,
    name: n === 0 ? series.name : '',
    points: [at - halfWidth, at + halfWidth].map((edge) => [edge + shift, value] as const),
  }));
}
