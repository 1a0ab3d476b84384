// How many of something each principal has open: streams, sockets, subscriptions.
import { TryLaterError } from '../errors.ts';

export class OpenShare {
  readonly #name: string;
  readonly #max: number;
  readonly #counts = new Map<string, number>();
  held = 0;
  refused = 0;

  constructor(name: string, maxPerPrincipal: number) {
    this.#name = name;
    this.#max = maxPerPrincipal;
  }

  of(principal: string): number {
    return this.#counts.get(principal) ?? 0;
  }

  /** The returned function gives it back, once however often it is called. Throws TryLaterError (429) above the bound. */
  take(principal: string, code = 'share_used_up'): () => void {
    const count = this.of(principal);
    if (count >= this.#max) {
      this.refused++;
      throw new TryLaterError(429, code, `At most ${this.#max} may be open at once (${this.#name})`, 10);
    }
    this.#counts.set(principal, count + 1);
    this.held++;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.held--;
      const left = this.of(principal) - 1;
      if (left > 0) this.#counts.set(principal, left);
      else this.#counts.delete(principal);
    };
  }
}
