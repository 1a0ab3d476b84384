// How access points are, and since when: presence, sleep and past changes put together for rules on states.
import type { SqlQueries } from '../../../core/base/storage/sql-database.ts';
import type { AgentStateStore } from '../../../core/telemetry/presence/agent-state-store.ts';
import type { PresenceService } from '../../../core/telemetry/presence/presence-service.ts';
import type { Standing } from '../engine/timed-condition.ts';
import type { StateChanges } from './state-changes.ts';

/** At one moment. Most access points are online and stay so: nobody has to look at all of them. */
export interface AgentStateView {
  /** Undefined if it was never heard of. */
  of(ap_id: string): Omit<Standing, 'site'> | undefined;
  /** Those that were heard of and are not online. */
  away: Iterable<string>;
  /** Those that went away or came back at least this often within a day. */
  unsteady(count: number): Iterable<string>;
}

export interface AgentStatesOptions {
  database: SqlQueries;
  presence: Pick<PresenceService, 'followOthers' | 'away' | 'known'>;
  states: Pick<AgentStateStore, 'find'>;
  changes: StateChanges;
}

export class AgentStates {
  readonly #options: AgentStatesOptions;
  /** Since when this node looks; undefined while another one does. */
  #sinceMs: number | undefined;

  constructor(options: AgentStatesOptions) {
    this.#options = options;
  }

  /** Another node looks now. */
  forget(): void {
    this.#sinceMs = undefined;
    this.#options.changes.forget();
  }

  async read(nowMs: number): Promise<AgentStateView> {
    const { database, presence, states, changes } = this.#options;
    this.#sinceMs ??= nowMs;
    const lookedMs = nowMs - this.#sinceMs;
    await changes.refresh(nowMs);
    await presence.followOthers();
    const away = presence.away();
    const asleep = new Set<string>();
    for (const { ap_id, power } of away.length > 0 ? await states.find(database, away) : []) {
      if (power === 'asleep') asleep.add(ap_id);
    }
    const of = (ap_id: string) => {
      const known = presence.known(ap_id);
      if (!known) return undefined;
      const { presence: state, sinceMs, lastSeenMs, offlineAfterMs } = known;
      const isAway = state !== 'online';
      return {
        ap_id,
        state,
        sinceMs,
        lastSeenMs,
        isAsleep: asleep.has(ap_id),
        // While Weft was away, or another node looked, reports may not have been heard.
        isUncertain: isAway && lookedMs < offlineAfterMs,
        changesMs: changes.of(ap_id),
      };
    };
    return { of, away, unsteady: (count) => changes.atLeast(count) };
  }
}
