// How much one agent may report: points a second and bytes a day, each with a reserve that a burst or a backlog may use.
// Without it one agent could fill the disk for all.
import { TryLaterError } from '../../base/errors.ts';
import type { Budget } from '../../base/shares/budget.ts';
import type { JointBudget } from '../../base/shares/joint-budget.ts';
import type { Shares } from '../../base/shares/shares.ts';

const secondsPerDay = 86_400;
/** Of the points; of the bytes it is a day. */
const reserveSeconds = 60;
const bytesPerMib = 1024 * 1024;
/** All emulated agents of one caller report as much as so many real ones: their clocks may run 3,600 times as fast. */
const networkFactor = 4;
const networkReserveSeconds = 10;

export interface ReportRates {
  pointsPerSecond: number;
  mibPerDay: number;
}

/** What is left, from 0 to 1. */
export interface BudgetLeft {
  points_left: number;
  bytes_left: number;
}

export class ReportBudget {
  readonly #rates: ReportRates;
  /** Points first, bytes second. */
  readonly #budget: JointBudget;
  readonly #networks: Budget;

  constructor(shares: Shares, rates: ReportRates) {
    const { pointsPerSecond, mibPerDay } = rates;
    this.#rates = rates;
    const bytesPerDay = mibPerDay * bytesPerMib;
    this.#budget = shares.jointBudget(
      ['report_points', { perSecond: pointsPerSecond, reserve: pointsPerSecond * reserveSeconds }],
      ['report_bytes', { perSecond: bytesPerDay / secondsPerDay, reserve: bytesPerDay }],
    );
    const perSecond = networkFactor * pointsPerSecond;
    this.#networks = shares.budget('emulated_points', { perSecond, reserve: perSecond * networkReserveSeconds });
  }

  /** Throws TryLaterError (429) if the agent has used up either; then nothing is spent. Runs for every report. */
  spend(ap_id: string, points: number, bytes: number): void {
    const usedUp = this.#budget.spend(ap_id, points, bytes);
    if (!usedUp) return;
    const { pointsPerSecond, mibPerDay } = this.#rates;
    const limit = usedUp.which === 'first' ? `${pointsPerSecond} points per second` : `${mibPerDay} MiB per day`;
    throw budgetUsedUp(limit, usedUp.seconds);
  }

  /** The same of all emulated agents of a caller, so that real ones come first: their model falls behind instead. */
  spendOfNetworks(owner: string, points: number): void {
    const seconds = this.#networks.spend(owner, points);
    if (seconds > 0)
      throw budgetUsedUp(`${networkFactor * this.#rates.pointsPerSecond} points per second`, seconds, true);
  }

  /** Undefined while both are full, which is nearly always. */
  left(ap_id: string): BudgetLeft | undefined {
    return toLeft(this.#budget.left(ap_id));
  }

  /** All agents that have used some of it. */
  *used(): Generator<[ap_id: string, BudgetLeft]> {
    for (const [ap_id, each] of this.#budget.accounts()) {
      const left = toLeft(each);
      if (left) yield [ap_id, left];
    }
  }
}

function toLeft({ first, second }: { first: number; second: number }): BudgetLeft | undefined {
  const points_left = toShare(first);
  const bytes_left = toShare(second);
  return points_left < 1 || bytes_left < 1 ? { points_left, bytes_left } : undefined;
}

function toShare(left: number): number {
  return Math.round(left * 100) / 100;
}

function budgetUsedUp(limit: string, seconds: number, isOfAll = false): TryLaterError {
  const retryAfter = Math.max(1, Math.ceil(seconds));
  const who = isOfAll ? 'The emulated agents of this owner have' : 'This agent has';
  const detail = `${who} reported more than ${limit}; send the report again in ${retryAfter} s`;
  return new TryLaterError(429, 'report_budget_used_up', detail, retryAfter);
}
