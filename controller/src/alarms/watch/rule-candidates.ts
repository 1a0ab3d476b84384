// Whom a rule on states has to look at. Most access points are online and have no alarm: a rule finds nothing new about them. Pure.
import { SiteShares, type TimedRule } from '../engine/timed-condition.ts';
import type { Standings } from './agent-standings.ts';

/** `active`: the subjects of its alarms. Undefined: all access points. */
export function candidatesOf(
  rule: TimedRule,
  standings: Standings,
  active: ReadonlySet<string>,
): ReadonlySet<string> | undefined {
  const { state, state_changes, share_of_site: ofSite } = rule.condition;
  if (isAway(state)) return new Set([...standings.away, ...active]);
  if (state_changes !== undefined) return new Set([...standings.unsteady(state_changes), ...active]);
  if (!ofSite || !isAway(ofSite.state) || active.size > 0 || !SiteShares.isQuietAtNone(rule)) return undefined;
  for (const ap_id of standings.away) if (standings.of(ap_id)?.state === ofSite.state) return undefined;
  return new Set();
}

function isAway(state: string | undefined): boolean {
  return state === 'late' || state === 'offline';
}
