// Telemetry on several servers of PostgreSQL: each agent lies on one of them, which is recorded for all nodes with the
// transaction that decides it. No question joins agents, so each goes to the server of its agent. One server that is away
// concerns its own agents only.
import { setTimeout as pause } from 'node:timers/promises';
import { backOffMs } from '@weft/contract/back-off';
import { TryLaterError } from '../../../errors.ts';
import { AgentLeaving, AgentMoved, type Move } from '../postgres/moved-agents.ts';
import type {
  FieldInfo,
  Frame,
  LatestValues,
  ReadOptions,
  Sample,
  SeriesQuery,
  TelemetryStore,
  TimeRange,
} from '../telemetry-store.ts';
import { KnownPlaces } from './known-places.ts';
import { type PlaceStore, requireAllNamed } from './place-store.ts';
import { chooseServer } from './rendezvous.ts';
import { type PlacedStore, SpreadServer } from './spread-server.ts';

/** How long a post waits for the end of a move, which takes a fraction of a second for each agent. */
const moveMs = 5_000;
const movePauses = { firstMs: 20, longestMs: 250 };
/** Steps from one server to the next for one call: an agent moves rarely, and never faster than it is looked for. */
const maxSteps = 8;

export interface SpreadOptions {
  /** In the order of the setting. `place` is hosts and database, without passwords. */
  servers: readonly { place: string; store: PlacedStore }[];
  places: PlaceStore;
  onChange: (message: string, error?: unknown) => void;
}

export class SpreadTelemetryStore implements TelemetryStore {
  readonly servers: readonly SpreadServer[];
  readonly #places: PlaceStore;
  readonly #known = new KnownPlaces();
  readonly #onChange: SpreadOptions['onChange'];

  constructor({ servers, places, onChange }: SpreadOptions) {
    this.servers = servers.map(({ place, store }) => new SpreadServer(place, store, places));
    this.#places = places;
    this.#onChange = onChange;
  }

  /** Servers may be away. Throws an Error that says what to do if agents would be out of sight. */
  async prepare(): Promise<void> {
    const known = await this.#places.servers();
    for (const { reason, server } of await this.#identifyAll()) {
      this.#onChange(`the telemetry server ${server.place} is unavailable`, reason);
      server.assume(known.find(({ place }) => place === server.place)?.id);
    }
    const ids = this.servers.flatMap(({ id }) => id ?? []);
    const twice = this.servers.find(({ id }, index) => id !== undefined && ids.indexOf(id) !== index);
    if (twice) throw new Error(`WEFT_TELEMETRY_URL names the same database twice: ${twice.place}`);
    // While one is away that nobody has seen before, it may be any of them.
    if (ids.length < this.servers.length) return;
    await requireAllNamed(this.#places, ids);
  }

  append(ap_id: string, samples: readonly Sample[]): Promise<void> {
    return this.#at(ap_id, (store) => store.append(ap_id, samples), true);
  }

  query(query: SeriesQuery): Promise<Frame> {
    return this.#at(query.ap_id, (store) => store.query(query));
  }

  rows(
    ap_id: string,
    range: TimeRange,
    limit: number,
    metrics?: readonly string[],
    options?: ReadOptions,
  ): Promise<Frame> {
    return this.#at(ap_id, (store) => store.rows(ap_id, range, limit, metrics, options));
  }

  fields(ap_id: string, sinceMs: number): Promise<FieldInfo[]> {
    return this.#at(ap_id, (store) => store.fields(ap_id, sinceMs));
  }

  /** Of agents on servers that are away there is nothing, unless all are. */
  async latest(ap_ids: readonly string[]): Promise<LatestValues[]> {
    const found = new Map<string, LatestValues>();
    let waiting: readonly string[] = [...new Set(ap_ids)];
    for (let step = 0; waiting.length > 0; step++) {
      const groups = await this.#groups(waiting);
      const parts = await Promise.allSettled(groups.map(({ server, names }) => this.#latestOn(server, names, found)));
      const failed = parts.flatMap((part) => (part.status === 'rejected' ? [part.reason] : []));
      const isAway = failed.length > 0 && failed.length === parts.length;
      if (isAway || failed.some((reason) => !(reason instanceof TryLaterError))) throw failed[0];
      waiting = parts.flatMap((part) => (part.status === 'fulfilled' ? part.value : []));
      if (step === maxSteps) throw new AgentMoved(waiting);
    }
    return ap_ids.flatMap((ap_id) => found.get(ap_id) ?? []);
  }

  async remove(ap_id: string): Promise<void> {
    await this.#at(ap_id, (store) => store.remove(ap_id));
    await this.#places.remove(ap_id);
    this.#known.forget(ap_id);
  }

  /** Where it can be done. */
  async prune(nowMs: number): Promise<boolean> {
    const parts = await Promise.allSettled(this.servers.map(({ store }) => store.prune(nowMs)));
    const more = parts.some((part) => part.status === 'fulfilled' && part.value);
    const failed = parts.find((part) => part.status === 'rejected');
    if (failed && !more) throw failed.reason;
    return more;
  }

  /** Throws if no server can serve. */
  async check(): Promise<void> {
    const states = await Promise.allSettled(this.servers.map((server) => server.check()));
    const failed = states.filter((state) => state.status === 'rejected');
    if (failed.length === states.length) throw failed[0]!.reason;
  }

  async close(): Promise<void> {
    await Promise.all(this.servers.map(({ store }) => store.close()));
  }

  /** `isNew`: it gets a place if it has none; else it is looked for where it would be. */
  async #at<T>(ap_id: string, work: (store: PlacedStore) => Promise<T>, isNew = false): Promise<T> {
    const startedMs = performance.now();
    for (let step = 1, waits = 1; ; ) {
      const server = this.#byId(this.#known.get(ap_id)) ?? (await this.#find(ap_id, isNew));
      await server.identified();
      try {
        return await work(server.store);
      } catch (error) {
        if (error instanceof AgentMoved && step++ < maxSteps) await this.#follow(ap_id, server);
        else if (error instanceof AgentLeaving && performance.now() - startedMs < moveMs) {
          await pause(backOffMs(waits++, movePauses));
        } else throw error;
      }
    }
  }

  async #find(ap_id: string, isNew: boolean): Promise<SpreadServer> {
    await this.#identifyNew();
    const id = (await this.#places.get([ap_id])).get(ap_id);
    if (id !== undefined) return this.#placed(ap_id, id);
    if (isNew) return this.#placed(ap_id, await this.#places.place(ap_id, (drained) => this.#choose(ap_id, drained)));
    return this.#byId(this.#choose(ap_id))!;
  }

  #isComplete(): boolean {
    return this.servers.every(({ id }) => id !== undefined);
  }

  #placed(ap_id: string, id: string): SpreadServer {
    const server = this.#byId(id);
    if (!server && !this.#isComplete()) throw unavailable('lies on a server that is away');
    if (!server) throw unavailable('lies on a server that WEFT_TELEMETRY_URL of this node does not name');
    this.#known.put(ap_id, id);
    return server;
  }

  #byId(id: string | undefined): SpreadServer | undefined {
    return id === undefined ? undefined : this.servers.find((server) => server.id === id);
  }

  #choose(ap_id: string, drained: ReadonlySet<string> = new Set()): string {
    const ids = this.servers.flatMap(({ id }) => id ?? []);
    // Chosen among fewer it might be another one than next time.
    if (!this.#isComplete()) throw unavailable('has no place yet, and a server is away');
    const open = ids.filter((id) => !drained.has(id));
    return chooseServer(ap_id, open.length > 0 ? open : ids);
  }

  /** It is not there any more. The record says where it is, or it has not been written: then its last server says it. */
  async #follow(ap_id: string, from: SpreadServer): Promise<void> {
    this.#known.forget(ap_id);
    const recorded = (await this.#places.get([ap_id])).get(ap_id);
    if (recorded !== undefined && recorded !== from.id) return;
    const move = await from.store.whereTo(ap_id);
    if (move) await this.#complete(from, move);
  }

  async #complete(from: SpreadServer, move: Move): Promise<void> {
    const to = this.#byId(move.to_server);
    if (!to) throw unavailable('was moved to a server that WEFT_TELEMETRY_URL of this node does not name');
    await to.identified();
    await to.store.welcome(move);
    const isMoved = await this.#places.move(move.ap_id, from.id!, to.id!);
    // It had no place: it was removed since, and somebody asks for it again.
    if (!isMoved) await this.#places.adopt([move.ap_id], to.id!);
  }

  /** Those that are on another server by now. */
  async #latestOn(
    server: SpreadServer,
    ap_ids: readonly string[],
    found: Map<string, LatestValues>,
  ): Promise<readonly string[]> {
    await server.identified();
    try {
      for (const values of await server.store.latest(ap_ids)) found.set(values.ap_id, values);
      return [];
    } catch (error) {
      if (!(error instanceof AgentMoved)) throw error;
      for (const ap_id of error.ap_ids) await this.#follow(ap_id, server);
      return ap_ids;
    }
  }

  async #groups(ap_ids: readonly string[]): Promise<{ server: SpreadServer; names: string[] }[]> {
    await this.#identifyNew();
    const recorded = await this.#places.get(ap_ids.filter((ap_id) => this.#byId(this.#known.get(ap_id)) === undefined));
    const groups = new Map<SpreadServer, string[]>();
    for (const ap_id of ap_ids) {
      const id = recorded.get(ap_id);
      const likely = id ?? (this.#isComplete() ? this.#choose(ap_id) : undefined);
      const server = this.#byId(this.#known.get(ap_id)) ?? this.#byId(likely);
      if (!server) continue;
      if (id !== undefined) this.#known.put(ap_id, id);
      const names = groups.get(server);
      if (names) names.push(ap_id);
      else groups.set(server, [ap_id]);
    }
    return [...groups].map(([server, names]) => ({ server, names }));
  }

  /** Those that were away since the start, and that nobody had seen before. */
  async #identifyNew(): Promise<void> {
    if (!this.#isComplete()) await this.#identifyAll();
  }

  /** All that can be; resolves which are away. */
  async #identifyAll(): Promise<{ server: SpreadServer; reason: unknown }[]> {
    const parts = await Promise.allSettled(this.servers.map((server) => server.identified()));
    return parts.flatMap((part, index) => {
      if (part.status === 'fulfilled') return [];
      if (!(part.reason instanceof TryLaterError)) throw part.reason;
      return [{ server: this.servers[index]!, reason: part.reason }];
    });
  }
}

function unavailable(why: string): TryLaterError {
  return new TryLaterError(503, 'telemetry_unavailable', `The telemetry of this access point ${why}`, 2);
}
