// What alarms must know of every agent, in memory: what selectors ask, its site, and how often it reports.
import type { Selectable } from '@weft/contract/selector';
import type { AgentRecord, AgentStore } from '../../agents/agent-store.ts';
import type { VisibleAgent } from '../../agents/agent-visibility.ts';
import { configuredIntervalMs } from '../../telemetry/presence/presence.ts';

export interface KnownAgent extends Selectable, VisibleAgent {
  id: string;
  tags: string[];
  emulated: boolean;
  /** Of its configuration; undefined if that names none. */
  intervalMs: number | undefined;
}

const pageSize = 500;

export class AgentDirectory {
  readonly #store: Pick<AgentStore, 'page' | 'get'>;
  readonly #agents = new Map<string, KnownAgent>();
  readonly #onChanged: (ap_id: string, agent: KnownAgent | undefined) => void;

  /** `onChanged` is called for every agent that is new, other than before, or gone. */
  constructor(
    store: Pick<AgentStore, 'page' | 'get'>,
    onChanged: (ap_id: string, agent: KnownAgent | undefined) => void,
  ) {
    this.#store = store;
    this.#onChanged = onChanged;
  }

  get size(): number {
    return this.#agents.size;
  }

  get(ap_id: string): KnownAgent | undefined {
    return this.#agents.get(ap_id);
  }

  all(): IterableIterator<KnownAgent> {
    return this.#agents.values();
  }

  /** Reads all of them, page by page. */
  async refresh(): Promise<void> {
    const seen = new Set<string>();
    let after = '';
    for (;;) {
      const page = await this.#store.page(after, pageSize);
      for (const record of page) {
        seen.add(record.ap_id);
        this.#take(toKnownAgent(record));
      }
      if (page.length < pageSize) break;
      after = page.at(-1)!.ap_id;
    }
    for (const ap_id of this.#agents.keys()) if (!seen.has(ap_id)) this.remove(ap_id);
  }

  /** One of them is new, or may be another now. */
  async look(ap_id: string): Promise<void> {
    const record = await this.#store.get(ap_id);
    if (record) this.#take(toKnownAgent(record));
    else this.remove(ap_id);
  }

  remove(ap_id: string): void {
    if (this.#agents.delete(ap_id)) this.#onChanged(ap_id, undefined);
  }

  #take(agent: KnownAgent): void {
    const before = this.#agents.get(agent.ap_id);
    if (before && isSame(before, agent)) return;
    this.#agents.set(agent.ap_id, agent);
    this.#onChanged(agent.ap_id, agent);
  }
}

function toKnownAgent(record: AgentRecord): KnownAgent {
  const { id, ap_id, configuration, emulated_for, display_name, site, tags } = record;
  const type = configuration.access_point_type;
  return {
    id,
    ap_id,
    emulated_for,
    emulated: emulated_for !== null,
    display_name,
    site,
    tags,
    access_point_type: typeof type === 'string' ? type : null,
    intervalMs: configuredIntervalMs(configuration),
  };
}

function isSame(a: KnownAgent, b: KnownAgent): boolean {
  return (
    a.id === b.id &&
    a.emulated_for === b.emulated_for &&
    a.display_name === b.display_name &&
    a.site === b.site &&
    a.access_point_type === b.access_point_type &&
    a.intervalMs === b.intervalMs &&
    a.tags.length === b.tags.length &&
    a.tags.every((tag, index) => tag === b.tags[index])
  );
}
