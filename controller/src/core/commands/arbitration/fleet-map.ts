// What decisions need to know of all agents: their places, their neighbours, the number of agents of a site. In
// memory, fed with every configuration that this process sees.
import type { ConflictRules, Technology } from '@weft/contract';
import { placeOf, SiteSizes } from './blast-radius.ts';
import type { Place } from './conflict-intent.ts';
import { Neighbours, readTechnology } from './neighbours.ts';
import { groupOf, interferenceRange, relatedTo } from './parameter-groups.ts';

/** A millisecond of work. */
const pageSize = 100;
const defaultReportS = 2;
const minSettleMs = 5_000;
const maxSettleMs = 600_000;

interface KnownAgent {
  ap_id: string;
  configuration: Record<string, unknown>;
  emulated_for?: string | null;
  /** Those whose emulated network has ended are not in the map. */
  isEnded?: boolean;
}

export class FleetMap {
  readonly #neighbours: Neighbours;
  readonly #sites = new SiteSizes();
  readonly #known = new Set<string>();
  #ranges: string;

  constructor(rules: ConflictRules) {
    this.#neighbours = new Neighbours(rules.interference_range_m);
    this.#ranges = JSON.stringify(rules.interference_range_m);
  }

  set(agent: KnownAgent): void {
    const { ap_id, configuration } = agent;
    this.#known.add(ap_id);
    this.#neighbours.set(ap_id, configuration);
    this.#sites.set(ap_id, placeOf(agent));
  }

  remove(ap_id: string): void {
    this.#known.delete(ap_id);
    this.#neighbours.remove(ap_id);
    this.#sites.remove(ap_id);
  }

  /** Reloads the whole fleet, a page at a time; agents stay in the map until the reload has not found them. */
  async load(page: (afterApId: string, limit: number) => Promise<KnownAgent[]>): Promise<void> {
    const gone = new Set(this.#known);
    for (let after = ''; ; ) {
      const agents = await page(after, pageSize);
      for (const agent of agents) {
        if (agent.isEnded) continue;
        gone.delete(agent.ap_id);
        this.set(agent);
      }
      if (agents.length < pageSize) break;
      after = agents.at(-1)!.ap_id;
    }
    for (const ap_id of gone) this.remove(ap_id);
  }

  rulesChanged({ interference_range_m }: ConflictRules): void {
    const ranges = JSON.stringify(interference_range_m);
    if (ranges === this.#ranges) return;
    this.#ranges = ranges;
    this.#neighbours.setRanges(interference_range_m);
  }

  get names(): Iterable<string> {
    return this.#known;
  }

  /** The agents of any technology within interference range, without itself. */
  neighboursOf(rules: ConflictRules, ap_id: string, technology: Technology | null): string[] {
    return this.#neighbours.within(ap_id, interferenceRange(rules, technology), { anyTechnology: true });
  }

  siteSize(place: Place): number {
    return this.#sites.of(place);
  }

  /** The group of a parameter, and the agents whose leases on it count besides the agent's own. */
  around(rules: ConflictRules, ap_id: string, technology: Technology | null, parameter: string) {
    const group = groupOf(rules, technology, parameter);
    if (group.scope !== 'neighbours') return { group, near: [] };
    const range = interferenceRange(rules, technology);
    return { group, near: this.#neighbours.within(ap_id, range, { anyTechnology: group.technology === null }) };
  }

  /** The agents at one place with this one, of any technology, and the groups of what is related to the parameter there. */
  beside(rules: ConflictRules, ap_id: string, technology: Technology | null, parameter: string) {
    const related = relatedTo(rules, technology, parameter, 'neighbours');
    if (related.length === 0) return { agents: [], groups: [] };
    const ranges = Object.entries(rules.interference_range_m) as [Technology, number][];
    // The widest of all, so that it does not matter which of the two comes first.
    const range = Math.max(...ranges.map(([, metres]) => metres));
    const groups = related.flatMap((name) => ranges.map(([each]) => groupOf(rules, each, name).name));
    return {
      agents: this.#neighbours.within(ap_id, range, { anyTechnology: true }),
      groups: [...new Set(groups)],
    };
  }
}

/** What a decision takes from an agent's record. */
export function positionOf(agent: KnownAgent): Place & { technology: Technology | null } {
  return { technology: readTechnology(agent.configuration) ?? null, ...placeOf(agent) };
}

/** How long a change takes to show in telemetry: three reports, between 5 s and 10 min. */
export function settleMsOf({ report_interval_seconds: given }: Record<string, unknown>): number {
  const seconds = typeof given === 'number' && given > 0 ? given : defaultReportS;
  return Math.min(Math.max(3000 * seconds, minSettleMs), maxSettleMs);
}
