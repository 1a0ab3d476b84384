// The right to send a command, looked at once more when the command is about to be stored.
import { ownerGone } from '../../storage/present-owner.ts';
import type { LedgerBatch } from './ledger-batch.ts';
import type { NewCommand } from './new-command.ts';
import { dependsOnRecord, requireCommandRight } from './present-rights.ts';

/** Throws what the sender would be refused with now. Weft's own commands need no right: they take back what somebody was allowed. */
export async function requireRightNow(
  batch: LedgerBatch,
  { intent, owner_id, owner_ver, sealed }: NewCommand,
): Promise<void> {
  const { tx, rights } = batch;
  if (!rights || intent.caller_kind === 'weft') return;
  const caller = batch.caller(owner_id);
  if (!caller) throw ownerGone();
  // What was asked for with an older key or password is not queued after those of it were cancelled.
  if (owner_ver !== undefined && owner_ver !== caller.ver) throw ownerGone();
  const { ap_id } = intent;
  const isCommandable = dependsOnRecord(caller, ap_id) && (await rights.commandable(caller, [ap_id], tx)).has(ap_id);
  // Of secret arguments only fingerprints are here; they were looked at when the command came in.
  requireCommandRight(caller, ap_id, sealed === null ? intent : undefined, isCommandable);
}
