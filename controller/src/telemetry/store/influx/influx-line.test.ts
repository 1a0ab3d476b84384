import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeName, encodeName, lineFieldOf, linesOf, measurementOf } from './influx-line.ts';
import { quoted } from './influxql.ts';

test('ordinary names stay as they are', () => {
  for (const name of ['rssi', 'tx_power_dbm', 'cpu.load', 'Tx power', 'température', '📡', "it's", 'a/b;c$d']) {
    expect(encodeName(name)).toBe(name);
  }
});

test('names that InfluxDB would misread or keeps for itself are encoded', () => {
  expect(encodeName('time')).toBe('%74ime');
  expect(encodeName('_name')).toBe('%5Fname');
  expect(encodeName('100%')).toBe('100%25');
  expect(encodeName('a\\"\n')).toBe('a%5C%22%0A');
});

test('every name comes back, no two become one, and none can end a quoted identifier', () => {
  const anyName = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom(...'%5C\\"_time') }));
  fc.assert(
    fc.property(anyName, (name) => {
      const encoded = encodeName(name);
      expect(decodeName(encoded)).toBe(name);
      expect(encoded).not.toMatch(/["\\\n\r\0]/);
      expect(quoted(encoded)).toBe(`"${encoded}"`);
    }),
    { numRuns: 1000 },
  );
});

test('identifiers of any kind are escaped', () => {
  expect(quoted('a"b\\c\nd')).toBe('"a\\"b\\\\c\\nd"');
});

test('a measurement needs no escaping, whatever the agent is called', () => {
  expect(measurementOf('ap-1.a_b:c@d+e')).toBe('agent/ap-1.a_b:c@d+e/data');
  expect(measurementOf('a b,c="\\\n/😀%')).toMatch(/^agent\/[A-Za-z0-9%]+\/data$/);
});

test('one line for each sample that has fields', () => {
  const fields = new Map([
    ['a b', lineFieldOf('a b', false)],
    ['x,=', lineFieldOf('x,=', false)],
    ['state', lineFieldOf('state', true)],
  ]);
  const samples = [
    { ts: 1, names: ['a b', 'x,='], values: [1, -2.5e-7], texts: [['state', 'a "b" \\\n'] as [string, string]] },
    { ts: 2, names: [], values: [], texts: [] },
    { ts: 3, names: [], values: [], texts: [['state', ''] as [string, string]] },
  ];
  expect(linesOf('agent/ap/data', samples, fields)).toBe(
    'agent/ap/data a\\ b=1,x\\,\\==-2.5e-7,state="a \\"b\\" \\\\\n" 1\nagent/ap/data state="" 3\n',
  );
});
