import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RepeatedLines } from './repeated-lines.ts';

const line = fc.record({
  level: fc.constantFrom(30, 40, 50),
  msg: fc.constantFrom('answered', 'unexpected error'),
  status: fc.constantFrom(401, 422, undefined),
  code: fc.constantFrom('disk_full', 'starting', undefined),
  operation: fc.constantFrom('list_users', 'signup'),
  afterMs: fc.integer({ min: 0, max: 3000 }),
});

it('every line is written or counted in a sum of its kind, and the first ones of a kind are written', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 300 }), (lines) => {
      const repeated = new RepeatedLines();
      const kindOf = ({ level, msg, status, code, operation }: Record<string, unknown>) =>
        `${level} ${String(msg).replace(/ \.\.\. .*/, '')} ${status} ${code} ${operation}`;
      const given = new Map<string, number>();
      const told = new Map<string, number>();
      const add = (map: Map<string, number>, key: string, count: number) => map.set(key, (map.get(key) ?? 0) + count);
      const takeSums = (now: number) => {
        for (const { level, fields, msg } of repeated.sums(now)) {
          add(told, kindOf({ level, msg, ...fields }), Number(fields.repeated));
        }
      };
      let now = 0;
      for (const { level, msg, status, code, operation, afterMs } of lines) {
        now += afterMs;
        takeSums(now);
        const key = kindOf({ level, msg, status, code, operation });
        const isWritten = repeated.admit(level, { status, code, operation }, msg, now);
        if (!given.has(key)) expect(isWritten).toBe(true);
        add(given, key, 1);
        if (isWritten) add(told, key, 1);
      }
      takeSums(Number.POSITIVE_INFINITY);
      expect(told).toEqual(given);
      expect(repeated.size).toBe(0);
    }),
  );
});

it('says how many more there were', () => {
  const repeated = new RepeatedLines();
  let written = 0;
  for (let count = 0; count < 1909; count++) {
    if (repeated.admit(30, { status: 401, operation: 'list_users' }, 'answered', count)) written++;
  }
  expect(written).toBe(10);
  expect(repeated.sums(9999)).toEqual([]);
  expect(repeated.sums(10_000)).toEqual([
    {
      level: 30,
      fields: { operation: 'list_users', status: 401, repeated: 1899 },
      msg: 'answered ... and 1,899 more like this',
    },
  ]);
});

it('different errors under one message are different lines, and their number is bounded', () => {
  const repeated = new RepeatedLines();
  for (let count = 0; count < 20; count++) {
    expect(repeated.admit(50, { err: new Error(`cause ${count}`) }, 'unexpected error', 0)).toBe(true);
  }
  for (let count = 0; count < 10_000; count++) repeated.admit(50, { err: new Error(`more ${count}`) }, 'x', 0);
  expect(repeated.size).toBeLessThan(2100);
});
