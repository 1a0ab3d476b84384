// What is remembered leads to the same report as the parser, or nowhere; for bodies and for messages.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rounds } from '../../../../../test/rounds.ts';
import { readJson } from '../../base/input/json-reader.ts';
import { parseReport } from './parse-report.ts';
import { ReportReader, type ReportReaderOptions } from './report-reader.ts';
import { ServerTimes } from './sample-time.ts';

const now = Date.UTC(2026, 2, 1);
const dayMs = 86_400_000;
const newLimits = () => ({ retentionMs: 30 * dayMs, serverTimes: new ServerTimes() });

function byTheParser(body: string, ap_id = 'ap-1') {
  const { value, inexact } = readJson(Buffer.from(body));
  const { samples, configuration, ignored } = parseReport(value, ap_id, now, newLimits(), inexact);
  return { samples, configuration, ignored };
}

/** A reader that has stored these bodies of ap-1 a minute ago. */
function experienced(examples: string[], options: ReportReaderOptions = {}): ReportReader {
  let time = now - 60_000;
  const reader = new ReportReader(newLimits(), { ...options, now: () => time });
  for (const example of examples) store(reader, example);
  time = now;
  return reader;
}

function store(reader: ReportReader, body: string, ap_id = 'ap-1'): void {
  try {
    reader.read(Buffer.from(body), ap_id).onStored?.();
  } catch {
    // It is refused, and there is nothing to learn.
  }
}

/** What is made of `body` by somebody who has learned from `example`. */
function byTheShape(example: string, body: string, ap_id = 'ap-1') {
  const report = experienced([example]).recall(Buffer.from(body), ap_id);
  return report && { samples: report.samples, configuration: report.configuration, ignored: report.ignored };
}

test.each([
  ['fields', '{"rssi":-60,"load":0.5}', '{"rssi":-61.25,"load":0}'],
  ['a payload', '{"ap_id":"ap-1","payload":{"a":1,"b":2}}', '{"ap_id":"ap-1","payload":{"a":-0,"b":10}}'],
  ['nested fields', '{"radio":{"rssi":1,"snr":{"db":2}}}', '{"radio":{"rssi":0.125,"snr":{"db":123456789012345}}}'],
  ['texts and booleans', '{"a":1,"state":"up 7","on":true,"of":null}', '{"a":2,"state":"up 7","on":true,"of":null}'],
  ['numbers as text', '{"a":1,"b":"5"}', '{"a":3,"b":"5"}'],
  ['names that JSON objects put first', '{"b":1,"7":2,"1":3}', '{"b":4,"7":5,"1":6}'],
  ['a time in milliseconds', `{"ts":${now},"a":1}`, `{"ts":${now - 5000},"a":2}`],
  ['a time in seconds', `{"ts":${now / 1000},"a":1}`, `{"ts":${now / 1000 - 7}.25,"a":1}`],
  ['a time beside a payload', `{"timestamp":${now},"payload":{"a":1}}`, `{"timestamp":${now - 1},"payload":{"a":9}}`],
  ['a batch of one', `{"samples":[{"ts":${now},"a":1}]}`, `{"samples":[{"ts":${now - 60_000},"a":3}]}`],
  ['a time beside them', `{"time":${now},"a":1}`, `{"time":${now - 5000},"a":2}`],
  ['what is ignored', '{"a":1,"b":["x"]}', '{"a":2,"b":["x"]}'],
  ['what stands beside a payload', '{"from":"x","payload":{"a":1}}', '{"from":"x","payload":{"a":2}}'],
  ['spaces', '{ "a" : 1 ,\n"b": 2 }', '{ "a" : 5.5 ,\n"b": -2 }'],
])('%s are read as the parser reads them', (_, example, body) => {
  const report = byTheShape(example, body);
  expect(report).toBeDefined();
  expect(report).toEqual(byTheParser(body));
});

test.each([
  ['another name', '{"a":1}', '{"b":1}'],
  ['one field more', '{"a":1}', '{"a":1,"b":2}'],
  ['one field less', '{"a":1,"b":2}', '{"a":1}'],
  ['an exponent', '{"a":1}', '{"a":1e3}'],
  ['more digits than are exact', '{"a":1}', '{"a":1234567890123456}'],
  ['a number that is none', '{"a":1}', '{"a":01}'],
  ['a sign alone', '{"a":1}', '{"a":-}'],
  ['a point without digits', '{"a":1}', '{"a":1.}'],
  ['no number at all', '{"a":1}', '{"a":}'],
  ['a text', '{"a":1}', '{"a":"1"}'],
  ['an end that comes early', '{"a":1}', '{"a":1'],
  ['an end that comes late', '{"a":1}', '{"a":1}}'],
  ['a time that is refused', `{"ts":${now},"a":1}`, `{"ts":${now + dayMs},"a":1}`],
  ['two fields of one name', '{"a":1,"a":2}', '{"a":1,"a":2}'],
  ['a configuration', '{"a":1,"configuration":{"b":2}}', '{"a":1,"configuration":{"b":2}}'],
  ['a number that is no field', '{"n":1,"payload":{"a":2}}', '{"n":1,"payload":{"a":2}}'],
  ['two times', `{"ts":${now},"payload":{"ts":${now},"a":1}}`, `{"ts":${now},"payload":{"ts":${now},"a":1}}`],
  ['a time as text', '{"ts":"2026-03-01T00:00:00Z","a":1}', '{"ts":"2026-03-01T00:00:00Z","a":1}'],
  ['two times of one sample', `{"ts":${now},"time":${now},"a":1}`, `{"ts":${now},"time":${now},"a":1}`],
  ['a payload as text', '{"payload":"{\\"a\\":1}"}', '{"payload":"{\\"a\\":2}"}'],
  ['a number in what is ignored', '{"a":1,"b":[1]}', '{"a":1,"b":[1]}'],
  ["another agent's name", '{"ap_id":"ap-2","a":1}', '{"ap_id":"ap-2","a":1}'],
  ['a body that is very long', `{"a":1,"b":"${'x'.repeat(2100)}"}`, `{"a":1,"b":"${'x'.repeat(2100)}"}`],
])('%s is left to the parser', (_, example, body) => {
  expect(byTheShape(example, body)).toBeUndefined();
});

const number = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -1e9, max: 1e9 }).map((whole) => whole / 1000),
);
const key = fc.string({ minLength: 1, maxLength: 6, unit: fc.constantFrom('a', 'b', '1', '"', '\\', 'é', ' ') });
const fields = fc.dictionary(
  key,
  fc.oneof(
    { weight: 4, arbitrary: number },
    fc.boolean(),
    fc.string(),
    fc.array(fc.string()),
    fc.dictionary(key, number, { maxKeys: 3 }),
  ),
  { minKeys: 1, maxKeys: 6 },
);

/** The same with other numbers. */
function renewed(source: unknown, others: readonly number[]): unknown {
  const left = [...others];
  const renew = (value: unknown): unknown => {
    if (typeof value === 'number') {
      left.push(left.shift()!);
      return left.at(-1);
    }
    if (typeof value !== 'object' || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value!).map(([name, inner]) => [name, renew(inner)]));
  };
  return renew(source);
}

test('for any fields and any other numbers, the shape says what the parser says or nothing', () => {
  let read = 0;
  fc.assert(
    fc.property(fields, fc.array(number, { minLength: 1, maxLength: 4 }), fc.boolean(), (source, others, isInside) => {
      const write = (value: unknown) => JSON.stringify(isInside ? { payload: value } : value);
      const body = write(renewed(source, others));
      const report = byTheShape(write(source), body);
      if (report === undefined) return;
      read++;
      expect(report).toEqual(byTheParser(body));
    }),
    { numRuns: rounds(1000) },
  );
  expect(read).toBeGreaterThan(rounds(100));
});

describe('a batch', () => {
  const batch = (...samples: string[]) => `{"samples":[${samples.join(',')}]}`;
  const sample = (ts: number, a: number | string) => `{"ts":${ts},"a":${a}}`;
  const two = batch(sample(now - 2, 1), sample(now - 1, 2));

  test.each([
    ['more samples', two, batch(sample(now - 9, 1.5), sample(now - 8, -2), sample(now - 7, 0), sample(now, 5))],
    ['fewer samples', two, batch(sample(now - 9, 1.5))],
    ['samples without a time', batch('{"a":1}', '{"a":2}'), batch('{"a":3}', '{"a":4}', '{"a":5}')],
    ['spaces', '{ "samples" :\n[ {"a" :1} ,\n {"a" :2} ]\r\n}', '{ "samples" :\n[ {"a" :7} ,\n {"a" :-0} ]\r\n}'],
    ['its agent', '{"ap_id":"ap-1","samples":[{"a":1},{"a":2}]}', '{"ap_id":"ap-1","samples":[{"a":9},{"a":8}]}'],
    ['its agent behind', '{"samples":[{"a":1},{"a":2}],"ap_id":"ap-1"}', '{"samples":[{"a":9}],"ap_id":"ap-1"}'],
    [
      'nested fields',
      batch('{"r":{"x":1,"y":2},"a":3}', '{"r":{"x":1,"y":2},"a":3}'),
      batch('{"r":{"x":4,"y":5},"a":6}'),
    ],
    ['texts', batch('{"a":1,"s":"}]{\\"","on":true}', '{"a":2}'), batch('{"a":4,"s":"}]{\\"","on":true}')],
    ['names that JSON objects put first', batch('{"b":1,"7":2}', '{"b":1,"7":2}'), batch('{"b":3,"7":4}')],
    ['one sample that is known too', batch('{"a":1}', '{"a":2}'), batch('{"a":3}')],
  ])('with %s is read as the parser reads it', (_, example, body) => {
    const report = byTheShape(example, body);
    expect(report).toBeDefined();
    expect(report).toEqual(byTheParser(body));
  });

  test.each([
    ['another field in one sample', two, batch(sample(now, 1), `{"ts":${now},"b":1}`)],
    ['a time that is refused', two, batch(sample(now, 1), sample(now + dayMs, 1))],
    ['a text for a number', two, batch(sample(now, 1), sample(now, '"1"'))],
    ['an exponent', two, batch(sample(now, 1), sample(now, '1e3'))],
    ['no sample', two, batch()],
    ['a comma too many', two, batch(sample(now, 1), '')],
    ['no comma', two, batch(sample(now, 1) + sample(now, 1))],
    ['an end that comes early', two, two.slice(0, -1)],
    ['an end that comes late', two, `${two}}`],
    ['a number beside the samples', `{"n":1,"samples":[{"a":1},{"a":2}]}`, `{"n":1,"samples":[{"a":1},{"a":2}]}`],
    ['a time for all', `{"ts":${now},"samples":[{"a":1},{"a":2}]}`, `{"ts":${now},"samples":[{"a":1},{"a":2}]}`],
    ['what is ignored', batch('{"a":1,"l":[]}', '{"a":1,"l":[]}'), batch('{"a":1,"l":[]}', '{"a":1,"l":[]}')],
    ['a configuration', batch('{"a":1,"configuration":{}}', '{"a":2}'), batch('{"a":1,"configuration":{}}')],
    ['devices', batch('{"a":1,"devices":[]}', '{"a":2}'), batch('{"a":1,"devices":[]}')],
    ['no numbers', batch('{"on":true}', '{"on":true}'), batch('{"on":true}', '{"on":true}')],
    ['two lists', '{"samples":[{"a":1}],"samples":[{"a":1},{"a":2}]}', '{"samples":[{"a":1}],"samples":[{"a":3}]}'],
    [
      'two lists, one of them in disguise',
      '{"samples":[{"a":1},{"a":2}],"s\\u0061mples":[{"a":1},{"a":1}]}',
      '{"samples":[{"a":1},{"a":2}],"s\\u0061mples":[{"a":1},{"a":1}]}',
    ],
    ["another agent's name", two, batch(`{"ap_id":"ap-2","a":1}`, `{"ap_id":"ap-2","a":1}`)],
    ['a sample that is very long', batch(`{"a":1,"b":"${'x'.repeat(2100)}"}`, '{"a":2}'), batch('{"a":2}', '{"a":2}')],
  ])('with %s is left to the parser', (_, example, body) => {
    expect(byTheShape(example, body)).toBeUndefined();
  });

  test.each([
    ['samples', '"a":1', 10_000],
    ['keys', '"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1', 8572],
  ])('has no more %s by its shape than by the parser', (_, fields, most) => {
    const bodyOf = (count: number) => batch(...new Array(count).fill(`{${fields}}`));
    const reader = experienced([bodyOf(2)]);
    expect(reader.recall(Buffer.from(bodyOf(most)), 'ap-1')?.samples).toHaveLength(most);
    const tooMany = Buffer.from(bodyOf(most + 1));
    expect(reader.recall(tooMany, 'ap-1')).toBeUndefined();
    expect(() => reader.read(tooMany, 'ap-1')).toThrow('');
  });

  test('and a report with one sample do not replace each other', () => {
    const reader = experienced(['{"b":1}', two, '{"c":1}']);
    expect(reader.recall(Buffer.from('{"b":2}'), 'ap-1')?.samples[0]?.names).toEqual(['b']);
    expect(reader.recall(Buffer.from(two), 'ap-1')?.samples).toHaveLength(2);
  });

  test('of another agent that looks the same is known at once, unless it says whose it is', () => {
    const reader = experienced([two, '{"ap_id":"ap-1","samples":[{"b":1},{"b":2}]}']);
    for (const ap_id of ['ap-1', 'ap-2']) {
      expect(reader.recall(Buffer.from(two), ap_id)?.samples).toEqual(byTheParser(two).samples);
    }
    const own = experienced(['{"ap_id":"ap-1","samples":[{"b":1},{"b":2}]}']);
    const ofOther = Buffer.from('{"ap_id":"ap-1","samples":[{"b":1},{"b":2}]}');
    expect(own.recall(ofOther, 'ap-1')?.samples).toHaveLength(2);
    expect(own.recall(ofOther, 'ap-2')).toBeUndefined();
    expect(() => own.read(ofOther, 'ap-2')).toThrow('An agent may report only for itself');
  });

  test('that looked like this once is known again after others, and what is kept of them is bounded', () => {
    const reader = experienced([], { maxBytes: 20_000 });
    for (let model = 0; model < 100; model++) store(reader, batch(`{"m${model}":1}`, `{"m${model}":2}`), `ap-${model}`);
    const known = Array.from({ length: 100 }, (_, model) => batch(`{"m${model}":3}`)).filter((body) =>
      reader.recall(Buffer.from(body), 'new'),
    );
    expect(known).toHaveLength(8);
    expect(reader.bytes).toBeLessThanOrEqual(20_000);
  });

  test('tells where in the body a conflict stands', () => {
    const report = experienced([two]).recall(Buffer.from(two), 'ap-1');
    expect(report?.locOf(1, 'a')).toEqual(['body', 'samples', 1, 'a']);
  });

  test('is known again in a message', () => {
    const reader = experienced([two]);
    const start = '{"type":"telemetry","id":7';
    const recall = (body: string) => reader.recall(Buffer.from(`${start},${body.slice(1)}`), 'ap-1', start.length);
    expect(recall(two)?.samples).toEqual(byTheParser(two).samples);
    store(reader, '{"id":null,"samples":[{"a":1},{"a":2}]}', 'ap-2');
    expect(reader.recall(Buffer.from('{"id":null,"samples":[{"a":1}]}'), 'ap-2')).toBeUndefined();
  });

  test('of any samples is read by the shape as by the parser, or not at all', () => {
    fc.assert(
      fc.property(
        fields,
        fc.array(number, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 5 }),
        fc.option(fc.record({ at: fc.nat(), byte: fc.constantFrom(...'{}[],:" 1-.ea') }), { nil: undefined }),
        (source, others, count, change) => {
          const body = JSON.stringify({ samples: Array.from({ length: count }, () => renewed(source, others)) });
          const changed =
            change && body.slice(0, change.at % body.length) + change.byte + body.slice((change.at % body.length) + 1);
          const report = byTheShape(JSON.stringify({ samples: [source, source] }), changed ?? body);
          if (report) expect(report).toEqual(byTheParser(changed ?? body));
        },
      ),
      { numRuns: rounds(1000) },
    );
  });
});

test('a conflict is told where it stands in the body', () => {
  const reader = experienced(['{"payload":{"a":1,"b":{"c":2}}}']);
  const report = reader.recall(Buffer.from('{"payload":{"a":5,"b":{"c":6}}}'), 'ap-1');
  expect(report?.locOf(0, 'b_c')).toEqual(['body', 'payload', 'b', 'c']);
});

test('what is remembered is bounded, and an agent that changes its mind is learned anew', () => {
  const reader = experienced([], { maxBytes: 10_000 });
  const body = (name: string, value: number) => `{"${name}":${value}}`;
  const isKnown = (text: string, ap_id: string) => reader.recall(Buffer.from(text), ap_id) !== undefined;
  for (let agent = 0; agent < 1000; agent++) store(reader, body('a', 1), `ap-${agent}`);
  expect(reader.bytes).toBeLessThanOrEqual(10_000);
  expect(isKnown(body('a', 2), 'ap-0')).toBe(false);
  expect(isKnown(body('a', 2), 'ap-999')).toBe(true);
  for (let post = 0; post < 100; post++) store(reader, body('b', post), 'ap-999');
  expect(isKnown(body('b', 2), 'ap-999')).toBe(true);
});

test('a report that cannot have a shape does not keep the next one from being learned', () => {
  for (const other of ['{"configuration":{"site":"roof"}}', '{"samples":[{"a":1},{"a":2}]}']) {
    expect(experienced([other, '{"a":1}']).recall(Buffer.from('{"a":2}'), 'ap-1')).toBeDefined();
  }
});

test('what is not stored is not learned', () => {
  const reader = experienced([]);
  reader.read(Buffer.from('{"a":1}'), 'ap-1');
  expect(reader.recall(Buffer.from('{"a":2}'), 'ap-1')).toBeUndefined();
});

test('times of the server go on behind each other', () => {
  const reader = experienced(['{"a":1}']);
  const times = [1, 2, 3].map((value) => reader.recall(Buffer.from(`{"a":${value}}`), 'ap-1')?.samples[0]?.ts);
  expect(times).toEqual([now, now + 1, now + 2]);
});

test.each([
  ['nothing', '', 'json_invalid'],
  ['null', 'null', 'missing'],
  ['a list', '[]', 'dict_type'],
  ['a text', '"x"', 'dict_type'],
  ['half an object', '{"a":', 'json_invalid'],
])('a body that is %s is refused', (_, body, type) => {
  const read = () => experienced([]).read(Buffer.from(body), 'ap-1');
  expect(read).toThrow(expect.objectContaining({ problems: [expect.objectContaining({ type })] }));
});

describe('in a message', () => {
  const envelope = '{"type":"telemetry","id":7';
  const message = (body: string) => Buffer.from(`${envelope},${body.slice(1)}`);
  const recall = (reader: ReportReader, bytes: Buffer) => reader.recall(bytes, 'ap-1', envelope.length);

  test('a report is known again, whether it was a body before or in a message', () => {
    const bytes = message('{"payload":{"a":5,"b":6}}');
    const ofBody = experienced(['{"payload":{"a":1,"b":2}}']);
    const ofMessage = experienced([]);
    const json = readJson(Buffer.from('{"payload":{"a":1,"b":2}}'));
    ofMessage.parse(json, 'ap-1', message('{"payload":{"a":1,"b":2}}'), envelope.length).onStored?.();
    for (const reader of [ofBody, ofMessage]) {
      const report = recall(reader, bytes);
      expect(report?.samples).toMatchObject([{ names: ['a', 'b'], values: [5, 6] }]);
      expect(report?.locOf(0, 'b')).toEqual(['body', 'payload', 'b']);
      expect(reader.recall(Buffer.from('{"payload":{"a":5,"b":6}}'), 'ap-1')).toBeDefined();
    }
    expect(bytes).toEqual(message('{"payload":{"a":5,"b":6}}'));
  });

  test.each(['id', 'type'])('a field %s belongs to the envelope, and in a body it does not', (key) => {
    const body = `{"a":1,"${key}":2}`;
    const reader = experienced([body]);
    expect(recall(reader, message(body))).toBeUndefined();
    expect(reader.recall(Buffer.from(body), 'ap-1')?.samples[0]?.names).toEqual(['a', key]);
    const inside = `{"payload":${body}}`;
    expect(recall(experienced([inside]), message(inside))).toBeDefined();
  });

  test('what begins with a space is no report behind an envelope', () => {
    const reader = experienced([' {"a":1}']);
    expect(reader.recall(Buffer.from(' {"a":1}'), 'ap-1')).toBeDefined();
    expect(recall(reader, message(' {"a":1}'))).toBeUndefined();
  });
});
