// Connections to a PostgreSQL server: statements and transactions on one of them, repeated after a conflict with another
// transaction. READ COMMITTED, with the server's synchronous_commit (on), so that commits are durable.
import { setTimeout as pause } from 'node:timers/promises';
import { backOffMs } from '@weft/contract/back-off';
import { type CustomTypesConfig, types } from 'pg';
import { schemaVersion } from './migrations.ts';
import { isRetryable, unavailable, whyUnavailable } from './postgres-errors.ts';
import { PostgresServers } from './postgres-servers.ts';
import { PostgresSession } from './postgres-session.ts';

export interface PostgresPoolOptions {
  maxConnections?: number;
  /** How long to wait for a connection, new or from the pool. */
  connectTimeoutMs?: number;
  statementTimeoutMs?: number;
}

const ATTEMPTS = 5;
const pauses = { firstMs: 10, longestMs: 1_000 };
const INT8 = 20;
const NUMERIC = 1700;

const numbersAsNumbers: CustomTypesConfig = {
  getTypeParser: (oid, format) => (oid === INT8 || oid === NUMERIC ? Number : types.getTypeParser(oid, format)),
};

/** A node that only stood still for that long repeats its transaction. */
const heldMs = 2_500;
/** Work that takes longer makes Weft look whether the server still answers, and whether another has taken over. */
const slowMs = 2_000;

/** As libpq reads it; other limits in the address are read by the driver. */
function secondsToConnect(url: string): number | undefined {
  const [, seconds] = /[?&]connect_timeout=(\d{1,6})(?:&|$)/.exec(url) ?? [];
  return Number(seconds) || undefined;
}

export class PostgresPool {
  readonly #servers: PostgresServers;
  #closing: Promise<void> | undefined;

  /** Connects with the first statement. Throws only if the address is invalid. It may name several servers. */
  constructor(url: string, options: PostgresPoolOptions = {}) {
    const statementTimeoutMs = options.statementTimeoutMs ?? 10_000;
    this.#servers = new PostgresServers(url, {
      application_name: `weft ${schemaVersion}`,
      max: options.maxConnections ?? 10,
      connectionTimeoutMillis: options.connectTimeoutMs ?? (secondsToConnect(url) ?? 3) * 1000,
      idleTimeoutMillis: 30_000,
      keepAlive: true,
      statement_timeout: statementTimeoutMs,
      // The server times out first; this is for a server that does not answer at all.
      query_timeout: statementTimeoutMs + 2_000,
      // What a node has locked others wait for: one that freezes inside a transaction keeps it for no longer.
      idle_in_transaction_session_timeout: options.statementTimeoutMs ?? heldMs,
      types: numbersAsNumbers,
    });
  }

  /** One statement, or several that need no transaction. */
  async run<T>(work: (session: PostgresSession) => Promise<T>): Promise<T> {
    return retrying(() => this.#withSession(work));
  }

  /** All is durable when it resolves; when it throws, nothing took effect. `work` may run again. */
  async transaction<T>(work: (session: PostgresSession) => Promise<T>, begin = 'BEGIN ISOLATION LEVEL READ COMMITTED') {
    return retrying(() =>
      this.#withSession(async (session) => {
        await session.runScript(begin);
        let result: T;
        try {
          result = await work(session);
        } catch (error) {
          await session.rollBack();
          throw error;
        }
        // If the connection breaks here, it is unknown whether the server committed. The caller gets "try
        // later", and may find at the retry that the first attempt took effect.
        await session.runScript('COMMIT');
        return result;
      }),
    );
  }

  async check(): Promise<void> {
    let rows: { read_only: string }[];
    try {
      const sql = `SELECT current_setting('transaction_read_only') AS read_only`;
      rows = await this.run((session) => session.query<{ read_only: string }>(sql));
    } catch (error) {
      throw unavailable(`PostgreSQL at ${this.#servers.place} is unavailable: ${whyUnavailable(error)}`, error);
    }
    if (rows[0]?.read_only === 'on') throw unavailable(`PostgreSQL at ${this.#servers.place} is read-only`);
  }

  close(): Promise<void> {
    this.#closing ??= this.#servers.close();
    return this.#closing;
  }

  async #withSession<T>(work: (session: PostgresSession) => Promise<T>): Promise<T> {
    const client = await this.#servers.connect();
    const session = new PostgresSession(client);
    const slow = setInterval(() => void this.#servers.look().catch(() => undefined), slowMs);
    try {
      return await work(session);
    } finally {
      clearInterval(slow);
      this.#servers.release(client, session.isLost);
    }
  }
}

/** Retries after a conflict with another transaction. */
async function retrying<T>(step: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await step();
    } catch (error) {
      if (!isRetryable(error)) throw error;
      if (attempt === ATTEMPTS) throw unavailable('The database is too busy right now', error);
      await pause(backOffMs(attempt, pauses));
    }
  }
}
