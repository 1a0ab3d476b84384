// Which server the connections go to. With one address, to that one. With several, to the one that takes writes: a primary
// and its standbys, of which one becomes the primary when the first is gone.
import { serverAddresses } from '@weft/contract/server-addresses';
import { Client, type ClientConfig, DatabaseError, Pool, type PoolClient, type PoolConfig } from 'pg';
import { toStoreError, unavailable, whyUnavailable } from './postgres-errors.ts';
import { watchConnection } from './postgres-session.ts';

/** Once a server that takes writes has answered, the others have so long to tell that they have taken over from it. */
const graceMs = 1_000;
/** A timer that comes so late was kept from it. */
const stalledMs = 500;
/** Attempts to connect of one call, since the server may change between looking for it and connecting. */
const attempts = 3;

const readOnlySql = `SELECT current_setting('transaction_read_only') = 'on' AS read_only, pg_is_in_recovery() AS standby`;
/** Counts promotions: of two servers that take writes, the one with the lower number was replaced. */
const timelineSql = `SELECT substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) AS timeline`;

interface Server {
  readonly place: string;
  readonly config: ClientConfig;
  pool: Pool;
}

export interface ServersOptions extends PoolConfig {
  connectionTimeoutMillis: number;
}

export class PostgresServers {
  /** Hosts and database, never the password. */
  readonly place: string;
  readonly #servers: readonly Server[];
  readonly #timeoutMs: number;
  readonly #inUse = new Map<PoolClient, { server: Server; sinceMs: number }>();
  /** Pools that were given up, until what is under way on them has ended. */
  readonly #ending = new Set<Promise<void>>();
  /** The one that takes writes, as far as is known. */
  #current: Server | undefined;
  #search: Promise<Server> | undefined;
  /** The highest that was seen. */
  #timeline = 0;

  /** Throws if the address is invalid, without repeating it. */
  constructor(url: string, options: ServersOptions) {
    const addresses = serverAddresses(url);
    const places = addresses.map((address) => hostOf(parseAddress(address)));
    this.place = addressWithoutPassword(url);
    this.#timeoutMs = options.connectionTimeoutMillis;
    this.#servers = addresses.map((connectionString, index) => {
      const config = { ...options, connectionString };
      const server = { place: places[index]!, config, pool: new Pool(config) };
      this.#watch(server);
      return server;
    });
    if (this.#servers.length === 1) this.#current = this.#servers[0];
  }

  get #isOne(): boolean {
    return this.#servers.length === 1;
  }

  /** Throws TryLaterError if no server takes writes. */
  async connect(): Promise<PoolClient> {
    for (let attempt = 1; ; attempt += 1) {
      const server = this.#current ?? (await this.look());
      let client: PoolClient;
      try {
        client = await server.pool.connect();
      } catch (error) {
        this.#doubt(server);
        // Whoever has waited for long does not want to wait again.
        if (this.#isOne || attempt === attempts || isTimeout(error)) throw toStoreError(error);
        continue;
      }
      if (server === this.#current || this.#isOne || attempt === attempts) {
        this.#inUse.set(client, { server, sinceMs: performance.now() });
        return client;
      }
      client.release();
    }
  }

  /** Gives the connection back, or ends it, if it is broken. */
  release(client: PoolClient, isLost: boolean): void {
    const use = this.#inUse.get(client);
    this.#inUse.delete(client);
    client.release(isLost);
    if (isLost && use) this.#doubt(use.server);
  }

  /** The next connection looks again which server takes writes. */
  #doubt(server: Server): void {
    if (!this.#isOne && this.#current === server) this.#current = undefined;
  }

  /** Asks all servers. What is under way on one that was replaced, or that does not answer, ends at once. */
  look(): Promise<Server> {
    this.#search ??= this.#findWritable().finally(() => {
      this.#search = undefined;
    });
    return this.#search;
  }

  async close(): Promise<void> {
    await this.#search?.catch(() => undefined);
    await Promise.all([...this.#servers.map(({ pool }) => pool.end()), ...this.#ending]);
  }

  #watch(server: Server): void {
    const { pool } = server;
    // Without a listener a connection that breaks while idle, or between two statements, would end the process. The
    // pool drops it; the next statement reports it if the problem persists. The server may come back as a standby.
    pool.on('error', () => this.#doubt(server));
    pool.on('connect', watchConnection);
  }

  async #findWritable(): Promise<Server> {
    const startedMs = performance.now();
    const found: { server: Server; timeline: number }[] = [];
    const problems = new Map<Server, unknown>();
    const first = Promise.withResolvers<void>();
    const probes = this.#servers.map(async (server) => {
      try {
        found.push({ server, timeline: await this.#probe(server) });
        first.resolve();
      } catch (error) {
        problems.set(server, error);
      }
    });
    const all = Promise.all(probes);
    await Promise.race([all, first.promise]);
    await within(all, graceMs);
    for (const [server, error] of problems) {
      if (!(error instanceof DatabaseError || error instanceof NotWritable)) this.#giveUp(server, startedMs);
    }
    const [best] = found.sort((a, b) => b.timeline - a.timeline);
    if (!best) throw this.#noneWritable(problems);
    if (!this.#isOne && best.timeline < this.#timeline) {
      this.#current = undefined;
      throw unavailable(
        `${best.server.place} was replaced by another server, which does not answer (timeline ${best.timeline}, ${this.#timeline} was seen)`,
      );
    }
    this.#timeline = best.timeline;
    this.#current = best.server;
    for (const server of this.#servers) if (server !== best.server) this.#giveUp(server, startedMs);
    return best.server;
  }

  /** Ends all connections that were in use then, and those that nobody uses: each of them would be waited for in vain. */
  #giveUp(server: Server, thenMs: number): void {
    for (const [client, use] of this.#inUse) {
      if (use.server === server && use.sinceMs < thenMs) void (client as unknown as Client).end();
    }
    const { pool } = server;
    if (pool.totalCount === 0) return;
    server.pool = new Pool(server.config);
    this.#watch(server);
    const ending = pool.end().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  /** Resolves the timeline of a server that takes writes. */
  async #probe(server: Server): Promise<number> {
    const dueMs = performance.now() + this.#timeoutMs;
    try {
      return await this.#ask(server);
    } catch (error) {
      // If this process stood still, the time is over before the answer was looked at.
      if (!isTimeout(error) || performance.now() - dueMs < stalledMs) throw error;
      return this.#ask(server);
    }
  }

  async #ask({ config }: Server): Promise<number> {
    const client = new Client({ ...config, query_timeout: this.#timeoutMs });
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query<{ read_only: boolean; standby: boolean }>(readOnlySql);
      if (rows[0]!.read_only) throw new NotWritable(rows[0]!.standby ? 'is a standby' : 'is read-only');
      return await timelineOf(client);
    } finally {
      void client.end().catch(() => undefined);
    }
  }

  #noneWritable(problems: Map<Server, unknown>) {
    const reasons = this.#servers.map(
      (server) => `${server.place}: ${problems.has(server) ? whyUnavailable(problems.get(server)) : 'no answer'}`,
    );
    // What the server itself says has advice of its own: a wrong password, a database that does not exist.
    const cause = problems.values().find((error) => error instanceof DatabaseError);
    return unavailable(`No server of the database takes writes (${reasons.join('; ')})`, cause);
  }
}

/** Hosts and database of an address, without its password. Throws if it is invalid, without repeating it. */
export function addressWithoutPassword(url: string): string {
  const clients = serverAddresses(url).map(parseAddress);
  return `${clients.map(hostOf).join(',')}/${clients[0]!.database ?? ''}`;
}

function hostOf({ host, port }: Client): string {
  return `${host}:${port}`;
}

/** It answers, and that it is none. */
class NotWritable extends Error {}

/** 0 if this server does not tell everybody. */
async function timelineOf(client: Client): Promise<number> {
  try {
    const { rows } = await client.query<{ timeline: string }>(timelineSql);
    return Number.parseInt(rows[0]!.timeline, 16);
  } catch (error) {
    if (error instanceof DatabaseError && isRefused(error)) return 0;
    throw error;
  }
}

/** No right, no such function, or not supported: what services with servers of their own make of it. */
function isRefused({ code = '' }: DatabaseError): boolean {
  return code.startsWith('42') || code.startsWith('0A');
}

function parseAddress(connectionString: string): Client {
  try {
    return new Client({ connectionString });
  } catch {
    throw new Error('The PostgreSQL address is invalid; its format is postgres://user:password@host:5432/name');
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.message.includes('timeout');
}

/** Resolves when the work has ended, or after this time. */
async function within(work: Promise<unknown>, ms: number): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, ms);
  await Promise.race([work, over.promise]);
  clearTimeout(timer);
}
