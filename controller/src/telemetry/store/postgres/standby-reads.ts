// Reads that may be a little behind, on a standby that is not further behind than allowed. This node writes a number to the
// primary again and again and remembers when: whatever was acknowledged before that is in every snapshot that has the
// number. So no clocks are compared, and a standby of a primary that was replaced is never taken for a fresh one.
import { randomUUID } from 'node:crypto';
import type { PostgresPool } from '../../../storage/postgres-pool.ts';
import type { PostgresSession } from '../../../storage/postgres-session.ts';

/** One that was away, or that is no standby, is not asked for so long. */
const awayMs = 5_000;
const behindMs = 500;
const longestBeatMs = 1_000;

export interface StandbyReadsOptions {
  primary: PostgresPool;
  /** All servers of the primary's address: which of them are standbys may change. */
  servers: readonly PostgresPool[];
  maxBehindMs: number;
  now?: (() => number) | undefined;
}

interface Server {
  pool: PostgresPool;
  notBeforeMs: number;
}

/** What a snapshot of a standby is too old for, or has not got: the primary is asked. */
class NotHere extends Error {
  readonly pauseMs: number;
  constructor(pauseMs: number) {
    super('the standby is not used');
    this.pauseMs = pauseMs;
  }
}

export class StandbyReads {
  readonly #options: StandbyReadsOptions;
  readonly #now: () => number;
  readonly #servers: Server[];
  readonly #node = randomUUID();
  /** When each number was sent, in their order. */
  readonly #beats = new Map<number, number>();
  /** How often a standby has answered. */
  answers = 0;
  #lastBeat = 0;
  #lastBeatMs = Number.NEGATIVE_INFINITY;
  #beating: Promise<void> | undefined;
  #next = 0;

  constructor(options: StandbyReadsOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#servers = options.servers.map((pool) => ({ pool, notBeforeMs: Number.NEGATIVE_INFINITY }));
  }

  /**
   * Runs `work` on one snapshot of a standby. Resolves undefined if none is fresh enough, if it failed, or if `work` found
   * nothing there; then the primary is to be asked.
   */
  async read<T>(begin: string, work: (session: PostgresSession) => Promise<T | undefined>): Promise<T | undefined> {
    this.#beatSoon();
    const nowMs = this.#now();
    // Without a number of that time, none can prove to be fresh.
    if (![...this.#beats.values()].some((atMs) => this.#isFresh(atMs))) return undefined;
    for (let tried = 0; tried < this.#servers.length; tried++) {
      const server = this.#servers[this.#next++ % this.#servers.length]!;
      if (nowMs < server.notBeforeMs) continue;
      try {
        const answer = await server.pool.transaction(async (session) => {
          await this.#requireFresh(session);
          return work(session);
        }, begin);
        if (answer !== undefined) this.answers++;
        return answer;
      } catch (error) {
        server.notBeforeMs = nowMs + (error instanceof NotHere ? error.pauseMs : awayMs);
      }
    }
    return undefined;
  }

  async close(): Promise<void> {
    await this.#beating;
    if (this.#lastBeat > 0) {
      const sql = 'DELETE FROM telemetry_beats WHERE node = ?';
      await this.#options.primary.run((session) => session.query(sql, [this.#node])).catch(() => {});
    }
    await Promise.all(this.#servers.map(({ pool }) => pool.close()));
  }

  /** The first statement of the transaction: it takes the snapshot. */
  async #requireFresh(session: PostgresSession): Promise<void> {
    const [row] = await session.query<{ is_standby: number; beat: number | null }>(
      `SELECT CASE WHEN pg_is_in_recovery() THEN 1 ELSE 0 END AS is_standby,
         (SELECT beat FROM telemetry_beats WHERE node = ?) AS beat`,
      [this.#node],
    );
    if (row!.is_standby === 0) throw new NotHere(awayMs);
    const atMs = row!.beat === null ? undefined : this.#beats.get(row!.beat);
    if (atMs === undefined || !this.#isFresh(atMs)) throw new NotHere(behindMs);
  }

  #isFresh(atMs: number): boolean {
    return this.#now() - atMs <= this.#options.maxBehindMs;
  }

  /** Only while somebody reads. */
  #beatSoon(): void {
    const everyMs = Math.min(longestBeatMs, this.#options.maxBehindMs / 4);
    if (this.#beating || this.#now() - this.#lastBeatMs < everyMs) return;
    const atMs = this.#now();
    const beat = ++this.#lastBeat;
    this.#lastBeatMs = atMs;
    const sql = `INSERT INTO telemetry_beats (node, beat, beaten_at) VALUES (?, ?, now())
      ON CONFLICT (node) DO UPDATE SET beat = excluded.beat, beaten_at = excluded.beaten_at`;
    this.#beating = this.#options.primary
      .run((session) => session.query(sql, [this.#node, beat]))
      .then(
        () => {
          this.#beats.set(beat, atMs);
          for (const [old, thenMs] of this.#beats) if (!this.#isFresh(thenMs)) this.#beats.delete(old);
        },
        // Without new ones standbys are not used any more.
        () => {},
      )
      .finally(() => {
        this.#beating = undefined;
      });
  }
}
