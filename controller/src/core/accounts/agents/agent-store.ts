// Agent records: one per access point, real or emulated.

import { ENDED, revokedHash } from '../../base/storage/ended-agents.ts';
import type { InSameTransaction, SqlQueries } from '../../base/storage/sql-database.ts';
import { runList } from '../../base/storage/sql-rows.ts';
import { ifTaken, SqlStore } from '../../base/storage/sql-store.ts';
import { fleetHead, noteRemoved, raiseRevision, readRevision } from '../../base/storage/table-revision.ts';
import {
  type AgentChange,
  type AgentLabels,
  type AgentRecord,
  agentExists,
  agentTable,
  generatedHashPrefix,
  insertAgent,
  insertAgents,
} from './agent-record.ts';
import { etagOfAgent, requireMatch } from './etags.ts';

/** What `changeLabels` throws for a site that does not exist. */
export class UnknownSite extends Error {
  override name = 'UnknownSite';
}

/**
 * Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. `also` runs with the
 * change, see InSameTransaction.
 */
export class AgentStore extends SqlStore {
  /** The record, or undefined. */
  async get(ap_id: string): Promise<AgentRecord | undefined> {
    return getAgent(this.db, ap_id);
  }

  /** Those of these ids that exist, in the caller's transaction. */
  async byIds(tx: SqlQueries, refs: readonly { id: string }[]): Promise<AgentRecord[]> {
    return agentTable.byIds(
      tx,
      refs.map(({ id }) => id),
    );
  }

  /**
   * Up to `limit` agents whose ap_id comes after this one, ordered by it. To iterate over all of them in bounded
   * memory, begin after '' and continue after the last one until the result is empty.
   */
  async page(afterApId: string, limit: number): Promise<AgentRecord[]> {
    return agentTable.list(this.db, 'WHERE ap_id > ? ORDER BY ap_id LIMIT ?', [afterApId, limit]);
  }

  /** Whether this is the stored form of the generated password that the agent had before it was replaced. */
  async isReplaced(ap_id: string, hash: string): Promise<boolean> {
    return (await this.countRows('agents WHERE ap_id = ? AND replaced_hash = ?', [ap_id, hash])) > 0;
  }

  async count(): Promise<number> {
    return this.countRows('agents');
  }

  /** Without those whose emulated network has ended. Reads them all. */
  async countPresent(): Promise<number> {
    return this.countRows(`agents WHERE NOT ${ENDED}`);
  }

  async countReal(): Promise<number> {
    return this.countRows('agents WHERE emulated_for IS NULL');
  }

  /** Every change of an agent raises it, on any node; so do changes of sites. */
  revision(): Promise<number> {
    return readRevision(this.db, fleetHead);
  }

  /** Durable when it resolves. Throws ConflictError `agent_exists` if the ap_id is taken. */
  async create(agent: AgentRecord, also?: InSameTransaction<AgentRecord>): Promise<void> {
    await this.db
      .transaction(async (tx) => {
        await insertAgent(tx, agent);
        await also?.(tx, { after: agent });
      })
      .catch(ifTaken(agentExists));
  }

  /** The same for many agents, in the caller's transaction. Throws UniqueViolation for a name that is taken. */
  async createAll(tx: SqlQueries, agents: readonly AgentRecord[]): Promise<void> {
    if (agents.length > 0) await insertAgents(tx, agents, await raiseRevision(tx, fleetHead));
  }

  /**
   * The same, and each gets a display name of its own: its stem and the next number that no agent has with it. There are as
   * many stems as agents; names of those whose network has ended are free.
   */
  async createNamed(tx: SqlQueries, agents: readonly AgentRecord[], stems: readonly string[]): Promise<void> {
    if (agents.length === 0) return;
    const revision = await raiseRevision(tx, fleetHead);
    const rows = await tx.query<{ display_name: string }>(
      `SELECT display_name FROM agents WHERE display_name IS NOT NULL AND NOT ${ENDED}`,
    );
    const taken = rows.map(({ display_name }) => display_name);
    const names = freeNames(stems, taken);
    const named = agents.map((agent, index) => ({ ...agent, display_name: names[index]! }));
    await insertAgents(tx, named, revision);
  }

  /** Revokes the credentials and tokens of these agents, in the caller's transaction; resolves those that exist. */
  async revokeAll(tx: SqlQueries, ap_ids: readonly string[], ver: string) {
    if (ap_ids.length === 0) return [];
    const sql =
      'UPDATE agents SET password_hash = ?, ver = ?, revision = ? WHERE ap_id IN ({{list}}) RETURNING id, ap_id';
    const revision = await raiseRevision(tx, fleetHead);
    const sorted = [...ap_ids].sort();
    const revoked = await runList<{ id: string; ap_id: string }>(tx, sql, sorted, [revokedHash, ver, revision]);
    return revoked.map(({ id, ap_id }) => ({ id, ap_id }));
  }

  /** Resolves the updated record, or undefined if there is none. Throws PreconditionError if it is not what `ifMatch` names. */
  async update(
    ap_id: string,
    change: AgentChange,
    also?: InSameTransaction<AgentRecord>,
  ): Promise<AgentRecord | undefined> {
    const { password_hash, configuration, onboard, ver } = change;
    return this.#change(ap_id, also, async (tx, revision, before) => {
      requireMatch(change.ifMatch, etagOfAgent(before));
      const isKept = change.isReplaced && before.password_hash.startsWith(generatedHashPrefix);
      const replaced_hash = isKept ? before.password_hash : undefined;
      const columns = { password_hash, configuration, onboard, ver, replaced_hash, revision };
      return (await agentTable.change(tx, columns, 'WHERE ap_id = ?', [ap_id]))!;
    });
  }

  /**
   * Replaces the configuration by the result of `change`, atomically. Resolves as `update` does;
   * what `change` throws is thrown, and then nothing was changed.
   */
  async changeConfiguration(
    ap_id: string,
    change: (record: AgentRecord) => Record<string, unknown>,
    also?: InSameTransaction<AgentRecord>,
  ): Promise<AgentRecord | undefined> {
    return this.#change(ap_id, also, async (tx, revision, before) => {
      const columns = { configuration: change(before), revision };
      return (await agentTable.change(tx, columns, 'WHERE ap_id = ?', [ap_id]))!;
    });
  }

  /**
   * Replaces the labels by the result of `change`, atomically. Resolves as `update` does; `also` runs only if they differ. What
   * `change` throws is thrown, UnknownSite for a path without a site, and then nothing was changed.
   */
  async changeLabels(
    ap_id: string,
    change: (record: AgentRecord) => AgentLabels,
    also?: InSameTransaction<AgentRecord>,
  ): Promise<AgentRecord | undefined> {
    return this.#change(ap_id, also, async (tx, revision, before) => {
      const { display_name, site, tags } = change(before);
      if (isSame(before, { display_name, site, tags })) return before;
      const site_id = site === null ? null : await siteId(tx, site);
      await agentTable.change(tx, { display_name, site_id, tags, revision }, 'WHERE ap_id = ?', [ap_id]);
      return { ...before, display_name, site, tags };
    });
  }

  /** Resolves whether it existed. */
  async remove(ap_id: string, also?: InSameTransaction<AgentRecord>): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      const revision = await raiseRevision(tx, fleetHead);
      const before = await getAgent(tx, ap_id);
      if (!before) return false;
      await tx.query('DELETE FROM agents WHERE ap_id = ?', [ap_id]);
      await noteRemoved(tx, revision, ap_id);
      await also?.(tx, { before });
      return true;
    });
  }

  /** `change` resolves the record as it is then; if that is the one before, `also` does not run. */
  async #change(
    ap_id: string,
    also: InSameTransaction<AgentRecord> | undefined,
    change: (tx: SqlQueries, revision: number, before: AgentRecord) => Promise<AgentRecord>,
  ): Promise<AgentRecord | undefined> {
    return this.db.transaction(async (tx) => {
      const revision = await raiseRevision(tx, fleetHead);
      const before = await getAgent(tx, ap_id);
      if (!before) return undefined;
      const after = await change(tx, revision, before);
      if (after !== before) await also?.(tx, { before, after });
      return after;
    });
  }
}

/** In a transaction that holds the revision of the fleet, nobody changes it meanwhile. */
async function getAgent(tx: SqlQueries, ap_id: string): Promise<AgentRecord | undefined> {
  return agentTable.get(tx, 'WHERE ap_id = ?', [ap_id]);
}

/** Changes of sites hold the revision of the fleet too, so that it is not removed meanwhile. */
async function siteId(tx: SqlQueries, path: string): Promise<string> {
  const [row] = await tx.query<{ id: string }>('SELECT id FROM sites WHERE path = ?', [path]);
  if (!row) throw new UnknownSite(`there is no site ${path}`);
  return row.id;
}

function isSame(a: AgentLabels, b: AgentLabels): boolean {
  return a.display_name === b.display_name && a.site === b.site && JSON.stringify(a.tags) === JSON.stringify(b.tags);
}

// Display names that count on: `bristol-5g-1`, `bristol-5g-2` and so on, after the last one that is taken.

/** One name for each stem, in their order; no two are the same, and none is taken. */
export function freeNames(stems: readonly string[], taken: Iterable<string>): string[] {
  const last = new Map(stems.map((stem) => [stem, 0]));
  for (const name of taken) {
    const dash = name.lastIndexOf('-');
    const stem = name.slice(0, dash);
    const number = name.slice(dash + 1);
    const known = last.get(stem);
    if (known !== undefined && /^[0-9]{1,9}$/.test(number)) last.set(stem, Math.max(known, Number(number)));
  }
  return stems.map((stem) => {
    const number = last.get(stem)! + 1;
    last.set(stem, number);
    return `${stem}-${number}`;
  });
}
