// Retries while the database is unavailable.
import { BackOff } from '@weft/contract/back-off';
import { retry } from '@weft/contract/retry';
import { TryLaterError } from '../../errors.ts';

const pauses = { firstMs: 100, longestMs: 5_000 };

/** Repeats `work` while it throws TryLaterError; throws what else it throws, and the reason of the signal. */
export function retryUnavailable<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const backOff = new BackOff(pauses);
  return retry(work, { pauseAfter: (error) => (error instanceof TryLaterError ? backOff.next() : undefined), signal });
}
