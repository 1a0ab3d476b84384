import { expect, test } from 'vitest';
import { KnownPlaces } from './known-places.ts';

test('a place is trusted for ten minutes, and until it is forgotten', () => {
  let nowMs = 0;
  const places = new KnownPlaces(() => nowMs);
  places.put('a', 'first');
  places.put('b', 'second');
  places.forget('b');
  nowMs = 10 * 60_000 - 1;
  expect([places.get('a'), places.get('b')]).toEqual(['first', undefined]);
  nowMs++;
  expect(places.get('a')).toBeUndefined();
});
