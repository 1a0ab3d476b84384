import type { Presence } from '@weft/contract';
import { expect, test } from 'vitest';
import { bytesThatStay } from '../../../../../test/pure/garbage/fresh-heap.ts';
import type { LatestValues } from '../store/telemetry-store.ts';
import { LatestJson } from './latest-json.ts';

const ts = Date.UTC(2026, 2, 1);
const latest = (value: number): LatestValues => ({
  ap_id: 'ap "1"',
  metrics: [
    { name: 'a', ts, value },
    { name: 'é"', ts: ts + 1, value: -0.125 },
  ],
});
const text = (json: Uint8Array) => Buffer.from(json).toString();

function expected(presence: Presence, values: LatestValues | undefined, wanted?: string[]) {
  const metrics = (values?.metrics ?? []).filter(({ name }) => !wanted || wanted.includes(name));
  const entries = metrics.map(({ name, ts, value }) => [name, { ts: new Date(ts).toISOString(), value }]);
  return { ap_id: 'ap "1"', presence, metrics: Object.fromEntries(entries) };
}

test('it is what JSON.stringify would write, the first time and the next', () => {
  const json = new LatestJson();
  const values = latest(1.5);
  const rows = [
    { ap_id: 'ap "1"', presence: 'online' as const, latest: values },
    { ap_id: 'ap "1"', presence: 'offline' as const, latest: undefined },
  ];
  const whole = [expected('online', values), expected('offline', undefined)].map((row) => JSON.stringify(row)).join();
  expect(text(json.write(rows))).toBe(whole);
  expect(text(json.write(rows))).toBe(whole);
  expect(text(json.write([]))).toBe('');
});

test('what has changed is written anew, and a choice of metrics leaves no trace', () => {
  const json = new LatestJson();
  const values = latest(1);
  const write = (presence: Presence, given: LatestValues, wanted?: string[]) =>
    text(json.write([{ ap_id: 'ap "1"', presence, latest: given }], wanted && new Set(wanted)));
  const only = (...parts: Parameters<typeof expected>) => JSON.stringify(expected(...parts));
  expect(write('online', values, ['a'])).toBe(only('online', values, ['a']));
  expect(write('online', values)).toBe(only('online', values));
  expect(write('late', values)).toBe(only('late', values));
  const newer = latest(2);
  expect(write('late', newer)).toBe(only('late', newer));
  expect(write('late', newer, ['none'])).toBe(only('late', newer, ['none']));
});

test('what was replaced goes with the next young garbage', async () => {
  // All of their texts would be more than two million bytes.
  expect(await bytesThatStay('replaced-texts')).toBeLessThan(500_000);
});
