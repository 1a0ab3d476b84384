// Commands, leases and parameters in SQL. Whoever writes holds the end of the audit log, so that nothing here has to ask
// twice: see command-ledger.ts.
import type { ConflictRules } from '@weft/contract';
import { TryLaterError } from '../../errors.ts';
import type { SqlDatabase, SqlQueries, SqlRow, SqlValue } from '../../storage/sql-database.ts';
import { inParts, runRows } from '../../storage/sql-rows.ts';
import type { Lease } from '../arbitration/conflict-intent.ts';
import type {
  BatchRecord,
  Changes,
  CommandFilter,
  CommandRecord,
  CommandStore,
  Found,
  ReadSetFields,
  StateRecord,
} from './command-store.ts';

const COLUMNS = [
  ...['command_id', 'job_number', 'ap_id', 'agent_id', 'name', 'parameter', 'parameter_group', 'caller_kind'],
  ...['caller_id', 'caller_name', 'owner_kind', 'owner_id', 'rank', 'priority', 'state', 'verdict', 'reason'],
  ...['detail', 'rival', 'hold_until', 'created_at', 'expires_at', 'deliver_after', 'due_at', 'sent_at'],
  ...['received_at', 'ended_at', 'idempotency_key', 'guard', 'settle_ms', 'guard_until', 'inverse_of', 'batch_id'],
  ...['args', 'sent_args', 'applied', 'previous', 'intent', 'result'],
] as const;
const LIST = COLUMNS.join(', ');
const jsonColumns = ['rival', 'args', 'sent_args', 'applied', 'previous', 'intent'] as const;
const isJson: ReadonlySet<string> = new Set(jsonColumns);

const LEASE_COLUMNS = [
  ...['ap_id', 'parameter', 'caller_id', 'parameter_group', 'command_id', 'caller_kind', 'caller_name'],
  ...['rank', 'priority', 'since', 'until', 'value'],
] as const;
const LEASE_LIST = LEASE_COLUMNS.join(', ');
const STATE_LIST = 'ap_id, parameter, changed_at, frozen_until, recent, value';

/** What changes along a command's life; the first is its key. PostgreSQL must be told types, SQLite does not mind. */
const lifeColumns = [
  ...[['command_id', 'TEXT'] as const, ['state', 'TEXT'] as const, ['detail', 'TEXT'] as const],
  ...(['due_at', 'sent_at', 'received_at', 'ended_at', 'guard_until'] as const).map(
    (name) => [name, 'BIGINT'] as const,
  ),
] as const;
/** What changes once or seldom. */
const restColumns = [
  ['command_id', 'TEXT'],
  ['verdict', 'TEXT'],
  ['reason', 'TEXT'],
  ['rival', 'TEXT'],
  ['hold_until', 'BIGINT'],
  ['deliver_after', 'BIGINT'],
  ['parameter_group', 'TEXT'],
  ['sent_args', 'TEXT'],
  ['applied', 'TEXT'],
  ['previous', 'TEXT'],
  ['intent', 'TEXT'],
  ['result', 'TEXT'],
] as const;

type CommandRow = { [Column in (typeof COLUMNS)[number]]: SqlValue } & SqlRow;
type LeaseRow = { [Column in (typeof LEASE_COLUMNS)[number]]: SqlValue } & SqlRow;
type Id = { command_id: string };

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

  async listGuarded(limit: number): Promise<CommandRecord[]> {
    return this.#select('guard_until IS NOT NULL ORDER BY guard_until LIMIT ?', [limit]);
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

  async find(tx: SqlQueries, wanted: ReadSetFields, nowMs: number): Promise<Found> {
    return {
      commands: [...(await this.#findCommands(tx, wanted.commands)), ...(await this.#findKeys(tx, wanted.keys))],
      leases: await this.#findLeases(tx, wanted, nowMs),
      states: (
        await runRows<StateRow>(
          tx,
          `SELECT ${STATE_LIST} FROM parameter_states WHERE (ap_id, parameter) IN (VALUES {{rows}})`,
          wanted.states,
        )
      ).map(toState),
      openOf: await this.#countOpen(tx, wanted.owners),
    };
  }

  async write(tx: SqlQueries, changes: Changes): Promise<void> {
    await runRows(tx, `INSERT INTO commands (${LIST}) VALUES {{rows}}`, changes.created.map(toValues));
    await updateCommands(tx, changes.moved, lifeColumns);
    await updateCommands(tx, changes.changed, restColumns);
    await runRows(
      tx,
      'DELETE FROM leases WHERE (ap_id, parameter, caller_id, command_id) IN (VALUES {{rows}})',
      changes.endedLeases.map(({ ap_id, parameter, caller_id, command_id }) => [
        ap_id,
        parameter,
        caller_id,
        command_id,
      ]),
    );
    await runRows(
      tx,
      `INSERT INTO leases (${LEASE_LIST}) VALUES {{rows}} ON CONFLICT (ap_id, parameter, caller_id) DO UPDATE SET
         ${LEASE_COLUMNS.slice(3)
           .map((column) => `${column} = excluded.${column}`)
           .join(', ')}`,
      changes.leases.map((lease) =>
        LEASE_COLUMNS.map((column) => (column === 'value' ? JSON.stringify(lease.value) : lease[column])),
      ),
    );
    await runRows(
      tx,
      `INSERT INTO parameter_states (${STATE_LIST}) VALUES {{rows}} ON CONFLICT (ap_id, parameter) DO UPDATE SET
         changed_at = excluded.changed_at, frozen_until = excluded.frozen_until, recent = excluded.recent,
         value = excluded.value`,
      changes.states.map(({ ap_id, parameter, changed_at, frozen_until, recent, value }) => [
        ...[ap_id, parameter, changed_at, frozen_until],
        ...[JSON.stringify(recent), value && JSON.stringify(value)],
      ]),
    );
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

  async createBatch({ batch_id, owner_id, next_at, plan }: BatchRecord, max: number): Promise<void> {
    const rows = await this.#db.query(
      `INSERT INTO command_batches (batch_id, owner_id, next_at, plan) SELECT ?, ?, CAST(? AS BIGINT), ?
       WHERE (SELECT COUNT(*) FROM command_batches WHERE owner_id = ?) < ? RETURNING batch_id`,
      [batch_id, owner_id, next_at, plan, owner_id, max],
    );
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
    return (await this.#db.query<CommandRow>(`SELECT ${LIST} FROM commands WHERE ${where}`, params)).map(toRecord);
  }

  async #ids(where: string, params: readonly SqlValue[]): Promise<string[]> {
    const rows = await this.#db.query<Id>(`SELECT command_id FROM commands WHERE ${where}`, params);
    return rows.map(({ command_id }) => command_id);
  }

  async #findCommands(tx: SqlQueries, ids: ReadonlySet<string>): Promise<CommandRecord[]> {
    const found: CommandRecord[] = [];
    for (const { marks, values } of inParts([...ids])) {
      const rows = await tx.query<CommandRow>(`SELECT ${LIST} FROM commands WHERE command_id IN (${marks})`, values);
      found.push(...rows.map(toRecord));
    }
    return found;
  }

  async #findKeys(tx: SqlQueries, keys: ReadSetFields['keys']): Promise<CommandRecord[]> {
    // The condition lets the partial index be used.
    const sql = `SELECT ${LIST} FROM commands
      WHERE idempotency_key IS NOT NULL AND (owner_id, idempotency_key) IN (VALUES {{rows}})`;
    return (await runRows<CommandRow>(tx, sql, keys)).map(toRecord);
  }

  async #findLeases(tx: SqlQueries, { leases, near }: ReadSetFields, nowMs: number): Promise<Lease[]> {
    const found: Lease[] = [];
    const sql = `SELECT ${LEASE_LIST} FROM leases WHERE (ap_id, parameter) IN (VALUES {{rows}})`;
    for (const lease of (await runRows<LeaseRow>(tx, sql, leases)).map(toLease)) {
      if (lease.until > nowMs) found.push(lease);
    }
    for (const [group, ap_ids] of near) {
      for (const { marks, values } of inParts([...ap_ids])) {
        const sql = `SELECT ${LEASE_LIST} FROM leases WHERE parameter_group = ? AND ap_id IN (${marks}) AND until > ?`;
        found.push(...(await tx.query<LeaseRow>(sql, [group, ...values, nowMs])).map(toLease));
      }
    }
    return found;
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

async function updateCommands(
  tx: SqlQueries,
  commands: readonly CommandRecord[],
  columns: typeof lifeColumns | typeof restColumns,
): Promise<void> {
  const sets = columns.slice(1).map(([name], index) => `${name} = v.column${index + 2}`);
  const mark = `(${columns.map(([, type]) => `CAST(? AS ${type})`).join(', ')})`;
  const sql = `UPDATE commands SET ${sets.join(', ')} FROM (VALUES {{rows}}) AS v WHERE command_id = v.column1`;
  const rows = commands.map((command) => columns.map(([name]) => toValue(command, name)));
  await runRows(tx, sql, rows, mark);
}

function toValue(command: CommandRecord, column: (typeof COLUMNS)[number]): SqlValue {
  const value = command[column];
  if (value === null || !isJson.has(column)) return value as SqlValue;
  return JSON.stringify(value);
}

function toValues(command: CommandRecord): SqlValue[] {
  return COLUMNS.map((column) => toValue(command, column));
}

function toRecord(row: CommandRow): CommandRecord {
  const record: Record<string, unknown> = { ...row };
  for (const column of jsonColumns) {
    const text = row[column];
    if (text !== null) record[column] = JSON.parse(text as string);
  }
  return record as unknown as CommandRecord;
}

function toLease(row: LeaseRow): Lease {
  return { ...row, value: JSON.parse(row.value as string) } as unknown as Lease;
}

type StateRow = {
  ap_id: string;
  parameter: string;
  changed_at: number;
  frozen_until: number | null;
  recent: string;
  value: string | null;
};

function toState({ recent, value, ...rest }: StateRow): StateRecord {
  return { ...rest, recent: JSON.parse(recent), value: value === null ? null : JSON.parse(value) };
}
