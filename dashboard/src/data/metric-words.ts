// How a metric is called and measured: as the agent's configuration says, else as its name tells.
import { labelWithoutUnit, unitOf } from '../format/numbers.ts';

export interface MetricWords {
  label: string;
  unit: string;
}

export function metricWords(configuration: Record<string, unknown>, name: string, known = ''): MetricWords {
  const declared = (configuration.metrics as Record<string, unknown> | null | undefined)?.[name];
  const { label, unit } = (typeof declared === 'object' && declared !== null ? declared : {}) as Record<
    string,
    unknown
  >;
  const called = typeof label === 'string' && label !== '' ? label : known || toWords(name);
  // A name that ends in a unit we know wins: declared units are spelled in many ways.
  const measured = unitOf(name, called) || (typeof unit === 'string' ? unit.slice(0, 12) : '');
  return { label: labelWithoutUnit(called), unit: measured };
}

function toWords(name: string): string {
  const words = name.replaceAll(/[_.]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
