// docs/emulator.md says what the model does: its tables are those of the code, its faults have the ranges they have, its
// plots are there.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { EmulatorSpec, EmulatorSpinupRequest } from '@weft/contract';
import { expect, test } from 'vitest';
import { faultKinds, toFault } from '../../emulator/src/access-points/faults.ts';
import { withTables } from './emulator-tables.ts';

const docs = resolve(import.meta.dirname, '../../docs');
const page = readFileSync(join(docs, 'emulator.md'), 'utf8');

test('The tables are as research/plot-emulator.ts makes them', () => {
  expect(withTables(page)).toBe(page);
});

test('A page without a place for a table is refused', () => {
  expect(() => withTables('# Another page\n')).toThrow('no place for metrics');
});

test.each(faultKinds)('The fault %s is described, with its amount', (kind) => {
  const line = new RegExp(`^\\| \`${kind}\` \\|(.*)\\|$`, 'm').exec(page);
  const [, amount = '', usual = ''] = line![1]!.split('|').map((cell) => cell.trim());
  const fault = (size?: number) => toFault({ kind, seconds: 1, ...(size !== undefined && { amount: size }) }, 0);
  if (amount === '') {
    expect(() => fault(1)).toThrow('no amount');
    return;
  }
  const [least, most] = amount.replace('−', '-').split(' to ').map(Number.parseFloat) as [number, number];
  expect(fault().amount).toBe(Number(usual));
  expect([fault(least).amount, fault(most).amount]).toEqual([least, most]);
  expect(() => fault(least - 0.01)).toThrow(RangeError);
  expect(() => fault(most + 0.01)).toThrow(RangeError);
});

test('Every field of a request is described', () => {
  const fields = [...Object.keys(EmulatorSpec.properties), ...Object.keys(EmulatorSpinupRequest.properties)];
  for (const field of fields) expect([field, page.includes(`\`${field}\``)]).toEqual([field, true]);
});

test('The plots that it shows are there', () => {
  const shown = [...page.matchAll(/\]\((plots\/[^)]+)\)/g)].map(([, path]) => path!);
  expect(shown).toHaveLength(7);
  for (const path of shown) expect([path, existsSync(join(docs, path))]).toEqual([path, true]);
});
