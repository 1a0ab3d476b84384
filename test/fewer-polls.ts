// Before each test file: what is polled for and is not so soon is looked at less often, unless the test says how often. To look is work,
// of the test and of the server that it asks.
import { expect } from 'vitest';

/** As it is before a test takes time into its own hands. */
const later = setTimeout;
const mostMs = 80;
/** To look into a page costs more than to look at a value. */
const pageMs = 40;
const poll = expect.poll as typeof expect.poll & { isSlower?: true };

if (!poll.isSlower) {
  const slower: typeof expect.poll = (look, options) => {
    if (options?.interval !== undefined) return poll(look, options);
    const leastMs = expect.getState().testPath?.includes('/e2e/') ? pageMs : 0;
    let pauseMs = 0;
    const lookLater = async (context: { signal: AbortSignal }) => {
      if (pauseMs > 0) await new Promise((next) => later(next, pauseMs));
      pauseMs = Math.min(leastMs + mostMs, Math.max(leastMs, pauseMs * 1.2 + 4));
      return look(context);
    };
    return poll(lookLater as unknown as typeof look, options);
  };
  Object.assign(expect, { poll: Object.assign(slower, { isSlower: true }) });
}
