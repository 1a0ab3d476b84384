// What alarms must know of every agent, from the index of all agents: what selectors ask, its site, and how often it reports.
import type { Selectable } from '@weft/contract/selector';
import type { VisibleAgent } from '../../agents/agent-visibility.ts';
import type { FleetIndex, IndexedAgent } from '../../fleet/index/fleet-index.ts';

export interface KnownAgent extends Selectable, VisibleAgent {
  emulated: boolean;
  /** How often it reports, by its configuration; undefined if that names nothing. */
  configuredMs: number | undefined;
}

export class AgentDirectory {
  readonly #index: Pick<FleetIndex, 'get' | 'agents' | 'refresh'>;
  readonly #known = new Map<string, { source: IndexedAgent; agent: KnownAgent }>();

  constructor(index: Pick<FleetIndex, 'get' | 'agents' | 'refresh'>) {
    this.#index = index;
  }

  /** The same object for as long as nothing about the agent changes. Runs for every report. */
  get(ap_id: string): KnownAgent | undefined {
    const source = this.#index.get(ap_id);
    const known = this.#known.get(ap_id);
    if (known !== undefined && known.source === source) return known.agent;
    if (source) return this.#take(source);
    this.#known.delete(ap_id);
    return undefined;
  }

  *all(): Generator<KnownAgent> {
    for (const { ap_id } of this.#index.agents) {
      const agent = this.get(ap_id);
      if (agent) yield agent;
    }
  }

  /** Once it resolves, every change that was durable before the call is known. */
  async refresh(): Promise<void> {
    await this.#index.refresh();
  }

  #take(source: IndexedAgent): KnownAgent {
    const { ap_id, emulated_for, display_name, site, tags, access_point_type, configuredMs } = source;
    const emulated = emulated_for !== null;
    const agent = { ap_id, emulated_for, emulated, display_name, site, tags, access_point_type, configuredMs };
    this.#known.set(ap_id, { source, agent });
    return agent;
  }
}
