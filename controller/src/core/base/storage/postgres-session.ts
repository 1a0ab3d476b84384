// One connection of the pool, for a statement or a transaction. Converts the driver's errors to
// those of the stores, and records whether the connection is still usable.
import type { ClientBase, PoolClient, QueryConfig } from 'pg';
import { isConnectionLost, isIdleTimeout, toStoreError, unavailable } from './postgres-errors.ts';
import type { SqlRow, SqlValue } from './sql-database.ts';

/** What a parameter or a column may be: also bytes, and as a parameter a list for `ANY` and `unnest`. */
export type PostgresValue = SqlValue | Uint8Array | readonly SqlValue[];
export type PostgresRow = Record<string, SqlValue | Uint8Array>;

/** More than the number of statements of the stores; beyond it, a statement is planned at each execution. */
const maxPrepared = 500;
const prepared = new Map<string, { text: string; name: string }>();

/** With a name PostgreSQL parses and plans a statement once for each connection. */
function prepare(sql: string): { text: string; name?: string } {
  const known = prepared.get(sql);
  if (known) return known;
  const text = toPostgresPlaceholders(sql);
  if (prepared.size >= maxPrepared) return { text };
  const statement = { text, name: `weft_${prepared.size}` };
  prepared.set(sql, statement);
  return statement;
}

/** Connections whose last commit is on the primary only: somebody ended the wait for the synchronous standby. */
const unreplicated = new WeakSet<ClientBase>();

/** Connections that the server has ended because nothing came inside a transaction, with what it said: nothing took effect. */
const stoodStill = new WeakMap<ClientBase, Error>();

/** For each new connection: PostgreSQL reports such a commit as a success, with a warning. */
export function watchConnection(client: ClientBase): void {
  client.on('notice', ({ routine }) => {
    if (routine === 'SyncRepWaitForLSN') unreplicated.add(client);
  });
  client.on('error', (error) => {
    if (isIdleTimeout(error)) stoodStill.set(client, error);
  });
}

const NO_TIMEOUT_MS = 2 ** 31 - 1;

export class PostgresSession {
  readonly #client: PoolClient;
  #isLost = false;

  constructor(client: PoolClient) {
    this.#client = client;
  }

  async query<Row extends PostgresRow = SqlRow>(sql: string, params: readonly PostgresValue[] = []): Promise<Row[]> {
    // PostgreSQL does not support NUL in text. No stored key contains one, so such a name is not found.
    const values = params.map((value) => {
      if (typeof value === 'string') return value.replaceAll('\0', '\uFFFD');
      // As the driver writes it, which looks at each of them for what would have to be quoted.
      return isNumbers(value) ? `{${value.join()}}` : value;
    });
    return this.#send<Row>({ ...prepare(sql), values });
  }

  /** Sends one or more statements as they are, without parameters. */
  async runScript(text: string): Promise<void> {
    await this.#send({ text });
  }

  /** Like runScript, but without a time limit. */
  async runUnhurried(text: string): Promise<void> {
    const config: QueryConfig & { query_timeout: number } = { text, query_timeout: NO_TIMEOUT_MS };
    await this.#send(config);
  }

  async rollBack(): Promise<void> {
    if (this.#isLost) return;
    try {
      await this.runScript('ROLLBACK');
    } catch {
      this.#isLost = true;
    }
  }

  /** The connection is unusable. */
  get isLost(): boolean {
    return this.#isLost;
  }

  async #send<Row extends PostgresRow>(config: QueryConfig): Promise<Row[]> {
    try {
      const { rows } = await this.#client.query<Row>(config);
      if (!unreplicated.has(this.#client)) return rows;
    } catch (error) {
      if (isConnectionLost(error)) this.#isLost = true;
      throw toStoreError(stoodStill.get(this.#client) ?? error);
    }
    this.#isLost = true;
    throw unavailable('The standby has not confirmed the commit');
  }
}

function isNumbers(value: PostgresValue): value is readonly number[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'number');
}

// Converts the `?` of statements to PostgreSQL's `$1`, `$2`, …, except in quoted text and comments.
const rewritten = new Map<string, string>();

export function toPostgresPlaceholders(sql: string): string {
  let result = rewritten.get(sql);
  if (result === undefined) {
    result = rewrite(sql);
    rewritten.set(sql, result);
  }
  return result;
}

const CLOSING: Record<string, string> = { "'": "'", '"': '"', '--': '\n', '/*': '*/' };

function rewrite(sql: string): string {
  let result = '';
  let count = 0;
  for (let at = 0; at < sql.length; ) {
    const opening = [sql.slice(at, at + 1), sql.slice(at, at + 2)].find((text) => text in CLOSING);
    if (opening !== undefined) {
      // A doubled quote closes and opens again, with the same result.
      const closing = CLOSING[opening]!;
      const end = sql.indexOf(closing, at + opening.length);
      const next = end === -1 ? sql.length : end + closing.length;
      result += sql.slice(at, next);
      at = next;
    } else {
      result += sql[at] === '?' ? `$${++count}` : sql[at];
      at += 1;
    }
  }
  return result;
}
