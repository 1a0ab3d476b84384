// What all stores in SQL share. A store is written once, for both databases.
import type { WeftError } from '../errors.ts';
import {
  type InSameTransaction,
  type SqlDatabase,
  type SqlQueries,
  type SqlRow,
  type SqlValue,
  UniqueViolation,
} from './sql-database.ts';
import { countRows, runList, toSqlValue } from './sql-rows.ts';

/** What callers see, as it is stored: with these times in milliseconds since 1970. */
export type InMs<Shown, Times extends keyof Shown> = Omit<Shown, Times> & {
  [Time in Times]: null extends Shown[Time] ? number | null : number;
};

/** The rows of a table as records: `json` are text there, or null, `flags` 0 or 1. */
export class RecordTable<Stored extends object> {
  readonly #name: string;
  readonly #columns: string;
  readonly #json: readonly (keyof Stored & string)[];
  readonly #flags: readonly (keyof Stored & string)[];

  constructor(
    name: string,
    columns: string,
    { json = [], flags = [] }: { json?: (keyof Stored & string)[]; flags?: (keyof Stored & string)[] } = {},
  ) {
    this.#name = name;
    this.#columns = columns;
    this.#json = json;
    this.#flags = flags;
  }

  /** `rest` is what follows the name of the table. */
  async list(tx: SqlQueries, rest: string, params: readonly SqlValue[] = []): Promise<Stored[]> {
    return this.#toRecords(await tx.query(`SELECT ${this.#columns} FROM ${this.#name} ${rest}`, params));
  }

  async get(tx: SqlQueries, rest: string, params: readonly SqlValue[]): Promise<Stored | undefined> {
    return (await this.list(tx, rest, params))[0];
  }

  /** Those of these ids that exist. */
  async byIds(tx: SqlQueries, ids: readonly string[], key = 'id'): Promise<Stored[]> {
    const sql = `SELECT ${this.#columns} FROM ${this.#name} WHERE ${key} IN ({{list}})`;
    return this.#toRecords(await runList(tx, sql, ids));
  }

  /** `rest` says what is set, and where; resolves them as they are then. */
  async update(tx: SqlQueries, rest: string, params: readonly SqlValue[]): Promise<Stored | undefined> {
    const rows = await tx.query(`UPDATE ${this.#name} SET ${rest} RETURNING ${this.#columns}`, params);
    return this.#toRecords(rows)[0];
  }

  /** Sets the columns that are not undefined; `rest` says where. Resolves as `update` does. */
  async change<Change extends Partial<Stored>>(
    tx: SqlQueries,
    change: Change,
    rest: string,
    params: readonly SqlValue[],
  ): Promise<Stored | undefined> {
    const given = Object.entries(change).filter(([, value]) => value !== undefined);
    if (given.length === 0) return this.get(tx, rest, params);
    const sets = given.map(([column]) => `${column} = ?`).join(', ');
    return this.update(tx, `${sets} ${rest}`, [...given.map(([, value]) => toSqlValue(value)), ...params]);
  }

  /** Resolves those that are gone. */
  async remove(tx: SqlQueries, rest: string, params: readonly SqlValue[]): Promise<Stored[]> {
    return this.#toRecords(await tx.query(`DELETE FROM ${this.#name} ${rest} RETURNING ${this.#columns}`, params));
  }

  #toRecords(rows: readonly SqlRow[]): Stored[] {
    return rows.map((row) => {
      const record: Record<string, unknown> = { ...row };
      for (const field of this.#json) record[field] = row[field] === null ? null : JSON.parse(row[field] as string);
      for (const field of this.#flags) record[field] = row[field] === 1;
      return record as Stored;
    });
  }
}

/** For `catch`: throws this where a unique key is taken. */
export function ifTaken(toError: () => WeftError): (error: unknown) => never {
  return (error) => {
    throw error instanceof UniqueViolation ? toError() : error;
  };
}

export abstract class SqlStore {
  protected readonly db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.db = db;
  }

  protected countRows(from: string, params?: readonly SqlValue[]): Promise<number> {
    return countRows(this.db, from, params);
  }

  /** Removes one record, and runs `also` with it; resolves whether it existed. */
  protected async removeRecord<Stored extends object>(
    table: RecordTable<Stored>,
    rest: string,
    params: readonly SqlValue[],
    also: InSameTransaction<Stored> | undefined,
  ): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      const [before] = await table.remove(tx, rest, params);
      if (before) await also?.(tx, { before });
      return before !== undefined;
    });
  }
}
