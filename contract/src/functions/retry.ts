// Repeats what may work later.
import { pause } from './pause.ts';

export interface RetryOptions {
  /** How long to wait after this error; undefined: it is final, and thrown. */
  pauseAfter: (error: unknown) => number | undefined;
  signal?: AbortSignal | undefined;
}

/** Resolves as soon as `work` does. Throws an error that is final, or the reason of the signal. */
export async function retry<T>(work: () => Promise<T>, { pauseAfter, signal }: RetryOptions): Promise<T> {
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      const pauseMs = pauseAfter(error);
      if (pauseMs === undefined) throw error;
      await pause(pauseMs, signal);
    }
  }
}
