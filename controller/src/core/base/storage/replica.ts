// A table in the memory of this node. Each look reads the revision in the head of the table, and the rows that are newer
// than those in memory; tables that share a head share the look.
import { Event } from '../../event-kinds.ts';
import { PeriodicTask, type PeriodicTaskOptions } from '../periodic-task.ts';
import { forAll, inSlices } from '../time-slices.ts';
import type { SqlQueries } from './sql-database.ts';
import { hasRaised, type RevisionHead, readRevision } from './table-revision.ts';

/** `gone`: keys of what was removed, some of which may have a new row; without it the rows are all that there are. */
export interface ReplicaNews<Stored> {
  rows: readonly Stored[];
  gone?: readonly string[];
}

export interface ReplicaSource<Head, Row, Stored> {
  /** That of the newest change of this table. */
  revision(head: Head): number;
  /** Removals up to this revision are forgotten: a replica with an older one reads the whole table. Default: none are. */
  forgotten?(head: Head): number;
  /** What has changed after this revision; undefined: everything. */
  read(after: number | undefined, tx?: SqlQueries): Promise<ReplicaNews<Stored>>;
  keyOf(stored: Stored): string;
  /** Undefined if it is not kept, `before` if it is the same. Rows are never changed. Default: as it is stored. */
  toRow?(stored: Stored, before: Row | undefined): Row | undefined;
  indexes?: Readonly<Record<string, (row: NoInfer<Row>) => string>>;
  /** Called once all rows of a look are in memory; callers of `fresh` wait for it too. */
  settled?(): Promise<void> | void;
}

/** What is read first in each look, and the tables that it is the head of. */
export class ReplicaHead<Head> {
  readonly #read: (tx?: SqlQueries) => Promise<Head>;
  readonly #table: string | undefined;
  readonly #clock: () => number;
  readonly #tables: Pick<Replica<Head, unknown, unknown>, 'revision' | 'catchUp'>[] = [];
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  /** When the last look began that read everything that was durable. */
  trueAt = Number.NEGATIVE_INFINITY;

  /** `table`: where it is, if it is ever read in a transaction. */
  constructor(read: (tx?: SqlQueries) => Promise<Head>, table?: string, clock = () => performance.now()) {
    this.#read = read;
    this.#table = table;
    this.#clock = clock;
  }

  /** In the order in which they were added. */
  add(table: Pick<Replica<Head, unknown, unknown>, 'revision' | 'catchUp'>): void {
    this.#tables.push(table);
  }

  get staleMs(): number {
    return this.#clock() - this.trueAt;
  }

  /**
   * Once it resolves, every change that was durable before the call is known. Calls at the same time share the work; one
   * in a transaction, which must not have changed such tables, reads for itself. Throws TryLaterError (503) while the
   * database is unavailable.
   */
  fresh(tx?: SqlQueries): Promise<void> {
    // The rows of a look are for all callers: it does not end half-way because one of them has gone.
    if (tx) return forAll(() => this.#look(tx));
    if (!this.#running) {
      this.#running = forAll(() => this.#look()).finally(() => {
        this.#running = undefined;
      });
      return this.#running;
    }
    // What runs now may have looked before the change that this caller knows of.
    this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#next = undefined;
        return this.fresh();
      });
    return this.#next;
  }

  async #look(tx?: SqlQueries): Promise<void> {
    if (tx && (!this.#table || hasRaised(tx, this.#table)))
      throw new Error('A transaction that changes a table cannot read it into memory');
    const [beganAt, known] = [this.#clock(), this.#tables.map(({ revision }) => revision)];
    const head = await this.#read(tx);
    for (const [at, table] of this.#tables.entries()) await table.catchUp(head, known[at]!, tx);
    // Some transactions see the moment of their first statement.
    if (!tx) this.trueAt = beganAt;
  }
}

export class Replica<Head, Row, Stored = Row> {
  readonly #source: ReplicaSource<Head, Row, Stored>;
  readonly #head: ReplicaHead<Head>;
  /** A row is new, another one, or gone. */
  readonly changed = new Event<[before: Row | undefined, after: Row | undefined]>();
  readonly #rows = new Map<string, Row>();
  readonly #indexes: { name: string; keyOf: (row: Row) => string; rows: Map<string, Set<Row>> }[];
  #taking: Promise<void> | undefined;
  /** What is known completely; below 0: nothing. */
  revision = -1;

  constructor(head: ReplicaHead<Head>, source: ReplicaSource<Head, Row, Stored>) {
    this.#head = head;
    this.#source = source;
    this.#indexes = Object.entries(source.indexes ?? {}).map(([name, keyOf]) => ({ name, keyOf, rows: new Map() }));
    head.add(this);
  }

  /** What is known, by key; at most `staleMs` behind. */
  get now(): ReadonlyMap<string, Row> {
    return this.#rows;
  }

  get staleMs(): number {
    return this.#head.staleMs;
  }

  fresh(tx?: SqlQueries): Promise<void> {
    return this.#head.fresh(tx);
  }

  get(key: string): Row | undefined {
    return this.#rows.get(key);
  }

  by(index: string, key: string): Iterable<Row> {
    return this.#indexes.find(({ name }) => name === index)!.rows.get(key) ?? [];
  }

  /** For rows made of more than their table. Listeners do not hear of it; returns whether a row was replaced. */
  remake(change: (row: Row) => Row): boolean {
    let isChanged = false;
    for (const [key, row] of this.#rows) {
      const after = change(row);
      if (after === row) continue;
      this.#rows.set(key, after);
      isChanged = true;
    }
    return isChanged;
  }

  /** For its head, which knew `known` before it was read. */
  async catchUp(head: Head, known: number, tx?: SqlQueries): Promise<void> {
    const revision = this.#source.revision(head);
    // A lower one: another look was faster, or the database has lost what it had said.
    while (revision > this.revision || (revision < this.revision && this.revision === known)) {
      const from = this.revision;
      const isLost = from < (this.#source.forgotten?.(head) ?? 0) || revision < from;
      const news = await this.#source.read(isLost ? undefined : from, tx);
      while (this.#taking) await this.#taking;
      if (this.revision !== from) continue;
      this.#taking = this.#take(news, revision).finally(() => {
        this.#taking = undefined;
      });
      await this.#taking;
    }
  }

  async #take({ rows, gone }: ReplicaNews<Stored>, revision: number): Promise<void> {
    const { keyOf, toRow = asStored<Row>, settled } = this.#source;
    const removed = gone ?? [...this.#rows.keys()];
    const names = new Set(removed.length > 0 ? rows.map(keyOf) : []);
    for (const key of removed) if (!names.has(key)) this.#set(key, undefined);
    await inSlices(rows, (stored) => {
      const key = keyOf(stored);
      this.#set(key, toRow(stored, this.#rows.get(key)));
    });
    await settled?.();
    this.revision = revision;
  }

  #set(key: string, row: Row | undefined): void {
    const before = this.#rows.get(key);
    if (before === row) return;
    if (row === undefined) this.#rows.delete(key);
    else this.#rows.set(key, row);
    for (const { keyOf, rows } of this.#indexes) {
      if (before !== undefined && rows.get(keyOf(before))!.delete(before) && rows.get(keyOf(before))!.size === 0)
        rows.delete(keyOf(before));
      if (row !== undefined) rows.set(keyOf(row), (rows.get(keyOf(row)) ?? new Set()).add(row));
    }
    this.changed.emit(before, row);
  }
}

/** The one before, if that has the same columns. */
function asStored<Row>(stored: unknown, before: Row | undefined): Row {
  const columns = Object.entries(stored as object);
  const isSame = columns.every(([name, value]) => (before as Record<string, unknown> | undefined)?.[name] === value);
  return isSame ? before! : (stored as Row);
}

/** Of tables that have all of their changes in one number. */
export function headOf(database: SqlQueries, head: RevisionHead<string>): ReplicaHead<number> {
  return new ReplicaHead((tx = database) => readRevision(tx, head), head.table);
}

/** A table that is small, or rarely changed: it is read whole whenever its head is newer. */
export function wholeReplica<Stored, Row = Stored>(
  head: ReplicaHead<number>,
  list: (tx?: SqlQueries) => Promise<readonly Stored[]>,
  rest: Omit<ReplicaSource<number, Row, NoInfer<Stored>>, 'revision' | 'read'>,
): Replica<number, Row, Stored> {
  return new Replica(head, { ...rest, revision: (now) => now, read: async (_, tx) => ({ rows: await list(tx) }) });
}

type Changes = Record<
  'agentConfigured' | 'labelsChanged' | 'sitesChanged' | 'recordsChanged',
  { on(listener: () => void): void }
>;
export type Replicas = Record<string, Pick<ReplicaHead<unknown>, 'fresh' | 'staleMs'>>;
/** Changes that come within this time are read together. */
const togetherMs = 100;

/**
 * Looks at all tables that this process keeps in memory, each once a second, and soon after whatever says that one has
 * changed: while the database answers, nobody who reads `now` has what is older than two seconds.
 */
export class ReplicaRounds {
  readonly metrics;
  readonly #rounds: PeriodicTask[];

  constructor(replicas: Replicas, onChange: Required<PeriodicTaskOptions>['onChange']) {
    const named = Object.entries(replicas);
    this.#rounds = named.map(
      ([name, table]) =>
        new PeriodicTask({ everyMs: 1_000, what: `the reading of ${name}`, run: () => table.fresh(), onChange }),
    );
    this.metrics = {
      weft_replica_stale_seconds: {
        help: 'How long ago what this process knows of a table was the whole truth',
        labels: ['table'],
        values: async () => named.map(([table, { staleMs }]) => ({ labels: { table }, value: staleMs / 1000 })),
      },
    };
  }

  start({ agentConfigured, labelsChanged, sitesChanged, recordsChanged }: Changes): void {
    for (const round of this.#rounds) round.start();
    const soon = () => {
      for (const round of this.#rounds) round.soon(togetherMs);
    };
    for (const event of [agentConfigured, labelsChanged, sitesChanged, recordsChanged]) event.on(soon);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#rounds.map((round) => round.stop()));
  }
}
