// The health of an access point in one word: by its state and its worst alarm. Pure.
import type { AlarmSeverity, HealthWord } from '@weft/contract';
import type { AgentState } from '@weft/contract/selector';

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
