// What other nodes have heard of agents, as they write it down every few seconds: kept in memory, and only what is new is read.
import { AgentPresenceTracker } from './presence.ts';
import type { PresenceStore } from './presence-store.ts';

const followEveryMs = 2_000;
/** Nodes write late, and their clocks differ. */
const overlapMs = 60_000;

export class OtherNodes {
  readonly #store: Pick<PresenceStore, 'listSince'>;
  readonly #trackers = new Map<string, AgentPresenceTracker>();
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(store: Pick<PresenceStore, 'listSince'>) {
    this.#store = store;
  }

  get(ap_id: string): AgentPresenceTracker | undefined {
    return this.#trackers.get(ap_id);
  }

  forget(ap_id: string): void {
    this.#trackers.delete(ap_id);
  }

  /** Reads what was written since, unless that was a moment ago. */
  async follow(nowMs: number): Promise<void> {
    if (Math.abs(nowMs - this.#readAt) < followEveryMs) return;
    this.#reading ??= this.#read(nowMs).finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
  }

  async #read(nowMs: number): Promise<void> {
    const since = Number.isFinite(this.#readAt) ? this.#readAt - overlapMs : 0;
    for (const record of await this.#store.listSince(since)) {
      this.#trackers.set(record.ap_id, new AgentPresenceTracker({ ...record }));
    }
    this.#readAt = nowMs;
  }
}
