// An amount per second for each principal, with a reserve that fills up while it is not used. Fixed memory: beyond the
// bound of principals the one that was seen longest ago is forgotten, which gives it its full reserve again.
import { BoundedMap } from '@weft/contract/bounded-map';

export const maxPrincipals = 100_000;

export interface BudgetRate {
  perSecond: number;
  /** What may be spent at once by whoever has spent nothing for a while. */
  reserve: number;
}

interface Account {
  left: number;
  at: number;
}

export class Budget {
  readonly #rate: BudgetRate;
  readonly #accounts = new BoundedMap<string, Account>(maxPrincipals);
  refused = 0;

  constructor(rate: BudgetRate) {
    this.#rate = rate;
  }

  get principals(): number {
    return this.#accounts.size;
  }

  /**
   * Spends the amount and returns 0, or returns the seconds after which it can be spent and spends nothing. An amount
   * above the reserve is spent once the reserve is full: whatever is permitted at all must be possible at some time.
   */
  spend(principal: string, amount: number, now = performance.now()): number {
    const account = this.#account(principal, now);
    const needed = Math.min(amount, this.#rate.reserve);
    if (account.left >= needed) {
      account.left -= amount;
      return 0;
    }
    this.refused++;
    return (needed - account.left) / this.#rate.perSecond;
  }

  /** What is left of the reserve, from 0 to 1. */
  left(principal: string, now = performance.now()): number {
    const account = this.#accounts.get(principal);
    if (!account) return 1;
    return Math.max(0, filled(this.#rate, account.left, now - account.at)) / this.#rate.reserve;
  }

  #account(principal: string, now: number): Account {
    let account = this.#accounts.get(principal);
    if (account) {
      account.left = filled(this.#rate, account.left, now - account.at);
      account.at = now;
      return account;
    }
    account = { left: this.#rate.reserve, at: now };
    this.#accounts.set(principal, account);
    return account;
  }
}

/** What is left of an account after so many milliseconds more. */
export function filled({ perSecond, reserve }: BudgetRate, left: number, elapsedMs: number): number {
  return Math.min(reserve, left + (elapsedMs / 1000) * perSecond);
}
