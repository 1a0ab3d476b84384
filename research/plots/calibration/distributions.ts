// Distributions over devices in the three scenarios of 5G, beside those that companies reported to 3GPP.
import type { NrScenario } from '../../../emulator/src/radio/nr.ts';
import { type Chart, line, type Panel, type Points, type Series } from '../svg-chart.ts';
import { dropIn, layouts } from './drop.ts';
import { largeScale, requirements } from './reference-values.ts';

const scenarios: NrScenario[] = ['UMa', 'UMi', 'InH'];
/** Free space between the carrier of the reference, 6 GHz, and that of the model, 3.5 GHz. */
const carrierDb = 4.7;
const share = { label: 'devices up to this value (%)', min: 0, max: 100, step: 25 };

export function couplingLoss(): Chart {
  const axes = { UMa: [60, 160], UMi: [60, 160], InH: [40, 90] } as const;
  return chart('Coupling loss to the best cell, as a distribution over devices, for UMa, UMi and InH', (scenario) => {
    const [min, max] = axes[scenario];
    return {
      title: `${scenario}, ${layouts[scenario].spacingM} m apart`,
      x: { label: 'coupling loss (dB)', min, max, step: scenario === 'InH' ? 10 : 20 },
      series: [
        model(dropIn(scenario).couplingLossDb),
        reference('3GPP, 6 GHz', largeScale.couplingLossDb[scenario]),
        reference('less 4.7 dB', largeScale.couplingLossDb[scenario], carrierDb),
      ],
    };
  });
}

export function geometry(): Chart {
  return chart('Signal to interference with all cells sending, as a distribution over devices', (scenario) => ({
    title: `${scenario}, ${layouts[scenario].spacingM} m apart`,
    x: { label: 'signal to interference (dB)', min: -10, max: 40, step: 10 },
    series: [model(dropIn(scenario).geometryDb), reference('3GPP, 6 GHz', largeScale.geometryDb[scenario])],
  }));
}

export function spectralEfficiency(): Chart {
  return chart('Spectral efficiency with all cells sending, as a distribution over devices', (scenario) => {
    const values = dropIn(scenario).efficiency;
    const mean = values.reduce((a, b) => a + b) / values.length;
    const { advanced, imt2020 } = requirements[scenario];
    return {
      title: `${scenario}: mean ${mean.toFixed(1)} bit/s/Hz`,
      x: { label: 'bit/s/Hz', min: 0, max: 12, step: 2 },
      series: [model(values), required('IMT-Advanced', advanced, 'grey'), required('IMT-2020', imt2020, 'red')],
    };
  });
}

function chart(description: string, panel: (scenario: NrScenario) => Omit<Panel, 'y'>): Chart {
  return {
    description,
    panels: scenarios.map((scenario) => ({ ...panel(scenario), y: share })),
    arranged: 'beside',
    panelWidth: 300,
    panelHeight: 220,
  };
}

function model(values: readonly number[]): Series {
  return line('model', 'blue', cdf(values));
}

function reference(name: string, values: readonly number[], lessDb = 0): Series {
  const points: Points = values.map((value, n) => [value - lessDb, largeScale.percentiles[n]!]);
  return line(name, lessDb === 0 ? 'grey' : 'red', points, 'dashed');
}

/** The least mean that a report asks for. */
function required(name: string, value: number, colour: 'grey' | 'red'): Series {
  const upright: Points = [0, 100].map((percent) => [value, percent]);
  return line(name, colour, upright, 'dashed');
}

/** Percentiles, from the 0th to the 100th. */
function cdf(values: readonly number[]): Points {
  const sorted = values.toSorted((a, b) => a - b);
  return Array.from({ length: 101 }, (_, percent) => [
    sorted[Math.min(sorted.length - 1, Math.floor((percent / 100) * sorted.length))]!,
    percent,
  ]);
}
