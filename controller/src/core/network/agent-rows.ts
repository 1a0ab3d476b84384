// All agents in the memory of this node, without their configurations: lists, selectors and counts are answered from
// here. A view of the replica of agents, in order, with the paths of their sites and a slot for each.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeviceType } from '@weft/contract/selector';
import type { VisibleAgent } from '../base/rights/rights.ts';
import { Replica, ReplicaHead } from '../base/storage/replica.ts';
import { inSlices } from '../base/time-slices.ts';
import { Event } from '../event-kinds.ts';
import type { AgentRowStore, ChangePosition, FleetRevision, StoredAgent } from './agent-row-store.ts';

/** A millisecond of work. */
const pageSize = 100;

/** Never changed: a change of the agent is another object with the same slot. */
export interface AgentRow extends StoredAgent, VisibleAgent {
  /** The path of its site. */
  site: string | null;
  emulated: boolean;
  /** An agent on a device: no access point. */
  isDevice: boolean;
  /** A small number of its own, for arrays with one value per agent; another agent may have it later. */
  slot: number;
  /** In lower case, for searches; made when it is first needed. */
  searchText: string | undefined;
}

type Store = Pick<AgentRowStore, 'revision' | 'sites' | 'page' | 'changed' | 'removed' | 'visible'>;

export class AgentRows {
  protected readonly store: Store;
  /** An agent is gone, before its slot is given to another; `successor`: one that has its name now. */
  readonly gone = new Event<[agent: AgentRow, successor: StoredAgent | undefined]>();
  /** An agent is new, or is another row than before. */
  readonly taken = new Event<[agent: AgentRow, before: AgentRow | undefined]>();
  readonly #agents: Replica<FleetRevision, AgentRow, StoredAgent>;
  readonly #head: ReplicaHead<FleetRevision>;
  #changedAt = Number.NEGATIVE_INFINITY;
  readonly #freeSlots: number[] = [];
  /** The same few texts stand in very many agents. */
  readonly #texts = new Map<string, string>();
  /** Ordered by ap_id; replaced as a whole, so that whoever holds it can go on. */
  #ordered: readonly AgentRow[] = [];
  /** Not in `#ordered` yet, and whether others than these have left it or come. */
  readonly #news = new Set<string>();
  #isReordered = false;
  #sites: ReadonlyMap<string, string> = new Map();

  constructor(store: Store) {
    this.store = store;
    const head = new ReplicaHead(() => store.revision());
    this.#head = head;
    const sites: Replica<FleetRevision, string, [id: string, path: string]> = new Replica(head, {
      revision: (now) => now.sites,
      read: async () => ({ rows: [...(await store.sites())] }),
      keyOf: ([id]) => id,
      toRow: ([, path]) => path,
      settled: () => this.#takeSites(new Map(sites.now)),
    });
    this.#agents = new Replica(head, {
      ...{ revision: ({ revision }) => revision, forgotten: ({ forgotten }) => forgotten },
      read: (after) => (after === undefined ? this.#readAll() : this.#readChanges(after)),
      keyOf: ({ ap_id }) => ap_id,
      toRow: (agent, before) => this.#toIndexed(agent, before?.slot ?? this.#freeSlots.pop() ?? this.#agents.now.size),
      settled: () => this.#order(),
    });
    this.#agents.changed.on((before, after) => {
      // Also another one with the name of one that was removed.
      if (before && before.id !== after?.id) this.gone.emit(before, after);
      if (!before || !after) this.#isReordered = true;
      if (!after) return void this.#freeSlots.push(before!.slot);
      this.#news.add(after.ap_id);
      this.taken.emit(after, before?.id === after.id ? before : undefined);
    });
  }

  /** Ordered by ap_id, byte by byte. Stays as it is, whatever changes afterwards. */
  get agents(): readonly AgentRow[] {
    return this.#ordered;
  }

  /** Their paths by their ids; another object once they change. */
  get sites(): ReadonlyMap<string, string> {
    return this.#sites;
  }

  /** Every slot is below this. */
  get slots(): number {
    return this.#agents.now.size + this.#freeSlots.length;
  }

  get staleMs(): number {
    return this.#agents.staleMs;
  }

  get(ap_id: string): AgentRow | undefined {
    return this.#agents.get(ap_id);
  }

  /** Once it resolves, every change that was durable before the call is known. Calls at the same time share the work. */
  fresh(): Promise<void> {
    return this.#agents.fresh();
  }

  /** This process has changed some of them. */
  changed(): void {
    this.#changedAt = performance.now();
  }

  /** Whether the last look was within so many milliseconds, and after the last change of this process. */
  protected isWithin(ms: number): boolean {
    const { trueAt } = this.#head;
    return trueAt > this.#changedAt && performance.now() - trueAt < ms;
  }

  async #readAll() {
    const rows: StoredAgent[] = [];
    for (let after = ''; ; after = rows.at(-1)!.ap_id) {
      const page = await this.store.page(after, pageSize);
      rows.push(...page);
      if (page.length < pageSize) return { rows };
      await nextTurn();
    }
  }

  async #readChanges(after: number) {
    const gone = await this.store.removed(after);
    const rows: StoredAgent[] = [];
    // From the first name of the next revision on.
    let at: ChangePosition | undefined = { revision: after + 1, ap_id: '' };
    while (at) {
      const { agents, next } = await this.store.changed(at, pageSize);
      rows.push(...agents);
      at = next;
      if (at) await nextTurn();
    }
    return { rows, gone };
  }

  async #order(): Promise<void> {
    if (this.#news.size === 0 && !this.#isReordered) return;
    const news = Array.from(this.#news, (ap_id) => this.get(ap_id)!).sort(byApId);
    // Not the map's order: what stays is in order already.
    if (this.#isReordered) this.#ordered = await this.#merged(news);
    else this.#ordered = replaced(this.#ordered, news);
    this.#news.clear();
    this.#isReordered = false;
  }

  /** What stays and what is new, in order, and nobody in both. Nobody else changes anything meanwhile. */
  async #merged(news: readonly AgentRow[]): Promise<AgentRow[]> {
    const all: AgentRow[] = [];
    let at = 0;
    await inSlices(this.#ordered, (agent) => {
      while (at < news.length && byApId(news[at]!, agent) < 0) all.push(news[at++]!);
      if (this.get(agent.ap_id) === agent) all.push(agent);
    });
    while (at < news.length) all.push(news[at++]!);
    return all;
  }

  #takeSites(sites: ReadonlyMap<string, string>): void {
    this.#sites = sites;
    const moved: [after: AgentRow, before: AgentRow][] = [];
    this.#agents.remake((agent) => {
      const site = this.#pathOf(agent.site_id);
      if (site === agent.site) return agent;
      const after = { ...agent, site, searchText: undefined };
      moved.push([after, agent]);
      return after;
    });
    if (moved.length === 0) return;
    this.#ordered = this.#ordered.map(({ ap_id }) => this.get(ap_id)!);
    for (const [after, before] of moved) this.taken.emit(after, before);
  }

  #toIndexed(agent: StoredAgent, slot: number): AgentRow {
    const { access_point_type, tags } = agent;
    return {
      ...agent,
      access_point_type: access_point_type === null ? null : this.#shared(access_point_type),
      tags: tags.map((tag) => this.#shared(tag)),
      site: this.#pathOf(agent.site_id),
      emulated: agent.emulated_for !== null,
      isDevice: isDeviceType(access_point_type),
      slot,
      searchText: undefined,
    };
  }

  #pathOf(site_id: string | null): string | null {
    return site_id === null ? null : (this.#sites.get(site_id) ?? null);
  }

  #shared(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    if (this.#texts.size >= 10_000) this.#texts.clear();
    this.#texts.set(text, text);
    return text;
  }
}

/** Each of the few stands for the one with its name. */
function replaced(agents: readonly AgentRow[], few: readonly AgentRow[]): AgentRow[] {
  const all = agents.slice();
  for (const agent of few) all[firstAt(all.length, (at) => byApId(all[at]!, agent) >= 0)] = agent;
  return all;
}

/** What is searched for, in lower case; undefined for nothing. */
export function toSearch(text: string | undefined): string | undefined {
  return text?.trim().toLowerCase() || undefined;
}

export function hasText(agent: AgentRow, search: string): boolean {
  const { ap_id, display_name, site, tags } = agent;
  agent.searchText ??= [ap_id, display_name ?? '', site ?? '', ...tags].join('\n').toLowerCase();
  return agent.searchText.includes(search);
}

/** The first position below `length` that it holds for, as it does for all after it; else `length`. */
export function firstAt(length: number, holds: (at: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Names of agents are ASCII: this is the order of their bytes. */
export function byApId(a: { ap_id: string }, b: { ap_id: string }): number {
  return a.ap_id < b.ap_id ? -1 : a.ap_id > b.ap_id ? 1 : 0;
}
