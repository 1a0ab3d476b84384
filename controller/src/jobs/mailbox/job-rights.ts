// What a caller may still do with jobs: asked when one is worked on, when its messages are read, and when rights change.
import { type Operation, requirePermission } from '../../auth/permissions.ts';
import type { Caller } from '../../caller.ts';

const operations: Record<string, Operation> = { agent_data: 'request_agent_data', bulk: 'start_bulk' };

/** Whether the caller could ask for a job of this kind now; about one agent only if it may see that agent. */
export function mayAsk(caller: Caller, task_type: string): boolean {
  if (task_type === 'adopted') return caller.kind === 'user' && caller.isAdmin;
  const operation = operations[task_type] ?? 'request_all_agents_details';
  try {
    requirePermission(operation, caller);
    return true;
  } catch {
    return false;
  }
}
