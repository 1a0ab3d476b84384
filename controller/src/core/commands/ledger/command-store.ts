// Commands, leases and what was last set, as the database keeps them. The ledger reads and writes them inside its
// transactions; all others only read. Every writer holds the lock of the audit log (see command-ledger.ts), so no statement
// here checks for concurrent changes.
import { TryLaterError } from '../../base/errors.ts';
import { type OwnerKey, requirePresentOwner } from '../../base/storage/present-owner.ts';
import type { SqlQueries, SqlRow, SqlValue } from '../../base/storage/sql-database.ts';
import { inParts } from '../../base/storage/sql-rows.ts';
import { SqlStore } from '../../base/storage/sql-store.ts';
import type { BatchRecord, Changes, CommandFilter, CommandRecord, Found, ReadSetFields } from './command-record.ts';
import {
  countOpen,
  findCommands,
  findKeys,
  findRuns,
  insertCommands,
  selectCommands,
  updateCommandStates,
  updateCommands,
} from './command-rows.ts';
import { deleteLeases, findLeases, findStates, type PruneTimes, prune, putLeases, putStates } from './lease-rows.ts';

const AWAITING = "ended_at IS NULL AND received_at IS NOT NULL AND name = 'steer_device'";

/** Every method throws TryLaterError (503) while the database is unreachable; then nothing was changed. */
export class CommandStore extends SqlStore {
  async get(command_id: string): Promise<CommandRecord | undefined> {
    const [row] = await selectCommands(this.db, 'command_id = ?', [command_id]);
    return row;
  }

  /** Newest first. */
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
    return selectCommands(this.db, `${conditions.join(' AND ')} ORDER BY created_at DESC, command_id DESC LIMIT ?`, [
      ...params,
      limit,
    ]);
  }

  /**
   * Commands to send to these agents, oldest first, up to `limit` in all: those whose time has come, or, if `isFresh`, all
   * that were not acknowledged. None that has expired.
   */
  async listDue(ap_ids: readonly string[], nowMs: number, isFresh: boolean, limit: number): Promise<CommandRecord[]> {
    // One that was never sent is due whatever the clocks of two nodes say: nobody would look for it again.
    const when = isFresh ? 'due_at IS NOT NULL' : "due_at IS NOT NULL AND (state = 'queued' OR due_at <= ?)";
    const found: CommandRecord[] = [];
    for (const part of inParts(ap_ids)) {
      const rows = await selectCommands(
        this.db,
        `ap_id IN (${part.marks}) AND ended_at IS NULL AND ${when} AND expires_at > ?
         ORDER BY created_at, command_id LIMIT ?`,
        [...part.values, ...(isFresh ? [] : [nowMs]), nowMs, limit],
      );
      found.push(...rows);
    }
    return found.slice(0, limit);
  }

  /** Those to these agents that were sent, or should be by now, and have neither ended nor expired. */
  async listUnderWay(ap_ids: readonly string[], now: number): Promise<CommandRecord[]> {
    const where = 'ended_at IS NULL AND expires_at > ? AND (sent_at IS NOT NULL OR due_at IS NOT NULL) AND ap_id IN';
    const parts = Array.from(inParts(ap_ids), ({ marks, values }) => [`${where} (${marks})`, values] as const);
    return (await Promise.all(parts.map((part) => selectCommands(this.db, part[0], [now, ...part[1]])))).flat();
  }

  /** Those of these commands that have neither ended nor been received. */
  async openAmong(command_ids: readonly string[]): Promise<Set<string>> {
    const open = new Set<string>();
    for (const { marks, values } of inParts(command_ids)) {
      const found = await this.#ids(`ended_at IS NULL AND received_at IS NULL AND command_id IN (${marks})`, values);
      for (const id of found) open.add(id);
    }
    return open;
  }

  /** Open commands whose time is over, longest first. */
  async listOverdue(nowMs: number, limit: number): Promise<string[]> {
    return this.#ids('ended_at IS NULL AND expires_at <= ? ORDER BY expires_at LIMIT ?', [nowMs, limit]);
  }

  /** Open commands that waited for a lease until now, longest first. */
  async listDeferred(nowMs: number, limit: number): Promise<CommandRecord[]> {
    return selectCommands(
      this.db,
      'ended_at IS NULL AND deliver_after IS NOT NULL AND deliver_after <= ? ORDER BY deliver_after, created_at LIMIT ?',
      [nowMs, limit],
    );
  }

  /** When the next command stops waiting for a lease. */
  async nextDeferred(): Promise<number | undefined> {
    const [row] = await this.db.query<{ next: number | null }>(
      'SELECT MIN(deliver_after) AS next FROM commands WHERE ended_at IS NULL AND deliver_after IS NOT NULL',
    );
    return row?.next ?? undefined;
  }

  /** Agents with commands that were sent, are not acknowledged, and are to be sent again; in order, after that one. */
  listUnacknowledged(nowMs: number, afterApId: string, limit: number): Promise<string[]> {
    const where = `state = 'sent' AND due_at <= ? AND ap_id > ? ORDER BY ap_id LIMIT ?`;
    return this.#agents(where, [nowMs, afterApId, limit]);
  }

  /** Agents with commands that became due between these times and were not sent: perhaps nobody heard of them. */
  listUnsent(fromMs: number, untilMs: number, limit: number): Promise<string[]> {
    const where = `ended_at IS NULL AND state = 'queued' AND due_at >= ? AND due_at <= ? LIMIT ?`;
    return this.#agents(where, [fromMs, untilMs, limit]);
  }

  /** The commands of an agent that are open, or whose guards are watched. */
  async listOpen(ap_id: string): Promise<string[]> {
    return this.#ids('ap_id = ? AND (ended_at IS NULL OR guard_until IS NOT NULL) ORDER BY created_at', [ap_id]);
  }

  /** Inside a transaction: ends the roll-outs of an owner; resolves their ids. */
  async removeBatches(tx: SqlQueries, owner_id: string): Promise<string[]> {
    const sql = 'DELETE FROM command_batches WHERE owner_id = ? RETURNING batch_id';
    return (await tx.query<{ batch_id: string }>(sql, [owner_id])).map(({ batch_id }) => batch_id);
  }

  /** Commands whose guard is watched, soonest to end first. */
  async listGuarded(limit: number): Promise<CommandRecord[]> {
    return selectCommands(this.db, 'guard_until IS NOT NULL ORDER BY guard_until LIMIT ?', [limit]);
  }

  /** Steering commands that their access points have, and that wait for what the network sees; oldest first. */
  async listAwaiting(limit: number): Promise<CommandRecord[]> {
    return selectCommands(this.db, `${AWAITING} ORDER BY created_at LIMIT ?`, [limit]);
  }

  /** Deletes commands that ended before, leases that have ended, and old parameter states; resolves whether there may be more. */
  prune(before: PruneTimes, limit: number): Promise<boolean> {
    return prune(this.db, before, limit);
  }

  /**
   * Inside a transaction: another number than before if another connection has written to the database since; undefined if
   * that cannot be known.
   */
  async version(tx: SqlQueries): Promise<number | undefined> {
    if (this.db.dialect !== 'sqlite') return undefined;
    const [row] = await tx.query<{ data_version: number }>('PRAGMA data_version');
    return row?.data_version;
  }

  /** Inside a transaction. */
  async find(tx: SqlQueries, wanted: ReadSetFields, nowMs: number): Promise<Found> {
    return {
      commands: [...(await findCommands(tx, wanted.commands)), ...(await findKeys(tx, wanted.keys))],
      leases: await findLeases(tx, wanted, nowMs),
      states: await findStates(tx, wanted.states),
      openOf: await countOpen(tx, wanted.owners),
      runs: await findRuns(tx, wanted.runs),
    };
  }

  /** Inside a transaction. Throws UniqueViolation if an idempotency key is taken. */
  async write(tx: SqlQueries, changes: Changes): Promise<void> {
    await insertCommands(tx, changes.created);
    await updateCommandStates(tx, changes.moved);
    await updateCommands(tx, changes.changed);
    await deleteLeases(tx, changes.endedLeases);
    await putLeases(tx, changes.leases);
    await putStates(tx, changes.states);
  }

  /** Whether there is anything that `forgetAgent` would delete. */
  async hasTraces(ap_id: string): Promise<boolean> {
    const rows = await this.db.query(
      `SELECT 1 AS one WHERE EXISTS (SELECT 1 FROM leases WHERE ap_id = ?)
         OR EXISTS (SELECT 1 FROM parameter_states WHERE ap_id = ?)`,
      [ap_id, ap_id],
    );
    return rows.length > 0;
  }

  /** Inside a transaction: deletes the leases and parameter states of an agent that was removed. */
  async forgetAgent(tx: SqlQueries, ap_id: string): Promise<void> {
    await tx.query('DELETE FROM leases WHERE ap_id = ?', [ap_id]);
    await tx.query('DELETE FROM parameter_states WHERE ap_id = ?', [ap_id]);
  }

  /**
   * Stores a roll-out. Throws TryLaterError 429 `too_many_batches` if the owner has as many as `max`, and AuthenticationError if
   * an owner is given who is gone, disabled, or has other credentials now.
   */
  async createBatch({ batch_id, owner_id, next_at, plan }: BatchRecord, max: number, owner?: OwnerKey): Promise<void> {
    const rows = await this.db.transaction(async (tx) => {
      if (owner) await requirePresentOwner(tx, this.db.dialect, owner);
      return tx.query(
        `INSERT INTO command_batches (batch_id, owner_id, next_at, plan) SELECT ?, ?, CAST(? AS BIGINT), ?
         WHERE (SELECT COUNT(*) FROM command_batches WHERE owner_id = ?) < ? RETURNING batch_id`,
        [batch_id, owner_id, next_at, plan, owner_id, max],
      );
    });
    if (rows.length > 0) return;
    throw new TryLaterError(429, 'too_many_batches', `At most ${max} of your roll-outs may be in progress at once`, 60);
  }

  /** Up to `limit` whose next stage is due; no other node gets them before `nowMs + holdMs`. */
  async takeBatches(nowMs: number, holdMs: number, limit: number): Promise<BatchRecord[]> {
    const rows = await this.db.query<BatchRecord & SqlRow>(
      `UPDATE command_batches SET next_at = ? WHERE next_at <= ? AND batch_id IN (
         SELECT batch_id FROM command_batches WHERE next_at <= ? ORDER BY next_at LIMIT ?)
       RETURNING batch_id, owner_id, next_at, plan`,
      [nowMs + holdMs, nowMs, nowMs, limit],
    );
    return rows.map((row) => ({ ...row }));
  }

  async hasBatch(batch_id: string): Promise<boolean> {
    return (await this.db.query('SELECT 1 FROM command_batches WHERE batch_id = ?', [batch_id])).length > 0;
  }

  /** `next_at` undefined: it is done, and forgotten. */
  async updateBatch(batch_id: string, plan: string, next_at: number | undefined): Promise<void> {
    if (next_at === undefined) await this.db.query('DELETE FROM command_batches WHERE batch_id = ?', [batch_id]);
    else {
      const sql = 'UPDATE command_batches SET plan = ?, next_at = ? WHERE batch_id = ?';
      await this.db.query(sql, [plan, next_at, batch_id]);
    }
  }

  async #agents(where: string, params: readonly SqlValue[]): Promise<string[]> {
    const rows = await this.db.query<{ ap_id: string }>(`SELECT DISTINCT ap_id FROM commands WHERE ${where}`, params);
    return rows.map(({ ap_id }) => ap_id);
  }

  async #ids(where: string, params: readonly SqlValue[]): Promise<string[]> {
    const rows = await this.db.query<{ command_id: string }>(`SELECT command_id FROM commands WHERE ${where}`, params);
    return rows.map(({ command_id }) => command_id);
  }
}
