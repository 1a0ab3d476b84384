import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import { draw } from '../../../../test/draw.ts';
import { BoundedMap } from './bounded-map.ts';

/** The same by looking at everything. */
class Model {
  entries: { key: number; value: number; endsAt: number }[] = [];
  readonly max: number;
  readonly ttlMs: number;
  constructor(max: number, ttlMs: number) {
    this.max = max;
    this.ttlMs = ttlMs;
  }
  set(key: number, value: number, now: number): void {
    this.delete(key);
    this.entries = this.entries.filter(({ endsAt }) => endsAt > now);
    this.entries.push({ key, value, endsAt: now + this.ttlMs });
    if (this.entries.length > this.max) this.entries.shift();
  }
  delete(key: number): void {
    this.entries = this.entries.filter((entry) => entry.key !== key);
  }
  alive(now: number): [number, number][] {
    return this.entries.filter(({ endsAt }) => endsAt > now).map(({ key, value }) => [key, value]);
  }
}

it.each([
  [Number.POSITIVE_INFINITY, 'once'],
  [Number.POSITIVE_INFINITY, 'again'],
  [50, 'once'],
  [50, 'again'],
])('holds the newest within its bound, with a time to live of %d ms (%s)', (ttlMs) => {
  const steps = draw('steps');
  const random = (below: number) => steps.below(below);
  let now = 0;
  const map = new BoundedMap<number, number>(20, { ttlMs, now: () => now });
  const model = new Model(20, ttlMs);
  for (let step = 0; step < 5_000; step++) {
    now += random(4);
    const key = random(40);
    const what = random(20);
    if (what === 0 && random(20) === 0) {
      map.clear();
      model.entries = [];
    } else if (what < 5) {
      map.delete(key);
      model.delete(key);
    } else {
      map.set(key, step);
      model.set(key, step, now);
    }
    const alive = model.alive(now);
    const known = alive.find(([each]) => each === key)?.[1];
    const found = [[...map], map.size, map.get(key), map.has(key)];
    const expected = [alive, alive.length, known, known !== undefined];
    // To compare by `expect` costs many times as much.
    if (!isDeepStrictEqual(found, expected)) expect(found).toEqual(expected);
  }
});

it('creates what is missing, once', () => {
  const map = new BoundedMap<string, number>(2);
  let created = 0;
  const create = () => ++created;
  expect([map.getOrInsert('a', create), map.getOrInsert('a', create), map.getOrInsert('b', create)]).toEqual([1, 1, 2]);
});
