// Two budgets that are spent together, all or nothing. One account for both: it is looked up for every telemetry post.
import { BoundedMap } from '@weft/contract/bounded-map';
import { type BudgetRate, filled, maxPrincipals } from './budget.ts';

interface Account {
  first: number;
  second: number;
  at: number;
}

/** Which of the two is used up, and the seconds after which the amount can be spent. */
export interface UsedUp {
  which: 'first' | 'second';
  seconds: number;
}

export class JointBudget {
  readonly #first: BudgetRate;
  readonly #second: BudgetRate;
  readonly #accounts = new BoundedMap<string, Account>(maxPrincipals);
  readonly refused = { first: 0, second: 0 };

  constructor(first: BudgetRate, second: BudgetRate) {
    this.#first = first;
    this.#second = second;
  }

  /** Spends both amounts and returns undefined, or spends nothing; each amount is judged as a Budget does. */
  spend(principal: string, first: number, second: number, now = performance.now()): UsedUp | undefined {
    const account = this.#account(principal, now);
    const firstMissing = Math.min(first, this.#first.reserve) - account.first;
    if (firstMissing > 0) return this.#refuse('first', firstMissing / this.#first.perSecond);
    const secondMissing = Math.min(second, this.#second.reserve) - account.second;
    if (secondMissing > 0) return this.#refuse('second', secondMissing / this.#second.perSecond);
    account.first -= first;
    account.second -= second;
    return undefined;
  }

  /** What is left of each reserve, from 0 to 1. */
  left(principal: string, now = performance.now()): { first: number; second: number } {
    const account = this.#accounts.get(principal);
    return account ? this.#shares(account, now) : { first: 1, second: 1 };
  }

  /** The same of everybody who has spent anything. */
  *accounts(now = performance.now()): Generator<[principal: string, { first: number; second: number }]> {
    for (const [principal, account] of this.#accounts) yield [principal, this.#shares(account, now)];
  }

  #shares(account: Account, now: number): { first: number; second: number } {
    const shareOf = (rate: BudgetRate, left: number) =>
      Math.max(0, filled(rate, left, now - account.at)) / rate.reserve;
    return { first: shareOf(this.#first, account.first), second: shareOf(this.#second, account.second) };
  }

  #refuse(which: UsedUp['which'], seconds: number): UsedUp {
    this.refused[which]++;
    return { which, seconds };
  }

  #account(principal: string, now: number): Account {
    let account = this.#accounts.get(principal);
    if (account) {
      const elapsedMs = now - account.at;
      account.first = filled(this.#first, account.first, elapsedMs);
      account.second = filled(this.#second, account.second, elapsedMs);
      account.at = now;
      return account;
    }
    account = { first: this.#first.reserve, second: this.#second.reserve, at: now };
    this.#accounts.set(principal, account);
    return account;
  }
}
