// What of presence is still to be written down, so that it outlives a restart and other nodes know it.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AgentPresenceTracker } from './presence.ts';
import type { PresenceStore } from './presence-store.ts';

/** A few milliseconds of work, and one statement. */
const atOnce = 256;

export class PresenceRecords {
  readonly #store: Pick<PresenceStore, 'update' | 'remove'>;
  readonly #unsaved = new Set<AgentPresenceTracker>();
  readonly #gone = new Set<string>();

  constructor(store: Pick<PresenceStore, 'update' | 'remove'>) {
    this.#store = store;
  }

  /** Runs for every post. */
  changed(tracker: AgentPresenceTracker): void {
    // Asked of the tracker: a set would look it up for every post.
    if (tracker.isUnsaved) return;
    tracker.isUnsaved = true;
    this.#unsaved.add(tracker);
  }

  /** It is not written any more. */
  forget(tracker: AgentPresenceTracker | undefined): void {
    if (!tracker) return;
    this.#unsaved.delete(tracker);
    tracker.isForgotten = true;
  }

  /** What is written of the agent is removed. */
  gone(ap_id: string): void {
    this.#gone.add(ap_id);
  }

  /** Removes what is gone, then writes down what has changed. What fails is tried again by the next call. */
  async save(): Promise<void> {
    const gone = [...this.#gone];
    if (gone.length > 0) await this.#store.remove(gone);
    for (const ap_id of gone) this.#gone.delete(ap_id);
    const all = [...this.#unsaved];
    for (let start = 0; start < all.length; start += atOnce) {
      if (start > 0) await nextTurn();
      await this.#update(all.slice(start, start + atOnce).filter(({ isForgotten }) => !isForgotten));
    }
  }

  async #update(trackers: readonly AgentPresenceTracker[]): Promise<void> {
    for (const tracker of trackers) {
      this.#unsaved.delete(tracker);
      tracker.isUnsaved = false;
    }
    try {
      await this.#store.update(trackers.map(({ record }) => record));
    } catch (error) {
      for (const tracker of trackers) if (!tracker.isForgotten) this.changed(tracker);
      throw error;
    }
  }
}
