// Shares that are counted in this process; n nodes allow n times as much.
import type { PlainGauges } from '../http/pages/service-metrics.ts';
import { Budget, type BudgetRate } from './budget.ts';
import { FairTurns, type TurnLimits } from './fair-turns.ts';
import { JointBudget } from './joint-budget.ts';
import { OpenShare } from './open-share.ts';
import { type Limit, RateLimiter } from './rate-limiter.ts';
import type { Shares } from './shares.ts';

const budgetHelp = 'Refused because a budget was used up';

export class LocalShares implements Shares {
  readonly metrics: PlainGauges = {};

  turns(name: string, limits: TurnLimits): FairTurns {
    const turns = new FairTurns(name, limits);
    this.#gauge(name, 'held', 'Slots in use', () => turns.held);
    this.#gauge(name, 'waiting', 'Waiting for a slot', () => turns.waiting);
    this.#gauge(name, 'refused', 'Refused because too much of one caller waited', () => turns.refused);
    return turns;
  }

  open(name: string, maxPerPrincipal: number): OpenShare {
    const share = new OpenShare(name, maxPerPrincipal);
    this.#gauge(name, 'held', 'Open', () => share.held);
    this.#gauge(name, 'refused', 'Refused because one caller had too many open', () => share.refused);
    return share;
  }

  budget(name: string, rate: BudgetRate): Budget {
    const budget = new Budget(rate);
    this.#gauge(name, 'refused', budgetHelp, () => budget.refused);
    return budget;
  }

  jointBudget(first: readonly [string, BudgetRate], second: readonly [string, BudgetRate]): JointBudget {
    const budget = new JointBudget(first[1], second[1]);
    this.#gauge(first[0], 'refused', budgetHelp, () => budget.refused.first);
    this.#gauge(second[0], 'refused', budgetHelp, () => budget.refused.second);
    return budget;
  }

  limiter(name: string, limit: Limit): RateLimiter {
    return new RateLimiter(name, limit);
  }

  #gauge(name: string, what: string, help: string, value: () => number): void {
    this.metrics[`weft_share_${name}_${what}`] = { help: `${help} (${name})`, value };
  }
}
