// What many callers make out of one total and can give back. Who is no administrator has a tenth of it, at least five, and all of
// them together four fifths, so that an administrator always finds room; administrators are bound by the total alone.
import type { Actor } from '../caller.ts';
import { ConflictError, TryLaterError, type WeftError } from '../errors.ts';
import { rightsOf } from '../rights/rights.ts';
import type { SqlQueries, SqlValue } from '../storage/sql-database.ts';

const leastShare = 5;

export interface TotalLimit {
  /** Of the refusal: `too_many_…`. */
  code: string;
  /** In the plural, for people. */
  what: string;
  total: number;
  /** The refusal is 429 and says to try again then; without it 409. */
  laterSeconds?: number;
}

/** How many there are; `others`: made by callers that are no administrators, `own`: by this one. */
export interface Taken {
  all: number;
  others: number;
  own: number;
}

/** Whose limit is in the way of `count` more, as a refusal that says so; undefined: nobody's. */
export function refusalOf(limit: TotalLimit, by: Actor, taken: Taken, count = 1): WeftError | undefined {
  const { total, what } = limit;
  const share = Math.max(leastShare, Math.floor(total / 10));
  const have = (number: number) => `${number} of ${total} ${what}`;
  const { isAdmin } = rightsOf(by);
  if (!isAdmin && taken.own + count > share)
    return toRefusal(
      limit,
      `Your share of ${what} is ${share}: ${have(taken.own)}; remove one or ask an administrator`,
    );
  if (!isAdmin && taken.others + count > Math.floor((total * 4) / 5))
    return toRefusal(
      limit,
      `All callers who are no administrators together have ${have(taken.others)}, which is their share; remove one or ask an administrator`,
    );
  if (taken.all + count > total) return toRefusal(limit, `All callers together have ${have(taken.all)}; remove some`);
  return undefined;
}

function toRefusal({ code, laterSeconds: seconds }: TotalLimit, detail: string): WeftError {
  return seconds === undefined ? new ConflictError(code, detail) : new TryLaterError(429, code, detail, seconds);
}

/** The rows of a total, counted in the transaction that makes one more, for all nodes. */
export class TotalShare {
  readonly limit: TotalLimit;
  readonly #count: string;

  /** `made`: a query for `kind` and `id` of the maker of each; of what is nobody's both are null. */
  constructor({ made, ...limit }: TotalLimit & { made: string }) {
    this.limit = limit;
    const isOther = `(kind <> 'user' OR id IN (SELECT users.id FROM users WHERE users.is_admin = 0))`;
    this.#count = `SELECT COUNT(*) AS "all", COUNT(CASE WHEN ${isOther} THEN 1 END) AS others,
      COUNT(CASE WHEN kind = ? AND id = ? THEN 1 END) AS own FROM (${made}) made`;
  }

  /**
   * Before the transaction makes `count` more: others that want to wait until it ends. Throws ConflictError or TryLaterError that
   * says whose limit it is. `params` belong to the query of what is made.
   */
  async take(tx: SqlQueries, by: Actor, params: readonly SqlValue[] = [], count = 1): Promise<void> {
    await tx.query(
      `INSERT INTO share_totals (code, changes) VALUES (?, 1)
       ON CONFLICT (code) DO UPDATE SET changes = share_totals.changes + 1`,
      [this.limit.code],
    );
    const [taken] = await tx.query<{ all: number; others: number; own: number }>(this.#count, [
      by.kind,
      by.id,
      ...params,
    ]);
    const refusal = refusalOf(this.limit, by, taken!, count);
    if (refusal) throw refusal;
  }
}
