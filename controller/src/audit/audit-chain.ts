// The hash chain of the audit log: hashes an entry, and verifies the chain up to the first invalid entry.
import { createHash } from 'node:crypto';
import type { AuditRecord } from './audit-store.ts';

/** The previous hash of the first entry. */
export const genesisHash = '0'.repeat(64);

/** SHA-256, hex, over the previous hash and everything in the entry, as one JSON array. */
export function chainHash(previousHash: string, entry: Omit<AuditRecord, 'hash'>): string {
  const { seq, ts, actor_kind, actor_id, actor_name, action, target_kind, target, detail } = entry;
  const text = JSON.stringify([
    previousHash,
    seq,
    ts,
    actor_kind,
    actor_id,
    actor_name,
    action,
    target_kind,
    target,
    detail,
  ]);
  return createHash('sha256').update(text).digest('hex');
}

export class ChainWalk {
  seq: number;
  hash: string;

  /** Begins after this entry. */
  constructor(seq = 0, hash = genesisHash) {
    this.seq = seq;
    this.hash = hash;
  }

  /** Checks the next entry; returns the problem and its number, or undefined. */
  step(entry: AuditRecord): { seq: number; reason: string } | undefined {
    const expected = this.seq + 1;
    if (entry.seq > expected) return { seq: expected, reason: 'the entry is missing' };
    if (entry.seq < expected) return { seq: entry.seq, reason: 'the entry does not belong to the log' };
    if (entry.hash !== chainHash(this.hash, entry)) {
      return { seq: entry.seq, reason: 'the entry is not what was written, or not in its place' };
    }
    this.seq = entry.seq;
    this.hash = entry.hash;
    return undefined;
  }
}
