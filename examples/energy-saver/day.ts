// `npx weft run examples/energy-saver/day.ts [--speed 60] [--from 0] [--hours 24] [--share 1]`: a day of a hundred emulated access points, always on, by a timetable and with
// the energy saver, on the same seed. Prints a table and draws docs/plots/energy-saver-day.svg.
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { colours, drawChart } from '../../research/plots/svg-chart.ts';
import { inWords } from '../fleet/run-program.ts';
import type { Course, Moment } from '../trial/course.ts';
import { lineOver, meanOf, panelOf } from '../trial/panel.ts';
import { tableOf } from '../trial/table.ts';
import { atSpeed, type Contestant, runTrial } from '../trial/trial.ts';
import { lastThursday } from '../trial/working-day.ts';
import { EnergySaver } from './energy-saver.ts';
import { townOf } from './network.ts';
import { NightTimetable } from './night-timetable.ts';

const text = (value: string) => ({ type: 'string', default: value }) as const;
const { values } = parseArgs({ options: { speed: text('60'), from: text('0'), hours: text('24'), share: text('1') } });
/** A higher speed than the machine can reach ends a run early. */
const speed = Number(values.speed);
const [fromHour, hours] = [Number(values.from), Number(values.hours)];
const intervalSeconds = 60;

interface Case {
  name: string;
  colour: string;
  contestants: Contestant[];
}

const cases: Case[] = [
  { name: 'always on', colour: colours.grey, contestants: [] },
  {
    name: 'night timetable',
    colour: colours.red,
    contestants: [{ name: 'timetable', program: new NightTimetable() }],
  },
  { name: 'energy saver', colour: colours.blue, contestants: [{ name: 'saver', program: new EnergySaver() }] },
];

const network = {
  emulators: townOf(Number(values.share)).map((entry) => ({ ...entry, duration: hours * 3600 })),
  seed: 42,
  speed,
  report_interval_seconds: intervalSeconds,
  start_time: lastThursday(fromHour),
};

// In parallel, each with its own Weft.
const courses = await Promise.all(cases.map(courseOf));
process.stdout.write(`\n${table(courses)}\n`);
const plot = join(resolve(import.meta.dirname, '../..'), 'docs/plots/energy-saver-day.svg');
writeFileSync(plot, drawChart(chart(courses)));

async function courseOf({ name, contestants }: Case): Promise<Course> {
  const { course, summaries, clockSeconds } = await runTrial({
    network,
    contestants,
    rules: (rules) => atSpeed(rules, speed),
    onProgress: (modelTime, late) => void process.stderr.write(`${name}: ${modelTime}, ${late} s late\n`),
  });
  process.stdout.write(`${name}: ${Math.round(clockSeconds)} s of the clock\n`);
  for (const summary of Object.values(summaries)) process.stdout.write(`  ${inWords(summary)}\n`);
  return course;
}

function table(all: readonly Course[]): string {
  const [usual] = all;
  const rows = all.map((course, index) => {
    const { energyKwh, deliveredGbit, unservedHours, changes, devices } = course;
    const saved = (100 * (usual!.energyKwh - energyKwh)) / usual!.energyKwh;
    const lost = (100 * (usual!.deliveredGbit - deliveredGbit)) / usual!.deliveredGbit;
    const unserved = (100 * unservedHours) / (devices * hours);
    return [
      cases[index]!.name,
      `${energyKwh.toFixed(1)} kWh`,
      `${saved.toFixed(1)} %`,
      `${deliveredGbit.toFixed(0)} Gbit`,
      `${lost.toFixed(2)} %`,
      `${unserved.toFixed(2)} %`,
      String(changes),
    ];
  });
  const head = ['', 'energy', 'saved', 'delivered', 'not delivered', 'device time without service', 'changes of state'];
  return tableOf(head, rows);
}

function chart(all: readonly Course[]) {
  const x = { label: 'hour of the day', min: fromHour, max: fromHour + hours, step: Math.ceil(hours / 8) };
  const panel = (title: string, label: string, of: (moment: Moment) => number) => {
    const lines = all.map((course) => lineOver(course, 600, meanOf(of), (seconds) => fromHour + seconds / 3600));
    return panelOf(cases, lines, { title, x, y: label });
  };
  const count = network.emulators.reduce((sum, { num_access_points }) => sum + num_access_points, 0);
  return {
    description: 'Power, sleeping access points and devices without service over a day, for three ways to save energy',
    panels: [
      panel('Power', 'power (W)', ({ power_w }) => power_w),
      panel('Access points asleep', 'access points', ({ active }) => count - active),
      panel('Devices without service', 'devices', ({ served_devices }) => all[0]!.devices - served_devices),
    ],
    arranged: 'below' as const,
    panelWidth: 760,
    panelHeight: 180,
  };
}
