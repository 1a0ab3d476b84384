// Holds a run for this process, for as long as Weft lets it: asks again and again, hands on what callers want of the
// network, and brings back the answers.

import type { EmulatorLease, EmulatorRequest } from '@weft/contract';
import { pauseUnless } from '@weft/contract/pause';
import { steadyMs } from './model-clock.ts';
import { LeaseHeld, patiently, Refused, RunOver, type WeftClient } from './weft-client.ts';

const waitSeconds = 10;
/** Asking is answered late if there is nothing to say; should it not be, this is how often it is done at most. */
const leastPauseMs = 100;
const releaseTimeoutMs = 5_000;

export interface RunLeaseOptions {
  client: WeftClient;
  holder: string;
  onRequest: (request: EmulatorRequest) => void;
  onNow: (weftMs: number, askedAtMs: number, heardAtMs: number) => void;
  /** Weft cannot be reached, and is tried again. */
  onTrouble: (error: unknown) => void;
}

/** Why nobody holds the run here any more. */
export type LeaseEnd = 'over' | 'taken' | 'refused';

export class RunLease {
  readonly #options: RunLeaseOptions;
  readonly #ending = new AbortController();

  constructor(options: RunLeaseOptions) {
    this.#options = options;
  }

  /** Resolves when the run is lost or over; never if `end` is called before. */
  async keep(): Promise<LeaseEnd> {
    const { client, holder, onTrouble } = this.#options;
    const { signal } = this.#ending;
    while (!signal.aborted) {
      try {
        const askedAtMs = steadyMs();
        await patiently(
          async () => {
            const asked = steadyMs();
            this.#heard(await client.lease({ holder, wait: waitSeconds }, signal), asked);
          },
          signal,
          onTrouble,
        );
        await pauseUnless(signal, leastPauseMs - (steadyMs() - askedAtMs));
      } catch (error) {
        const end = endOf(error);
        if (end && !signal.aborted) return end;
      }
    }
    return new Promise(() => {});
  }

  /** Beside the one that waits: nobody is kept waiting for an answer that is there. */
  async answer(id: string, answer: unknown): Promise<void> {
    const { client, holder } = this.#options;
    const { signal } = this.#ending;
    const send = async () => {
      const asked = steadyMs();
      this.#heard(await client.lease({ holder, answers: [{ id, answer }] }, signal), asked);
    };
    // Whatever is wrong, the one that waits will hear of it.
    await patiently(send, signal).catch(() => {});
  }

  /** No more is asked. */
  end(): void {
    this.#ending.abort();
  }

  /** Somebody else may go on at once. If Weft does not hear of it, the lease runs out by itself. */
  async release(): Promise<void> {
    const { client, holder } = this.#options;
    this.end();
    const signal = AbortSignal.timeout(releaseTimeoutMs);
    await patiently(() => client.lease({ holder, release: true }, signal), signal).catch(() => {});
  }

  #heard({ now, requests }: EmulatorLease, askedAtMs: number): void {
    this.#options.onNow(Date.parse(now), askedAtMs, steadyMs());
    for (const request of requests) this.#options.onRequest(request);
  }
}

function endOf(error: unknown): LeaseEnd | undefined {
  if (error instanceof RunOver) return 'over';
  if (error instanceof LeaseHeld) return 'taken';
  return error instanceof Refused ? 'refused' : undefined;
}
