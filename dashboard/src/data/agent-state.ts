// How an access point is, in one word for people: whether it reports, and whether it sleeps. Pure.

import type { AgentState } from '@weft/contract/selector';

/** One that sleeps reports, but serves nobody: people read that instead of online. */
export type ShownState = AgentState | 'asleep';

const sleeping = new Set(['asleep', 'dozing']);

export function isSleeping(power_state: string | null | undefined): boolean {
  return sleeping.has(power_state ?? '');
}

export function shownState(state: AgentState, isAsleep: boolean): ShownState {
  return isAsleep && (state === 'online' || state === 'late') ? 'asleep' : state;
}

/** The worst first; of many access points that are drawn as one, the worst says how they are. */
export const worstFirst: readonly ShownState[] = ['offline', 'late', 'never', 'asleep', 'online', 'ended'];

export function worstOf(counts: Readonly<Record<ShownState, number>>): ShownState {
  return worstFirst.find((state) => counts[state] > 0) ?? 'online';
}

/** Serves users, or could at once. */
export function isInService(state: ShownState): boolean {
  return state === 'online' || state === 'late';
}
