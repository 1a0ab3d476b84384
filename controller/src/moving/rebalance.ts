// `weft rebalance`: moves agents between the servers of telemetry to where they belong, while controllers run. Each agent is
// copied while it is in use, then it takes no posts for a moment, the rest is copied, both sides are compared, and one
// transaction on its old server decides that it is gone. It may end at any moment and run again.
import { randomUUID } from 'node:crypto';
import { StartError } from '../start-error.ts';
import { PostgresPool } from '../storage/postgres-pool.ts';
import { placeOf } from '../storage/postgres-servers.ts';
import type { PostgresSession } from '../storage/postgres-session.ts';
import { beginLeaving, dropCopy, leave, stay, unfinishedMoves } from '../telemetry/store/postgres/leaving-agent.ts';
import {
  agentsAfter,
  copies,
  copyName,
  deleteSource,
  type Move,
  recorded,
  welcome,
} from '../telemetry/store/postgres/moved-agents.ts';
import { createTelemetryTables } from '../telemetry/store/postgres/telemetry-schema.ts';
import { type PlaceStore, requireAllNamed } from '../telemetry/store/spread/place-store.ts';
import { chooseServer } from '../telemetry/store/spread/rendezvous.ts';
import { adoptAgents } from '../telemetry/store/spread/spread-server.ts';
import { copyAgent, isEqual } from './agent-copy.ts';
import type { MoveHooks } from './move-hooks.ts';

/** Of single statements, such as the hashes of everything of an agent. */
const statementTimeoutMs = 30 * 60_000;
/** Retention may take something away between both sides of a comparison. */
const attempts = 5;
const pageSize = 1_000;
/** With the id of the server; any number that is not used elsewhere in the same database. */
const moverLock = 7_305_003;

export interface RebalanceOptions extends MoveHooks {
  /** One address for each server. */
  urls: readonly string[];
  places: PlaceStore;
  /** A place whose agents are to go to the other servers, and one that takes agents again. */
  drain?: string | undefined;
  use?: string | undefined;
}

export interface RebalanceReport {
  /** What was moved in this run. */
  moved: { agents: number; samples: number; blocks: number };
  servers: { place: string; agents: number; is_drained: boolean }[];
}

interface Server {
  id: string;
  place: string;
  pool: PostgresPool;
}

/** Throws StartError for what an operator can put right, TryLaterError while a server is away. */
export async function rebalance(options: RebalanceOptions): Promise<RebalanceReport> {
  const pools = options.urls.map((url) => new PostgresPool(url, { statementTimeoutMs, maxConnections: 3 }));
  try {
    const servers: Server[] = [];
    for (const [index, pool] of pools.entries()) {
      servers.push({ id: await createTelemetryTables(pool), place: placeOf(options.urls[index]!), pool });
    }
    return await withLocks(servers, [], (requireLocks) => new Rebalance(options, servers, requireLocks).run());
  } finally {
    await Promise.all(pools.map((pool) => pool.close()));
  }
}

/** One at a time: the locks end with the connections, and so with this process. */
async function withLocks<T>(
  servers: readonly Server[],
  held: readonly PostgresSession[],
  work: (requireLocks: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const [server, ...rest] = servers;
  if (!server) {
    return work(async () => {
      for (const session of held) await session.query('SELECT 1 AS one');
    });
  }
  return server.pool.run(async (session) => {
    const [row] = await session.query<{ is_held: number }>(
      `SELECT CASE WHEN pg_try_advisory_lock(${moverLock}, hashtext(?)) THEN 1 ELSE 0 END AS is_held`,
      [server.id],
    );
    if (row?.is_held !== 1) throw new StartError(`weft rebalance is running already, on ${server.place}`);
    try {
      return await withLocks(rest, [...held, session], work);
    } finally {
      await session.query(`SELECT pg_advisory_unlock(${moverLock}, hashtext(?))`, [server.id]).catch(() => {});
    }
  });
}

class Rebalance {
  readonly #options: RebalanceOptions;
  readonly #places: PlaceStore;
  readonly #servers: readonly Server[];
  readonly #requireLocks: () => Promise<void>;
  readonly #run = randomUUID();
  readonly #moved = { agents: 0, samples: 0, blocks: 0 };

  constructor(options: RebalanceOptions, servers: readonly Server[], requireLocks: () => Promise<void>) {
    this.#options = options;
    this.#places = options.places;
    this.#servers = servers;
    this.#requireLocks = requireLocks;
  }

  async run(): Promise<RebalanceReport> {
    const { onStage, onProgress, signal } = this.#options;
    await this.#prepare();
    // Again, until there is nothing: nodes place new agents meanwhile.
    for (;;) {
      const wrong = await this.#misplaced();
      if (wrong.length === 0) return this.#report();
      onStage(`Moving the telemetry of ${wrong.length} access points. Servers may keep running.`);
      for (const [index, { ap_id, from, to }] of wrong.entries()) {
        signal?.throwIfAborted();
        await this.#move(ap_id, from, to);
        onProgress((index + 1) / wrong.length, `Telemetry: ${index + 1} of ${wrong.length} access points`);
      }
    }
  }

  async #prepare(): Promise<void> {
    const ids = this.#servers.map(({ id }) => id);
    const twice = this.#servers.find(({ id }, index) => ids.indexOf(id) !== index);
    if (twice) throw new StartError(`WEFT_TELEMETRY_URL names the same database twice: ${twice.place}`);
    for (const { id, place, pool } of this.#servers) {
      await this.#places.seen(id, place);
      await adoptAgents(this.#places, id, (after, limit) => agentsAfter(pool, after, limit));
    }
    await requireAllNamed(this.#places, ids).catch((error: Error) => {
      throw error.name === 'Error' ? new StartError(error.message) : error;
    });
    const { drain, use } = this.#options;
    if (use !== undefined) await this.#places.setDrained(this.#at(use).id, false);
    if (drain !== undefined) await this.#places.setDrained(this.#at(drain).id, true);
    await this.#settle();
  }

  #at(place: string): Server {
    const server = this.#servers.find((each) => each.place === place);
    if (server) return server;
    throw new StartError(
      `there is no server ${place}: there are ${this.#servers.map((each) => each.place).join(', ')}`,
    );
  }

  /** What a run has left that was ended: those that are gone arrive, all others stay where they are. */
  async #settle(): Promise<void> {
    for (const server of this.#servers) {
      for (const { is_gone, ...move } of await unfinishedMoves(server.pool)) {
        if (is_gone === 1) await this.#arrive(server, move);
        else await stay(server.pool, move.ap_id);
      }
    }
    for (const { pool } of this.#servers) for (const copy of await copies(pool)) await dropCopy(pool, copy);
  }

  async #misplaced(): Promise<{ ap_id: string; from: Server; to: Server }[]> {
    const byId = new Map(this.#servers.map((server) => [server.id, server]));
    const drained = new Set((await this.#places.servers()).filter((each) => each.isDrained).map(({ id }) => id));
    const open = this.#servers.map(({ id }) => id).filter((id) => !drained.has(id));
    if (open.length === 0) throw new StartError('all servers are drained: let one take agents again with --use');
    const wrong: { ap_id: string; from: Server; to: Server }[] = [];
    for (let last = ''; ; ) {
      const page = await this.#places.after(last, pageSize);
      for (const { ap_id, server } of page) {
        const to = chooseServer(ap_id, open);
        if (to !== server) wrong.push({ ap_id, from: byId.get(server)!, to: byId.get(to)! });
      }
      if (page.length < pageSize) return wrong;
      last = page.at(-1)!.ap_id;
    }
  }

  async #move(ap_id: string, from: Server, to: Server): Promise<void> {
    const move: Move = { ap_id, to_server: to.id, copy: copyName(ap_id, this.#run) };
    try {
      await this.#requireOne(move, to);
      // Nearly everything, while the agent posts as ever.
      await copyAgent(from.pool, to.pool, ap_id, move.copy);
      if (!(await this.#handOver(move, from, to))) return;
    } catch (error) {
      // It goes on where it is; if this fails too, it does so after a minute.
      await stay(from.pool, ap_id).catch(() => {});
      throw error;
    }
    await this.#arrive(from, move);
    this.#moved.agents++;
  }

  /** A place that was recorded wrongly, such as by a database that was restored: nobody may decide which is right. */
  async #requireOne({ ap_id }: Move, to: Server): Promise<void> {
    const sql = 'SELECT no FROM telemetry_sources WHERE ap_id = ?';
    if ((await to.pool.run((session) => session.query(sql, [ap_id]))).length === 0) return;
    throw new StartError(`${ap_id} has telemetry on ${to.place} as well: remove it from one of them`);
  }

  /** Resolves whether it is gone from the first server; false if it was removed meanwhile. */
  async #handOver(move: Move, from: Server, to: Server): Promise<boolean> {
    for (let attempt = 1; attempt <= attempts; attempt++) {
      if (!(await beginLeaving(from.pool, move))) return false;
      const copied = await copyAgent(from.pool, to.pool, move.ap_id, move.copy);
      if (!isEqual(copied)) continue;
      await this.#requireLocks();
      if (!(await leave(from.pool, move))) continue;
      this.#moved.samples += copied.to.rows;
      this.#moved.blocks += copied.to.blocks;
      return true;
    }
    throw new StartError(`the copy of ${move.ap_id} on ${to.place} differs from ${from.place}: it was not moved`);
  }

  /** It is gone from its old server: the copy becomes the agent, and its place is recorded. */
  async #arrive(from: Server, move: Move): Promise<void> {
    const to = this.#servers.find(({ id }) => id === move.to_server);
    if (!to) throw new StartError(`${move.ap_id} was moved from ${from.place} to a server that is not named any more`);
    await welcome(to.pool, move);
    const isRecorded = await this.#places.move(move.ap_id, from.id, to.id);
    const place = isRecorded ? to.id : (await this.#places.get([move.ap_id])).get(move.ap_id);
    // It was removed meanwhile.
    if (place === undefined) await to.pool.transaction((session) => deleteSource(session, move.ap_id));
    await recorded(from.pool, move.ap_id);
  }

  async #report(): Promise<RebalanceReport> {
    const counts = await this.#places.counts();
    const known = await this.#places.servers();
    const servers = this.#servers.map(({ id, place }) => ({
      place,
      agents: counts.get(id) ?? 0,
      is_drained: known.some((each) => each.id === id && each.isDrained),
    }));
    return { moved: this.#moved, servers };
  }
}
