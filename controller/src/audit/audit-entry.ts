// An entry of the audit log, as features write it and as it is stored.
import { createHash } from 'node:crypto';
import type { Actor } from '../caller.ts';
import { storable } from '../storage/sql-rows.ts';

export interface NewAuditEntry {
  actor: Actor;
  /** Stable and in snake_case, such as `user_updated`. */
  action: string;
  target: { kind: string; name: string };
  /** What changed, by name; never a secret. */
  detail: Record<string, unknown>;
}

export interface AuditRecord {
  /** Counts from 1 without gaps. */
  seq: number;
  /** By the clock of the node that wrote it. */
  ts: number;
  actor_kind: string;
  actor_id: string | null;
  actor_name: string;
  action: string;
  target_kind: string;
  target: string;
  /** JSON, at most `maxDetailBytes`. */
  detail: string;
  hash: string;
  /** The seal of its hash, with the key of the installation; null for entries from before there were any. */
  mac: string | null;
}

/** A longer detail is replaced by its size and SHA-256. */
export const maxDetailBytes = 96 * 1024;

/** A value that the database returns in another form would break the chain. */
export function toColumns({ actor, action, target, detail }: NewAuditEntry) {
  return {
    actor_kind: actor.kind,
    actor_id: actor.id === null ? null : storable(actor.id),
    actor_name: storable(actor.name),
    action,
    target_kind: target.kind,
    target: storable(target.name),
    detail: toDetailText(detail),
  };
}

function toDetailText(detail: Record<string, unknown>): string {
  const text = JSON.stringify(detail);
  const omitted_bytes = Buffer.byteLength(text);
  if (omitted_bytes <= maxDetailBytes) return text;
  return JSON.stringify({ omitted_bytes, sha256: createHash('sha256').update(text).digest('hex') });
}
