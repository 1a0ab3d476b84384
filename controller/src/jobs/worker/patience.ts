// Trying again: what a database or a controller out of reach refuses now may work in a moment.
import { BackOff, backOffMs } from '@weft/contract/back-off';
import { pauseUnless } from '@weft/contract/pause';
import { retry } from '@weft/contract/retry';
import { TryLaterError } from '../../errors.ts';

export { pauseUnless };

const pauses = { firstMs: 100, longestMs: 5_000 };

/** Longer after each failure, and never the same for two who failed together. */
export function retryPauseMs(failures: number, random: () => number = Math.random): number {
  return backOffMs(failures, { ...pauses, random });
}

/** Repeats `work` while it throws TryLaterError; throws what else it throws, and the reason of the signal. */
export function patiently<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const backOff = new BackOff(pauses);
  return retry(work, { pauseAfter: (error) => (error instanceof TryLaterError ? backOff.next() : undefined), signal });
}
