// `npx weft run research/plot-emulator.ts`: draws the plots of docs/emulator.md from the model and regenerates its tables. The output is
// deterministic.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { channelPlan } from './plots/calibration/channel-plan.ts';
import { couplingLoss, geometry, spectralEfficiency } from './plots/calibration/distributions.ts';
import { energyOverLoad } from './plots/calibration/energy-over-load.ts';
import { roomOfLight } from './plots/calibration/room-of-light.ts';
import { withTables } from './plots/emulator-tables.ts';
import { signalOverDistance } from './plots/signal-over-distance.ts';
import { drawChart } from './plots/svg-chart.ts';

const docs = resolve(import.meta.dirname, '../docs');
const plots = {
  'signal-over-distance': signalOverDistance,
  'calibration-coupling-loss': couplingLoss,
  'calibration-geometry': geometry,
  'calibration-spectral-efficiency': spectralEfficiency,
  'calibration-channel-plan': channelPlan,
  'calibration-room-of-light': roomOfLight,
  'calibration-energy': energyOverLoad,
};

mkdirSync(join(docs, 'plots'), { recursive: true });
for (const [name, make] of Object.entries(plots)) writeFileSync(join(docs, 'plots', `${name}.svg`), drawChart(make()));
const page = join(docs, 'emulator.md');
writeFileSync(page, withTables(readFileSync(page, 'utf8')));
