// Shares that are counted in this process; n nodes allow n times as much. Limits on events also count what other nodes tell.
import { isObject } from '@weft/contract/is-object';
import { Budget, type BudgetRate } from './budget.ts';
import { FairTurns, type TurnLimits } from './fair-turns.ts';
import { JointBudget } from './joint-budget.ts';
import { OpenShare } from './open-share.ts';
import { type Limit, RateLimiter } from './rate-limiter.ts';
import type { Shares } from './shares.ts';

const budgetHelp = 'Refused because a budget was used up';

export class LocalShares implements Shares {
  readonly metrics: Shares['metrics'] = {};
  readonly #limiters = new Map<string, RateLimiter>();
  #tell: ((news: string) => void) | undefined;

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

  limiter(name: string, limit: Limit, scope: 'all nodes' | 'this node' = 'all nodes'): RateLimiter {
    if (scope === 'this node') return new RateLimiter(name, limit);
    // Every node creates the same ones in the same order.
    const id = `${name} ${this.#limiters.size}`;
    const limiter = new RateLimiter(name, limit, (change, key) => {
      this.#tell?.(JSON.stringify({ kind: 'limit', id, change, key }));
    });
    this.#limiters.set(id, limiter);
    return limiter;
  }

  /** From now on, what is counted here is told to the other nodes. */
  connect(tell: (news: string) => void): void {
    this.#tell = tell;
  }

  /** What another node has told. */
  heard(text: string): void {
    if (!text.startsWith('{"kind":"limit"')) return;
    const news = parse(text);
    if (!isObject(news) || typeof news.key !== 'string') return;
    if (news.change !== 'counted' && news.change !== 'forgotten') return;
    this.#limiters.get(String(news.id))?.heard(news.change, news.key);
  }

  #gauge(name: string, what: string, help: string, value: () => number): void {
    this.metrics[`weft_share_${name}_${what}`] = { help: `${help} (${name})`, value };
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
