// The places of agents that were asked for, for a while: an agent that was moved is refused by the server that it has left,
// which remembers that for a day.
const trustedMs = 10 * 60_000;
const maxKnown = 100_000;

export class KnownPlaces {
  readonly #known = new Map<string, { server: string; untilMs: number }>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get(ap_id: string): string | undefined {
    const known = this.#known.get(ap_id);
    if (known === undefined || this.#now() < known.untilMs) return known?.server;
    this.#known.delete(ap_id);
    return undefined;
  }

  put(ap_id: string, server: string): void {
    if (this.#known.size >= maxKnown) this.#known.delete(this.#known.keys().next().value!);
    this.#known.set(ap_id, { server, untilMs: this.#now() + trustedMs });
  }

  forget(ap_id: string): void {
    this.#known.delete(ap_id);
  }
}
