// A table of records that have an id, and a name that no other of them has: list, get, create, update, remove.
import { ConflictError } from '../../core/base/errors.ts';
import type { InSameTransaction, SqlDatabase, SqlQueries } from '../../core/base/storage/sql-database.ts';
import { insertRecord } from '../../core/base/storage/sql-rows.ts';
import { ifTaken, RecordTable, SqlStore } from '../../core/base/storage/sql-store.ts';

interface NamedTable<Stored> {
  name: string;
  /** As they are listed in a statement. */
  columns: string;
  json?: (keyof Stored & string)[];
  flags?: (keyof Stored & string)[];
  /** One word: `create` and `update` throw ConflictError `webhook_exists` where the name of a `webhook` is taken. */
  what: string;
}

/** Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. */
export class RecordStore<Stored extends { id: string; version?: number }, Change> extends SqlStore {
  readonly #of: NamedTable<Stored>;
  readonly #table: RecordTable<Stored>;
  readonly #throwIfTaken: (error: unknown) => never;

  constructor(db: SqlDatabase, of: NamedTable<Stored>) {
    super(db);
    this.#of = of;
    this.#table = new RecordTable(of.name, of.columns, of);
    this.#throwIfTaken = ifTaken(() => new ConflictError(`${of.what}_exists`, `A ${of.what} with this name exists`));
  }

  async get(id: string): Promise<Stored | undefined> {
    return this.read(this.db, id);
  }

  /** Ordered by name. */
  async list(): Promise<Stored[]> {
    return this.#table.list(this.db, 'ORDER BY name');
  }

  async count(): Promise<number> {
    return this.countRows(this.#of.name);
  }

  async create(record: Stored, also?: InSameTransaction<Stored>): Promise<void> {
    await this.db
      .transaction(async (tx) => {
        await insertRecord<string>(tx, this.#of.name, this.#of.columns, { ...record });
        await also?.(tx, { after: record });
      })
      .catch(this.#throwIfTaken);
  }

  /** Resolves the updated record, with the next version if they have one, or undefined if there is none. */
  async update(id: string, change: Change, also?: InSameTransaction<Stored>): Promise<Stored | undefined> {
    return this.db
      .transaction(async (tx) => {
        const before = await this.read(tx, id, true);
        if (!before) return undefined;
        const after: Stored = { ...before, ...change };
        if (before.version !== undefined) after.version = before.version + 1;
        await this.#table.change(tx, after, 'WHERE id = ?', [id]);
        await also?.(tx, { before, after });
        return after;
      })
      .catch(this.#throwIfTaken);
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
