import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Frame } from '../store/telemetry-store.ts';
import { multiMetricJson } from './series-json.ts';
import { WrittenAnswers } from './written-answers.ts';
import { writeSeries } from './written-series.ts';

const names = ['a', 'b', 'none'];
const value = fc.constantFrom(Number.NaN, 0, 1, 1, -2.5, 1e21);
/** A series of an agent, two windows of it, and what changed between the two. */
const walks = fc.record({
  rows: fc.array(fc.tuple(value, value), { minLength: 1, maxLength: 50 }),
  first: fc.tuple(fc.nat(50), fc.nat(50)),
  second: fc.tuple(fc.nat(50), fc.nat(50)),
  change: fc.option(fc.tuple(fc.nat(49), value), { nil: undefined }),
  resolution_seconds: fc.constantFrom(undefined, 60),
});

function frameOf(rows: [number, number][], [a, b]: [number, number], resolution_seconds?: number): Frame {
  const part = rows.slice(Math.min(a, b), Math.max(a, b));
  const start = Math.min(a, b);
  return {
    resolution_seconds,
    ts: Float64Array.from(part, (_, row) => 1_700_000_000_000 + (start + row) * 1000),
    columns: new Map([
      ['a', Float64Array.from(part, ([first]) => first)],
      ['b', Float64Array.from(part, ([, second]) => second)],
    ]),
    texts: new Map(),
  };
}

const text = (json: Uint8Array) => Buffer.from(json).toString();
const anew = (frame: Frame) => text(Buffer.concat([...multiMetricJson('ap-1', 5, names, frame)]));

test('whatever came before, the answer is the one that is written from the beginning', () => {
  fc.assert(
    fc.property(walks, ({ rows, first, second, change, resolution_seconds }) => {
      const before = writeSeries('ap-1', 5, names, frameOf(rows, first, resolution_seconds));
      expect(text(before.json)).toBe(anew(before.frame));
      const changed = rows.map((row, index): [number, number] => (index === change?.[0] ? [row[0], change[1]] : row));
      const frame = frameOf(changed, second);
      const after = writeSeries('ap-1', 5, names, frame, before);
      expect(text(after.json)).toBe(anew(frame));
      const later = frameOf(changed, [second[0] + 1, second[1] + 1]);
      expect(text(writeSeries('ap-1', 5, names, later, after).json)).toBe(anew(later));
    }),
    { numRuns: 1000 },
  );
});

test('the points of before are taken over, not written again', () => {
  const rows = Array.from({ length: 50 }, (_, row): [number, number] => [row, -row]);
  const before = writeSeries('ap-1', 5, names, frameOf(rows, [0, 40]));
  // A mark in the old text shows whether it is used.
  const mark = text(before.json).indexOf('"value":20}') + 8;
  before.json.set(Buffer.from('99'), mark);
  expect(text(writeSeries('ap-1', 5, names, frameOf(rows, [3, 44]), before).json)).toContain('"value":99}');
});

test('answers that are remembered have a bound', () => {
  const rows = Array.from({ length: 50 }, (_, row): [number, number] => [row, -row]);
  const answers = new WrittenAnswers(100_000);
  for (let agent = 0; agent < 100; agent++) {
    const frame = frameOf(rows, [0, 50]);
    const json = answers.write(`ap-${agent}`, 5, names, frame, true);
    expect(text(json)).toContain(`"agent_id":"ap-${agent}"`);
    expect(answers.bytes).toBeLessThanOrEqual(120_000);
  }
});
