// The interface of the audit log for features, which describe their changes, and administrators, who read it.
import type { AuditEntry, AuditPage } from '@weft/contract';
import { parseObject } from '@weft/contract/is-object';
import type { InSameTransaction } from '../../base/storage/sql-database.ts';
import { mapInSlices } from '../../base/time-slices.ts';
import type { Network } from '../../network/network.ts';
import type { AuditRecord, NewAuditEntry } from './audit-entry.ts';
import type { AuditLog, AuditPageOptions } from './audit-store.ts';

/** A display name is usually that of one access point. */
const maxAgents = 100;

export interface AuditQuery extends Omit<AuditPageOptions, 'actor' | 'target'> {
  actor?: string | undefined;
  target?: string | undefined;
}

/** The range of a JavaScript date. */
const latestMs = 8_640_000_000_000_000;

export class AuditService {
  readonly #log: AuditLog;
  readonly #network: Pick<Network, 'called'> | undefined;

  /** Without a network access points are found by their ids alone. */
  constructor(log: AuditLog, network?: Pick<Network, 'called'>) {
    this.#log = log;
    this.#network = network;
  }

  /**
   * For the `also` of a store's method: writes the entry that `describe` returns in the transaction of the change, or nothing
   * if it is undefined. `describe` must be pure, because the transaction may be retried.
   */
  entry<Item>(
    describe: (changed: { before?: Item; after?: Item }) => NewAuditEntry | undefined,
  ): InSameTransaction<Item> {
    return async (tx, changed) => {
      const entry = describe(changed);
      if (entry) await this.#log.append(tx, [entry]);
    };
  }

  /** `actor` and `target` are names, or display names of access points. */
  async list({ actor, target, ...options }: AuditQuery): Promise<AuditPage> {
    const [actors, targets] = await Promise.all([this.#namesOf(actor), this.#namesOf(target)]);
    const { entries, has_more } = await this.#log.list({ ...options, actor: actors, target: targets });
    const items = await mapInSlices(entries, toAuditEntry);
    return { items, next: has_more ? String(items.at(-1)!.seq) : null, entries: items, has_more };
  }

  async #namesOf(name: string | undefined): Promise<string[] | undefined> {
    if (name === undefined) return undefined;
    const agents = (await this.#network?.called(name)) ?? [];
    return [...new Set([name, ...agents.slice(0, maxAgents)])];
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
    // A damaged entry is shown too.
    detail: parseObject(detail) ?? { unreadable: detail },
    hash,
  };
}
