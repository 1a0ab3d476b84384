// SINR over distance: the formulas with line of sight, and every device of an emulated town, with
// shadowing, walls, interference and device orientation.

import { toDb } from '@weft/contract/exact-math';
import { createWorld } from '@weft/emulator';
import { channelGain, lambertianOrder, signalA2, usualReceiver } from '../../emulator/src/radio/lifi.ts';
import { noisePerElementDbm, nrPathLossDb, resourceElementDbm } from '../../emulator/src/radio/nr.ts';
import { carrierPrbs } from '../../emulator/src/radio/nr-cqi.ts';
import { noiseFloorDbm } from '../../emulator/src/radio/wifi.ts';
import { town } from '../../emulator/src/town.ts';
import { lampHeightM } from '../../emulator/src/world/bodies.ts';
import { indoorLossDb } from '../../emulator/src/world/indoor-path.ts';
import { lifiNoiseA2, measureLifi } from '../../emulator/src/world/lifi-layer.ts';
import { measureNr } from '../../emulator/src/world/nr-layer.ts';
import { measureWifi, wifiWidth } from '../../emulator/src/world/wifi-layer.ts';
import type { AccessPointType } from '../../emulator/src/world/world-spec.ts';
import type { WorldState } from '../../emulator/src/world/world-state.ts';
import { type Chart, line, type Panel, type Points } from './svg-chart.ts';

const warmUpSteps = 120;
/** Limits the size of the file. */
const mostDots = 900;

export function signalOverDistance(): Chart {
  return {
    description:
      'SINR over the distance to the serving access point, for 5G, WiFi and LiFi: formulas and emulated devices',
    panels: [cellPanel(), accessPointPanel(), lampPanel()],
    arranged: 'beside',
    panelWidth: 250,
    panelHeight: 240,
  };
}

function cellPanel(): Panel {
  const energyDbm = resourceElementDbm(33, carrierPrbs) + 8;
  const noiseDbm = noisePerElementDbm(30, 9);
  const path = (isLineOfSight: boolean) =>
    curve(10, 400, (distance2dM) => {
      const distance3dM = Math.hypot(distance2dM, 8.5);
      const loss = nrPathLossDb({ scenario: 'UMi', isLineOfSight, distance2dM, distance3dM, frequencyGhz: 3.5 });
      return energyDbm - loss - noiseDbm;
    });
  return {
    title: '5G, urban micro, 33 dBm',
    x: { label: 'distance (m)', min: 0, max: 400, step: 100 },
    y: { label: 'SINR (dB)', min: -20, max: 60, step: 20 },
    series: [
      line('devices', 'grey', devicesOf('5G', 25, measureNr), 'dots'),
      line('in sight', 'blue', path(true)),
      line('not in sight', 'blue', path(false), 'dashed'),
    ],
  };
}

function accessPointPanel(): Panel {
  const formula = curve(1, 50, (distanceM) => 20 - indoorLossDb(distanceM) - noiseFloorDbm(wifiWidth));
  return {
    title: 'WiFi 6, office, 20 dBm, 40 MHz',
    x: { label: 'distance (m)', min: 0, max: 50, step: 10 },
    y: { label: 'SNR (dB)', min: 0, max: 80, step: 20 },
    series: [
      line('devices', 'grey', devicesOf('WiFi', 25, measureWifi), 'dots'),
      line('formula, with walls', 'green', formula),
    ],
  };
}

function lampPanel(): Panel {
  const order = lambertianOrder(60);
  const flat = (daylight: number) =>
    curve(0, 4, (aside) => {
      const distanceM = Math.hypot(aside, lampHeightM);
      const cosine = lampHeightM / distanceM;
      const receivedW = 3.5 * channelGain(order, distanceM, cosine, cosine, usualReceiver);
      return toDb(signalA2(receivedW, usualReceiver) / lifiNoiseA2(daylight));
    });
  const measure = (state: WorldState, device: number, lamp: number) =>
    measureLifi(
      state,
      device,
      lamp,
      Float64Array.from(state.accessPoints, () => lifiNoiseA2(0.89)),
    );
  return {
    title: 'LiFi, 3.5 W of light, 60°',
    x: { label: 'distance beside the lamp (m)', min: 0, max: 4, step: 1 },
    y: { label: 'SINR (dB)', min: 0, max: 60, step: 20 },
    series: [
      line('devices', 'grey', devicesOf('LiFi', 25, measure), 'dots'),
      line('night', 'red', flat(0)),
      line('noon', 'red', flat(1), 'dashed'),
    ],
  };
}

/** Every device of a town of one technology: distance to its access point, and SINR. */
function devicesOf(
  type: AccessPointType,
  count: number,
  measure: (state: WorldState, device: number, serving: number) => unknown,
): Points {
  const world = createWorld(town({ counts: { [type]: count }, devicesEach: 40, seed: 7 }));
  for (let n = 0; n < warmUpSteps; n++) world.step();
  const state = world.snapshot();
  const { cells, devices, tallies } = state;
  const points: Points = [];
  for (let device = 0; device < devices.count && points.length < mostDots; device++) {
    const serving = devices.serving[device]!;
    if (serving < 0) continue;
    const [before, heardBefore] = [tallies.quality[serving]!, tallies.withSignal[serving]!];
    measure(state, device, serving);
    if (tallies.withSignal[serving] === heardBefore) continue;
    const distanceM = Math.hypot(cells.x[serving]! - devices.x[device]!, cells.y[serving]! - devices.y[device]!);
    points.push([distanceM, tallies.quality[serving]! - before]);
  }
  return points;
}

function curve(from: number, to: number, value: (x: number) => number): Points {
  const parts = 120;
  return Array.from({ length: parts + 1 }, (_, n) => {
    const x = from + ((to - from) * n) / parts;
    return [x, value(x)];
  });
}
