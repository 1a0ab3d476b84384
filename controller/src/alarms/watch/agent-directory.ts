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
  readonly #store: Pick<AgentStore, 'page'>;
  #agents = new Map<string, KnownAgent>();

  constructor(store: Pick<AgentStore, 'page'>) {
    this.#store = store;
  }

  /** The same object for as long as nothing about the agent changes. */
  get(ap_id: string): KnownAgent | undefined {
    return this.#agents.get(ap_id);
  }

  all(): Iterable<KnownAgent> {
    return this.#agents.values();
  }

  /** Reads all of them, page by page. */
  async refresh(): Promise<void> {
    const found = new Map<string, KnownAgent>();
    let after = '';
    for (;;) {
      const page = await this.#store.page(after, pageSize);
      for (const record of page) {
        const agent = toKnownAgent(record);
        const known = this.#agents.get(agent.ap_id);
        found.set(agent.ap_id, known && isSame(known, agent) ? known : agent);
      }
      if (page.length < pageSize) break;
      after = page.at(-1)!.ap_id;
    }
    this.#agents = found;
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
