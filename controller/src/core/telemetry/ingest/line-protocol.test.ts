import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { rounds } from '../../../../../test/rounds.ts';
import { PermissionError, type Problem, ValidationError } from '../../base/errors.ts';
import { type Precision, parseLineProtocol } from './line-protocol.ts';
import type { TelemetryReport } from './parse-report.ts';
import { ServerTimes } from './sample-time.ts';

const now = Date.UTC(2026, 2, 1, 12);
const ns = `${now}000000`;
const day = 86_400_000;

function parse(text: string, precision: Precision = 'ns'): TelemetryReport {
  const limits = { retentionMs: 30 * day, serverTimes: new ServerTimes() };
  return parseLineProtocol(text, { precision, ap_id: 'ap-1', nowMs: now, limits });
}

/** The fields of the one sample that the text gives. */
function fieldsOf(text: string): Record<string, number | string> {
  const { samples } = parse(text);
  expect(samples).toHaveLength(1);
  const [{ names, values, texts }] = samples as [TelemetryReport['samples'][number]];
  return Object.fromEntries([...names.map((name, index) => [name, values[index]]), ...texts]);
}

function problemsOf(text: string): Problem[] {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof ValidationError) return error.problems;
    throw error;
  }
  return [];
}

describe('names', () => {
  it.each([
    ['agent/ap-1/data rssi=-60,snr=20', { rssi: -60, snr: 20 }],
    ['agent/ap-1/data,host=pi,radio=5g rssi=-60', { rssi: -60 }],
    ['cpu usage=5', { cpu_usage: 5 }],
    ['cpu,host=pi,cpu=cpu0 usage_idle=99', { cpu_cpu0_usage_idle: 99 }],
    ['disk,path=/,device=sda1,host=pi used=1i', { 'disk_sda1_/_used': 1 }],
    ['agent/ap-1/datas x=1', { 'agent/ap-1/datas_x': 1 }],
    ['agents/ap-1/data x=1', { 'agents/ap-1/data_x': 1 }],
    [String.raw`my\ meas,tag\ key=a\ b\=c field\ key\==1`, { 'my meas_a b=c_field key=': 1 }],
    [String.raw`a\b,t=c:\dir x\y=1`, { 'a\\b_c:\\dir_x\\y': 1 }],
    ['wetter,ort=Zürich temperatur=3.5', { wetter_Zürich_temperatur: 3.5 }],
    ['a"b c"d=1', { 'a"b_c"d': 1 }],
  ])('%s', (line, fields) => {
    expect(fieldsOf(line)).toEqual(fields);
  });

  it('of another agent are not permitted, however they are written', () => {
    for (const measurement of ['agent/ap-2/data', 'agent/AP-1/data', 'agent//data', String.raw`agent/ap\ 1/data`]) {
      expect(() => parse(`bad\ncpu x=1\n${measurement},host=a x=1`)).toThrow(PermissionError);
    }
  });

  it.each(['ts', 'timestamp', 'ap_id', 'configuration'])('%s is no field of an agent', (name) => {
    expect(problemsOf(`agent/ap-1/data ${name}=1`)).toMatchObject([{ loc: ['body', 0] }]);
  });

  it('have at most 256 characters and no comma, with the index of the line', () => {
    expect(fieldsOf(`${'m'.repeat(250)} x=1,fffff=2`)).toHaveProperty(`${'m'.repeat(250)}_fffff`);
    expect(problemsOf(`cpu x=1\n${'m'.repeat(250)} ffffff=2`)).toMatchObject([{ loc: ['body', 1] }]);
    expect(problemsOf(String.raw`cpu a\,b=1`)).toMatchObject([{ loc: ['body', 0], type: 'value_error' }]);
  });
});

describe('values', () => {
  it.each([
    ['1', 1],
    ['-1.5', -1.5],
    ['+2', 2],
    ['1e3', 1000],
    ['1.5E-3', 0.0015],
    ['.5', 0.5],
    ['5.', 5],
    ['7i', 7],
    ['-7i', -7],
    ['9223372036854775807i', 2 ** 63],
    ['-9223372036854775808i', -(2 ** 63)],
    ['7u', 7],
    ['18446744073709551615u', 2 ** 64],
    ['t', 1],
    ['T', 1],
    ['true', 1],
    ['True', 1],
    ['TRUE', 1],
    ['f', 0],
    ['F', 0],
    ['false', 0],
    ['False', 0],
    ['FALSE', 0],
    ['"ok"', 'ok'],
    ['""', ''],
    ['"7"', 7],
    ['"a, b=c d"', 'a, b=c d'],
    [String.raw`"say \"hi\" \\ c:\dir"`, String.raw`say "hi" \ c:\dir`],
    ['"two\nlines"', 'two\nlines'],
  ])('%s', (word, value) => {
    expect(fieldsOf(`m f=${word} ${ns}`)).toEqual({ m_f: value });
    expect(fieldsOf(`m g=0,f=${word},h=1`)).toEqual({ m_g: 0, m_f: value, m_h: 1 });
  });

  it.each([
    '',
    'x',
    'tRUE',
    'NaN',
    'Infinity',
    '1e999',
    '1.5i',
    'i',
    '-1u',
    '9223372036854775808i',
    '18446744073709551616u',
    `${'9'.repeat(100_000)}i`,
    '0x1',
    '"open',
    '"a"b',
    `"${'x'.repeat(4097)}"`,
    '"a\0"',
    '1 2 3',
    '1,',
    '1,g',
    '1,=2',
    '1 1.5',
    '1 x',
  ])('%.20s is refused', (word) => {
    expect(problemsOf(`m f=${word}\nm g=1`)[0]).toMatchObject({ loc: ['body', 0] });
  });
});

describe('lines', () => {
  it('may be blank, comments, and end as on any system', () => {
    const { samples } = parse('\n# a comment\r\n  \r\n \tm a=1\r\nm b=2 \n\n#\nm c=3  \r');
    expect(samples.map(({ names }) => names)).toEqual([['m_a', 'm_b', 'm_c']]);
  });

  it.each(['m', 'm\r', ',t=1 f=1', 'm,t f=1', 'm,t= f=1', 'm,=1 f=1', 'm,t=1=2 f=1', 'm, f=1', 'm f', ' f=1'])(
    '%j is refused, and the ones after it are read',
    (line) => {
      expect(problemsOf(`ok f=1\n${line}\nok f=2\nbad`).map(({ loc }) => loc)).toEqual([
        ['body', 1],
        ['body', 3],
      ]);
    },
  );

  it('are counted as they stand, also after a text of several lines', () => {
    expect(problemsOf('m f="1\n2\n3"\nbad').map(({ loc }) => loc)).toEqual([['body', 3]]);
  });

  it('have at most 4,096 characters of measurement and tags', () => {
    expect(fieldsOf(`m,host=${'h'.repeat(4096 - 'm,host='.length)} f=1`)).toEqual({ m_f: 1 });
    expect(problemsOf(`m,host=${'h'.repeat(4096)} f=1`)).toMatchObject([{ loc: ['body', 0] }]);
  });

  it('of nothing are refused', () => {
    for (const text of ['', '\n\n', '# only']) expect(problemsOf(text)).toMatchObject([{ loc: ['body'] }]);
  });

  it('give at most 100 problems, 10,000 samples and 1,024 fields a sample', () => {
    expect(problemsOf('bad\n'.repeat(1000))).toHaveLength(100);
    const lines = (count: number) => Array.from({ length: count }, (_, n) => `m f=1 ${now - n}000000`).join('\n');
    expect(parse(lines(10_000)).samples).toHaveLength(10_000);
    expect(problemsOf(lines(10_001))).toMatchObject([{ loc: ['body', 10_000] }]);
    const fields = (count: number) => `m ${Array.from({ length: count }, (_, n) => `f${n}=1`).join()}`;
    expect(parse(fields(1024)).samples[0]!.names).toHaveLength(1024);
    expect(problemsOf(fields(1025))).toHaveLength(1);
    expect(problemsOf(`${fields(1000)}\nn ${fields(25).slice(2)}`)).toMatchObject([{ loc: ['body', 1] }]);
  });
});

describe('times', () => {
  it.each<[Precision, string, number]>([
    ['ns', `${now}123456`, now],
    ['n', `${now}999999`, now],
    ['us', `${now}999`, now],
    ['u', `${now}000`, now],
    ['ms', `${now}`, now],
    ['s', `${now / 1000}`, now],
    ['m', `${now / 60_000}`, now],
    ['h', `${now / 3_600_000}`, now],
  ])('in %s', (precision, word, ms) => {
    expect(parse(`m f=1 ${word}`, precision).samples[0]!.ts).toBe(ms);
  });

  it.each([`${now + day}000000`, '0', '1', `-${ns}`, '9'.repeat(30), `${now - 31 * day}000000`])(
    'M3: %s is refused, with its line',
    (word) => {
      expect(problemsOf(`m f=1\nm g=1 ${word}`)).toMatchObject([{ loc: ['body', 1], type: 'value_error' }]);
    },
  );

  it('that are the same make one sample, in which the last value of a series counts', () => {
    const { samples, locOf } = parse(`cpu,b=2,a=1 x=1,y=1 ${ns}\nmem f=5 ${ns}\ncpu,a=1,b=2 x=2 ${now}000001`);
    expect(samples).toEqual([{ ts: now, names: ['cpu_1_2_x', 'cpu_1_2_y', 'mem_f'], values: [2, 1, 5], texts: [] }]);
    expect(locOf(0, 'cpu_1_2_x')).toEqual(['body', 2]);
    expect(locOf(0, 'mem_f')).toEqual(['body', 1]);
  });

  it('of two series must not make one name of two fields', () => {
    expect(problemsOf(`a_b c=1 ${ns}\na b_c=2 ${ns}`)).toMatchObject([{ loc: ['body', 1], type: 'value_error' }]);
    expect(problemsOf(`cpu,host=x f=1 ${ns}\ncpu,host=y f=2 ${ns}`)).toMatchObject([{ loc: ['body', 1] }]);
  });

  it('M5: that are missing are the server’s, and no line replaces another', () => {
    const { samples } = parse('cpu x=1\nmem y=1\ncpu x=2\nmem y=2');
    expect(samples).toEqual([
      { ts: now, names: ['cpu_x', 'mem_y'], values: [1, 1], texts: [] },
      { ts: now + 1, names: ['cpu_x', 'mem_y'], values: [2, 2], texts: [] },
    ]);
  });
});

test('I11: every text is read or refused in known words', () => {
  const piece = fc.constantFrom(
    ...[
      'm',
      ',',
      '=',
      ' ',
      '\\',
      '"',
      '\n',
      '\r',
      '#',
      '1',
      'i',
      't',
      '-',
      '.',
      'e',
      ns,
      'host',
      '\0',
      'ü',
      '😀',
      '\t',
    ],
    ...['agent/ap-1/data', 'f=1', 'm f=1\n', ',t=v'],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      try {
        for (const { ts, names, values, texts } of parse(pieces.join('')).samples) {
          expect(Number.isInteger(ts)).toBe(true);
          expect(names).toHaveLength(values.length);
          const all = [...names, ...texts.map(([name]) => name)];
          expect(new Set(all).size).toBe(all.length);
          expect(all.length).toBeGreaterThan(0);
        }
      } catch (error) {
        expect(error instanceof ValidationError || error instanceof PermissionError).toBe(true);
      }
    }),
    { numRuns: rounds(5000, 625) },
  );
});

test.each([
  ['one long name', 'm'.repeat(2 ** 21)],
  ['backslashes', '\\'.repeat(2 ** 21)],
  ['escaped spaces', '\\ '.repeat(2 ** 20)],
  ['carriage returns', '\r'.repeat(2 ** 21)],
  ['commas', ','.repeat(2 ** 21)],
  ['open quotes', 'm f="\n'.repeat(2 ** 18)],
  ['quoted fields', `m ${'f="x",'.repeat(2 ** 18)}`],
  ['one tag after another', `m${',t=v'.repeat(2 ** 19)} f=1`],
])('2 MiB of %s are refused without work for each pair of their bytes', (_name, text) => {
  // Which would take longer than a test may.
  expect(problemsOf(text).length).toBeGreaterThan(0);
});

const writtenName = fc.constantFrom('a', 'b', 'ab', 'a b', 'a=b', 'é');
const writtenNumber = fc.oneof(
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.constantFrom('-0', '1.', '.5', '-.25', '007', '+3', '123456789012345', '1234567890123456', '0.1', '9.99', '1e3'),
);
const writtenField = fc.record({ name: writtenName, number: writtenNumber, isText: fc.integer({ max: 9, min: 0 }) });
const writtenLine = fc.record({
  ts: fc.integer({ min: 0, max: 6 }),
  fields: fc.array(writtenField, { minLength: 1, maxLength: 4 }),
  isRepeated: fc.boolean(),
});

test('whatever lines there are, each time has its fields, and of equal ones the last', () => {
  fc.assert(
    fc.property(fc.array(writtenLine, { minLength: 1, maxLength: 12 }), (lines) => {
      const expected = new Map<number, Map<string, number | string>>();
      const lineOf = new Map<string, number>();
      const text = lines.map(({ ts, fields, isRepeated }, line) => {
        // Most lines of a request have the same fields.
        const all = isRepeated ? lines[0]!.fields : fields;
        const sample = expected.get(ts) ?? new Map<string, number | string>();
        expected.set(ts, sample);
        const words = all.map(({ name, number, isText }) => {
          sample.set(isText === 0 ? `text ${name}` : name, isText === 0 ? `t${number}` : Number(number));
          if (isText > 0) lineOf.set(`${ts} ${name}`, line);
          return `${name.replace(/[ =]/g, '\\$&')}=${isText === 0 ? `"t${number}"` : number}`;
        });
        return `agent/ap-1/data ${words.join()} ${now + ts}`;
      });
      const { samples, locOf } = parse(text.join('\n'), 'ms');
      expect(samples.map(({ ts }) => ts - now)).toEqual([...expected.keys()]);
      for (const [index, { ts, names, values, texts }] of samples.entries()) {
        const fields = new Map<string, number | string>([
          ...names.map((name, place) => [name, values[place]!] as const),
          ...texts.map(([name, value]) => [`text ${name}`, value] as const),
        ]);
        expect(fields).toEqual(expected.get(ts - now));
        expect(names.length + texts.length).toBe(fields.size);
        for (const name of names) expect(locOf(index, name)).toEqual(['body', lineOf.get(`${ts - now} ${name}`)]);
      }
    }),
    { numRuns: rounds(500) },
  );
});

test('a text stands beside a number of its name; what a later line replaces, or no number holds, is counted', () => {
  const lines = ['a=1,b="x"', 'a="1.50"', 'a="up"', 'c=9007199254740993i,d=18446744073709551615u,e=9007199254740992.0'];
  const { samples, merged, rounded } = parse(
    lines.map((fields) => `agent/ap-1/data ${fields} ${now}`).join('\n'),
    'ms',
  );
  expect(samples).toMatchObject([
    {
      names: ['a', 'c', 'd', 'e'],
      texts: [
        ['b', 'x'],
        ['a', 'up'],
      ],
    },
  ]);
  expect(samples[0]!.values[0]).toBe(1.5);
  expect([merged, rounded?.count]).toEqual([2, 2]);
});

test('samples with the same names share the list of them', () => {
  const { samples } = parse(`agent/ap-1/data a=1,b=2 ${now}\nagent/ap-1/data a=3,b=4 ${now - 1}`, 'ms');
  expect(samples[0]!.names).toBe(samples[1]!.names);
});
