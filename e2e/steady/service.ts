// What a fault is measured by: for how long a caller had to do without a service, and an access point with a channel.
import { Agent } from '../../sdk/src/index.ts';
import { password } from '../weft-process.ts';

/** Of a service: how often it was given and refused, and the longest that one caller had to wait for it. */
export class Service {
  given = 0;
  refused = 0;
  longestMs = 0;
  /** Since when each caller asks in vain, or waits for an answer. */
  readonly #waiting = new Map<unknown, number>();

  asked(caller: unknown): void {
    if (!this.#waiting.has(caller)) this.#waiting.set(caller, performance.now());
  }

  answered(caller: unknown): void {
    this.given++;
    this.longestMs = Math.max(this.longestMs, this.#waitedMs(caller));
    this.#waiting.delete(caller);
  }

  /** Those who still wait count as well. */
  get seconds(): number {
    const waits = [...this.#waiting.keys()].map((caller) => this.#waitedMs(caller));
    return Math.max(this.longestMs, ...waits) / 1000;
  }

  /** What was before does not count. */
  forget(): void {
    this.given = this.refused = this.longestMs = 0;
    for (const caller of this.#waiting.keys()) this.#waiting.set(caller, performance.now());
  }

  #waitedMs(caller: unknown): number {
    return performance.now() - (this.#waiting.get(caller) ?? performance.now());
  }
}

/** An access point that reports over its channel and does what it is told. */
export class ChannelAgent {
  readonly ap_id: string;
  readonly agent: Agent;
  readonly acknowledged = new Set<number>();
  sent = 0;

  constructor(url: string, ap_id: string, applied: (value: number) => void) {
    this.ap_id = ap_id;
    this.agent = new Agent({ url, ap_id, password, onError: () => {} }).command('set_tx_power', (args) => {
      applied(Number(args.dbm));
      return { applied: { dbm: Number(args.dbm) } };
    });
  }
}
