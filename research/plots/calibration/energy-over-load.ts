// Power over load: the model's lines, what emulated access points report, and what EARTH measured.
import { createWorld } from '@weft/emulator';
import { powerRanges } from '../../../emulator/src/access-points/settings.ts';
import type { NrScenario } from '../../../emulator/src/radio/nr.ts';
import { nrPowerW } from '../../../emulator/src/radio/nr-power.ts';
import { wifiPowerW } from '../../../emulator/src/radio/wifi.ts';
import { town } from '../../../emulator/src/town.ts';
import { type Chart, line, type Panel, type Points } from '../svg-chart.ts';
import { earthW } from './reference-values.ts';

const load = { label: 'load (%)', min: 0, max: 100, step: 25 };
const demandsMbps = [0.2, 1, 3, 6, 10, 15, 25, 40];
const loads = [0, 0.25, 0.5, 0.75, 1];

export function energyOverLoad(): Chart {
  const wifi: Panel = {
    title: 'WiFi, 20 dBm',
    x: load,
    y: { label: 'power (W)', min: 0, max: 12, step: 3 },
    series: [
      line(
        'model',
        'blue',
        overLoad((share) => wifiPowerW(true, 20, share)),
      ),
      line('reports', 'red', reports('WiFi'), 'dots'),
    ],
  };
  return {
    description: 'Power over load of 5G cells in three scenarios and of a WiFi access point',
    panels: [cell('UMa', 1000, 250), cell('UMi', 200, 50), cell('InH', 16, 4), wifi],
    arranged: 'beside',
    panelWidth: 230,
    panelHeight: 220,
  };
}

function cell(scenario: NrScenario, max: number, step: number): Panel {
  const { maximum, usual } = powerRanges[scenario];
  const at = (dbm: number) => overLoad((share) => nrPowerW(scenario, 'sending', dbm, share));
  const { empty, full } = earthW[scenario];
  const measured: Points = [empty, full].map((watts, n) => [100 * n, watts]);
  return {
    title: `${scenario}: ${usual} and ${maximum} dBm`,
    x: load,
    y: { label: 'power (W)', min: 0, max, step },
    series: [
      line('model', 'blue', at(usual)),
      line('', 'blue', at(maximum)),
      line('EARTH', 'grey', measured, 'dashed'),
      line('reports', 'red', reports('5G', scenario), 'dots'),
    ],
  };
}

function overLoad(watts: (share: number) => number): Points {
  return loads.map((share) => [100 * share, watts(share)]);
}

/** What one access point reports every ten seconds while demand grows. */
function reports(type: '5G' | 'WiFi', scenario?: NrScenario): Points {
  return demandsMbps.flatMap((mbps, seed): Points => {
    const spec = town({ counts: { [type]: 1 }, devicesEach: 12, seed });
    const world = createWorld({
      ...spec,
      peakMbpsPerDevice: mbps,
      reportIntervalSeconds: 10,
      accessPoints: spec.accessPoints.map((ap) => (scenario ? { ...ap, scenario } : ap)),
    });
    const points: Points = [];
    for (let second = 0; second < 120; second++) {
      for (const { fields } of world.step()) points.push([fields.prb_load_pct ?? fields.airtime_pct!, fields.power_w!]);
    }
    return points.slice(1);
  });
}
