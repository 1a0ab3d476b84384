// How far this Weft is set up, kept for the pages before anybody has signed in. Asked again until there is an answer.
import { signal } from '@preact/signals';
import { type Failure, toFailure } from '../api/failure.ts';
import { readSetup, type Setup } from '../api/setup.ts';

const retryMs = 2000;

export const setup = signal<Setup | undefined>(undefined);
export const setupFailure = signal<Failure | undefined>(undefined);

/** Resolves once it has been answered, or has failed, once. */
export async function refreshSetup(): Promise<void> {
  try {
    setup.value = await readSetup();
    setupFailure.value = undefined;
  } catch (error) {
    setupFailure.value = toFailure(error);
  }
  if (setup.value === undefined || setup.value.has_admin === null) setTimeout(refreshSetup, retryMs);
}
