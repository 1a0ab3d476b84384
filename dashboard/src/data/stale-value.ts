// Whether a value still says something about now. Pure.
import type { AgentPresence } from '../api/operations.ts';
import type { ShownState } from './agent-state.ts';

/** As Weft counts late: two intervals and a grace. */
const graceMs = 5000;

/** In seconds since 1970: what was measured before says nothing about now. */
export function staleBefore(
  state: ShownState,
  told: Pick<AgentPresence, 'last_seen' | 'report_interval_seconds'> | undefined,
): number | undefined {
  if (state === 'offline' || state === 'ended' || state === 'never') return Number.POSITIVE_INFINITY;
  if (!told?.last_seen) return undefined;
  return (Date.parse(told.last_seen) - graceMs) / 1000 - 2 * told.report_interval_seconds;
}

/**
 * A value from before the access point went away, or one that it reports no longer, such as the signal of devices that a
 * cell had before it went to sleep.
 */
export function isStale(
  ts: string,
  state: ShownState,
  told: Pick<AgentPresence, 'last_seen' | 'report_interval_seconds'> | undefined,
): boolean {
  return Date.parse(ts) / 1000 < (staleBefore(state, told) ?? Number.NEGATIVE_INFINITY);
}
