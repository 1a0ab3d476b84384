import { expect, test } from 'vitest';
import type { Figures } from './model-trial.ts';
import { columns, comparison, seedsOf } from './over-seeds.ts';

test('seeds are a range, single ones, or both', () => {
  expect(seedsOf('11-13')).toEqual([11, 12, 13]);
  expect(seedsOf('1,7')).toEqual([1, 7]);
  expect(seedsOf('1-2,9')).toEqual([1, 2, 9]);
});

test('differences are taken seed by seed, so that what seeds have in common does not widen the interval', () => {
  const of = (energyKwh: number) => ({ energyKwh }) as Figures;
  const results = [
    { usual: of(10), saver: of(9) },
    { usual: of(20), saver: of(19) },
    { usual: of(30), saver: of(29) },
  ];
  expect(comparison(['usual', 'saver'], results, [columns.energy]).split('\n')).toEqual([
    '|  | usual | saver | saver, difference |',
    '|---|---|---|---|',
    '| energy (kWh) | 20.000 ± 16.859 | 19.000 ± 16.859 | −1.000 ± 0.000 |',
  ]);
});
