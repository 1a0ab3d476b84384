// `npx weft run examples/load-balancer/day.ts [--network district] [--seed 11] [--speed 15] [--from 8] [--hours 2] [--plot <file>]`: a morning of an emulated
// network with and without the load balancer, on the same seed. Prints the table of README.md and draws docs/plots/load-balancer.svg.
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Technology } from '@weft/sdk';
import { colours, drawChart } from '../../research/plots/svg-chart.ts';
import { inWords } from '../fleet/run-program.ts';
import { congestionOf, fullestOf } from '../trial/congestion.ts';
import type { Course } from '../trial/course.ts';
import { lineOver, meanOf, panelOf } from '../trial/panel.ts';
import { tableOf } from '../trial/table.ts';
import { atSpeed, runTrial, type TrialResult } from '../trial/trial.ts';
import { lastThursday } from '../trial/working-day.ts';
import { LoadBalancer } from './load-balancer.ts';
import { networks } from './networks.ts';

const text = (value: string) => ({ type: 'string', default: value }) as const;
const { values } = parseArgs({
  options: {
    network: text('district'),
    seed: text('11'),
    speed: text('15'),
    from: text('8'),
    hours: text('2'),
    plot: text('docs/plots/load-balancer.svg'),
  },
});
const emulators = networks[values.network];
if (!emulators) throw new Error(`--network is one of ${Object.keys(networks).join(', ')}`);
const [speed, fromHour, hours] = [Number(values.speed), Number(values.from), Number(values.hours)];

const cases = [
  { name: 'without', colour: colours.grey, contestants: [] },
  {
    name: 'load balancer',
    colour: colours.blue,
    contestants: [{ name: 'balancer', program: new LoadBalancer() }],
  },
];

const network = {
  emulators: emulators.map((entry) => ({ ...entry, duration: hours * 3600 })),
  // As often as the balancer decides.
  seed: Number(values.seed),
  speed,
  report_interval_seconds: 2,
  start_time: lastThursday(fromHour),
};

// In parallel, each with its own Weft.
const results = await Promise.all(
  cases.map(({ name, contestants }) =>
    runTrial({
      network,
      contestants,
      rules: (rules) => atSpeed(rules, speed),
      onProgress: (modelTime, late) => void process.stderr.write(`${name}: ${modelTime}, ${late} s late\n`),
    }),
  ),
);
for (const { summaries, clockSeconds } of results) {
  for (const summary of Object.values(summaries)) process.stdout.write(`${inWords(summary)}\n`);
  process.stdout.write(`${Math.round(clockSeconds)} s of the clock\n`);
}
process.stdout.write(`\n${table(results)}\n`);
const plot = resolve(import.meta.dirname, '../..', values.plot);
writeFileSync(plot, drawChart(chart(results.map(({ course }) => course))));

function table(all: readonly TrialResult[]): string {
  const head = [
    ...['', 'fullest access point', '95 % of loads below', 'time above 90 %', 'waiting, mean', 'waiting, worst minute'],
    ...['delivered', 'devices without service', 'moved', 'refused or failed'],
  ];
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  const gbit = (mbit: number) => `${(mbit / 1000).toFixed(1)} Gbit`;
  const rows = all.map(({ course, summaries: { balancer } }, index) => {
    const { fullest, load95, overloaded, waitingMbit, worstMinuteMbit, unserved } = congestionOf(course);
    const refused = Object.values(balancer?.refused ?? {}).reduce((sum, count) => sum + count, 0);
    return [
      ...[cases[index]!.name, percent(fullest), percent(load95), percent(overloaded)],
      ...[gbit(waitingMbit), gbit(worstMinuteMbit), `${course.deliveredGbit.toFixed(0)} Gbit`, unserved.toFixed(1)],
      ...[String(balancer?.done ?? ''), balancer ? `${refused} and ${balancer.failed}` : ''],
    ];
  });
  return tableOf(head, rows);
}

function chart(all: readonly Course[]) {
  const x = { label: 'hour of the day', min: fromHour, max: fromHour + hours, step: hours < 1 ? hours / 5 : hours / 4 };
  const hourAt = (seconds: number) => fromHour + seconds / 3600;
  const everySeconds = Math.max(60, 150 * hours);
  const fullest = (technology: Technology, title: string) => {
    const lines = all.map((course) => {
      const load = fullestOf(course, technology);
      return lineOver(course, everySeconds, (part) => 100 * load(part), hourAt);
    });
    return panelOf(cases, lines, { title, x, y: { label: 'load (%)', min: 0, max: 100, step: 20 } });
  };
  const waiting = all.map((course) =>
    lineOver(
      course,
      everySeconds,
      meanOf(({ backlog_mbit }) => backlog_mbit / 1000),
      hourAt,
    ),
  );
  return {
    description: 'Load of the fullest access points of each technology, and waiting traffic, with and without balancer',
    panels: [
      fullest('WiFi', 'The fullest WiFi access point'),
      fullest('LiFi', 'The fullest lamp'),
      fullest('5G', 'The fullest 5G cell'),
      panelOf(cases, waiting, { title: 'Traffic that waits, in the whole network', x, y: 'waiting (Gbit)' }),
    ],
    arranged: 'below' as const,
    panelWidth: 760,
    panelHeight: 130,
  };
}
