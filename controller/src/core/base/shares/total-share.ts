// What many callers make out of one total and can give back. Who is no administrator has a tenth of it, at least five, and all of
// them together four fifths, so that an administrator always finds room; administrators are bound by the total alone.
import type { Actor } from '../caller.ts';
import { ConflictError, TryLaterError, type WeftError } from '../errors.ts';
import { rightsOf } from '../rights/rights.ts';
import type { SqlQueries, SqlValue } from '../storage/sql-database.ts';

export interface TotalLimit {
  code: string;
  what: string;
  total: number;
  /** The refusal is 429 and says to try again then; without it 409. */
  laterSeconds?: number | undefined;
}

/** How many there are; `others`: made by callers that are no administrators, `own`: by this one. */
type Taken = Record<'made' | 'others' | 'own', number>;

/** Whose limit is in the way of `count` more, as a refusal that says so; undefined: nobody's. */
export function refusalOf(limit: TotalLimit, by: Actor, taken: Taken, count = 1): WeftError | undefined {
  const { code, total, what, laterSeconds } = limit;
  const share = Math.max(5, Math.floor(total / 10));
  const have = (number: number) => `${number} of ${total} ${what}`;
  const ofOthers = `All callers who are no administrators together have ${have(taken.others)}, which is their share`;
  const limitsOf: [taken: number, most: number, detail: string][] = [
    [taken.own, share, `Your share of ${what} is ${share}: ${have(taken.own)}; remove one or ask an administrator`],
    [taken.others, Math.floor((total * 4) / 5), `${ofOthers}; remove one or ask an administrator`],
    [taken.made, total, `All callers together have ${have(taken.made)}; remove some`],
  ];
  const bound = rightsOf(by).isAdmin ? limitsOf.slice(-1) : limitsOf;
  const detail = bound.find(([has, most]) => has + count > most)?.[2];
  if (detail === undefined) return undefined;
  return laterSeconds ? new TryLaterError(429, code, detail, laterSeconds) : new ConflictError(code, detail);
}

/** Rows of a table with its owners; nobody's have none. `from` is what follows FROM. */
export function owned(from: string): string {
  return `SELECT NULLIF(owner_kind, '') AS kind, owner_id AS id FROM ${from}`;
}

/** The rows of a total, counted in the transaction that makes one more, for all nodes. */
export class TotalShare {
  readonly #limit: TotalLimit;
  readonly #count: string;

  /** `rows`: a query for `kind` and `id` of the maker of each; of what is nobody's both are null. */
  constructor(code: string, what: string, total: number, rows: string, laterSeconds?: number) {
    this.#limit = { code, what, total, laterSeconds };
    const isOther = `kind <> 'user' OR id IN (SELECT users.id FROM users WHERE users.is_admin = 0)`;
    this.#count = `SELECT COUNT(*) AS made, COUNT(CASE WHEN ${isOther} THEN 1 END) AS others,
      COUNT(CASE WHEN kind = ? AND id = ? THEN 1 END) AS own FROM (${rows}) listed`;
  }

  /**
   * Before the transaction makes `count` more: others that want to wait until it ends. Throws ConflictError or TryLaterError that
   * says whose limit it is. `params` belong to the query of the rows.
   */
  async take(tx: SqlQueries, by: Actor, params: readonly SqlValue[] = [], count = 1): Promise<void> {
    const lock = `INSERT INTO share_totals (code, changes) VALUES (?, 1)
      ON CONFLICT (code) DO UPDATE SET changes = share_totals.changes + 1`;
    await tx.query(lock, [this.#limit.code]);
    const [taken] = await tx.query<Taken>(this.#count, [by.kind, by.id, ...params]);
    const refusal = refusalOf(this.#limit, by, taken!, count);
    if (refusal) throw refusal;
  }
}
