// `npx weft run examples/energy-saver/seeds.ts [--seeds 11-20] [--parallel 2] [--hours 8] [--share 1]`: a Thursday from midnight, always on, by a timetable and with
// the energy saver, on the model alone, over several seeds. Prints the first table of README.md.
import { parseArgs } from 'node:util';
import { runOnModel } from '../trial/model-trial.ts';
import { columns, compareOverSeeds } from '../trial/over-seeds.ts';
import { lastThursday } from '../trial/working-day.ts';
import { EnergySaver } from './energy-saver.ts';
import { townOf } from './network.ts';
import { NightTimetable } from './night-timetable.ts';

const text = (value: string) => ({ type: 'string', default: value }) as const;
/** Of the hundred access points: with all of them a run takes a minute of processor time. */
const { values } = parseArgs({ options: { hours: text('8'), share: text('1') }, strict: false });
const shared = {
  emulators: townOf(Number(values.share)),
  startMs: Date.parse(lastThursday()),
  seconds: Number(values.hours) * 3600,
  reportIntervalSeconds: 60,
};
const { energy, delivered, dropped, waiting, unserved, qos, latency, changes } = columns;

await compareOverSeeds(
  import.meta.url,
  {
    'always on': (seed) => runOnModel({ ...shared, seed }),
    'night timetable': (seed) => runOnModel({ ...shared, seed, program: new NightTimetable() }),
    'energy saver': (seed) => runOnModel({ ...shared, seed, program: new EnergySaver() }),
  },
  [energy, delivered, dropped, waiting, unserved, qos, latency, changes],
);
