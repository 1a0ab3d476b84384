// Weft goes away while agents report: nothing is lost, nothing comes twice, and they do not come back as a storm.
import { expect, test } from 'vitest';
import { returnToFleet } from './spooling-fleet.ts';

test('what ten agents report while Weft is away arrives once and in order', async () => {
  const { waited } = await returnToFleet({ agents: 10, awayMs: 3000, everyMs: 250 });
  expect(waited).toBeGreaterThan(10 * 6);
});
