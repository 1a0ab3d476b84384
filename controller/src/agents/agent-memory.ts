// A cache of agents' records for frequent reads: charts that poll, thousands of commands. Between
// agent-service and its store.
import { BoundedMap } from '@weft/contract/bounded-map';
import type { AgentRecord } from './agent-record.ts';

/** Records have up to 64 KiB each, but are usually much smaller. */
const maxRemembered = 5_000;

export class AgentMemory {
  readonly #load: (ap_id: string) => Promise<AgentRecord | undefined>;
  readonly #freshMs: number;
  readonly #known: BoundedMap<string, AgentRecord>;
  /** Counts changes: a record that was read before a change is not cached after it. */
  #changes = 0;

  /** How long records are cached, although other nodes may change them; 0: not at all. */
  constructor(load: (ap_id: string) => Promise<AgentRecord | undefined>, freshMs: number) {
    this.#load = load;
    this.#freshMs = freshMs;
    this.#known = new BoundedMap(maxRemembered, { ttlMs: freshMs });
  }

  get(ap_id: string): AgentRecord | undefined {
    return this.#known.get(ap_id);
  }

  /** Reads from the store and caches the record; undefined if there is none. */
  async look(ap_id: string): Promise<AgentRecord | undefined> {
    const changes = this.#changes;
    const record = await this.#load(ap_id);
    if (!record || changes !== this.#changes || this.#freshMs === 0) return record;
    this.#known.set(ap_id, record);
    return record;
  }

  /** Must be called after every change of the agent. */
  forget(ap_id: string): void {
    this.#changes++;
    this.#known.delete(ap_id);
  }

  /** Other nodes may have changed any record. */
  forgetAll(): void {
    this.#changes++;
    this.#known.clear();
  }
}
