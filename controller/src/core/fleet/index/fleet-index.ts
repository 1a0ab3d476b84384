// All agents in the memory of this node, without their configurations: lists, selectors and counts are answered from here.
// Kept true by the revision that every change of agents and sites raises: `refresh` reads what is newer than what it knows.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeviceType } from '@weft/contract/selector';
import type { VisibleAgent } from '../../base/rights/rights.ts';
import { forAll, inSlices } from '../../base/time-slices.ts';
import { Event } from '../../event-kinds.ts';
import type { FleetAgent, FleetStore } from './fleet-store.ts';

/** A millisecond of work. */
const pageSize = 100;

/** Never changed: a change of the agent is another object with the same slot. */
export interface IndexedAgent extends FleetAgent, VisibleAgent {
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

type Store = Pick<FleetStore, 'revision' | 'sites' | 'page' | 'changed' | 'removed'>;

export class FleetIndex {
  readonly #store: Store;
  /** An agent is gone, before its slot is given to another; `successor`: one that has its name now. */
  readonly gone = new Event<[agent: IndexedAgent, successor: FleetAgent | undefined]>();
  /** An agent is new or has changed. */
  readonly taken = new Event<[agent: IndexedAgent]>();
  readonly #byApId = new Map<string, IndexedAgent>();
  readonly #freeSlots: number[] = [];
  /** The same few texts stand in very many agents. */
  readonly #texts = new Map<string, string>();
  /** Ordered by ap_id; replaced as a whole, so that whoever holds it can go on. */
  #agents: readonly IndexedAgent[] = [];
  #sites = new Map<string, string>();
  /** What is known completely; 0: nothing. */
  #revision = 0;
  #sitesRevision = -1;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Ordered by ap_id, byte by byte. Stays as it is, whatever changes afterwards. */
  get agents(): readonly IndexedAgent[] {
    return this.#agents;
  }

  /** Their paths by their ids; another object once they change. */
  get sites(): ReadonlyMap<string, string> {
    return this.#sites;
  }

  /** Every slot is below this. */
  get slots(): number {
    return this.#byApId.size + this.#freeSlots.length;
  }

  get(ap_id: string): IndexedAgent | undefined {
    return this.#byApId.get(ap_id);
  }

  /** Once it resolves, every change that was durable before the call is known. Calls at the same time share the work. */
  refresh(): Promise<void> {
    if (!this.#running) {
      this.#running = forAll(() => this.#read()).finally(() => {
        this.#running = undefined;
      });
      return this.#running;
    }
    // What runs now may have looked before the change that this caller knows of.
    this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#next = undefined;
        return this.refresh();
      });
    return this.#next;
  }

  async #read(): Promise<void> {
    const now = await this.#store.revision();
    if (now.sites !== this.#sitesRevision) {
      const sites = await this.#store.sites();
      this.#takeSites(sites);
      this.#sitesRevision = now.sites;
    }
    if (now.revision === this.#revision) return;
    if (this.#revision === 0 || now.forgotten > this.#revision) await this.#readAll();
    else await this.#readChanges();
    this.#revision = now.revision;
  }

  async #readAll(): Promise<void> {
    const found: FleetAgent[] = [];
    for (let after = ''; ; after = found.at(-1)!.ap_id) {
      const page = await this.#store.page(after, pageSize);
      found.push(...page);
      if (page.length < pageSize) break;
      await nextTurn();
    }
    const names = new Set(found.map(({ ap_id }) => ap_id));
    const gone = [...this.#byApId.keys()].filter((ap_id) => !names.has(ap_id));
    await this.#take(found, gone);
  }

  async #readChanges(): Promise<void> {
    const gone = await this.#store.removed(this.#revision);
    const changed: FleetAgent[] = [];
    // From the first name of the next revision on.
    let at: { revision: number; ap_id: string } | undefined = { revision: this.#revision + 1, ap_id: '' };
    while (at) {
      const { agents, next } = await this.#store.changed(at, pageSize);
      changed.push(...agents);
      at = next;
      if (at) await nextTurn();
    }
    await this.#take(changed, gone);
  }

  async #take(changed: readonly FleetAgent[], gone: readonly string[]): Promise<void> {
    const names = new Set<string>();
    const successors = new Map(gone.length > 0 ? changed.map((agent) => [agent.ap_id, agent]) : []);
    let isReordered = false;
    for (const ap_id of gone) {
      const agent = this.#byApId.get(ap_id);
      if (!agent) continue;
      this.#byApId.delete(ap_id);
      this.gone.emit(agent, successors.get(ap_id));
      this.#freeSlots.push(agent.slot);
      isReordered = true;
    }
    await inSlices(changed, (agent) => {
      const before = this.#byApId.get(agent.ap_id);
      const slot = before?.slot ?? this.#freeSlots.pop() ?? this.#byApId.size;
      if (!before) isReordered = true;
      // Another one with the name of one that was removed.
      else if (before.id !== agent.id) this.gone.emit(before, agent);
      const indexed = this.#toIndexed(agent, slot);
      this.#byApId.set(agent.ap_id, indexed);
      this.taken.emit(indexed);
      names.add(agent.ap_id);
    });
    if (names.size === 0 && !isReordered) return;
    const news = Array.from(names, (ap_id) => this.#byApId.get(ap_id)!).sort(byApId);
    // Not the map's order: what stays is in order already.
    if (isReordered) this.#agents = await this.#merged(news);
    else this.#agents = replaced(this.#agents, news);
  }

  /** What stays and what is new, in order, and nobody in both. Nobody else changes anything meanwhile. */
  async #merged(news: readonly IndexedAgent[]): Promise<IndexedAgent[]> {
    const all: IndexedAgent[] = [];
    let at = 0;
    await inSlices(this.#agents, (agent) => {
      while (at < news.length && byApId(news[at]!, agent) < 0) all.push(news[at++]!);
      if (this.#byApId.get(agent.ap_id) === agent) all.push(agent);
    });
    while (at < news.length) all.push(news[at++]!);
    return all;
  }

  #takeSites(sites: Map<string, string>): void {
    this.#sites = sites;
    let isChanged = false;
    for (const agent of this.#byApId.values()) {
      const site = this.#pathOf(agent.site_id);
      if (site === agent.site) continue;
      this.#byApId.set(agent.ap_id, { ...agent, site, searchText: undefined });
      isChanged = true;
    }
    if (isChanged) this.#agents = this.#agents.map(({ ap_id }) => this.#byApId.get(ap_id)!);
  }

  #toIndexed(agent: FleetAgent, slot: number): IndexedAgent {
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
function replaced(agents: readonly IndexedAgent[], few: readonly IndexedAgent[]): IndexedAgent[] {
  const all = agents.slice();
  for (const agent of few) all[firstAt(all.length, (at) => byApId(all[at]!, agent) >= 0)] = agent;
  return all;
}

/** What is searched for, in lower case; undefined for nothing. */
export function toSearch(text: string | undefined): string | undefined {
  return text?.trim().toLowerCase() || undefined;
}

export function hasText(agent: IndexedAgent, search: string): boolean {
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
