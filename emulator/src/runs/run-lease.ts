// Holds the lease of a run for this process: renews it, passes on requests to the network, and returns the answers.

import type { EmulatorLease, EmulatorRequest } from '@weft/contract';
import { pauseUnless } from '@weft/contract/pause';
import { steadyMs } from './model-clock.ts';
import { LeaseHeld, patiently, Refused, RunOver, type WeftClient } from './weft-client.ts';

const waitSeconds = 10;
/** The renewal is a long poll; should it return at once, this is the least time between two. */
const leastPauseMs = 100;
const releaseTimeoutMs = 5_000;

export interface RunLeaseOptions {
  client: WeftClient;
  holder: string;
  onRequest: (request: EmulatorRequest) => void;
  /** What time it is in the network; undefined until that is known. */
  modelTime: () => string | undefined;
  onNow: (weftMs: number, askedAtMs: number, heardAtMs: number) => void;
  /** Weft cannot be reached, and is tried again. */
  onTrouble: (error: unknown) => void;
}

/** Why this process no longer holds the run. */
export type LeaseEnd = 'over' | 'taken' | 'refused';

export class RunLease {
  readonly #options: RunLeaseOptions;
  readonly #ending = new AbortController();

  constructor(options: RunLeaseOptions) {
    this.#options = options;
  }

  /** Resolves when the run is lost or over; never if `end` is called before. */
  async keep(): Promise<LeaseEnd> {
    const { client, holder, modelTime, onTrouble } = this.#options;
    const { signal } = this.#ending;
    while (!signal.aborted) {
      try {
        const askedAtMs = steadyMs();
        await patiently(
          async () => {
            const asked = steadyMs();
            const model_time = modelTime();
            const request = { holder, wait: waitSeconds, ...(model_time !== undefined && { model_time }) };
            this.#heard(await client.lease(request, signal), asked);
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

  /** Sends answers at once, beside the long poll. */
  async answer(id: string, answer: unknown): Promise<void> {
    const { client, holder } = this.#options;
    const { signal } = this.#ending;
    const send = async () => {
      const asked = steadyMs();
      this.#heard(await client.lease({ holder, answers: [{ id, answer }] }, signal), asked);
    };
    // Any error will also reach the long poll, which handles it.
    await patiently(send, signal).catch(() => {});
  }

  /** Stops renewing. */
  end(): void {
    this.#ending.abort();
  }

  /** Releases the lease, so that another process may resume at once. If this does not reach Weft, the lease expires. */
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
