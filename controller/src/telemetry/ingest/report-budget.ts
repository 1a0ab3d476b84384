// How much one agent may report: points a second and bytes a day, each with a reserve that a burst or a backlog may use.
// Without it one agent could fill the disk for all.
import { TryLaterError } from '../../errors.ts';
import type { Budget } from '../../shares/budget.ts';
import type { Shares } from '../../shares/shares.ts';

const secondsPerDay = 86_400;
/** Of the points; of the bytes it is a day. */
const reserveSeconds = 60;
const bytesPerMib = 1024 * 1024;

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
  readonly #points: Budget;
  readonly #bytes: Budget;

  constructor(shares: Shares, rates: ReportRates) {
    const { pointsPerSecond, mibPerDay } = rates;
    this.#rates = rates;
    this.#points = shares.budget('report_points', {
      perSecond: pointsPerSecond,
      reserve: pointsPerSecond * reserveSeconds,
    });
    const bytesPerDay = mibPerDay * bytesPerMib;
    this.#bytes = shares.budget('report_bytes', { perSecond: bytesPerDay / secondsPerDay, reserve: bytesPerDay });
  }

  /** Throws TryLaterError (429) if the agent has used up either; then nothing is spent. Runs for every report. */
  spend(ap_id: string, points: number, bytes: number): void {
    const now = performance.now();
    let seconds = this.#points.spend(ap_id, points, now);
    if (seconds > 0) {
      const limit = `${this.#rates.pointsPerSecond} points per second`;
      throw budgetUsedUp(limit, seconds);
    }
    seconds = this.#bytes.spend(ap_id, bytes, now);
    if (seconds > 0) {
      this.#points.refund(ap_id, points);
      throw budgetUsedUp(`${this.#rates.mibPerDay} MiB per day`, seconds);
    }
  }

  /** Undefined while both are full, which is nearly always. */
  left(ap_id: string): BudgetLeft | undefined {
    const now = performance.now();
    const points_left = toShare(this.#points.left(ap_id, now));
    const bytes_left = toShare(this.#bytes.left(ap_id, now));
    return points_left < 1 || bytes_left < 1 ? { points_left, bytes_left } : undefined;
  }
}

function toShare(left: number): number {
  return Math.round(left * 100) / 100;
}

function budgetUsedUp(limit: string, seconds: number): TryLaterError {
  const retryAfter = Math.max(1, Math.ceil(seconds));
  const detail = `This agent has reported more than ${limit}; send the report again in ${retryAfter} s`;
  return new TryLaterError(429, 'report_budget_used_up', detail, retryAfter);
}
