// An entry of the audit log, as features write it and as it is stored.
import { createHash } from 'node:crypto';
import type { Actor } from '../../base/caller.ts';
import { storable } from '../../base/storage/sql-rows.ts';

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

// The detail of an entry about a change of free-form data: the names of the changed keys, limited in size.
const maxKeys = 50;
const maxKeyLength = 100;
const maxValueBytes = 1024;

type FreeForm = Record<string, unknown>;

/** The top-level keys that differ, in the order of `after`, then the removed ones. */
export function changedKeys(before: FreeForm, after: FreeForm): string[] {
  const keys = new Set([...Object.keys(after), ...Object.keys(before)]);
  return [...keys].filter((key) => textAt(before, key) !== textAt(after, key));
}

/** The names of keys for an entry; if there are very many, the first ones and the number of the rest. */
export function keyNames(keys: readonly string[]): { keys: string[]; more_keys?: number } {
  const shown = keys
    .slice(0, maxKeys)
    .map((key) => (key.length > maxKeyLength ? `${key.slice(0, maxKeyLength)}…` : key));
  return keys.length > maxKeys ? { keys: shown, more_keys: keys.length - maxKeys } : { keys: shown };
}

/** The values of these keys, if present; only the size of a large value. */
export function shownValues(values: FreeForm, keys: readonly string[]): FreeForm {
  const shown = keys.filter((key) => Object.hasOwn(values, key));
  return Object.fromEntries(shown.map((key) => [key, abridged(values[key])]));
}

function abridged(value: unknown): unknown {
  const bytes = Buffer.byteLength(JSON.stringify(value) ?? '');
  return bytes <= maxValueBytes ? value : { omitted_bytes: bytes };
}

function textAt(values: FreeForm, key: string): string | undefined {
  return Object.hasOwn(values, key) ? JSON.stringify(values[key]) : undefined;
}
