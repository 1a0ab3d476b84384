// What the stores of webhooks and of notifications by e-mail share: recipients of events, each under a name of its own.
import type { ConflictError } from '../../core/base/errors.ts';
import type { InSameTransaction, SqlDatabase, SqlQueries } from '../../core/base/storage/sql-database.ts';
import { ifTaken, RecordTable, SqlStore } from '../../core/base/storage/sql-store.ts';

interface RecipientTable<Stored> {
  name: string;
  columns: string;
  json: (keyof Stored & string)[];
  flags: (keyof Stored & string)[];
  insert: (tx: SqlQueries, record: Stored) => Promise<void>;
  /** What `create` and `update` throw if the name is taken. */
  exists: () => ConflictError;
}

/** Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. */
export abstract class RecipientStore<Stored extends { id: string; version: number }, Change> extends SqlStore {
  readonly #of: RecipientTable<Stored>;
  readonly #table: RecordTable<Stored>;

  constructor(db: SqlDatabase, of: RecipientTable<Stored>) {
    super(db);
    this.#of = of;
    this.#table = new RecordTable(of.name, of.columns, of);
  }

  async get(id: string): Promise<Stored | undefined> {
    return this.read(this.db, id);
  }

  /** Ordered by name. */
  async list(): Promise<Stored[]> {
    return this.#table.list(this.db, 'ORDER BY name');
  }

  /** Throws ConflictError if the name is taken. */
  async create(record: Stored, also?: InSameTransaction<Stored>): Promise<void> {
    await this.db
      .transaction(async (tx) => {
        await this.#of.insert(tx, record);
        await also?.(tx, { after: record });
      })
      .catch(ifTaken(this.#of.exists));
  }

  /** Resolves the updated record with the next version, or undefined if there is none. Throws ConflictError like `create`. */
  async update(id: string, change: Change, also?: InSameTransaction<Stored>): Promise<Stored | undefined> {
    return this.db
      .transaction(async (tx) => {
        const before = await this.read(tx, id, true);
        if (!before) return undefined;
        const after: Stored = { ...before, ...change, version: before.version + 1 };
        await this.#table.change(tx, after, 'WHERE id = ?', [id]);
        await also?.(tx, { before, after });
        return after;
      })
      .catch(ifTaken(this.#of.exists));
  }

  /** With everything of it. Resolves whether it existed. */
  async remove(id: string, also?: InSameTransaction<Stored>): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      const before = await this.read(tx, id, true);
      if (!before) return false;
      await this.removeRest?.(tx, id);
      await tx.query(`DELETE FROM ${this.#of.name} WHERE id = ?`, [id]);
      await also?.(tx, { before });
      return true;
    });
  }

  /** Removes what other tables have of it. */
  protected removeRest?(tx: SqlQueries, id: string): Promise<void>;

  protected async read(tx: SqlQueries, id: string, isLocked = false): Promise<Stored | undefined> {
    const lock = isLocked && this.db.dialect === 'postgres' ? ' FOR UPDATE' : '';
    return this.#table.get(tx, `WHERE id = ?${lock}`, [id]);
  }
}
