// Five minutes without Weft, a hundred agents.
import { expect, test } from 'vitest';
import { returnToFleet } from './spooling-fleet.ts';

test('what 100 agents report within five minutes arrives once, in order, and without a storm', {
  timeout: 600_000,
}, async () => {
  const back = await returnToFleet({ agents: 100, awayMs: 300_000, everyMs: 1000 });
  process.stdout.write(`${JSON.stringify(back)}\n`);
  expect(back.waited).toBeGreaterThan(100 * 280);
  // Each sends at most five messages of 500 a second; what counts is that others are served meanwhile.
  expect(back.slowestAnswerMs).toBeLessThan(2000);
});
