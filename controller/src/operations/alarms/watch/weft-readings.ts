// Readings of Weft itself, and of agents by Weft, that rules may watch: free disk, dead letters, clocks that run ahead, and what
// other parts add.
import type { Sample } from '../../../core/telemetry/store/telemetry-store.ts';

export interface Reading {
  /** `agent`, or what of Weft it is about. */
  subject_kind: string;
  /** For an agent its ap_id. */
  subject: string;
  /** For people. Default: the subject. */
  name?: string;
  value: number;
}

/** Only what is worth looking at: whoever is not in the list is as it should be. */
export type ReadingSource = () => Promise<readonly Reading[]> | readonly Reading[];

interface Named {
  source: ReadingSource;
  /** Each node looks at its own; the others are looked at by one node for all. */
  isLocal: boolean;
}

export class WeftReadings {
  readonly #sources = new Map<string, Named>();

  add(name: string, source: ReadingSource, isLocal = false): void {
    this.#sources.set(name, { source, isLocal });
  }

  get names(): string[] {
    return [...this.#sources.keys()];
  }

  isLocal(name: string): boolean {
    return this.#sources.get(name)?.isLocal ?? false;
  }

  async read(name: string): Promise<readonly Reading[]> {
    return (await this.#sources.get(name)?.source()) ?? [];
  }
}

/** Below this a clock is as good as reports can tell. */
const noticedMs = 1_000;
const maxNoticed = 100_000;

/** How far the clocks of agents run ahead, by the newest sample of their last report. Behind, a clock looks like a late report. */
export class ClockSkews {
  readonly #ahead = new Map<string, number>();

  /** Runs for every report. */
  recorded(ap_id: string, samples: readonly Sample[], receivedMs: number): void {
    if (samples.length === 0) return;
    const aheadMs = samples[samples.length - 1]!.ts - receivedMs;
    if (aheadMs < noticedMs) {
      if (this.#ahead.size > 0) this.#ahead.delete(ap_id);
    } else if (this.#ahead.size < maxNoticed) this.#ahead.set(ap_id, aheadMs);
  }

  forget(ap_id: string): void {
    this.#ahead.delete(ap_id);
  }

  read(): Reading[] {
    return [...this.#ahead].map(([subject, ms]) => ({ subject_kind: 'agent', subject, value: ms / 1000 }));
  }
}
