import { expect, test } from 'vitest';
import { createCells } from './cells.ts';
import { createDevices, kinds, roamRadiusM } from './devices.ts';
import { moveDevices } from './mobility.ts';
import { type AccessPointType, accessPointTypes } from './world-spec.ts';

const fastest: Record<number, number> = {
  [kinds.seated]: 0,
  [kinds.walking]: 1.5,
  [kinds.corridor]: 1.6,
  [kinds.vehicle]: 14,
};
const farthest: Record<AccessPointType, number> = { '5G': 401, WiFi: 30, LiFi: 8 };

test.each(accessPointTypes)('around %s everybody moves as their kind does, and stays in the area', (type) => {
  const devices = createDevices(5, [{ type, x: 1000, y: 1000, devices: 200 }]);
  const cells = createCells([type], Float64Array.of(1000), Float64Array.of(1000));
  const roamM = Float64Array.of(roamRadiusM({ type, scenario: 'UMi' }));
  const walked = new Float64Array(devices.count);
  const [tooFast, tooFar] = [new Uint8Array(devices.count), new Uint8Array(devices.count)];
  for (let step = 1; step <= 300; step++) {
    moveDevices(5, step, devices, cells, roamM);
    // The first second brings those who go to and fro to where they are by then.
    if (step === 1) continue;
    for (let n = 0; n < devices.count; n++) {
      walked[n]! += devices.movedM[n]!;
      tooFast[n]! ||= Number(!(devices.movedM[n]! <= fastest[devices.kind[n]!]! + 1e-9));
      tooFar[n]! ||= Number(!(Math.hypot(devices.x[n]! - 1000, devices.y[n]! - 1000) < farthest[type]));
    }
  }
  expect([tooFast.indexOf(1), tooFar.indexOf(1)]).toEqual([-1, -1]);
  for (let n = 0; n < devices.count; n++) {
    if (devices.kind[n] === kinds.seated) expect(walked[n]).toBe(0);
    else expect(walked[n]).toBeGreaterThan(1);
  }
  expect(new Set(devices.kind).size).toBeGreaterThanOrEqual(2);
});
