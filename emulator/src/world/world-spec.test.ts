// What a description may say of demand.

import { trafficClasses } from '@weft/contract/emulated-model';
import { expect, test } from 'vitest';
import { type AccessPointSpec, checkSpec } from './world-spec.ts';

const check = (more: Partial<AccessPointSpec>) =>
  checkSpec({
    seed: 1,
    startMs: 0,
    accessPoints: [{ ap_id: 'a', type: 'WiFi', latitude: 51, longitude: -2, devices: 3, ...more }],
  });

test.each([
  {},
  { mbpsPerDevice: 0 },
  { mbpsPerDevice: 1000 },
  { mix: { voice: 1 } },
  { mix: { voice: 0, video: 0.1, bulk: 20 } },
  { mix: Object.fromEntries(trafficClasses.map((name) => [name, 1])) },
])('takes %j', (more) => {
  expect(() => check(more)).not.toThrow();
});

test.each([
  [{ mbpsPerDevice: -0.1 }, 'accessPoints[0]: mbpsPerDevice must be 0 to 1000'],
  [{ mbpsPerDevice: 1001 }, 'mbpsPerDevice must be 0 to 1000'],
  [{ mbpsPerDevice: Number.NaN }, 'mbpsPerDevice must be 0 to 1000'],
  [{ mix: {} }, 'accessPoints[0]: mix must give shares of voice, video, gaming, web, bulk, sensor'],
  [{ mix: { voice: 0, web: 0 } }, 'mix must give shares'],
  [{ mix: { voice: -1, web: 2 } }, 'mix must give shares'],
  [{ mix: { voice: Number.POSITIVE_INFINITY } }, 'mix must give shares'],
  [{ mix: { fax: 1 } }, 'mix must give shares'],
])('refuses %j', (more, words) => {
  expect(() => check(more as Partial<AccessPointSpec>)).toThrow(words);
});
