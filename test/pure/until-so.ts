import { vi } from 'vitest';

/** As they are before a test takes time into its own hands. */
const later = setTimeout;
const now = performance.now.bind(performance);
const timeoutMs = 180_000;
const firstMs = 20;
const mostMs = 100;

/**
 * Until a check holds, with patience for a machine that has much else to do: nothing here measures speed. What does not hold soon is
 * looked at less often: to look is work, of the test and of the server that it asks.
 */
export async function untilSo<Value>(check: () => Value | Promise<Value>): Promise<Value> {
  const deadline = now() + timeoutMs;
  for (let pauseMs = firstMs; ; pauseMs = Math.min(mostMs, pauseMs * 1.2)) {
    if (vi.isFakeTimers()) vi.advanceTimersByTime(firstMs);
    try {
      return await check();
    } catch (error) {
      if (now() > deadline) throw error;
    }
    await new Promise((next) => later(next, pauseMs));
  }
}
