// What a caller may still do with jobs: asked when one is worked on, when its messages are read, and when rights change.
import type { Caller } from '../../base/caller.ts';
import {
  agentReaders,
  bulkStarters,
  networkReaders,
  owners,
  type Permission,
  requirePermission,
} from '../../base/rights/permission.ts';
import { rightsOf } from '../../base/rights/rights.ts';

/** Of the operations that create them. */
const permissions: Record<string, Permission> = { agent_data: agentReaders, bulk: bulkStarters, energy: owners };

/** Whether the caller could ask for a job of this kind now; about one agent only if it may see that agent. */
export function mayAsk(caller: Caller, task_type: string): boolean {
  if (task_type === 'adopted') return rightsOf(caller).isAdmin;
  try {
    requirePermission(permissions[task_type] ?? networkReaders, caller);
    return true;
  } catch {
    return false;
  }
}
