// The blast radius in a replay: as recorded for as long as the replay has sent what the record has, and counted again from
// where they part.
import { BlastRadius } from '../arbitration/blast-radius.ts';
import type { BlastCount, Intent } from '../arbitration/conflict-intent.ts';
import type { DecisionRecord } from '../arbitration/decision-record.ts';

export class ReplayBlast {
  readonly #windowS: number;
  readonly #counted = new BlastRadius(Number.POSITIVE_INFINITY);
  readonly #diverged = new Set<string>();

  constructor(windowS: number) {
    this.#windowS = windowS;
  }

  look({ intent, state, blast_window_s }: DecisionRecord, atMs: number, isLater: boolean): BlastCount | null {
    if (!state.blast) return null;
    const isAsRecorded = !isLater && blast_window_s === this.#windowS && !this.#diverged.has(keyOf(intent));
    if (isAsRecorded) return state.blast;
    const { caller_id, site, ap_id } = intent;
    return this.#counted.look(caller_id, site, ap_id, state.blast.agents, this.#windowS * 1000, atMs);
  }

  count({ caller_id, site, ap_id }: Intent, atMs: number): void {
    this.#counted.count(caller_id, site, ap_id, atMs);
  }

  /** From now on what is recorded of this app on this site is no longer what happened in the replay. */
  diverge(intent: Intent): void {
    this.#diverged.add(keyOf(intent));
  }
}

function keyOf({ caller_id, site }: Intent): string {
  return JSON.stringify([caller_id, site]);
}
