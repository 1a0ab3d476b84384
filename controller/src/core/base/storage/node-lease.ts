// Of all nodes one does a thing for the whole network: the one that holds the lease. If it dies, another one takes over
// after the time of the lease. Clocks are not compared: a node measures with its own how long the lease has not been renewed.
import { randomUUID } from 'node:crypto';
import { Event } from '../../event-kinds.ts';
import { PeriodicTask } from '../periodic-task.ts';
import type { SqlDatabase, SqlQueries } from './sql-database.ts';

/** In a transaction: another node does it now. The transaction fails, and nothing of it took effect. */
export class NodeLeaseLost extends Error {
  override name = 'NodeLeaseLost';
}

export interface NodeLeaseOptions {
  database: SqlDatabase;
  /** What is done by one node. */
  name: string;
  /** How long a lease lasts that is not renewed. It is looked at four times as often. */
  ttlMs?: number;
  onError: (error: unknown, message: string) => void;
  steadyNow?: () => number;
}

const defaultTtlMs = 8_000;

export class NodeLease extends PeriodicTask {
  readonly #options: NodeLeaseOptions;
  readonly #holder = randomUUID();
  readonly taken = new Event<[]>();
  readonly lost = new Event<[]>();
  readonly #ttlMs: number;
  readonly #steadyNow: () => number;
  /** The lease of another node as it was first seen, and when. */
  #seen: { holder: string | null; beat: number; atMs: number } | undefined;
  #isHeld = false;

  constructor(options: NodeLeaseOptions) {
    const { ttlMs = defaultTtlMs, name, onError } = options;
    const run = () => (this.#isHeld ? this.#renew() : this.#tryToTake());
    super({ everyMs: ttlMs / 4, what: `the lease ${name}`, run, onError });
    this.#options = options;
    this.#ttlMs = ttlMs;
    this.#steadyNow = options.steadyNow ?? (() => performance.now());
  }

  /** Whether this node does it, as far as it knows: a transaction asks `require`. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  override start(): void {
    super.start();
    this.soon();
  }

  /** Gives the lease back, so that another node takes it at once. */
  override async stop(): Promise<void> {
    await super.stop();
    if (!this.#isHeld) return;
    this.#lose();
    await this.#options.database
      .query('UPDATE node_leases SET holder = NULL, beat = beat + 1 WHERE name = ? AND holder = ?', [
        this.#options.name,
        this.#holder,
      ])
      .catch(() => {}); // It runs out by itself.
  }

  /** In the transaction of what only the holder may write: throws NodeLeaseLost if another has it, and nobody gets it until the end of the transaction. */
  async require(tx: SqlQueries): Promise<void> {
    const rows = await tx.query('UPDATE node_leases SET beat = beat + 1 WHERE name = ? AND holder = ? RETURNING beat', [
      this.#options.name,
      this.#holder,
    ]);
    if (rows.length > 0) return;
    this.#lose();
    throw new NodeLeaseLost(`another node has the lease ${this.#options.name}`);
  }

  async #renew(): Promise<void> {
    const { database } = this.#options;
    await database
      .transaction((tx) => this.require(tx))
      .catch((error) => {
        if (!(error instanceof NodeLeaseLost)) throw error;
      });
  }

  async #tryToTake(): Promise<void> {
    const { database, name } = this.#options;
    await database.query(
      'INSERT INTO node_leases (name, holder, beat) VALUES (?, NULL, 0) ON CONFLICT (name) DO NOTHING',
      [name],
    );
    const [row] = await database.query<{ holder: string | null; beat: number }>(
      'SELECT holder, beat FROM node_leases WHERE name = ?',
      [name],
    );
    if (!row || !this.#mayTake(row)) return;
    const taken = await database.query(
      'UPDATE node_leases SET holder = ?, beat = beat + 1 WHERE name = ? AND beat = ? RETURNING beat',
      [this.#holder, name, row.beat],
    );
    if (taken.length === 0) return;
    this.#isHeld = true;
    this.taken.emit();
  }

  #mayTake({ holder, beat }: { holder: string | null; beat: number }): boolean {
    // A SQLite file has one process at a time: whoever held the lease is gone.
    if (holder === null || this.#options.database.dialect === 'sqlite') return true;
    const nowMs = this.#steadyNow();
    if (this.#seen?.holder !== holder || this.#seen.beat !== beat) this.#seen = { holder, beat, atMs: nowMs };
    return nowMs - this.#seen.atMs >= this.#ttlMs;
  }

  #lose(): void {
    this.#seen = undefined;
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.lost.emit();
  }
}
