// The state of every agent by its slot, told by presence when one changes: scans read an array instead of asking for each name.
import type { AgentState } from '@weft/contract/selector';
import type { PresenceService } from '../../telemetry/presence/presence-service.ts';
import type { IndexedAgent } from './fleet-index.ts';

const states = ['never', 'online', 'late', 'offline', 'ended'] as const satisfies AgentState[];
const codes = { never: 0, online: 1, late: 2, offline: 3, ended: 4 } as const satisfies Record<AgentState, number>;

export interface StateColumnOptions {
  presence: Pick<PresenceService, 'stateOf' | 'configured' | 'ended' | 'gone'>;
  agent: (ap_id: string) => IndexedAgent | undefined;
}

export class StateColumn {
  readonly #options: StateColumnOptions;
  #codes = new Uint8Array(1024);

  constructor(options: StateColumnOptions) {
    this.#options = options;
  }

  /** The slot is that of an agent in the index. */
  of(slot: number): AgentState {
    return states[this.#codes[slot]!]!;
  }

  /** The agent is new in the index, or has changed. */
  taken({ ap_id, configuredMs, isEnded, slot }: IndexedAgent): void {
    const { presence } = this.#options;
    presence.configured(ap_id, configuredMs);
    if (isEnded) presence.ended(ap_id);
    if (slot >= this.#codes.length) this.#grow(slot);
    this.#codes[slot] = codes[isEnded ? 'ended' : presence.stateOf(ap_id)];
  }

  /** Presence has something new about an agent, which may not be in the index yet. */
  changed(ap_id: string): void {
    const agent = this.#options.agent(ap_id);
    if (agent) this.taken(agent);
  }

  /** It has left the index; another one may have its name. */
  gone({ ap_id }: IndexedAgent, successor: { created_at: number } | undefined): void {
    this.#options.presence.gone(ap_id, successor?.created_at);
  }

  #grow(slot: number): void {
    const larger = new Uint8Array(Math.max(slot + 1, 2 * this.#codes.length));
    larger.set(this.#codes);
    this.#codes = larger;
  }
}
