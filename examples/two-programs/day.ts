// `npx weft run examples/two-programs/day.ts [--speed 60] [--seeds 7]`: the energy saver and the load balancer on one network, once with Weft's conflict
// rules and once with rules under which the last command wins, on the same seeds (`11-20`: ten of them, one after the other);
// `--alone`: the same network without a program.
// Prints the table of README.md and draws docs/plots/two-programs.svg of the first seed.
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { colours, drawChart } from '../../research/plots/svg-chart.ts';
import { EnergySaver } from '../energy-saver/energy-saver.ts';
import { inWords } from '../fleet/run-program.ts';
import { LoadBalancer } from '../load-balancer/load-balancer.ts';
import type { Course, Moment } from '../trial/course.ts';
import { type Column, comparison, seedsOf } from '../trial/over-seeds.ts';
import { lineOver, meanOf, panelOf } from '../trial/panel.ts';
import { atSpeed, type Rules, runTrial, type TrialResult } from '../trial/trial.ts';
import { lastThursday } from '../trial/working-day.ts';

const { values } = parseArgs({
  options: {
    speed: { type: 'string', default: '60' },
    hours: { type: 'string', default: '1.5' },
    seeds: { type: 'string', default: '7' },
    alone: { type: 'boolean' },
  },
});
const speed = Number(values.speed);
const seconds = Number(values.hours) * 3600;
const intervalSeconds = 10;
/** Into the evening, when streets are fullest. */
const fromHour = 16;

/** Both have permission, and their goals differ: one lets cells sleep at a load that is too high for the other. */
const hasty = { everySeconds: 30, awakeSeconds: 60, watchesCoverage: false };
const generous = { fullAbove: 0.22, roomBelow: 0.12 };

/** Every command is accepted: the last one wins, nothing is frozen or too soon. */
function withoutReferee(rules: Rules): Rules {
  return {
    ...rules,
    // Groups that only report refuse nothing, and may share parameters with others.
    groups: rules.groups.map((group) => {
      return group.policy === 'report' ? group : { ...group, policy: 'last_wins', min_interval_ms: 0 };
    }),
    oscillation: { ...rules.oscillation, freeze_s: 0 },
    blast_radius: { fraction: 1, minimum: 1_000_000, window_s: 1 },
  };
}

const cases = values.alone
  ? [{ name: 'no program', colour: colours.red, rules: withoutReferee }]
  : [
      { name: 'the last command wins', colour: colours.red, rules: withoutReferee },
      { name: 'conflict rules of Weft', colour: colours.blue, rules: (rules: Rules) => atSpeed(rules, speed) },
    ];

const network = {
  emulators: [
    { access_point_type: '5G' as const, num_access_points: 19, num_devices: 20 },
    { access_point_type: 'WiFi' as const, num_access_points: 5, num_devices: 4 },
  ].map((entry) => ({ ...entry, locations: ['51.4545,-2.5879'], duration: seconds })),
  speed,
  report_interval_seconds: intervalSeconds,
  start_time: lastThursday(fromHour),
};

const results: TrialResult[][] = [];
for (const seed of seedsOf(values.seeds)) {
  results.push(await Promise.all(cases.map(({ name, rules }) => runBoth(seed, name, rules))));
  for (const [
    index,
    {
      summaries,
      course: { energyKwh, changes },
    },
  ] of results.at(-1)!.entries()) {
    const { name } = cases[index]!;
    process.stdout.write(`seed ${seed}, ${name}: ${energyKwh.toFixed(3)} kWh, ${changes} changes\n`);
    for (const [app, summary] of Object.entries(summaries)) process.stdout.write(`  ${app}: ${inWords(summary)}\n`);
  }
}
process.stdout.write(`\n${table()}\n`);
const plot = join(resolve(import.meta.dirname, '../..'), 'docs/plots/two-programs.svg');
if (!values.alone) writeFileSync(plot, drawChart(chart(results[0]!.map(({ course }) => course))));

function runBoth(seed: number, name: string, rules: (rules: Rules) => Rules): Promise<TrialResult> {
  return runTrial({
    network: { ...network, seed },
    rules,
    contestants: values.alone
      ? []
      : [
          { name: 'saver', program: new EnergySaver(hasty) },
          // Service for devices has priority over energy.
          { name: 'balancer', program: new LoadBalancer(generous), priority: 60 },
        ],
    onProgress: (modelTime, late) => void process.stderr.write(`${name}: ${modelTime}, ${late} s late\n`),
  });
}

function table(): string {
  const figures: [name: string, unit: string, digits: number, of: Column<TrialResult>['of']][] = [
    ['cells fell asleep or woke', '', 0, ({ course }) => course.changes],
    ['device time without service', 'h', 1, ({ course }) => course.unservedHours],
    ['waiting, mean', 'Mbit', 0, ({ course }) => meanOf(({ backlog_mbit }) => backlog_mbit)(course.moments)],
    ['delivered', 'Gbit', 1, ({ course }) => course.deliveredGbit],
    ['within delay budget', '%', 2, ({ course }) => course.qosMetPct],
    ['latency', 'ms', 1, ({ course }) => course.latencyMs],
    ['energy', 'kWh', 3, ({ course }) => course.energyKwh],
    ['orders refused', '', 0, refusedIn],
  ];
  const names = cases.map(({ name }) => name);
  const bySeed = results.map((both) => Object.fromEntries(both.map((result, index) => [names[index]!, result])));
  const columns = figures.map(([name, unit, digits, of]) => ({ name, unit, digits, of }));
  return comparison(names, bySeed, columns);
}

function refusedIn({ summaries }: TrialResult): number {
  const counts = Object.values(summaries).flatMap(({ refused }) => Object.values(refused));
  return counts.reduce((sum, count) => sum + count, 0);
}

function chart(all: readonly Course[]) {
  const x = { label: 'minutes', min: 0, max: seconds / 60, step: seconds / 60 / 6 };
  const panel = (title: string, label: string, of: (moment: Moment) => number) => {
    const lines = all.map((course) => lineOver(course, 120, meanOf(of), (seconds) => seconds / 60));
    return panelOf(cases, lines, { title, x, y: label });
  };
  const flapping = all.map(({ moments }) => {
    const totals = runningTotal(moments.map(({ changes }) => changes));
    return totals.map((total, n) => [minuteOf(n), total] as const);
  });
  return {
    description: 'How often cells fall asleep and wake, and what waits, with and without conflict rules',
    panels: [
      panelOf(cases, flapping, { title: 'Cells that fell asleep or woke, so far', x, y: 'changes' }),
      panel('Traffic that waits', 'waiting (Mbit)', ({ backlog_mbit }) => backlog_mbit),
      panel('Devices without service', 'devices', ({ served_devices }) => all[0]!.devices - served_devices),
      panel('Power', 'power (W)', ({ power_w }) => power_w),
    ],
    arranged: 'below' as const,
    panelWidth: 760,
    panelHeight: 150,
  };
}

function minuteOf(n: number): number {
  return ((n + 1) * intervalSeconds) / 60;
}

function runningTotal(counts: readonly number[]): number[] {
  let sum = 0;
  return counts.map((count) => {
    sum += count;
    return sum;
  });
}
