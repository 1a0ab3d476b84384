import { expect, test } from 'vitest';
import { createTask } from '../../../test/pure/emulator-task.ts';
import { ModelClock, WeftClock } from './model-clock.ts';

const startedAt = Date.UTC(2026, 0, 7, 10);

function clockAt(speed: number, passedMs: number) {
  const task = createTask({ durations: [100], speed, startedAt });
  return new ModelClock({ now: () => startedAt + passedMs }, task);
}

test.each([
  [1, -5000, 0],
  [1, 0, 0],
  [1, 999, 0],
  [1, 1000, 1],
  [1, 42_500, 42],
  [60, 250, 15],
  [1, 1_000_000, 100],
])('with speed %d, after %d ms second %d is due', (speed, passedMs, due) => {
  expect(clockAt(speed, passedMs).dueSecond).toBe(due);
});

test('knows how long it is until a second, and for how long one has been due', () => {
  expect(clockAt(1, 400).msUntil(1)).toBe(600);
  expect(clockAt(10, 400).msUntil(6)).toBe(200);
  expect(clockAt(1, 400).lateBySeconds(0)).toBe(0);
  expect(clockAt(1, 5500).lateBySeconds(2)).toBe(2.5);
});

test('is late in seconds of the model, whatever the speed, and never by more than is left', () => {
  expect(clockAt(10, 5500).lateBySeconds(50)).toBe(4);
  expect(clockAt(60, 1500).lateBySeconds(0)).toBe(89);
  expect(clockAt(10, 200_000).lateBySeconds(90)).toBe(10);
  expect(clockAt(1, 200_000).lateBySeconds(100)).toBe(0);
});

test("follows Weft's clock, whatever this machine's says, and lets small differences be", () => {
  let atMs = 1000;
  const clock = new WeftClock({ weftMs: 50_000, atMs }, () => atMs);
  atMs = 3000;
  expect(clock.now()).toBe(52_000);
  // Weft may have looked at its clock at any time while it was asked.
  expect(clock.heard(50_500, 1000, 3000)).toBe(false);
  expect(clock.heard(52_800, 2900, 3000)).toBe(false);
  expect(clock.now()).toBe(52_000);
  expect(clock.heard(60_000, 2900, 3000)).toBe(true);
  expect(clock.now()).toBe(60_000);
  expect(clock.heard(58_000, 2900, 3000)).toBe(true);
  atMs = 4000;
  expect(clock.now()).toBe(59_000);
});
