// The state of every access point by its slot, told by presence when one changes: scans read an array instead of asking for each name.
import type { AgentState } from '@weft/contract/selector';
import type { AgentRow } from '../../network/agent-rows.ts';
import type { PresenceColumn } from '../../network/columns.ts';
import type { Network } from '../../network/network.ts';
import type { PresenceService } from './presence-service.ts';

const states = ['never', 'online', 'late', 'offline', 'ended'] as const satisfies AgentState[];
const codes = { never: 0, online: 1, late: 2, offline: 3, ended: 4 } as const satisfies Record<AgentState, number>;

type Presence = Pick<
  PresenceService,
  'stateOf' | 'configured' | 'ended' | 'gone' | 'onChange' | 'followOthers' | 'lastSeen'
>;

export class StateColumn implements PresenceColumn {
  readonly #presence: Presence;
  #codes = new Uint8Array(1024);

  constructor(presence: Presence, network: Pick<Network, 'agents' | 'get' | 'taken' | 'gone'>) {
    this.#presence = presence;
    for (const agent of network.agents) this.#take(agent);
    network.taken.on((agent) => this.#take(agent));
    network.gone.on(({ ap_id }, successor) => presence.gone(ap_id, successor?.created_at));
    presence.onChange((ap_id) => {
      const agent = network.get(ap_id);
      if (agent) this.#take(agent);
    });
  }

  fresh(): Promise<void> {
    return this.#presence.followOthers();
  }

  stateOf({ slot }: AgentRow): AgentState {
    return states[this.#codes[slot]!]!;
  }

  lastSeen(ap_id: string): number | null {
    return this.#presence.lastSeen(ap_id);
  }

  #take({ ap_id, configuredMs, isEnded, slot }: AgentRow): void {
    this.#presence.configured(ap_id, configuredMs);
    if (isEnded) this.#presence.ended(ap_id);
    if (slot >= this.#codes.length) this.#grow(slot);
    this.#codes[slot] = codes[isEnded ? 'ended' : this.#presence.stateOf(ap_id)];
  }

  #grow(slot: number): void {
    const larger = new Uint8Array(Math.max(slot + 1, 2 * this.#codes.length));
    larger.set(this.#codes);
    this.#codes = larger;
  }
}
