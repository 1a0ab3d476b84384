import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rounds } from '../../../../../test/rounds.ts';
import type { Frame } from '../store/telemetry-store.ts';
import { JsonBytes } from './json-bytes.ts';
import { agentDataJson, multiMetricJson, multiMetricText } from './series-json.ts';
import { createTimestampWriter } from './timestamps.ts';

const value = fc.oneof(fc.double({ noDefaultInfinity: true, noNaN: true }), fc.integer(), fc.constant(Number.NaN));
const name = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' });
const frames = fc
  .tuple(
    // Of one day, mostly: there only digits change from one to the next.
    fc.uniqueArray(
      fc.oneof(
        fc.integer({ min: -5e7, max: 2e8 }),
        fc.integer({ min: 0, max: 4e12 }),
        fc.integer({ min: -8.64e15, max: 8.64e15 }),
      ),
      { maxLength: 30 },
    ),
    fc.uniqueArray(name, { maxLength: 4 }),
    fc.option(fc.constantFrom(1, 60, 3600), { nil: undefined }),
  )
  .chain(([times, names, resolution_seconds]) =>
    fc
      .tuple(...names.map(() => fc.array(value, { minLength: times.length, maxLength: times.length })))
      .map((columns): { frame: Frame; names: string[] } => ({
        names,
        frame: {
          resolution_seconds,
          ts: Float64Array.from(times.sort((a, b) => a - b)),
          columns: new Map(names.map((each, index) => [each, Float64Array.from(columns[index]!)])),
          texts: new Map(),
        },
      })),
  );

test('what is written is what JSON.stringify would write of the points', () => {
  fc.assert(
    fc.property(frames, name, ({ frame, names }, other) => {
      const asked = [...new Set([...names.toReversed(), other])];
      const points = (metric: string) =>
        [...(frame.columns.get(metric) ?? [])].flatMap((number, row) =>
          Number.isNaN(number) ? [] : [{ ts: new Date(frame.ts[row]!).toISOString(), value: number }],
        );
      const { resolution_seconds } = frame;
      const expected = JSON.stringify({
        agent_id: 'ap "1"',
        window_minutes: 5,
        resolution_seconds,
        series: asked.map((metric) => ({ metric, points: points(metric) })),
      });
      expect(Buffer.concat([...multiMetricJson('ap "1"', 5, asked, frame)]).toString()).toBe(expected);
      expect(multiMetricText('ap "1"', 5, asked, frame)).toBe(expected);
    }),
  );
});

test('rows hold the fields that were reported then, texts after metrics', () => {
  const frame: Frame = {
    resolution_seconds: undefined,
    ts: Float64Array.of(0, 1),
    columns: new Map([['__proto__', Float64Array.of(1, Number.NaN)]]),
    texts: new Map([['t', [undefined, '"\u2028\n']]]),
  };
  expect([...agentDataJson('ap-1', 5, frame)].join('')).toBe(
    '{"key":"agent/ap-1/data","agent_id":"ap-1","window_minutes":5,"points":[' +
      '{"ts":"1970-01-01T00:00:00.000Z","__proto__":1},{"ts":"1970-01-01T00:00:00.001Z","t":"\\"\u2028\\n"}]}',
  );
});

test('a large answer comes in pieces of bounded length', () => {
  const ts = Float64Array.from({ length: 50_000 }, (_, row) => row * 1000);
  const frame: Frame = { resolution_seconds: 1, ts, columns: new Map([['a', ts]]), texts: new Map() };
  const lengths = [...multiMetricJson('ap-1', 5, ['a'], frame)].map((piece) => piece.length);
  expect(lengths.length).toBeGreaterThan(20);
  expect(Math.max(...lengths)).toBeLessThan(100_000);
});

test('numbers are written as the standard library writes them', () => {
  const json = new JsonBytes(1);
  const near = fc.tuple(fc.integer({ min: -3e9, max: 3e9 }), fc.constantFrom(1, 10, 100, 1000, 10_000));
  fc.assert(
    fc.property(
      fc.oneof(
        value,
        near.map(([whole, scale]) => whole / scale),
      ),
      (number) => {
        fc.pre(!Number.isNaN(number));
        json.number(number);
        expect(json.take()).toBe(JSON.stringify(number));
      },
    ),
    {
      numRuns: rounds(5000),
      examples: [[0], [-0], [0.001], [-0.05], [0.1], [999.999], [2147483.647], [2147483.648], [-1e21]],
    },
  );
});

test('timestamps are those of the standard library, in any order', () => {
  const write = createTimestampWriter();
  fc.assert(
    fc.property(fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 }), (ms) => {
      expect(write(ms)).toBe(new Date(ms).toISOString());
      expect(write(ms - (ms % 60_000))).toBe(new Date(ms - (ms % 60_000)).toISOString());
    }),
  );
});
