// Trying again: what a database or a controller out of reach refuses now may work in a moment.
import { setTimeout as pause } from 'node:timers/promises';
import { TryLaterError } from '../../errors.ts';

const firstPauseMs = 100;
const longestPauseMs = 5_000;

/** Longer after each failure, and never the same for two who failed together. */
export function retryPauseMs(failures: number, random: () => number = Math.random): number {
  return Math.min(longestPauseMs, firstPauseMs * 2 ** failures) * (0.5 + random() / 2);
}

/** Resolves after that time, or early, without a word, when the signal is aborted. */
export async function pauseUnless(signal: AbortSignal | undefined, ms: number): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => {});
}

/** Repeats `work` while it throws TryLaterError; throws what else it throws, and the reason of the signal. */
export async function patiently<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let failures = 0; ; failures++) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof TryLaterError)) throw error;
    }
    await pauseUnless(signal, retryPauseMs(failures));
  }
}
