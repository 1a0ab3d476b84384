// The hash chain of the audit log: hashes an entry, and verifies the chain up to the first invalid entry.
import { hash } from 'node:crypto';
import type { Keyring } from '../../base/secrets.ts';
import type { AuditRecord } from './audit-entry.ts';

/** The previous hash of the first entry. */
export const genesisHash = '0'.repeat(64);

/** SHA-256, hex, over the previous hash and everything in the entry, as one JSON array. */
export function chainHash(previousHash: string, entry: Omit<AuditRecord, 'hash' | 'mac'>): string {
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
  return hash('sha256', text, 'hex');
}

/** The key of the installation, as far as the chain needs it. */
export type ChainKey = Pick<Keyring, 'seal' | 'checkSeal'>;

/** What the end of the log is sealed as: its length and its beginning with seals cannot be changed either. */
export function headText(seq: number, hash: string, keyedFrom: number): string {
  return `${seq} ${hash} ${keyedFrom}`;
}

export class ChainWalk {
  seq: number;
  hash: string;
  /** Entries whose seal was checked, those from before there were seals, and those of a secret that is not configured. */
  readonly seals = { checked: 0, without: 0, unknown: 0 };
  /** From this entry on every entry has a seal. */
  keyedFrom = Number.POSITIVE_INFINITY;
  readonly #key: ChainKey | undefined;

  /** Begins after this entry. */
  constructor(key: ChainKey | undefined, seq = 0, hash = genesisHash) {
    this.#key = key;
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
    return this.#checkSeal(entry);
  }

  #checkSeal({ seq, hash, mac }: AuditRecord): { seq: number; reason: string } | undefined {
    if (mac === null) {
      this.seals.without++;
      const isKeyed = this.seals.checked + this.seals.unknown > 0 || seq >= this.keyedFrom;
      return isKeyed ? { seq, reason: 'the seal of the entry is missing' } : undefined;
    }
    const outcome = this.#key?.checkSeal(hash, mac) ?? 'unknown';
    if (outcome === 'bad') return { seq, reason: 'the entry was written without the secret of this installation' };
    if (outcome === 'good') this.seals.checked++;
    else this.seals.unknown++;
    return undefined;
  }
}
