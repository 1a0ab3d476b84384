// Which agents a caller may see.
import { matchesGlob } from '@weft/contract/glob';
import type { AppCaller, Caller } from '../caller.ts';

/** What of an agent decides. */
export interface VisibleAgent {
  ap_id: string;
  /** The id of the caller that created the emulated network; null for a real agent. */
  emulated_for: string | null;
  display_name: string | null;
  /** The path of its site. */
  site: string | null;
  tags: readonly string[];
}

/** Users may read every agent, an agent itself, an app the agents that match its `agents` patterns and those of its own networks. */
export function canSeeAgent(caller: Caller, { ap_id, emulated_for }: VisibleAgent): boolean {
  return canSeeName(caller, ap_id) || (caller.kind === 'third_party_app' && emulated_for === caller.id);
}

/** Whether the name alone decides that the caller may see the agent; if not, its record does. */
export function canSeeName(caller: Caller, ap_id: string): boolean {
  if (caller.kind === 'user') return true;
  if (caller.kind === 'agent') return caller.name === ap_id;
  return isWithinGlobs(caller, ap_id);
}

/** Whether the caller may see every agent. */
export function canSeeAll(caller: Caller): boolean {
  return caller.kind === 'user' || (caller.kind === 'third_party_app' && caller.permissions.agents === undefined);
}

function isWithinGlobs(app: AppCaller, ap_id: string): boolean {
  const { agents } = app.permissions;
  return agents === undefined || agents.some((pattern) => matchesGlob(pattern, ap_id));
}
