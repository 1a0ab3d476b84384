// How all access points are, and since when: presence, sleep, ended runs and past changes put together for rules on states.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SqlQueries } from '../../storage/sql-database.ts';
import type { AgentStateStore } from '../../telemetry/presence/agent-state-store.ts';
import type { KnownPresence } from '../../telemetry/presence/presence.ts';
import type { Standing } from '../engine/timed-condition.ts';
import type { StateChanges } from './state-changes.ts';

/** How long the list of ended agents is good for. */
const endedMs = 15_000;
/** A millisecond or two of work. */
const agentsAtOnce = 5_000;

export interface AgentStandingsOptions {
  database: SqlQueries;
  presence: () => Promise<readonly KnownPresence[]>;
  states: Pick<AgentStateStore, 'find' | 'listEnded'>;
  changes: StateChanges;
}

export class AgentStandings {
  readonly #options: AgentStandingsOptions;
  /** Since when this node looks; undefined while another one does. */
  #sinceMs: number | undefined;
  #ended = { names: new Set<string>(), atMs: Number.NEGATIVE_INFINITY };

  constructor(options: AgentStandingsOptions) {
    this.#options = options;
  }

  /** Another node looks now. */
  forget(): void {
    this.#sinceMs = undefined;
    this.#options.changes.forget();
  }

  async read(nowMs: number): Promise<Map<string, Omit<Standing, 'site'>>> {
    const { database, presence, states, changes } = this.#options;
    this.#sinceMs ??= nowMs;
    const lookedMs = nowMs - this.#sinceMs;
    await changes.refresh(nowMs);
    const known = await presence();
    const away = known.filter((each) => each.presence !== 'online').map(({ ap_id }) => ap_id);
    const asleep = new Set<string>();
    for (const { ap_id, power } of away.length > 0 ? await states.find(database, away) : []) {
      if (power === 'asleep') asleep.add(ap_id);
    }
    if (away.length > 0 && nowMs - this.#ended.atMs > endedMs) {
      this.#ended = { names: new Set(await states.listEnded()), atMs: nowMs };
    }
    const standings = new Map<string, Omit<Standing, 'site'>>();
    for (const { ap_id, presence: state, sinceMs, lastSeenMs, offlineAfterMs } of known) {
      if (standings.size % agentsAtOnce === agentsAtOnce - 1) await nextTurn();
      const isAway = state !== 'online';
      standings.set(ap_id, {
        ap_id,
        state: isAway && this.#ended.names.has(ap_id) ? 'ended' : state,
        sinceMs,
        lastSeenMs,
        isAsleep: asleep.has(ap_id),
        // While Weft was away, or another node looked, reports may not have been heard.
        isUncertain: isAway && lookedMs < offlineAfterMs,
        changesMs: changes.of(ap_id),
      });
    }
    return standings;
  }
}
