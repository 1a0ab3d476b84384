import { expect, test } from 'vitest';
import { ServerClock } from './server-clock.ts';

const noon = Date.parse('2026-11-15T12:00:00.000Z');
const date = (ms: number) => new Date(ms).toUTCString();

function machine(wallMs: number) {
  const time = { wall: wallMs, monotonic: 5_000 };
  const clock = new ServerClock({ wall: () => time.wall, monotonic: () => time.monotonic });
  const pass = (ms: number) => {
    time.wall += ms;
    time.monotonic += ms;
  };
  return { time, clock, pass };
}

test('a clock that is right is taken as it is, whatever the cut second says', () => {
  const { clock, pass } = machine(noon + 900);
  clock.heard(date(noon), clock.moment());
  pass(10);
  expect([clock.isKnown, clock.now()]).toEqual([true, noon + 910]);
});

test('an access point that starts in 1970 knows the time, also of what was before', () => {
  const { clock, pass } = machine(60_000);
  expect([clock.isKnown, clock.now()]).toEqual([false, 60_000]);
  const before = clock.moment();
  pass(30_000);
  clock.heard(date(noon), clock.moment());
  pass(1_000);
  expect(clock.now()).toBe(noon + 1_500);
  expect(clock.timeOf(before)).toBe(noon + 500 - 30_000);
});

test('half of the time on the way counts', () => {
  const { clock, pass } = machine(0);
  const asked = clock.moment();
  pass(4_000);
  clock.heard(date(noon), asked);
  expect(clock.now()).toBe(noon + 2_500);
});

test('a slow answer does not make a clock wrong that is right', () => {
  for (const answeredAfterMs of [0, 8_000]) {
    const { clock, pass } = machine(noon);
    const asked = clock.moment();
    pass(8_000);
    clock.heard(date(noon + answeredAfterMs), asked);
    expect([clock.isOff, clock.now()]).toEqual([false, noon + 8_000]);
  }
});

test('a slow answer does not replace what a quick one has told, but for an hour only', () => {
  const { clock, pass } = machine(noon - 10_000);
  clock.heard(date(noon), clock.moment());
  const asked = clock.moment();
  pass(20_000);
  clock.heard(date(noon), asked);
  expect([clock.isOff, clock.now()]).toEqual([true, noon + 20_500]);
  pass(3_600_000);
  const later = clock.moment();
  pass(4_000);
  clock.heard(date(noon + 3_640_000), later);
  expect(clock.now()).toBe(noon + 3_642_500);
});

test('what a node with a wrong clock has told lasts until another one is heard, however slow its answer', () => {
  const { clock, pass } = machine(noon);
  clock.heard(date(noon + 3_600_000), clock.moment());
  expect(clock.isOff).toBe(true);
  const askedAt = clock.moment();
  pass(3_000);
  clock.heard(date(noon + 3_000), askedAt);
  expect([clock.isOff, clock.now()]).toEqual([false, noon + 3_000]);
});

test('a clock that is set right meanwhile does not move the time', () => {
  const { time, clock, pass } = machine(0);
  clock.heard(date(noon), clock.moment());
  time.wall = noon + 500;
  pass(7_000);
  expect(clock.now()).toBe(noon + 7_500);
  clock.heard(date(noon + 7_000), clock.moment());
  expect(clock.now()).toBe(noon + 7_500);
});

test('an answer without a Date says nothing', () => {
  const { clock } = machine(noon);
  clock.heard(undefined, 0);
  clock.heard('soon', 0);
  expect(clock.isKnown).toBe(false);
});

test('the moment that passes between two looks at the clocks does not count', () => {
  const { time, clock } = machine(noon);
  const moment = clock.moment();
  time.monotonic += 0.01;
  expect(clock.timeOf(moment)).toBe(noon);
});
