// What a decision asks about the access points around its target: who is near, and how many stand on its site. By the
// rows that lists show, those of networks that have ended left out.
import type { ConflictRules, Technology } from '@weft/contract';
import type { AgentRow } from '../../network/agent-rows.ts';
import type { Network } from '../../network/network.ts';
import { placeOf, SiteSizes } from './blast-radius.ts';
import type { Place } from './conflict-intent.ts';
import { Neighbours } from './neighbours.ts';
import { groupOf, interferenceRange, relatedTo } from './parameter-groups.ts';

export class Surroundings {
  readonly #neighbours: Neighbours;
  readonly #sites = new SiteSizes();
  #ranges: string;

  constructor(network: Pick<Network, 'agents' | 'taken' | 'gone'>, rules: ConflictRules) {
    this.#neighbours = new Neighbours(rules.interference_range_m);
    this.#ranges = JSON.stringify(rules.interference_range_m);
    for (const agent of network.agents) this.#add(agent);
    network.taken.on((agent, before) => {
      if (before) this.#remove(before);
      this.#add(agent);
    });
    network.gone.on((agent) => this.#remove(agent));
  }

  rulesChanged({ interference_range_m }: ConflictRules): void {
    const ranges = JSON.stringify(interference_range_m);
    if (ranges === this.#ranges) return;
    this.#ranges = ranges;
    this.#neighbours.setRanges(interference_range_m);
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

  #add(agent: AgentRow): void {
    if (agent.isEnded) return;
    this.#neighbours.set(agent);
    this.#sites.add(placeOf(agent), 1);
  }

  #remove(agent: AgentRow): void {
    if (agent.isEnded) return;
    this.#neighbours.remove(agent.ap_id);
    this.#sites.add(placeOf(agent), -1);
  }
}

/** What a decision takes from an access point. */
export function positionOf(agent: AgentRow): Place & { technology: Technology | null } {
  return { technology: agent.technology, ...placeOf(agent) };
}
