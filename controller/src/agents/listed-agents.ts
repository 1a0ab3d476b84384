// The whole list of agents, which maps and tables ask for every second: read again only when an agent or a site has changed,
// on whichever node. Between agent-service and its store.
import { toListedAgent } from './agent-answers.ts';
import type { ListedAgent } from './agent-filter.ts';
import type { AgentStore } from './agent-store.ts';

/** Records have up to 64 KiB each, but are usually much smaller. */
const maxRemembered = 5_000;

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
