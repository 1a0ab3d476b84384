// Roll-outs in words, for people: how one stands, why it stopped, what happened.
import type { RolloutPlan, RolloutState } from '@weft/contract/operations';
import { isSuccess } from '../model/agent-config.ts';
import type { Measured } from '../model/gates.ts';
import type { RolloutRecord, StandingAgent } from '../store/rollout-store.ts';

/** Those that got it, and run something else all the same. */
const confirmedWords: Record<string, string> = { overridden: 'held by a command', substituted: 'substituted' };

/** An access point that has not got it, and will not by itself. */
export const failed: ReadonlySet<string> = new Set(['refused', 'reverted', 'unreachable']);

/** "38 of 212 confirmed (1 held by a command), 2 reverted (no connection after the change), 5 offline: they get it when they return". */
export function inWords(
  state: RolloutState,
  agents: readonly StandingAgent[],
  isAway: (agent: StandingAgent) => boolean,
): string {
  const isTakenBack = state === 'reverting' || state === 'reverted';
  const treated = agents.filter((agent) => agent.treated);
  const byState = Map.groupBy(treated, (agent) => agent.state);
  // As the waves count them: one that got it is confirmed, whatever a command has set since.
  const good = treated.filter(({ state }) => isSuccess(state)).length;
  const amongThem = [...byState].flatMap(([standing, those]) =>
    standing in confirmedWords ? `${those.length} ${confirmedWords[standing]}` : [],
  );
  const parts = [
    (isTakenBack ? `${good} of ${treated.length} back at what they were` : `${good} of ${agents.length} confirmed`) +
      (amongThem.length > 0 ? ` (${amongThem.join(', ')})` : ''),
  ];
  for (const [standing, those] of byState) {
    if (isSuccess(standing) || standing === 'pending') continue;
    const reason = failed.has(standing) ? those.find(({ detail }) => detail !== null)?.detail : undefined;
    parts.push(`${those.length} ${standing.replaceAll('_', ' ')}${reason ? ` (${reason})` : ''}`);
  }
  const pending = byState.get('pending') ?? [];
  const away = pending.filter((agent) => isAway(agent)).length;
  const untouched = agents.length - treated.length;
  const isOver = isTakenBack || state === 'aborted';
  if (pending.length > away) parts.push(`${pending.length - away} pending`);
  if (untouched > 0) parts.push(`${untouched} ${isOver ? 'never touched' : 'waiting for their turn'}`);
  if (away > 0) parts.push(`${away} offline: they ${isTakenBack ? 'go back' : 'get it'} when they return`);
  return parts.join(', ');
}

/** With the bound of the gate: by how much exactly is told only to who may see all that it was compared with. */
export function brokenInWords({ metric, worse_by }: Measured, { gates = [] }: RolloutPlan): string {
  const most = Math.abs(gates.find((gate) => gate.metric === metric)?.worse_by ?? 0);
  const how = worse_by === null ? 'was not reported' : `is worse by ${most} or more`;
  return `${metric} ${how} where the change is`;
}

const severities: Partial<Record<RolloutState, 'warning'>> = { stopped: 'warning' };
const verbs: Record<RolloutState, string> = {
  running: 'goes on',
  paused: 'is paused',
  stopped: 'stopped',
  completed: 'is complete',
  reverting: 'is being taken back',
  reverted: 'was taken back',
  aborted: 'was given up',
};

export function rolloutEvent({ id, title, state, reason, owner_name }: RolloutRecord) {
  const text = `The roll-out "${title}" ${verbs[state]}${reason === null ? '' : `: ${reason}`}`;
  const kind = state === 'running' ? 'rollout.resumed' : `rollout.${state}`;
  return {
    kind,
    subject_kind: 'rollout',
    subject: id,
    severity: severities[state],
    text,
    data: { title, reason, by: owner_name },
  };
}
