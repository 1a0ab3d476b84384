// `npx weft run examples/steering/seeds.ts [--seeds 11-20] [--parallel 2] [--network office] [--plot <file>]`: half an hour of an office from 10:00, in which devices
// attach as they like (the strongest light, else WiFi, else 5G), are steered, or get a second link, on the model alone, over several seeds. Prints the tables of
// README.md; the plot is drawn for the first network only.
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { drawChart } from '../../research/plots/svg-chart.ts';
import { runOnModel } from '../trial/model-trial.ts';
import { columns, compareOverSeeds, seedsOf } from '../trial/over-seeds.ts';
import { lastThursday } from '../trial/working-day.ts';
import { chartOf } from './chart.ts';
import { networks } from './networks.ts';
import { Steering } from './steering.ts';

const text = (value: string) => ({ type: 'string', default: value }) as const;
const { values } = parseArgs({
  options: {
    network: text('office'),
    seeds: text('11-20'),
    seconds: text('1800'),
    plot: text('docs/plots/steering.svg'),
  },
  strict: false,
});
const emulators = networks[String(values.network)];
if (!emulators) throw new Error(`--network is one of ${Object.keys(networks).join(', ')}`);
const startMs = Date.parse(lastThursday(10));
const shared = { emulators, startMs, seconds: Number(values.seconds), reportIntervalSeconds: 1 };
const { outage, inBudget, energy, battery, delivered, dropped, done, failed } = columns;

const cases = {
  'strongest signal': (seed: number) => runOnModel({ ...shared, seed }),
  steering: (seed: number) => runOnModel({ ...shared, seed, program: new Steering() }),
  'standby links': (seed: number) => runOnModel({ ...shared, seed, program: new Steering({ standby: true }) }),
};
const shown = [outage, inBudget, energy, battery, delivered, dropped, done, failed];
const results = await compareOverSeeds(import.meta.url, cases, shown);
if (results && values.network === 'office') {
  const plot = resolve(import.meta.dirname, '../..', String(values.plot));
  writeFileSync(plot, drawChart(chartOf(Object.keys(cases), seedsOf(String(values.seeds))[0]!, results)));
}
