// Waiting for a database: the reason in one line with what helps, at growing intervals.
import { afterEach, expect, test, vi } from 'vitest';
import { TryLaterError } from '../errors.ts';
import { prepareUntilDone, reasonOf } from './preparation.ts';

afterEach(() => vi.useRealTimers());

const unavailable = (code: string, message: string) =>
  new TryLaterError(503, 'database_unavailable', 'unavailable', 1, {
    cause: Object.assign(new Error(message), { code }),
  });

test('the reason is said at growing intervals while attempts go on each second', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let attempts = 0;
  const saidAt: number[] = [];
  const preparation = prepareUntilDone(
    async () => {
      attempts++;
      throw unavailable('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:5432');
    },
    () => saidAt.push(attempts),
    () => {},
  );
  await preparation.firstTry;
  await vi.advanceTimersByTimeAsync(600_000);
  expect(attempts).toBe(601);
  expect(saidAt.slice(0, 8)).toEqual([1, 2, 4, 8, 16, 32, 64, 124]);
  expect(saidAt.length).toBeLessThan(18);
  preparation.cancel();
});

test('a missing database or role comes with the statement that creates it, in one line', () => {
  expect(reasonOf(unavailable('3D000', 'database "weft" does not exist'))).toBe(
    'database "weft" does not exist; create it with: CREATE DATABASE "weft";',
  );
  expect(reasonOf(unavailable('28000', 'role "weft" does not exist'))).toContain('CREATE ROLE "weft" LOGIN');
  expect(reasonOf(unavailable('ECONNREFUSED', 'connect\n  refused'))).toBe('connect refused');
  expect(reasonOf(unavailable('ECONNREFUSED', ''))).toBe('ECONNREFUSED');
});
