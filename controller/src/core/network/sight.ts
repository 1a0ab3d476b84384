// What one caller sees of the network at one moment: the only answer to that question. Not kept: rights and labels
// change.
import type { Caller } from '../base/caller.ts';
import { orNotFound } from '../base/errors.ts';
import { type Rights, rightsOf, type VisibleAgent } from '../base/rights/rights.ts';
import { countInSlices, givingWay, inSlices } from '../base/time-slices.ts';
import type { AgentRow, AgentRows } from './agent-rows.ts';

const pageSize = 64;

/** What one caller sees of the access points that were read for this question. */
export class Sight<Row extends VisibleAgent = VisibleAgent> {
  readonly caller: Caller;
  readonly rights: Rights;
  readonly #rows: { get(ap_id: string): Row | undefined };
  /** Asked again and again about the same few. */
  readonly #known = new Map<Row, boolean>();

  constructor(caller: Caller, rows: { get(ap_id: string): Row | undefined }) {
    this.caller = caller;
    this.rights = rightsOf(caller);
    this.#rows = rows;
  }

  /** Whether nothing is hidden from the caller. */
  get seesAll(): boolean {
    return this.rights.seesAll;
  }

  /** Of a name that no access point has: whether the name alone would let the caller see one. */
  sees(agent: Row | string): boolean {
    const row = typeof agent === 'string' ? this.#rows.get(agent) : agent;
    return row ? this.rights.sees(row) : this.rights.seesName(agent as string);
  }

  /** Undefined for one that there is not, or that the caller does not see. */
  get(ap_id: string): Row | undefined {
    const row = this.#rows.get(ap_id);
    return row && this.#isSeen(row) ? row : undefined;
  }

  has(ap_id: string): boolean {
    return this.get(ap_id) !== undefined;
  }

  /** Throws NotFoundError where `get` gives nothing. */
  require(ap_id: string): Row {
    return orNotFound(this.get(ap_id), 'Agent');
  }

  operates(ap_id: string): boolean {
    const row = this.#rows.get(ap_id);
    return row !== undefined && this.rights.operates(row);
  }

  #isSeen(row: Row): boolean {
    const known = this.#known.get(row);
    if (known !== undefined) return known;
    const isSeen = this.rights.sees(row);
    this.#known.set(row, isSeen);
    return isSeen;
  }
}

/** What one caller sees of all access points. */
export class NetworkSight extends Sight<AgentRow> {
  readonly #network: AgentRows;

  constructor(network: AgentRows, caller: Caller) {
    super(caller, network);
    this.#network = network;
  }

  /**
   * Page by page, ordered by ap_id, others having turns between them; those whose network has ended only if they are
   * named, or `withEnded`. `only`: at most these.
   */
  async *pages(only?: readonly string[], withEnded = false): AsyncGenerator<AgentRow[]> {
    const names = only && only.length > 0 ? [...new Set(only)].sort() : undefined;
    const agents = names ? names.flatMap((ap_id) => this.#network.get(ap_id) ?? []) : this.#network.agents;
    const isMeant = (agent: AgentRow) => (names !== undefined || withEnded || !agent.isEnded) && this.sees(agent);
    function* slices() {
      for (let start = 0; start < agents.length; start += pageSize) yield agents.slice(start, start + pageSize);
    }
    for await (const page of givingWay(slices())) yield page.filter(isMeant);
  }

  /** Which share of these it sees; all, if it sees everything. An answer about a part must not name the rest. */
  async share(isMeant: (agent: AgentRow) => boolean): Promise<'all' | 'part' | 'nothing'> {
    if (this.seesAll) return 'all';
    let [seen, hidden] = [0, 0];
    const { agents } = this.#network;
    await countInSlices(0, agents.length, (at) => {
      if (!isMeant(agents[at]!)) return false;
      if (this.sees(agents[at]!)) seen++;
      else hidden++;
      return seen > 0 && hidden > 0;
    });
    return seen === 0 ? 'nothing' : hidden > 0 ? 'part' : 'all';
  }

  /** The sites of the access points that it sees, each with how many there are; undefined: all. */
  async sites(): Promise<ReadonlyMap<string, number> | undefined> {
    if (this.seesAll) return undefined;
    const sites = new Map<string, number>();
    await inSlices(this.#network.agents, (agent) => {
      if (agent.site !== null && this.sees(agent)) sites.set(agent.site, (sites.get(agent.site) ?? 0) + 1);
    });
    return sites;
  }
}
