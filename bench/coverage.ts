// How long the radio map of 100 access points takes at the finest raster, on one core: the median CPU time of several, so
// that it does not depend on what else the machine does.

import { createWorld } from '@weft/emulator';
import { type CoverageLayer, coverage, coverageLayers } from '../emulator/src/coverage/coverage.ts';
import { town } from '../emulator/src/town.ts';
import { type Figure, keep } from './harness/results.ts';

const rounds = 15;
const goalMs = 500;

const figures: Figure[] = [];
for (const technology of ['5G', 'WiFi', 'LiFi'] as const) {
  const world = createWorld(town({ counts: { [technology]: 100 }, devicesEach: 10 }));
  for (let second = 0; second < 20; second++) world.step();
  const state = world.radioState();
  const times = coverageLayers.map((layer) => [layer, measure(layer)] as const);
  const slowest = Math.max(...times.map(([, ms]) => ms));
  figures.push({
    question: `radio map of 100 ${technology} access points at 256 × 256, median of ${rounds}`,
    value: times.map(([layer, ms]) => `${layer} ${ms.toFixed(0)} ms`).join(', '),
    goal: `< ${goalMs} ms`,
    ok: slowest < goalMs,
  });

  function measure(layer: CoverageLayer): number {
    const all = Array.from({ length: rounds }, () => {
      const before = process.cpuUsage();
      coverage(state, { layer, technology, columns: 256, rows: 256 });
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    });
    return all.sort((a, b) => a - b)[Math.floor(rounds / 2)]!;
  }
}
keep('coverage', figures);
