// Fair shares: everything that one caller could use up for all others is taken through one of these. A principal is
// whoever the share belongs to: a caller (`principalOf`), or an address where nobody has logged in yet.
import type { Actor } from '../caller.ts';
import type { Budget, BudgetRate } from './budget.ts';
import type { FairTurns, TurnLimits } from './fair-turns.ts';
import type { JointBudget } from './joint-budget.ts';
import type { OpenShare } from './open-share.ts';
import type { Limit, RateLimiter } from './rate-limiter.ts';

/**
 * Where shares are counted. `shares.local.ts` counts in this process, and for limits on events also what other nodes have
 * counted; a backend that counts everything for all nodes would stand here, which is why everything that is shared is
 * created by name and holds nothing of its user.
 */
export interface Shares {
  /** Slots that work waits for: a bounded number for each principal, and fair turns between principals. */
  turns(name: string, limits: TurnLimits): FairTurns;
  /** Things that are open at once (streams, sockets, subscriptions): refused above the bound of a principal. */
  open(name: string, maxPerPrincipal: number): OpenShare;
  /** An amount per second, with a reserve that fills up while it is not used: points, bytes. */
  budget(name: string, rate: BudgetRate): Budget;
  /** Two of those that are spent together, by their names. */
  jointBudget(first: readonly [name: string, rate: BudgetRate], second: readonly [string, BudgetRate]): JointBudget;
  /** Events within a time: failed logins, sign-ups. All nodes count together, moments later, unless it is for this one only. */
  limiter(name: string, limit: Limit, scope?: 'all nodes' | 'this node'): RateLimiter;
  /** What is held, waiting and refused of each, for /metrics. */
  readonly metrics: Record<string, { help: string; value: () => number }>;
}

/** The principal of a caller: what it takes counts for it alone, whatever its address. */
export function principalOf({ kind, name }: Pick<Actor, 'kind' | 'name'>): string {
  return `${kind}:${name}`;
}
