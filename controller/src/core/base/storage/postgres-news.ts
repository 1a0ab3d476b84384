// Short texts between nodes over PostgreSQL (LISTEN, NOTIFY), on a connection of its own that follows the server that takes writes.
import { setTimeout as pause } from 'node:timers/promises';
import { backOffMs } from '@weft/contract/back-off';
import type { PoolClient } from 'pg';
import { schemaVersion } from './migrations.ts';
import { PostgresServers } from './postgres-servers.ts';

const channel = 'weft_news';
const pauses = { firstMs: 100, longestMs: 2_000 };
const statementMs = 3_000;
const maxWaiting = 5_000;
const atOnce = 200;
/** PostgreSQL takes 8,000 bytes. */
export const maxNewsBytes = 7_900;

export interface PostgresNewsOptions {
  onNews: (text: string) => void;
  /** Something may have been missed: after every connection, the first included. */
  onGap: () => void;
}

export class PostgresNews {
  readonly #servers: PostgresServers;
  readonly #options: PostgresNewsOptions;
  readonly #closing = new AbortController();
  readonly #running: Promise<void>;
  #client: PoolClient | undefined;
  #waiting: string[] = [];
  #isSending = false;
  #end: () => void = () => {};

  constructor(url: string, options: PostgresNewsOptions) {
    this.#options = options;
    this.#servers = new PostgresServers(url, {
      application_name: `weft news ${schemaVersion}`,
      max: 1,
      connectionTimeoutMillis: 3_000,
      keepAlive: true,
      statement_timeout: statementMs,
      query_timeout: statementMs + 1_000,
    });
    this.#running = this.#run();
  }

  /** Soon, at most once, to every node that listens, this one included; to nobody while the database is away. */
  notify(text: string): void {
    if (this.#client === undefined || this.#waiting.length >= maxWaiting) return;
    this.#waiting.push(text);
    if (!this.#isSending) void this.#send();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
    await this.#servers.close();
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        await this.#hear(signal);
        failures = 0;
      } catch {
        // The database is away; readiness tells.
      }
      await pause(backOffMs(failures, pauses), undefined, { signal }).catch(() => {});
    }
  }

  /** Until the connection is lost. */
  async #hear(signal: AbortSignal): Promise<void> {
    const client = await this.#servers.connect();
    const lost = Promise.withResolvers<void>();
    this.#end = lost.resolve;
    client.on('error', () => lost.resolve());
    client.on('end', () => lost.resolve());
    client.on('notification', ({ payload = '' }) => this.#options.onNews(payload));
    signal.addEventListener('abort', () => lost.resolve(), { once: true });
    try {
      await client.query(`LISTEN ${channel}`);
      this.#client = client;
      this.#options.onGap();
      await lost.promise;
    } finally {
      this.#client = undefined;
      this.#waiting = [];
      this.#servers.release(client, true);
    }
  }

  async #send(): Promise<void> {
    this.#isSending = true;
    try {
      while (this.#client !== undefined && this.#waiting.length > 0) {
        const texts = this.#waiting.splice(0, atOnce);
        await this.#client.query(`SELECT pg_notify('${channel}', text) FROM unnest($1::text[]) AS text`, [texts]);
      }
    } catch {
      // What the others missed by it they look for when they connect; and this node connects again.
      this.#end();
    } finally {
      this.#isSending = false;
    }
  }
}
