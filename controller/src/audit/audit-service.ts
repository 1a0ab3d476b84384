// The audit log for everybody else: features describe their changes to it, administrators read it.

import type { AuditEntry, AuditPage } from '@weft/contract';
import { isObject } from '@weft/contract/is-object';
import type { InSameTransaction } from '../storage/sql-database.ts';
import type { AuditLog, AuditPageOptions, AuditRecord, NewAuditEntry } from './audit-store.ts';

/** What a JavaScript date can hold. */
const latestMs = 8_640_000_000_000_000;

export class AuditService {
  readonly #log: AuditLog;

  constructor(log: AuditLog) {
    this.#log = log;
  }

  /**
   * For the `also` of a store's method: writes what `describe` says about the change into the same transaction, or nothing
   * if that is undefined. `describe` must be pure, because the transaction may run again.
   */
  entry<Item>(
    describe: (changed: { before?: Item; after?: Item }) => NewAuditEntry | undefined,
  ): InSameTransaction<Item> {
    return async (tx, changed) => {
      const entry = describe(changed);
      if (entry) await this.#log.append(tx, [entry]);
    };
  }

  async list(options: AuditPageOptions): Promise<AuditPage> {
    const { entries, has_more } = await this.#log.list(options);
    return { entries: entries.map(toAuditEntry), has_more };
  }
}

function toAuditEntry(record: AuditRecord): AuditEntry {
  const { seq, ts, actor_kind, actor_id, actor_name, action, target_kind, target, detail, hash } = record;
  return {
    seq,
    ts: new Date(Math.max(-latestMs, Math.min(ts, latestMs))).toISOString(),
    actor: { kind: actor_kind, id: actor_id, name: actor_name },
    action,
    target: { kind: target_kind, name: target },
    detail: toDetail(detail),
    hash,
  };
}

/** An entry that somebody has been at is shown all the same. */
function toDetail(text: string): Record<string, unknown> {
  try {
    const detail: unknown = JSON.parse(text);
    if (isObject(detail)) return { ...detail };
  } catch {
    // Below.
  }
  return { unreadable: text };
}
