// What a caller may command now, by its record inside of the transaction that decides: rights may have gone since a request
// was let in, and since a command was queued.
import type { Caller, CredentialRef } from '../../base/caller.ts';
import { notFound, PermissionError, WeftError } from '../../base/errors.ts';
import { commandSenders, requirePermission } from '../../base/rights/permission.ts';
import { rightsOf } from '../../base/rights/rights.ts';
import type { SqlQueries } from '../../base/storage/sql-database.ts';
import type { Network } from '../../network/network.ts';
import { requireCommandPermission } from '../grammar/command-permissions.ts';
import type { ParsedCommand } from '../grammar/command-text.ts';

export interface PresentRights {
  /** Those who exist and are not disabled, with their rights. */
  callers(tx: SqlQueries, refs: readonly CredentialRef[]): Promise<Caller[]>;
  /** Those of these agents that the caller may command by their records. */
  commandable(caller: Caller, ap_ids: readonly string[], tx: SqlQueries): Promise<Set<string>>;
}

export function commandableAmong(network: Pick<Network, 'visibleIn'>): PresentRights['commandable'] {
  return async (caller, ap_ids, tx) => {
    const sight = await network.visibleIn(tx, caller, ap_ids);
    return new Set(ap_ids.filter((ap_id) => sight.operates(ap_id)));
  };
}

/** What of a command a permission may limit. */
type SentCommand = Pick<ParsedCommand, 'name' | 'args'>;

/** Whether the record of the agent decides what the caller may do with it; else its name does. */
export function dependsOnRecord(caller: Caller, ap_id: string): boolean {
  const rights = rightsOf(caller);
  return rights.isUser ? !rights.isAdmin : !rights.seesName(ap_id);
}

/** Throws what the caller would be refused with now. `isCommandable`: by the record of the agent. */
export function requireCommandRight(
  caller: Caller,
  ap_id: string,
  command: SentCommand | undefined,
  isCommandable: boolean,
): void {
  requirePermission(commandSenders, caller);
  if (command) requireCommandPermission(caller, command);
  if (isCommandable || !dependsOnRecord(caller, ap_id)) return;
  if (rightsOf(caller).isUser) throw new PermissionError();
  throw notFound('Agent');
}

/** Whether the caller may send commands at all. */
export function maySend(caller: Caller): boolean {
  return isPermitted(() => requirePermission(commandSenders, caller));
}

export function mayCommand(...question: Parameters<typeof requireCommandRight>): boolean {
  return isPermitted(() => requireCommandRight(...question));
}

function isPermitted(require: () => void): boolean {
  try {
    require();
    return true;
  } catch (error) {
    if (error instanceof WeftError) return false;
    throw error;
  }
}
