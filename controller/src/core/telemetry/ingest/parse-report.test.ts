import { readPlace } from '@weft/contract/place';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { anyCharacter } from '../../../../../test/pure/any-text.ts';
import { rounds } from '../../../../../test/rounds.ts';
import { PermissionError, type Problem, ValidationError } from '../../base/errors.ts';
import { parseReport, type TelemetryReport } from './parse-report.ts';
import { ServerTimes } from './sample-time.ts';

const now = Date.UTC(2026, 2, 1, 12);
const day = 86_400_000;
const range = (length: number) => Array.from({ length }, (_, n) => n);

function parse(body: unknown, inexact: (string | number)[][] = [], serverTimes = new ServerTimes()): TelemetryReport {
  return parseReport(body, 'ap-1', now, { retentionMs: 30 * day, serverTimes }, inexact);
}

function problemsOf(body: unknown, inexact: (string | number)[][] = []): Problem[] {
  try {
    parse(body, inexact);
  } catch (error) {
    if (error instanceof ValidationError) return error.problems;
    throw error;
  }
  return [];
}

const locsOf = (body: unknown) => problemsOf(body).map(({ loc }) => loc);
const ignoredOf = (body: unknown) => parse(body).ignored?.named.map(({ field, reason }) => `${field}: ${reason}`) ?? [];

describe('the three forms', () => {
  it('fields in the body itself', () => {
    expect(parse({ ap_id: 'ap-1', ts: now, rssi: -60, load: 0.5 }).samples).toEqual([
      { ts: now, names: ['rssi', 'load'], values: [-60, 0.5], texts: [] },
    ]);
  });

  it('fields in a payload, the rest beside it being ignored', () => {
    const { samples, ignored } = parse({ ap_id: 'ap-1', seq: 7, none: null, payload: { ts: now - 5, rssi: -60 } });
    expect(samples).toEqual([{ ts: now - 5, names: ['rssi'], values: [-60], texts: [] }]);
    expect(ignored?.named).toEqual([{ field: 'seq', reason: 'beside_payload' }]);
    expect(parse({ timestamp: now - 9, payload: { rssi: 1 } }).samples[0]!.ts).toBe(now - 9);
    expect(parse({ timestamp: now - 9, payload: { rssi: 1, ts: now - 3 } }).samples[0]!.ts).toBe(now - 3);
  });

  it('samples in a batch', () => {
    const { samples } = parse({ ts: now - 7, samples: [{ ts: now - 1, a: 1 }, { timestamp: now, b: 2 }, { c: 3 }] });
    expect(samples.map(({ ts, names }) => [ts, ...names])).toEqual([
      [now - 1, 'a'],
      [now, 'b'],
      [now - 7, 'c'],
    ]);
  });

  it('fields in a payload that is a text of JSON', () => {
    const text = JSON.stringify({ time: now - 5, radio: { rssi: -60 }, state: 'up' });
    expect(parse({ payload: text })).toMatchObject({
      samples: [{ ts: now - 5, names: ['radio_rssi'], values: [-60], texts: [['state', 'up']] }],
      ignored: undefined,
    });
    expect(parse({ payload: text }).locOf(0, 'radio_rssi')).toEqual(['body', 'payload', 'radio', 'rssi']);
    expect(() => parse({ payload: '{"ap_id":"ap-2","x":1}' })).toThrow(PermissionError);
    expect(problemsOf({ payload: '{"x":1,"configuration":{"a":12345678901234567890}}' })).toMatchObject([
      { loc: ['body', 'payload', 'configuration', 'a'] },
    ]);
    expect(problemsOf({ payload: `${'{"a":'.repeat(40)}1${'}'.repeat(40)}` })).toMatchObject([
      { loc: ['body', 'payload'], type: 'value_error' },
    ]);
  });

  it.each(['', 'up', '7', '"x"', '[1]', 'null', '{"a":'])('a payload %j is ignored, the rest is not', (payload) => {
    expect(ignoredOf({ payload, x: 1 })).toEqual(['payload: text']);
    expect(parse({ payload, x: 1 }).samples[0]!.names).toEqual(['x']);
  });

  it('only an array makes a batch and only an object or a text a payload; otherwise they are fields', () => {
    expect(parse({ samples: 12, payload: 64 }).samples[0]!.names).toEqual(['samples', 'payload']);
  });
});

describe('fields (M6)', () => {
  it('are flattened with _, null left out, reserved names only at the top', () => {
    const [sample] = parse({ radio: { ch1: { snr: 20, ts: 5 }, x: null }, off: null, ts: now }).samples;
    expect(sample!.names).toEqual(['radio_ch1_snr', 'radio_ch1_ts']);
  });

  it.each([
    ['7', 7],
    ['-7.5', -7.5],
    ['123456789012345', 123456789012345],
    [true, 1],
    [false, 0],
    [1e300, 1e300],
  ])('%j is the metric value %d', (given, value) => {
    expect(parse({ x: given }).samples[0]).toMatchObject({ names: ['x'], values: [value], texts: [] });
  });

  it.each([
    ['.5', 0.5],
    ['5.', 5],
    ['1.20', 1.2],
    ['-0', -0],
  ])('%j is a metric, and a text as it is', (given, value) => {
    expect(parse({ x: given }).samples[0]).toMatchObject({ names: ['x'], values: [value], texts: [['x', given]] });
  });

  it.each([
    ...['007', '00101', '-01', '+1', '1e3', '1E-2', '1e999', 'NaN', '-Infinity', 'inf', '1234567890123456'],
    ...['', ' 7', '7 ', '0x10', '1_000', 'nano', 'Infinity War', '-', '.', '1e', '1e+', '--1', '1.2.3', '٣', '7\n'],
  ])('%j is a text', (text) => {
    expect(parse({ x: text }).samples[0]).toMatchObject({ names: [], values: [], texts: [['x', text]] });
  });

  it('texts that are numbers too do not count twice among the fields of a sample', () => {
    const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, '1.20']));
    expect(parse(fields(1024)).samples[0]!.texts).toHaveLength(1024);
    expect(problemsOf(fields(1025))).toMatchObject([{ loc: ['body'], type: 'value_error' }]);
  });

  it.each([
    [[1], 'array'],
    [[], 'array'],
  ])('%.20j is left out and named', (value, reason) => {
    expect(ignoredOf({ payload: { x: value, y: 1 } })).toEqual([`x: ${reason}`]);
    expect(ignoredOf({ a: { b: value }, y: 1 })).toEqual([`a_b: ${reason}`]);
    expect(parse({ a: { b: value }, y: 1 }).samples[0]!.names).toEqual(['y']);
  });

  it.each([
    ['x'.repeat(4097), 'string_too_long'],
    ['a\0', 'string_unicode'],
    ['\ud800', 'string_unicode'],
  ])('%.20j is refused', (value, type) => {
    expect(problemsOf({ payload: { x: value } })).toMatchObject([{ loc: ['body', 'payload', 'x'], type }]);
    expect(problemsOf({ a: { b: value } })).toMatchObject([{ loc: ['body', 'a', 'b'], type }]);
  });

  it('texts may have 4,096 characters, however they are written', () => {
    expect(parse({ x: '😀'.repeat(4096) }).samples[0]!.texts).toHaveLength(1);
  });

  it.each([
    'a b',
    '"',
    "'",
    '/.*/',
    ';DROP',
    '$1',
    'ü😀',
    '__proto__',
    'constructor',
    'x'.repeat(256),
    '😀'.repeat(256),
  ])('X2: %.12j is a name like any other', (name) => {
    expect(parse(JSON.parse(`{${JSON.stringify(name)}:1}`)).samples[0]!.names).toEqual([name]);
  });

  it.each(['', 'a,b', 'a\nb', '\u007f', '\u0085', 'x'.repeat(257), '😀'.repeat(257), '\ud800'])(
    'X2: %.12j is no name, and left out',
    (name) => {
      const { samples, ignored } = parse({ [name]: 1, y: 2 });
      expect(samples[0]!.names).toEqual(['y']);
      expect(ignored?.named).toEqual([{ field: name.slice(0, 256).toWellFormed(), reason: 'name' }]);
    },
  );

  it('have names of their own after flattening, whatever their kinds; the first counts', () => {
    expect(ignoredOf({ a_b: 1, a: { b: 2 } })).toEqual(['a_b: repeated']);
    expect(parse({ a_b: 1, a: { b: 2 } }).samples[0]!.values).toEqual([1]);
    expect(ignoredOf({ a: { b: 2 }, a_b: 'x' })).toEqual(['a_b: repeated']);
    expect(ignoredOf({ x: { y_z: 1 }, x_y: { z: 2 } })).toEqual(['x_y_z: repeated']);
    expect(parse({ a_b: null, a: { b: 2 } }).samples[0]!.names).toEqual(['a_b']);
  });

  it('are at most 1,024 a sample', () => {
    const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`m${n}`, n]));
    expect(parse(fields(1024)).samples[0]!.names).toHaveLength(1024);
    expect(locsOf(fields(1025))).toEqual([['body']]);
    expect(locsOf({ samples: [{ a: 1 }, { m: fields(2000) }] })).toEqual([['body', 'samples', 1]]);
  });
});

describe('times (M3)', () => {
  it.each([
    ['2026-03-01T12:00:00Z', now],
    ['2026-03-01T13:00:00.123+01:00', now + 123],
    ['2026-03-01T12:00:00', now],
    [now / 1000, now],
    [now / 1000 + 0.001, now + 1],
    [now, now],
    [now * 1000 + 999, now],
    [now * 1e6, now],
    [String(now), now],
    [`${now}999999`, now],
    [`${now / 1000}.5`, now + 500],
    [now + 5 * 60_000, now + 5 * 60_000],
    [now - 30 * day, now - 30 * day],
  ])('%j is taken', (ts, ms) => {
    expect(parse({ ts, x: 1 }).samples[0]!.ts).toBe(ms);
    expect(parse({ timestamp: ts, x: 1 }).samples[0]!.ts).toBe(ms);
    expect(parse({ time: ts, x: 1 }).samples).toEqual([{ ts: ms, names: ['x'], values: [1], texts: [] }]);
    expect(parse({ time: ts, ts: ms, timestamp: null, x: 1 }).samples[0]!.ts).toBe(ms);
  });

  it('two that disagree are refused, at the second', () => {
    expect(locsOf({ ts: now, time: now - 1, x: 1 })).toEqual([['body', 'time']]);
    expect(locsOf({ payload: { ts: now, timestamp: now - 1, x: 1 } })).toEqual([['body', 'payload', 'timestamp']]);
    expect(parse({ ts: now, payload: { time: now - 1, x: 1 } }).samples[0]!.ts).toBe(now - 1);
  });

  it.each([
    [now + 5 * 60_000 + 1, 'value_error'],
    [now + day, 'value_error'],
    [now - 30 * day - 1, 'value_error'],
    [0, 'value_error'],
    [-1, 'value_error'],
    [1e300, 'value_error'],
    ['1970-01-01T00:00:00Z', 'value_error'],
  ])('%j is refused, with its index', (ts, type) => {
    expect(problemsOf({ samples: [{ x: 1 }, { ts, x: 1 }] })).toMatchObject([
      { loc: ['body', 'samples', 1, 'ts'], type },
    ]);
    expect(problemsOf({ timestamp: ts, x: 1 })).toMatchObject([{ loc: ['body', 'timestamp'], type }]);
  });

  it.each(['yesterday', '', true, {}, 'NaN'])('%j costs its sample, which is named, and no other', (ts) => {
    const lost = (body: unknown) => {
      const { samples, devices, ignored, configuration } = parse(body);
      return { samples: samples.map(({ values }) => values), devices, ignored: ignored?.named, configuration };
    };
    const unreadable = (field: string) => [{ field, reason: 'unreadable_time' }];
    expect(lost({ samples: [{ x: 1 }, { ts, x: 2, devices: [] }, { ts: now, x: 3 }] })).toEqual({
      samples: [[1], [3]],
      ignored: unreadable('samples.1.ts'),
    });
    expect(lost({ timestamp: ts, x: 1, configuration: { a: 1 } })).toEqual({
      samples: [],
      ignored: unreadable('timestamp'),
      configuration: { a: 1 },
    });
    expect(lost({ ts, samples: [{ x: 1 }, { ts: now, x: 2 }] })).toEqual({ samples: [[2]], ignored: unreadable('ts') });
    expect(lost({ time: ts, payload: { x: 1 } })).toEqual({ samples: [], ignored: unreadable('time') });
    expect(lost({ payload: { ts, x: 1 } })).toEqual({ samples: [], ignored: unreadable('payload.ts') });
    expect(() => parse({ ts, x: 1, wifi_password: 'canary' })).toThrow(ValidationError);
  });
});

describe('the server’s time (M5)', () => {
  it('is given to samples without one, each later than all before it of that agent', () => {
    const times = new ServerTimes();
    const timesOf = (body: unknown) => parse(body, [], times).samples.map(({ ts }) => ts - now);
    expect(timesOf({ x: 1 })).toEqual([0]);
    expect(timesOf({ samples: [{ x: 1 }, { x: 2, ts: now - 9 }, { x: 3, ts: null }] })).toEqual([1, -9, 2]);
    expect(timesOf({ x: 1 })).toEqual([3]);
  });

  it('goes with the clock, not backwards by less than five minutes, and follows it further back', () => {
    const times = new ServerTimes();
    expect(times.take('a', 1000, 1)).toBe(1000);
    expect(times.take('a', 5000, 10)).toBe(5000);
    expect(times.take('a', 4000, 1)).toBe(5010);
    expect(times.take('b', 4000, 1)).toBe(4000);
    expect(times.take('a', 5000 + 600_000, 1)).toBe(605_000);
    expect(times.take('a', 5000, 1)).toBe(5000);
  });

  it('is not given away more than five minutes ahead', () => {
    const times = new ServerTimes();
    for (let batch = 0; batch < 30; batch += 1) times.take('a', now, 10_000);
    expect(() => times.take('a', now, 10_000)).toThrow(expect.objectContaining({ status: 429 }));
    expect(times.take('a', now + 10_000, 10_000)).toBe(now + 300_000);
    expect(times.take('b', now, 1)).toBe(now);
  });

  it('is not used up by a refused report', () => {
    const times = new ServerTimes();
    expect(() => parse({ samples: [{ x: 1 }, 5] }, [], times)).toThrow(ValidationError);
    expect(parse({ x: 1 }, [], times).samples[0]!.ts).toBe(now);
  });

  it('keeps its promise for more agents than it remembers at a time', () => {
    const times = new ServerTimes();
    const names = Array.from({ length: 50_000 }, (_, n) => `ap-${n}`);
    const some = names.slice(0, 25_000);
    expect(some.filter((name) => times.take(name, now, 2) !== now)).toEqual([]);
    expect(some.filter((name) => times.take(name, now + 1, 1) !== now + 2)).toEqual([]);
    expect(names.filter((name, n) => !(times.take(name, now + n, 1) >= now + n))).toEqual([]);
  });
});

describe('a report', () => {
  it.each([
    { ap_id: 'ap-2', x: 1 },
    { ap_id: 'ap-2', x: [1] },
    { ap_id: 5, x: 1 },
    { payload: { ap_id: 'ap-2', x: 1 } },
    { ap_id: 'ap-1', samples: [{ x: 1 }, { x: [] }, { ap_id: 'ap-2', x: 1 }] },
    { samples: [...Array(200).fill({ x: [] }), { ap_id: 'AP-1' }] },
  ])('Z2: for another agent is not permitted, whatever else is wrong with it', (body) => {
    expect(() => parse(body)).toThrow(PermissionError);
  });

  it('M7: with one bad sample is refused as a whole, with every problem and its index', () => {
    const body = { samples: [{ a: 1 }, { a: [1], b: { c: 'x'.repeat(5000) } }, 5, {}, { a: 1 }] };
    expect(locsOf(body)).toEqual([
      ['body', 'samples', 1, 'b', 'c'],
      ['body', 'samples', 2],
    ]);
  });

  it('names at most 100 problems', () => {
    expect(problemsOf({ samples: Array(5000).fill(7) })).toHaveLength(100);
    const long = Array.from({ length: 500 }, (_, n) => [`m${n}`, 'x'.repeat(5000)]);
    expect(problemsOf(Object.fromEntries(long))).toHaveLength(100);
  });

  it('has at most 10,000 samples', () => {
    expect(parse({ samples: Array(10_000).fill({ a: 1 }) }).samples).toHaveLength(10_000);
    expect(locsOf({ samples: Array(10_001).fill({ a: 1 }) })).toEqual([['body', 'samples']]);
  });

  it.each([
    {},
    { ts: now, ap_id: 'ap-1', x: null, y: { z: null } },
    { payload: {} },
    { samples: [] },
    { samples: [{ ts: now }, {}] },
  ])('with nothing inside, like %j, is one of no samples', (body) => {
    expect(parse(body)).toMatchObject({ samples: [], configuration: undefined, ignored: undefined });
  });

  it('counts the samples of a batch that have a field, and knows their places', () => {
    const { samples, locOf, ignored } = parse({
      seq: 1,
      samples: [{ a: null }, { x: [] }, { b: 1 }, {}, { c: { d: 2 } }],
    });
    expect(samples.map(({ names }) => names)).toEqual([['b'], ['c_d']]);
    expect(locOf(1, 'c_d')).toEqual(['body', 'samples', 4, 'c', 'd']);
    expect(ignored?.named).toEqual([
      { field: 'seq', reason: 'beside_samples' },
      { field: 'x', reason: 'array' },
    ]);
  });

  it.each([null, [{ a: 1 }], 'a'])('that is no object, like %j, is refused', (body) => {
    expect(locsOf(body)).toEqual([['body']]);
  });

  it('names twenty of what it leaves out, each once, and counts all', () => {
    const { ignored } = parse({ samples: Array(100).fill(Object.fromEntries(range(30).map((n) => [`m${n}`, []]))) });
    expect(ignored).toMatchObject({ count: 3000 });
    expect(ignored!.named.map(({ field }) => field)).toEqual(range(20).map((n) => `m${n}`));
  });

  it('takes a geolocation for its configuration', () => {
    expect(parse({ geolocation: { lat: 1, lon: 2 }, x: 1 })).toMatchObject({
      configuration: { geolocation: { lat: 1, lon: 2 } },
      samples: [{ names: ['x'] }],
    });
    for (const bad of [{ lat: 1 }, { lat: 91, lon: 0 }, { latitude: 'x', longitude: 1 }, {}]) {
      expect(parse({ geolocation: bad, x: 1 }).configuration).toBeUndefined();
      expect(ignoredOf({ geolocation: bad, x: 1 })).toEqual(['geolocation: not_a_place']);
    }
    expect(locsOf({ configuration: 'x', geolocation: { lat: 1 } })).toEqual([['body', 'configuration']]);
  });

  it('says where a field of a sample came from', () => {
    expect(parse({ a: { b: 1 }, a_c: 2 }).locOf(0, 'a_b')).toEqual(['body', 'a', 'b']);
    expect(parse({ payload: { x: 1 } }).locOf(0, 'x')).toEqual(['body', 'payload', 'x']);
    expect(parse({ samples: [{ y: 1 }, { x: 1 }] }).locOf(1, 'x')).toEqual(['body', 'samples', 1, 'x']);
  });
});

describe('a configuration', () => {
  it('comes beside the fields or at the top, and of several keys the later count', () => {
    expect(parse({ x: 1, configuration: { site: 'a' } }).configuration).toEqual({ site: 'a' });
    const payload = { x: 1, configuration: { b: 2 } };
    expect(parse({ configuration: { a: 1, b: 1 }, payload }).configuration).toEqual({ a: 1, b: 2 });
    const samples = [
      { x: 1, configuration: { b: 2 } },
      { x: 1, configuration: { b: 3 } },
    ];
    expect(parse({ configuration: { a: 1 }, samples }).configuration).toEqual({ a: 1, b: 3 });
    expect(parse({ x: 1, configuration: null }).configuration).toBeUndefined();
  });

  it.each([{}, { payload: {} }, { samples: [] }])('alone, with %j, is a report of no samples', (beside) => {
    expect(parse({ ...beside, configuration: { site: 'a' } })).toMatchObject({
      samples: [],
      configuration: { site: 'a' },
    });
  });

  it('is an object, and holds no integer that would be rounded', () => {
    expect(problemsOf({ x: 1, configuration: [] })).toMatchObject([
      { loc: ['body', 'configuration'], type: 'dict_type' },
    ]);
    const inexact = [['configuration', 'a'], ['ts']];
    expect(problemsOf({ ts: now * 1e6, x: 1, configuration: { a: 1e19 } }, inexact)).toMatchObject([
      { loc: ['body', 'configuration', 'a'], type: 'value_error' },
    ]);
  });
});

const fieldsIn = ({ samples }: TelemetryReport) =>
  samples.reduce((sum, { names, texts }) => sum + names.length + texts.length, 0);

/** The fields of a report, as the interface counts them: an array is one, null is none. */
function givenIn(body: Record<string, unknown>): number {
  const beside = ['ts', 'timestamp', 'time', 'ap_id', 'configuration'];
  const isGiven = (value: unknown) => value !== null && value !== undefined;
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const isPlace = (key: string, value: unknown) =>
    key === 'geolocation' && readPlace({ geolocation: value }) !== undefined;
  const leaves = (value: unknown): number =>
    isObject(value)
      ? Object.values(value).reduce((sum: number, inner) => sum + leaves(inner), 0)
      : Number(isGiven(value));
  // None of these has an identity.
  const inDevices = (value: unknown) => (Array.isArray(value) ? value.length : Number(isGiven(value)));
  const inSample = (sample: Record<string, unknown>) =>
    Object.entries(sample).reduce((sum, [key, value]) => {
      if (beside.includes(key) || isPlace(key, value)) return sum;
      if (key === 'devices') return sum + inDevices(value);
      return sum + (key === 'geolocation' ? Number(isGiven(value)) : leaves(value));
    }, 0);
  const inRest = (holder: string) => {
    const rest = Object.entries(body).filter(([key]) => key !== holder && !beside.includes(key));
    const others = rest.filter(([key, value]) => key !== 'devices' && isGiven(value) && !isPlace(key, value));
    return others.length + inDevices(body.devices);
  };
  const { samples, payload } = body;
  if (Array.isArray(samples)) return samples.reduce((sum, each) => sum + inSample(each), inRest('samples'));
  let inside = payload;
  try {
    if (typeof payload === 'string') inside = JSON.parse(payload);
  } catch {
    inside = undefined;
  }
  return isObject(inside) ? inSample(inside) + inRest('payload') : inSample(body);
}

test('I11: whatever is inside, it is read or refused in known words, and what is read keeps the rules', () => {
  const key = fc.oneof(
    fc.constantFrom('ts', 'time', 'ap_id', 'configuration', 'samples', 'payload', 'a', 'a_b', 'b', '__proto__', ''),
    fc.constantFrom('devices', 'geolocation', 'secret', 'Password'),
    fc.string({ unit: anyCharacter }),
  );
  const leaf = fc.oneof(
    fc.constantFrom('{"a":[],"b":1}', '[]', '{'),
    // Others do not come through the reader of JSON.
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.string(),
    fc.constantFrom(now, '7', 'ap-1'),
  );
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      leaf,
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(key, tie('value'), { maxKeys: 5 }),
    ),
  }));
  fc.assert(
    fc.property(value, (body) => {
      let report: TelemetryReport;
      try {
        report = parse(body);
      } catch (error) {
        if (error instanceof PermissionError) return;
        expect(error).toBeInstanceOf(ValidationError);
        const { problems } = error as ValidationError;
        expect(problems.length).toBeGreaterThan(0);
        expect(problems.length).toBeLessThanOrEqual(100);
        for (const { loc } of problems) expect(loc[0]).toBe('body');
        return;
      }
      for (const { ts, names, values, texts } of report.samples) {
        expect(Number.isInteger(ts)).toBe(true);
        expect(names).toHaveLength(values.length);
        expect(values.every(Number.isFinite)).toBe(true);
        const all = [...names, ...texts.map(([name]) => name)];
        expect(new Set(all).size).toBe(all.length);
        expect(all.length).toBeGreaterThan(0);
        for (const name of all) expect(name).toMatch(/^[^,\p{Cc}]+$/u);
      }
      // A time that cannot be read takes the fields of its sample with it.
      if (report.ignored?.named.some(({ reason }) => reason === 'unreadable_time')) return;
      expect(fieldsIn(report) + (report.ignored?.count ?? 0)).toBe(givenIn(body as Record<string, unknown>));
    }),
    { numRuns: rounds(3000, 375) },
  );
});

test('a text under the key of a credential is refused, wherever it stands, and numbers there are not', () => {
  const credential = fc
    .tuple(
      fc.constantFrom('password', 'passwd', 'api_key', 'wifi_password', 'secret', 'psk', 'pin'),
      fc.array(fc.boolean()),
    )
    .map(([key, upper]) => [...key].map((each, n) => (upper[n] ? each.toUpperCase() : each)).join(''));
  const place = fc.array(fc.constantFrom('a', 'configuration', 'payload', 'samples', 'devices', 'geolocation', 0), {
    maxLength: 4,
  });
  const inside = (at: readonly (string | number)[], value: unknown): unknown =>
    at.reduceRight<unknown>((inner, step) => (step === 0 ? [{ x: 1 }, inner] : { x: 1, [step]: inner }), value);
  fc.assert(
    fc.property(place, credential, fc.oneof(fc.string(), fc.tuple(fc.string())), (at, key, secret) => {
      const body = { ...(inside(at, { [key]: secret, y: 1 }) as object) };
      if (Array.isArray((body as { samples?: unknown }).samples)) return;
      expect(() => parse(body)).toThrow(expect.objectContaining({ code: 'credential_in_report' }));
      expect(() => parse({ payload: JSON.stringify(body) })).toThrow(
        expect.objectContaining({ code: 'credential_in_report' }),
      );
      expect(() => parse({ samples: [{ x: 1 }, body] })).toThrow(
        expect.objectContaining({ code: 'credential_in_report' }),
      );
    }),
  );
  expect(parse({ password: 7, secret: true, password_policy: 'x', api: { key: 1 } }).samples[0]!.names).toHaveLength(3);
  expect(problemsOf({ wifi: { Password: 'x' } })).toMatchObject([{ loc: ['body', 'wifi', 'Password'] }]);
  expect(problemsOf({ api: { key: 'x' } })).toMatchObject([{ loc: ['body', 'api', 'key'] }]);
  expect(problemsOf({ configuration: { apiKey: ['x'] } })).toMatchObject([
    { loc: ['body', 'configuration', 'apiKey', 0] },
  ]);
  expect(problemsOf({ password: { value: 'x' } })).toMatchObject([{ loc: ['body', 'password', 'value'] }]);
  const declared = { commands: [{ name: 'set_wifi', params: { password: { type: 'string' } } }] };
  expect(parse({ configuration: declared }).configuration).toEqual(declared);
});
