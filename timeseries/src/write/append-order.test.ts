import { expect, test, vi } from 'vitest';
import { TooManyNames } from '../time-series.ts';
import { AppendOrder } from './append-order.ts';

const stored = <T>(value: T) => Promise.resolve({ stored: Promise.resolve(value) });

test('who waits behind one that could not enter is told the same, and does not try in turn', async () => {
  const order = new AppendOrder();
  const away = new Error('the database is away');
  const next = vi.fn(() => stored(1));
  const first = order.add('a', () => Promise.reject(away));
  const behind = [order.add('a', next), order.add('a', next)];
  await expect(Promise.allSettled([first, ...behind])).resolves.toEqual(
    Array(3).fill({ status: 'rejected', reason: away }),
  );
  expect(next).not.toHaveBeenCalled();
  expect(order.has('a')).toBe(false);
  await expect(order.add('a', next)).resolves.toBe(1);
});

test('a name too many is a matter of its own append', async () => {
  const order = new AppendOrder();
  const refusal = new TooManyNames(0, 'x');
  const first = order.add('a', () => Promise.reject(refusal));
  const behind = order.add('a', () => stored(2));
  await expect(first).rejects.toBe(refusal);
  await expect(behind).resolves.toBe(2);
});
