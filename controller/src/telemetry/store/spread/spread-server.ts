// One of the servers that agents are spread over. It says itself who it is; while it is away, its address is taken for it.
import { TryLaterError } from '../../../errors.ts';
import type { Move } from '../postgres/moved-agents.ts';
import type { TelemetryStore } from '../telemetry-store.ts';
import type { PlaceStore } from './place-store.ts';

const adoptedAtOnce = 4_096;

/** A store that agents can be moved from and to. */
export interface PlacedStore extends TelemetryStore {
  /** Never changes, whatever address the server has. */
  id(): Promise<string>;
  /** The next agents in the order of their names. */
  agentsAfter(after: string, limit: number): Promise<string[]>;
  /** Where an agent went that has left this store. */
  whereTo(ap_id: string): Promise<Move | undefined>;
  /** An agent has come from another store, which has its last word about it. Repeated calls are harmless. */
  welcome(move: Move): Promise<void>;
}

export class SpreadServer {
  readonly place: string;
  readonly store: PlacedStore;
  readonly #places: PlaceStore;
  #id: string | undefined;
  #identified: Promise<void> | undefined;

  constructor(place: string, store: PlacedStore, places: PlaceStore) {
    this.place = place;
    this.store = store;
    this.#places = places;
  }

  /** Undefined as long as nobody has seen it. */
  get id(): string | undefined {
    return this.#id;
  }

  /** It is away, and this is who was at its place. */
  assume(id: string | undefined): void {
    this.#id ??= id;
  }

  /** Resolves once it has said who it is, and its agents have their places. Throws TryLaterError while it is away. */
  identified(): Promise<void> {
    this.#identified ??= this.#identify().catch((error) => {
      this.#identified = undefined;
      throw error;
    });
    return this.#identified;
  }

  async check(): Promise<void> {
    await this.store.check();
    await this.identified();
  }

  async #identify(): Promise<void> {
    const id = await this.store.id();
    if (this.#id !== undefined && this.#id !== id) {
      const detail = `${this.place} has another database than before: restart this node`;
      throw new TryLaterError(503, 'telemetry_unavailable', detail, 2);
    }
    await this.#places.seen(id, this.place);
    await adoptAgents(this.#places, id, (after, limit) => this.store.agentsAfter(after, limit));
    this.#id = id;
  }
}

/** Gives a place to what was stored before places were recorded, or by nodes that did not record them. */
export async function adoptAgents(places: PlaceStore, id: string, agentsAfter: PlacedStore['agentsAfter']) {
  for (let last = ''; ; ) {
    const agents = await agentsAfter(last, adoptedAtOnce);
    await places.adopt(agents, id);
    if (agents.length < adoptedAtOnce) return;
    last = agents.at(-1)!;
  }
}
