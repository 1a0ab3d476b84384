// Caches of agents between agent-service and its store: records for frequent reads (charts that poll, thousands of commands),
// and the whole list, which maps and tables ask for every second.
import { BoundedMap } from '@weft/contract/bounded-map';
import type { Caller } from '../../base/caller.ts';
import { rightsOf } from '../../base/rights/rights.ts';
import { givingWay } from '../../base/time-slices.ts';
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

/** Less than a millisecond to read. */
const pageSize = 64;
/** Beyond this all of them are read. */
const maxNamed = 1_000;

/** Read again only when an agent or a site has changed, on whichever node; very many are read each time. */
export class ListedAgents {
  readonly #store: AgentStore;
  #known: { revision: number; agents: readonly ListedAgent[] } | undefined;

  constructor(store: AgentStore) {
    this.#store = store;
  }

  /** In pages, others having turns between them. `only`: at most these. */
  async *visibleTo(caller: Caller, only?: readonly string[], withEnded = false): AsyncGenerator<ListedAgent[]> {
    const rights = rightsOf(caller);
    const wanted = only && only.length > 0 ? new Set(only) : undefined;
    const isMeant = (agent: ListedAgent) =>
      (wanted ? wanted.has(agent.ap_id) : withEnded || !agent.isEnded) && rights.sees(agent);
    const own = rights.agent && (await this.#store.get(caller.name));
    if (rights.agent) yield own ? [toListedAgent(own)].filter(isMeant) : [];
    else for await (const page of givingWay(this.pages(wanted && [...wanted]))) yield page.filter(isMeant);
  }

  /** Ordered by ap_id, with every change that was durable before the call. Shared: not to be changed. `only`: nobody else. */
  async *pages(only?: readonly string[]): AsyncGenerator<readonly ListedAgent[]> {
    // Read first: a change that is made meanwhile has a later one.
    const revision = await this.#store.revision();
    if (this.#known?.revision !== revision) {
      yield* only && only.length <= maxNamed ? this.#readNamed([...only].sort()) : this.#read(revision);
      return;
    }
    const { agents } = this.#known;
    for (let start = 0; start < agents.length; start += pageSize) yield agents.slice(start, start + pageSize);
  }

  async *#readNamed(ap_ids: readonly string[]): AsyncGenerator<readonly ListedAgent[]> {
    for (let start = 0; start < ap_ids.length; start += pageSize)
      yield (await this.#store.byNames(ap_ids.slice(start, start + pageSize))).map(toListedAgent);
  }

  async *#read(revision: number): AsyncGenerator<readonly ListedAgent[]> {
    const all: ListedAgent[] = [];
    for (let after = ''; ; ) {
      const page = (await this.#store.page(after, pageSize)).map(toListedAgent);
      if (all.length <= maxRemembered) all.push(...page);
      yield page;
      if (page.length < pageSize) break;
      after = page.at(-1)!.ap_id;
    }
    this.#known = all.length > maxRemembered ? undefined : { revision, agents: all };
  }
}
