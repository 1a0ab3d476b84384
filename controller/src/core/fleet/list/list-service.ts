// The list of agents: who matches a selector and a search, in any order, page by page. Where the keys of an order cannot change,
// a page goes on after the key of the last one, so that nothing is skipped or repeated whoever comes and goes; where they
// change by themselves (states, metrics), pages are of the moment of the first one.
import type { AgentListItem, AgentPage, SelectorExplanation } from '@weft/contract';
import { describeSelector, parseSelector } from '@weft/contract/selector';
import { type Caller, callerKey } from '../../base/caller.ts';
import { fingerprint, readCursor, toCursor } from '../../base/lists/list-cursor.ts';
import { ListSnapshots } from '../../base/lists/list-snapshots.ts';
import { type Rights, rightsOf } from '../../base/rights/rights.ts';
import type { FairTurns } from '../../base/shares/fair-turns.ts';
import { type OpenShare, principalOf, type Shares } from '../../base/shares/shares.ts';
import { inSlices, mapInSlices } from '../../base/time-slices.ts';
import type { AgentRowStore } from '../../network/agent-row-store.ts';
import { type AgentRow, toSearch } from '../../network/agent-rows.ts';
import { createTest, type Network, type NetworkMoment, needsOf } from '../../network/network.ts';
import type { TelemetryStore } from '../../telemetry/store/telemetry-store.ts';
import { agentMetricsText } from './agent-metrics-text.ts';
import { type Found, findInOrder, type ListQuery, type ListSnapshot, pageOf, takeSnapshot } from './find-agents.ts';
import { nameOrder, readOrder } from './list-order.ts';
import { SortedAgents } from './sorted-agents.ts';

const turns = { slots: 8, perPrincipal: 4, maxWaiting: 100 };
const maxExamples = 10;
const maxTextsPerCaller = 4;
/** A page with configurations ends earlier when they are larger than this together. */
const maxConfigurationBytes = 4 * 1024 * 1024;

export interface ListRequest {
  selector: string;
  search: string | undefined;
  sort: string | undefined;
  cursor: string | undefined;
  limit: number;
  fields: readonly ('configuration' | 'latest')[];
  count: boolean;
}

export interface ListServiceOptions {
  network: Network;
  agentRows: Pick<AgentRowStore, 'configurations'>;
  telemetry: Pick<TelemetryStore, 'latest'>;
  shares: Shares;
  snapshots?: ListSnapshots<ListSnapshot>;
}

export class ListService {
  readonly #options: ListServiceOptions;
  readonly #turns: FairTurns;
  readonly #texts: OpenShare;
  readonly #snapshots: ListSnapshots<ListSnapshot>;
  readonly #sorted = new SortedAgents();

  constructor(options: ListServiceOptions) {
    this.#options = options;
    this.#turns = options.shares.turns('agent_lists', turns);
    this.#texts = options.shares.open('agent_metrics', maxTextsPerCaller);
    this.#snapshots = options.snapshots ?? new ListSnapshots();
  }

  /** Throws ValidationError for a sort or a cursor that is none. */
  list(caller: Caller, request: ListRequest): Promise<AgentPage> {
    const query = readRequest(caller, request);
    return this.#turns.run(principalOf(caller), async () => {
      const { selector, order, limit } = query;
      const needs = needsOf(selector, caller);
      const metrics = order.metric === undefined ? needs.metrics : [...needs.metrics, order.metric];
      const moment = await this.#options.network.moment({ ...needs, state: true, power: true, metrics });
      const found = await this.#find(query, moment);
      const page = found.entries.slice(0, limit);
      const { shown, isCut } = await this.#withConfigurations(page, request, caller);
      const rights = rightsOf(caller);
      const items = await mapInSlices(shown, ({ agent, configuration }) => ({
        ...toItem(agent, moment, rights),
        ...configuration,
      }));
      if (request.fields.includes('latest')) await this.#addLatest(items);
      // Also where everybody of this page is gone or out of sight by now.
      const last = isCut ? shown.at(-1)!.entry : found.entries.length > limit ? page.at(-1) : undefined;
      return {
        items,
        next: last ? this.#next(query, last, found.snapshot) : null,
        ...(found.count !== undefined && { count: found.count }),
      };
    });
  }

  async explain(caller: Caller, text: string): Promise<SelectorExplanation> {
    const selector = parseSelector(text);
    return this.#turns.run(principalOf(caller), async () => {
      const found = await this.#options.network.select(selector, caller);
      return {
        selector: text,
        meaning: describeSelector(selector),
        matches: found.length,
        examples: found.slice(0, maxExamples).map(({ ap_id }) => ap_id),
        only_labels: selector.isOwnedByAdministrators,
      };
    });
  }

  /** In pieces, for Prometheus. Throws TryLaterError (429) if the caller reads too many at once. */
  async metricsText(
    caller: Caller,
    { selector: text, metrics }: { selector: string; metrics: readonly string[] },
  ): Promise<AsyncGenerator<string>> {
    const { network, telemetry } = this.#options;
    const selector = parseSelector(text);
    const needs = needsOf(selector, caller);
    const moment = await network.moment({ ...needs, state: true });
    const passes = createTest(selector, moment);
    const wanted = metrics.length > 0 ? new Set(metrics) : undefined;
    const release = this.#texts.take(principalOf(caller), 'too_many_reads');
    const pieces = agentMetricsText({
      moment,
      passes,
      sight: network.sight(caller),
      telemetry,
      metrics: wanted,
      nowMs: Date.now(),
    });
    return releasing(pieces, release);
  }

  get openSnapshots(): number {
    return this.#snapshots.size;
  }

  stop(): void {
    this.#snapshots.stop();
  }

  async #find(query: ListQuery, moment: NetworkMoment): Promise<Found> {
    const { selector, order } = query;
    const isVolatile =
      order.isVolatile ||
      selector.needsState ||
      selector.needsHealth ||
      selector.needsPower ||
      selector.needsConfig ||
      selector.metrics.length > 0;
    if (isVolatile) return this.#findInSnapshot(query, moment);
    return findInOrder(query, moment, await this.#sorted.of(order, moment.agents));
  }

  async #findInSnapshot(query: ListQuery, moment: NetworkMoment): Promise<Found> {
    const { caller, cursor, list, limit } = query;
    const owner = callerKey(caller);
    const known = cursor?.snapshot === undefined ? undefined : this.#snapshots.get(cursor.snapshot, owner, list);
    // Of one that is gone, or on another node, the list goes on with the values of now.
    const snapshot = known ?? (await this.#takeSnapshot(query, moment));
    const entries = await pageOf(snapshot, query);
    const id = known
      ? cursor!.snapshot
      : entries.length > limit
        ? this.#snapshots.keep(snapshot, owner, list)
        : undefined;
    return { entries, count: query.needsCount ? snapshot.count : undefined, snapshot: id };
  }

  async #takeSnapshot(query: ListQuery, moment: NetworkMoment): Promise<ListSnapshot> {
    const { order } = query;
    const list = await this.#sorted.of(order.isVolatile ? nameOrder : order, moment.agents);
    return takeSnapshot(query, moment, list);
  }

  #next(query: ListQuery, { key, agent }: Found['entries'][number], snapshot: string | undefined): string {
    return toCursor({ key, name: agent.ap_id, snapshot }, query.list);
  }

  /** As they are now: what was removed since a snapshot was taken, or is not to be seen any more, is left out. */
  async #withConfigurations(entries: Found['entries'], { fields }: ListRequest, caller: Caller) {
    const { network, agentRows } = this.#options;
    const sight = network.sight(caller);
    const present = entries.flatMap((entry) => {
      const agent = sight.get(entry.agent.ap_id);
      return agent?.id === entry.agent.id ? [{ entry, agent, configuration: {} }] : [];
    });
    if (!fields.includes('configuration')) return { shown: present, isCut: false };
    const configurations = await agentRows.configurations(present.map(({ agent }) => agent.ap_id));
    const shown: typeof present = [];
    let bytes = 0;
    await inSlices(present, ({ entry, agent }) => {
      const json = configurations.get(agent.ap_id) ?? '{}';
      bytes += json.length;
      if (bytes > maxConfigurationBytes && shown.length > 0) return;
      const configuration = JSON.parse(json) as Record<string, unknown>;
      shown.push({ entry, agent, configuration: { configuration: withEmulated(configuration, agent) } });
    });
    return { shown, isCut: shown.length < present.length };
  }

  async #addLatest(items: AgentListItem[]): Promise<void> {
    const values = await this.#options.telemetry.latest(items.map(({ ap_id }) => ap_id));
    const byAgent = new Map(values.map(({ ap_id, metrics }) => [ap_id, metrics]));
    await inSlices(items, (item) => {
      const metrics = byAgent.get(item.ap_id) ?? [];
      item.latest = Object.fromEntries(
        metrics.map(({ name, ts, value }) => [name, { ts: new Date(ts).toISOString(), value }]),
      );
    });
  }
}

/** Also if nobody takes even the first piece. */
function releasing(pieces: AsyncGenerator<string>, release: () => void): AsyncGenerator<string> {
  const end = pieces.return.bind(pieces);
  const take = pieces.next.bind(pieces);
  return Object.assign(pieces, {
    next: async () => {
      const result = await take().catch((error: unknown) => {
        release();
        throw error;
      });
      if (result.done) release();
      return result;
    },
    return: (value: unknown) => {
      release();
      return end(value);
    },
  });
}

function readRequest(caller: Caller, { selector, search, sort, cursor, limit, count }: ListRequest): ListQuery {
  const order = readOrder(sort);
  const list = fingerprint([selector, search ?? '', sort ?? 'ap_id']);
  return {
    caller,
    selector: parseSelector(selector),
    order,
    search: toSearch(search),
    cursor: cursor === undefined ? undefined : readCursor(cursor, list),
    limit,
    needsCount: count,
    list,
  };
}

function toItem(agent: AgentRow, moment: NetworkMoment, rights: Rights): AgentListItem {
  const { id, ap_id, display_name, site, tags, access_point_type, onboard, emulated_for, created_at } = agent;
  const lastSeen = moment.lastSeenOf(agent);
  return {
    id,
    ap_id,
    display_name,
    site,
    tags: [...tags],
    access_point_type,
    state: moment.stateOf(agent),
    health: moment.healthOf(agent),
    power_state: moment.powerOf(agent),
    last_seen: lastSeen === null ? null : new Date(lastSeen).toISOString(),
    onboard,
    emulated: emulated_for !== null,
    created_at: new Date(created_at).toISOString(),
    may: [
      ...(rights.operates(agent) ? ['command' as const] : []),
      ...(rights.manages(agent) ? ['manage' as const] : []),
    ],
  };
}

/** As #14 shows it. */
function withEmulated(configuration: Record<string, unknown>, { emulated_for }: AgentRow): Record<string, unknown> {
  return emulated_for === null ? configuration : { ...configuration, emulated: true };
}
