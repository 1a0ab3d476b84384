import { expect, test } from 'vitest';
import { killWhileDelivering } from './webhook-kill-rounds.ts';

test('killed at random moments, every event comes to every webhook, in the order of its subject', async () => {
  const { events } = await killWhileDelivering(3);
  expect(events).toBeGreaterThan(10);
});
