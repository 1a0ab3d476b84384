import { expect, test } from 'vitest';
import { orderedUuid } from './ordered-uuid.ts';

test('ids of one millisecond are UUIDs of version 7 in the order in which they were made', () => {
  const now = Date.now();
  const ids = Array.from({ length: 4_000 }, () => orderedUuid(now));
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(orderedUuid(now + 1) > ids.at(-1)!).toBe(true);
});

test('beyond what a millisecond counts they are still different', () => {
  const ids = Array.from({ length: 10_000 }, () => orderedUuid(5));
  expect(new Set(ids).size).toBe(ids.length);
});
