// Fair shares: everything that one caller could use up for all others is taken through one of these. A principal is
// whoever the share belongs to: a caller (`principalOf`), or an address where nobody has logged in yet.
import { parseObject } from '@weft/contract/is-object';
import type { Actor } from '../caller.ts';
import { TryLaterError } from '../errors.ts';
import { rightsOf } from '../rights/rights.ts';
import { Budget, type BudgetRate } from './budget.ts';
import { FairTurns, type TurnLimits } from './fair-turns.ts';
import { JointBudget } from './joint-budget.ts';
import { type Limit, RateLimiter } from './rate-limiter.ts';
import { refusalOf, type TotalLimit } from './total-share.ts';

const budgetHelp = 'Refused because a budget was used up';

/**
 * Counted in this process: n nodes allow n times as much; limits on events also count what other nodes tell. Everything that is
 * shared is created by name and holds nothing of its user, so that something that counts for all nodes could stand here.
 */
export class Shares {
  /** What is held, waiting and refused of each, for /metrics. */
  readonly metrics: Record<string, { help: string; value: () => number }> = {};
  readonly #limiters = new Map<string, RateLimiter>();
  #broadcast: ((news: string) => void) | undefined;

  /** Slots that work waits for: a bounded number for each principal, and fair turns between principals. */
  turns(name: string, limits: TurnLimits): FairTurns {
    const turns = new FairTurns(name, limits);
    this.#gauge(name, 'held', 'Slots in use', () => turns.held);
    this.#gauge(name, 'waiting', 'Waiting for a slot', () => turns.waiting);
    this.#gauge(name, 'refused', 'Refused because too much of one caller waited', () => turns.refused);
    return turns;
  }

  /** Things that are open at once (streams, sockets, subscriptions): refused above the bound of a principal. */
  open(name: string, maxPerPrincipal: number): OpenShare {
    const share = new OpenShare(name, maxPerPrincipal);
    this.#gauge(name, 'held', 'Open', () => share.held);
    this.#gauge(name, 'refused', 'Refused because one caller had too many open', () => share.refused);
    return share;
  }

  /** Takes one of what is open at once on this node, with the shares of callers in its total: as TotalShare counts rows. */
  openOf(name: string, limit: TotalLimit): (by: Actor) => () => void {
    const [all, others] = [this.open(name, limit.total), new OpenShare(name, limit.total)];
    return (by) => {
      const principal = principalOf(by);
      const refusal = refusalOf(limit, by, { made: all.held, others: others.held, own: all.of(principal) });
      if (refusal) all.refused++;
      if (refusal) throw refusal;
      const releases = [all.take(principal), ...(rightsOf(by).isAdmin ? [] : [others.take('')])];
      return () => {
        for (const release of releases) release();
      };
    };
  }

  /** An amount per second, with a reserve that fills up while it is not used: points, bytes. */
  budget(name: string, rate: BudgetRate): Budget {
    const budget = new Budget(rate);
    this.#gauge(name, 'refused', budgetHelp, () => budget.refused);
    return budget;
  }

  /** Two of those that are spent together, by their names. */
  jointBudget(first: readonly [string, BudgetRate], second: readonly [string, BudgetRate]): JointBudget {
    const budget = new JointBudget(first[1], second[1]);
    this.#gauge(first[0], 'refused', budgetHelp, () => budget.refused.first);
    this.#gauge(second[0], 'refused', budgetHelp, () => budget.refused.second);
    return budget;
  }

  /** Events within a time: failed logins, sign-ups. All nodes count together, moments later, unless it is for this one only. */
  limiter(name: string, limit: Limit, scope: 'all nodes' | 'this node' = 'all nodes'): RateLimiter {
    if (scope === 'this node') return new RateLimiter(name, limit);
    // Every node creates the same ones in the same order.
    const id = `${name} ${this.#limiters.size}`;
    const limiter = new RateLimiter(name, limit, (change, key) => {
      this.#broadcast?.(JSON.stringify({ kind: 'limit', id, change, key }));
    });
    this.#limiters.set(id, limiter);
    return limiter;
  }

  /** From now on, what is counted here is told to the other nodes. */
  connect(broadcast: (news: string) => void): void {
    this.#broadcast = broadcast;
  }

  /** What another node has told. */
  heard(text: string): void {
    if (!text.startsWith('{"kind":"limit"')) return;
    const news = parseObject(text);
    if (typeof news?.key !== 'string') return;
    if (news.change !== 'counted' && news.change !== 'forgotten') return;
    this.#limiters.get(String(news.id))?.heard(news.change, news.key);
  }

  #gauge(name: string, what: string, help: string, value: () => number): void {
    this.metrics[`weft_share_${name}_${what}`] = { help: `${help} (${name})`, value };
  }
}

/** The principal of a caller: what it takes counts for it alone, whatever its address. */
export function principalOf({ kind, name }: Pick<Actor, 'kind' | 'name'>): string {
  return `${kind}:${name}`;
}

/** How many of something each principal has open: streams, sockets, subscriptions. */
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
