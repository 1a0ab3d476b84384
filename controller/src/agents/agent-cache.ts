// Caches of agents between agent-service and its store: records for frequent reads (charts that poll, thousands of commands),
// and the whole list, which maps and tables ask for every second.
import { BoundedMap } from '@weft/contract/bounded-map';
import { type ListedAgent, toListedAgent } from './agent-answers.ts';
import type { AgentRecord } from './agent-record.ts';
import type { AgentStore } from './agent-store.ts';

/** Records have up to 64 KiB each, but are usually much smaller. */
const maxRemembered = 5_000;

export class AgentMemory {
  readonly #load: (ap_id: string) => Promise<AgentRecord | undefined>;
  readonly #freshMs: number;
  readonly #known: BoundedMap<string, AgentRecord>;
  /** Counts changes: a record that was read before a change is not cached after it. */
  #changes = 0;

  /** How long records are cached, although other nodes may change them; 0: not at all. */
  constructor(load: (ap_id: string) => Promise<AgentRecord | undefined>, freshMs: number) {
    this.#load = load;
    this.#freshMs = freshMs;
    this.#known = new BoundedMap(maxRemembered, { ttlMs: freshMs });
  }

  get(ap_id: string): AgentRecord | undefined {
    return this.#known.get(ap_id);
  }

  /** Reads from the store and caches the record; undefined if there is none. */
  async look(ap_id: string): Promise<AgentRecord | undefined> {
    const changes = this.#changes;
    const record = await this.#load(ap_id);
    if (!record || changes !== this.#changes || this.#freshMs === 0) return record;
    this.#known.set(ap_id, record);
    return record;
  }

  /** Must be called after every change of the agent. */
  forget(ap_id: string): void {
    this.#changes++;
    this.#known.delete(ap_id);
  }

  /** Other nodes may have changed any record. */
  forgetAll(): void {
    this.#changes++;
    this.#known.clear();
  }
}

/** Read again only when an agent or a site has changed, on whichever node. */
export class ListedAgents {
  readonly #store: AgentStore;
  #known: { revision: number; agents: readonly ListedAgent[] } | undefined;

  constructor(store: AgentStore) {
    this.#store = store;
  }

  /** Ordered by ap_id, with every change that was durable before the call. Shared: not to be changed. */
  async get(): Promise<readonly ListedAgent[]> {
    // Read first: a change that is made meanwhile has a later one.
    const revision = await this.#store.revision();
    if (this.#known?.revision === revision) return this.#known.agents;
    const agents = (await this.#store.list()).map(toListedAgent);
    this.#known = agents.length > maxRemembered ? undefined : { revision, agents };
    return agents;
  }
}
