// Which agents a list has: by their state, and whether they are emulated. Emulated agents whose run has ended stay for a
// while, thousands of them, so they are listed only for whoever asks; so are agents of devices, which are no access points.
import type { AgentDetails, AgentFilter, Presence } from '@weft/contract';
import { isDeviceType } from '@weft/contract/selector';
import type { VisibleAgent } from './agent-visibility.ts';

export interface ListedAgent extends AgentDetails, VisibleAgent {
  /** It is emulated, and its run is over. */
  isEnded: boolean;
}

/** The state of an agent that has not ended. */
export type StateOf = (ap_id: string, configuration: Record<string, unknown>) => Presence | 'never';

export function isListed(agent: ListedAgent, { state, emulated }: AgentFilter, stateOf: StateOf): boolean {
  const { ap_id, configuration, isEnded } = agent;
  if (emulated !== undefined && emulated !== (configuration.emulated === true)) return false;
  if (state === 'all') return true;
  if (isDeviceType(configuration.access_point_type)) return false;
  if (state === undefined || isEnded || state === 'ended') return isEnded === (state === 'ended');
  return stateOf(ap_id, configuration) === state;
}

/** Whether `isListed` asks for states. */
export function needsStates({ state }: AgentFilter): boolean {
  return state !== undefined && state !== 'all' && state !== 'ended';
}
