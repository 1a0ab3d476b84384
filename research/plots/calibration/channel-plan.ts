// An office of TGax full of traffic: what more access points give on one channel, and on channels as planned.
import { createWorld } from '@weft/emulator';
import { town } from '../../../emulator/src/town.ts';
import { type Chart, line, type Points } from '../svg-chart.ts';

const counts = [1, 2, 3, 4, 6, 9, 12, 16, 20, 25, 30, 36];
const devicesEach = 6;
const mbpsPerDevice = 150;
const warmUpS = 12;
const measuredS = 15;
const seeds = [1, 2];

export function channelPlan(): Chart {
  const one: Points = counts.map((count) => [count, meanTotal(count, 36)]);
  const planned: Points = counts.map((count) => [count, meanTotal(count)]);
  const gain: Points = planned.map(([count, mbps], n) => [count, mbps / one[n]![1]]);
  const perfect: Points = counts.map((count) => [count, Math.min(9, count)]);
  const x = { label: 'access points, 20 m apart', min: 0, max: 36, step: 6 };
  return {
    description:
      'Throughput of an office over the number of WiFi access points, on one channel and on planned channels',
    panels: [
      {
        title: 'All traffic of the office',
        x,
        y: { label: 'throughput (Gb/s)', min: 0, max: 8, step: 2 },
        series: [
          line('one channel for all', 'red', inGbps(one)),
          line('nine channels, as planned', 'blue', inGbps(planned)),
        ],
      },
      {
        title: 'Gain of the channel plan',
        x,
        y: { label: 'times one channel', min: 0, max: 14, step: 2 },
        series: [line('model', 'blue', gain), line('where all hear all', 'grey', perfect, 'dashed')],
      },
    ],
    arranged: 'beside',
    panelWidth: 400,
    panelHeight: 230,
  };
}

function inGbps(points: Points): Points {
  return points.map(([count, mbps]) => [count, mbps / 1000]);
}

function meanTotal(count: number, channel?: number): number {
  return seeds.reduce((sum, seed) => sum + totalMbps(count, seed, channel), 0) / seeds.length;
}

function totalMbps(count: number, seed: number, channel?: number): number {
  const spec = town({ counts: { WiFi: count }, devicesEach, seed });
  const world = createWorld({ ...spec, peakMbpsPerDevice: mbpsPerDevice });
  if (channel !== undefined)
    for (const { ap_id } of world.accessPoints) world.command(ap_id, 'set_channel', { channel });
  for (let second = 0; second < warmUpS; second++) world.step();
  const before = world.totals().deliveredBits;
  for (let second = 0; second < measuredS; second++) world.step();
  return (world.totals().deliveredBits - before) / measuredS / 1e6;
}
