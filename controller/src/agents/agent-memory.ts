// Agents' records as of a moment ago, for those who ask very often: charts that poll, commands by the thousand. Between
// agent-service and its store.
import type { AgentRecord } from './agent-store.ts';

/** Of up to 64 KiB each, though a few are usual. */
const maxRemembered = 5_000;

export class AgentMemory {
  readonly #load: (ap_id: string) => Promise<AgentRecord | undefined>;
  readonly #freshMs: number;
  readonly #known = new Map<string, { record: AgentRecord; untilMs: number }>();
  /** Counts what may have made one of them another: what was read before a change is not remembered after it. */
  #changes = 0;

  /** Records are trusted unseen for so long, though other nodes may change them; 0: not at all. */
  constructor(load: (ap_id: string) => Promise<AgentRecord | undefined>, freshMs: number) {
    this.#load = load;
    this.#freshMs = freshMs;
  }

  get(ap_id: string): AgentRecord | undefined {
    const known = this.#known.get(ap_id);
    return known && known.untilMs > performance.now() ? known.record : undefined;
  }

  /** From the store, and remembered from now on; undefined if there is none. */
  async look(ap_id: string): Promise<AgentRecord | undefined> {
    const changes = this.#changes;
    const record = await this.#load(ap_id);
    if (!record || changes !== this.#changes || this.#freshMs === 0) return record;
    if (this.#known.size >= maxRemembered) this.#known.clear();
    this.#known.set(ap_id, { record, untilMs: performance.now() + this.#freshMs });
    return record;
  }

  /** To be called after every change of the agent. */
  forget(ap_id: string): void {
    this.#changes++;
    this.#known.delete(ap_id);
  }

  /** Others may have changed any of them. */
  forgetAll(): void {
    this.#changes++;
    this.#known.clear();
  }
}
