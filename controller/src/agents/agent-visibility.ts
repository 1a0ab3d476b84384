// Which agents a caller may see.
import { matchesGlob } from '@weft/contract/glob';
import type { AppCaller, Caller } from '../caller.ts';

/** Users may read every agent, an agent itself, an app the agents that match its `agents` patterns. */
export function canSeeAgent(caller: Caller, ap_id: string): boolean {
  if (caller.kind === 'user') return true;
  if (caller.kind === 'agent') return caller.name === ap_id;
  return isWithinGlobs(caller, ap_id);
}

function isWithinGlobs(app: AppCaller, ap_id: string): boolean {
  const { agents } = app.permissions;
  return agents === undefined || agents.some((pattern) => matchesGlob(pattern, ap_id));
}
