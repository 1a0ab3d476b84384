// Facts about every access point beside its record. The part that owns one sets its column when it is created; a column
// that is not set knows nothing.
import type { AgentPresence, AlarmSeverity, HealthWord } from '@weft/contract';
import type { AgentState, ConfigState } from '@weft/contract/selector';
import type { AgentRow } from './agent-rows.ts';

/** How commands reach an agent now. */
export type CommandTransports = Pick<AgentPresence, 'channel' | 'command_ready'>;

export interface PresenceColumn {
  /** To be called before the others: reads what other nodes have heard, if that was not just done. */
  fresh(): Promise<void>;
  stateOf(agent: AgentRow): AgentState;
  /** Milliseconds since 1970; null: it was never heard of. */
  lastSeen(ap_id: string): number | null;
}

export interface Columns {
  presence?: PresenceColumn;
  /** The newest values. */
  metrics?: {
    /** Once it resolves, the others know these metrics. */
    require(names: readonly string[]): Promise<void>;
    newest(name: string): (agent: Pick<AgentRow, 'slot'>) => number | undefined;
    /** By slot, NaN for none. */
    values(name: string): Float64Array | undefined;
  };
  transports?(agent: AgentRow): CommandTransports;
  /** The worst alarm of each access point that has one, without muted alarms. */
  severities?(): ReadonlyMap<string, AlarmSeverity>;
  /** The state of the configuration by the id of the access point; absent where no layer is about it. */
  config?(): Promise<ReadonlyMap<string, ConfigState>>;
  /** How many devices lost service because of them, in incidents that are open. */
  devicesAffected?(): Promise<ReadonlyMap<string, number>>;
}

// The health of an access point in one word: by its state and its worst alarm.

/** The worst first. */
export const wordRank: Record<HealthWord, number> = { bad: 0, degraded: 1, unknown: 2, good: 3 };

export function healthWordOf(state: AgentState, severity: AlarmSeverity | null): HealthWord {
  const [byState, byAlarm] = [wordOfState(state), wordOfSeverity(severity)];
  return wordRank[byAlarm] < wordRank[byState] ? byAlarm : byState;
}

export function wordOfState(state: AgentState): HealthWord {
  if (state === 'offline') return 'bad';
  if (state === 'late') return 'degraded';
  return state === 'never' ? 'unknown' : 'good';
}

export function wordOfSeverity(severity: AlarmSeverity | null): HealthWord {
  if (severity === null) return 'good';
  return severity === 'critical' || severity === 'major' ? 'bad' : 'degraded';
}
