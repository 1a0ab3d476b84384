import { expect, test } from 'vitest';
import { killWhileDelivering } from './webhook-kill-rounds.ts';

test('killed 30 times, every event comes to every webhook, in the order of its subject', {
  timeout: 1_200_000,
}, async () => {
  const { events, repeated } = await killWhileDelivering(30);
  process.stdout.write(`${events} events, ${repeated} deliveries repeated at the receiver that works\n`);
  expect(events).toBeGreaterThan(300);
});
