// Commands in SQL, with the leases, parameter states, rules and roll-outs that belong to them. Every writer holds the lock
// of the audit log (see command-ledger.ts), so no statement here checks for concurrent changes.
import type { ConflictRules } from '@weft/contract';
import { TryLaterError } from '../../errors.ts';
import { type OwnerKey, requirePresentOwner } from '../../storage/present-owner.ts';
import type { SqlDatabase, SqlQueries, SqlRow, SqlValue } from '../../storage/sql-database.ts';
import { inParts, runRows } from '../../storage/sql-rows.ts';
import type { Lease } from '../arbitration/conflict-intent.ts';
import {
  COMMAND_COLUMNS,
  type CommandRow,
  findOwned,
  insertCommands,
  toRecord,
  updateCommandStates,
  updateCommands,
} from './command-rows.ts';
import type {
  BatchRecord,
  Changes,
  CommandFilter,
  CommandRecord,
  CommandStore,
  Found,
  OwnerKind,
  ReadSetFields,
} from './command-store.ts';
import { deleteLeases, findLeases, findLeasesOf, findStates, putLeases, putStates } from './lease-rows.ts';

type Id = { command_id: string };
const AWAITING = "ended_at IS NULL AND received_at IS NOT NULL AND name = 'steer_device'";

export function createCommandStore(db: SqlDatabase): CommandStore {
  return new SqlCommandStore(db);
}

class SqlCommandStore implements CommandStore {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  async get(command_id: string): Promise<CommandRecord | undefined> {
    const [row] = await this.#select('command_id = ?', [command_id]);
    return row;
  }

  async list({ owner, ap_id, state, batch_id, before, limit }: CommandFilter): Promise<CommandRecord[]> {
    const conditions = ['1 = 1'];
    const params: SqlValue[] = [];
    const require = (condition: string, ...values: SqlValue[]) => {
      conditions.push(condition);
      params.push(...values);
    };
    if (owner) require('owner_id = ? AND owner_kind = ?', owner.owner_id, owner.owner_kind);
    if (ap_id !== undefined) require('ap_id = ?', ap_id);
    if (state !== undefined) require('state = ?', state);
    if (batch_id !== undefined) require('batch_id = ?', batch_id);
    if (before) require('(created_at, command_id) < (?, ?)', before.created_at, before.command_id);
    return this.#select(`${conditions.join(' AND ')} ORDER BY created_at DESC, command_id DESC LIMIT ?`, [
      ...params,
      limit,
    ]);
  }

  async listDue(ap_ids: readonly string[], nowMs: number, isFresh: boolean, limit: number): Promise<CommandRecord[]> {
    const when = isFresh ? 'due_at IS NOT NULL' : 'due_at <= ?';
    const found: CommandRecord[] = [];
    for (const part of inParts(ap_ids)) {
      const rows = await this.#select(
        `ap_id IN (${part.marks}) AND ended_at IS NULL AND ${when} AND expires_at > ?
         ORDER BY created_at, command_id LIMIT ?`,
        [...part.values, ...(isFresh ? [] : [nowMs]), nowMs, limit],
      );
      found.push(...rows);
    }
    return found.slice(0, limit);
  }

  async openAmong(command_ids: readonly string[]): Promise<Set<string>> {
    const open = new Set<string>();
    for (const { marks, values } of inParts(command_ids)) {
      const found = await this.#ids(`ended_at IS NULL AND received_at IS NULL AND command_id IN (${marks})`, values);
      for (const id of found) open.add(id);
    }
    return open;
  }

  async listOverdue(nowMs: number, limit: number): Promise<string[]> {
    return this.#ids('ended_at IS NULL AND expires_at <= ? ORDER BY expires_at LIMIT ?', [nowMs, limit]);
  }

  async listDeferred(nowMs: number, limit: number): Promise<CommandRecord[]> {
    return this.#select(
      'ended_at IS NULL AND deliver_after IS NOT NULL AND deliver_after <= ? ORDER BY deliver_after, created_at LIMIT ?',
      [nowMs, limit],
    );
  }

  async nextDeferred(): Promise<number | undefined> {
    const [row] = await this.#db.query<{ next: number | null }>(
      'SELECT MIN(deliver_after) AS next FROM commands WHERE ended_at IS NULL AND deliver_after IS NOT NULL',
    );
    return row?.next ?? undefined;
  }

  async listUnacknowledged(nowMs: number, afterApId: string, limit: number): Promise<string[]> {
    const rows = await this.#db.query<{ ap_id: string }>(
      `SELECT DISTINCT ap_id FROM commands WHERE state = 'sent' AND due_at <= ? AND ap_id > ? ORDER BY ap_id LIMIT ?`,
      [nowMs, afterApId, limit],
    );
    return rows.map(({ ap_id }) => ap_id);
  }

  async listOpen(ap_id: string): Promise<string[]> {
    return this.#ids('ap_id = ? AND (ended_at IS NULL OR guard_until IS NOT NULL) ORDER BY created_at', [ap_id]);
  }

  listOwned(tx: SqlQueries, owner_kind: OwnerKind, owner_id: string): Promise<CommandRecord[]> {
    return findOwned(tx, owner_kind, owner_id);
  }

  listLeases(tx: SqlQueries, caller_id: string): Promise<Lease[]> {
    return findLeasesOf(tx, caller_id);
  }

  endLeases(tx: SqlQueries, leases: readonly Lease[]): Promise<void> {
    return deleteLeases(tx, leases);
  }

  async removeBatches(tx: SqlQueries, owner_id: string): Promise<string[]> {
    const sql = 'DELETE FROM command_batches WHERE owner_id = ? RETURNING batch_id';
    return (await tx.query<{ batch_id: string }>(sql, [owner_id])).map(({ batch_id }) => batch_id);
  }

  async listGuarded(limit: number): Promise<CommandRecord[]> {
    return this.#select('guard_until IS NOT NULL ORDER BY guard_until LIMIT ?', [limit]);
  }

  async listAwaiting(limit: number): Promise<CommandRecord[]> {
    return this.#select(`${AWAITING} ORDER BY created_at LIMIT ?`, [limit]);
  }

  async prune(
    { nowMs, commandsBefore, statesBefore }: { nowMs: number; commandsBefore: number; statesBefore: number },
    limit: number,
  ): Promise<boolean> {
    const commands = await this.#db.query(
      `DELETE FROM commands WHERE command_id IN (SELECT command_id FROM commands
         WHERE ended_at IS NOT NULL AND ended_at <= ? AND guard_until IS NULL ORDER BY ended_at LIMIT ?)
       RETURNING command_id`,
      [commandsBefore, limit],
    );
    const leases = await this.#db.query(
      `DELETE FROM leases WHERE (ap_id, parameter, caller_id) IN (
         SELECT ap_id, parameter, caller_id FROM leases WHERE until <= ? ORDER BY until LIMIT ?) RETURNING ap_id`,
      [nowMs, limit],
    );
    const states = await this.#db.query(
      `DELETE FROM parameter_states WHERE (ap_id, parameter) IN (
         SELECT ap_id, parameter FROM parameter_states WHERE changed_at <= ? ORDER BY changed_at LIMIT ?)
       RETURNING ap_id`,
      [statesBefore, limit],
    );
    return Math.max(commands.length, leases.length, states.length) === limit;
  }

  async version(tx: SqlQueries): Promise<number | undefined> {
    if (this.#db.dialect !== 'sqlite') return undefined;
    const [row] = await tx.query<{ data_version: number }>('PRAGMA data_version');
    return row?.data_version;
  }

  async find(tx: SqlQueries, wanted: ReadSetFields, nowMs: number): Promise<Found> {
    return {
      commands: [...(await this.#findCommands(tx, wanted.commands)), ...(await this.#findKeys(tx, wanted.keys))],
      leases: await findLeases(tx, wanted, nowMs),
      states: await findStates(tx, wanted.states),
      openOf: await this.#countOpen(tx, wanted.owners),
    };
  }

  async write(tx: SqlQueries, changes: Changes): Promise<void> {
    await insertCommands(tx, changes.created);
    await updateCommandStates(tx, changes.moved);
    await updateCommands(tx, changes.changed);
    await deleteLeases(tx, changes.endedLeases);
    await putLeases(tx, changes.leases);
    await putStates(tx, changes.states);
  }

  async hasTraces(ap_id: string): Promise<boolean> {
    const rows = await this.#db.query(
      `SELECT 1 AS one WHERE EXISTS (SELECT 1 FROM leases WHERE ap_id = ?)
         OR EXISTS (SELECT 1 FROM parameter_states WHERE ap_id = ?)`,
      [ap_id, ap_id],
    );
    return rows.length > 0;
  }

  async forgetAgent(tx: SqlQueries, ap_id: string): Promise<void> {
    await tx.query('DELETE FROM leases WHERE ap_id = ?', [ap_id]);
    await tx.query('DELETE FROM parameter_states WHERE ap_id = ?', [ap_id]);
  }

  async newRules(tx: SqlQueries, knownVersion: number): Promise<{ version: number; rules: unknown } | undefined> {
    const [row] = await tx.query<{ version: number; rules: string }>(
      'SELECT version, rules FROM conflict_rules WHERE id = 1 AND version <> ?',
      [knownVersion],
    );
    return row && { version: row.version, rules: JSON.parse(row.rules) };
  }

  async createBatch({ batch_id, owner_id, next_at, plan }: BatchRecord, max: number, owner?: OwnerKey): Promise<void> {
    const rows = await this.#db.transaction(async (tx) => {
      if (owner) await requirePresentOwner(tx, this.#db.dialect, owner);
      return tx.query(
        `INSERT INTO command_batches (batch_id, owner_id, next_at, plan) SELECT ?, ?, CAST(? AS BIGINT), ?
         WHERE (SELECT COUNT(*) FROM command_batches WHERE owner_id = ?) < ? RETURNING batch_id`,
        [batch_id, owner_id, next_at, plan, owner_id, max],
      );
    });
    if (rows.length > 0) return;
    throw new TryLaterError(429, 'too_many_batches', `At most ${max} of your roll-outs may be in progress at once`, 60);
  }

  async takeBatches(nowMs: number, holdMs: number, limit: number): Promise<BatchRecord[]> {
    const rows = await this.#db.query<BatchRecord & SqlRow>(
      `UPDATE command_batches SET next_at = ? WHERE next_at <= ? AND batch_id IN (
         SELECT batch_id FROM command_batches WHERE next_at <= ? ORDER BY next_at LIMIT ?)
       RETURNING batch_id, owner_id, next_at, plan`,
      [nowMs + holdMs, nowMs, nowMs, limit],
    );
    return rows.map((row) => ({ ...row }));
  }

  async hasBatch(batch_id: string): Promise<boolean> {
    return (await this.#db.query('SELECT 1 FROM command_batches WHERE batch_id = ?', [batch_id])).length > 0;
  }

  async updateBatch(batch_id: string, plan: string, next_at: number | undefined): Promise<void> {
    if (next_at === undefined) await this.#db.query('DELETE FROM command_batches WHERE batch_id = ?', [batch_id]);
    else {
      const sql = 'UPDATE command_batches SET plan = ?, next_at = ? WHERE batch_id = ?';
      await this.#db.query(sql, [plan, next_at, batch_id]);
    }
  }

  async putRules(tx: SqlQueries, version: number, rules: ConflictRules): Promise<void> {
    await tx.query(
      `INSERT INTO conflict_rules (id, version, rules) VALUES (1, ?, ?)
       ON CONFLICT (id) DO UPDATE SET version = excluded.version, rules = excluded.rules`,
      [version, JSON.stringify(rules)],
    );
  }

  async #select(where: string, params: readonly SqlValue[]): Promise<CommandRecord[]> {
    return (await this.#db.query<CommandRow>(`SELECT ${COMMAND_COLUMNS} FROM commands WHERE ${where}`, params)).map(
      toRecord,
    );
  }

  async #ids(where: string, params: readonly SqlValue[]): Promise<string[]> {
    const rows = await this.#db.query<Id>(`SELECT command_id FROM commands WHERE ${where}`, params);
    return rows.map(({ command_id }) => command_id);
  }

  async #findCommands(tx: SqlQueries, ids: ReadonlySet<string>): Promise<CommandRecord[]> {
    const found: CommandRecord[] = [];
    for (const { marks, values } of inParts([...ids])) {
      const rows = await tx.query<CommandRow>(
        `SELECT ${COMMAND_COLUMNS} FROM commands WHERE command_id IN (${marks})`,
        values,
      );
      found.push(...rows.map(toRecord));
    }
    return found;
  }

  async #findKeys(tx: SqlQueries, keys: ReadSetFields['keys']): Promise<CommandRecord[]> {
    // The condition lets the partial index be used.
    const sql = `SELECT ${COMMAND_COLUMNS} FROM commands
      WHERE idempotency_key IS NOT NULL AND (owner_id, idempotency_key) IN (VALUES {{rows}})`;
    return (await runRows<CommandRow>(tx, sql, keys)).map(toRecord);
  }

  async #countOpen(tx: SqlQueries, owners: ReadonlySet<string>): Promise<Map<string, number>> {
    const counts = new Map<string, number>();
    for (const { marks, values } of inParts([...owners])) {
      const rows = await tx.query<{ owner_id: string; open: number }>(
        `SELECT owner_id, COUNT(*) AS open FROM commands WHERE ended_at IS NULL AND owner_id IN (${marks})
         GROUP BY owner_id`,
        values,
      );
      for (const { owner_id, open } of rows) counts.set(owner_id, open);
    }
    return counts;
  }
}
