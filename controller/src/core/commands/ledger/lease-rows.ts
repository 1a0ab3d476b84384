// Leases and parameter states as rows: what a transaction of the ledger reads and writes of them; and what is pruned of all.
import type { SqlQueries, SqlRow, SqlValue } from '../../base/storage/sql-database.ts';
import { inParts, runRows, valuesOf } from '../../base/storage/sql-rows.ts';
import type { Lease } from '../arbitration/conflict-intent.ts';
import type { ReadSetFields, StateRecord } from './command-record.ts';

const leaseColumns = [
  ...['ap_id', 'parameter', 'caller_id', 'parameter_group', 'command_id', 'caller_kind', 'caller_name'],
  ...['rank', 'priority', 'since', 'until', 'value'],
] as const;
const LEASE_COLUMNS = leaseColumns.join(', ');
/** All but the key. */
const LEASE_CHANGES = leaseColumns
  .slice(3)
  .map((column) => `${column} = excluded.${column}`)
  .join(', ');
/** Of one agent that declares no commands. */
const maxTextParameters = 64;
const STATE_COLUMNS = 'ap_id, parameter, changed_at, frozen_until, recent, value';

type LeaseRow = { [Column in (typeof leaseColumns)[number]]: SqlValue } & SqlRow;
type StateRow = Omit<StateRecord, 'recent' | 'value'> & { recent: string; value: string | null };

export async function findLeases(tx: SqlQueries, { leases, near }: ReadSetFields, nowMs: number): Promise<Lease[]> {
  const found: Lease[] = [];
  const sql = `SELECT ${LEASE_COLUMNS} FROM leases WHERE (ap_id, parameter) IN (VALUES {{rows}})`;
  for (const row of await runRows<LeaseRow>(tx, sql, leases)) {
    if ((row.until as number) > nowMs) found.push(toLease(row));
  }
  for (const [group, ap_ids] of near) {
    for (const { marks, values } of inParts([...ap_ids])) {
      const nearSql = `SELECT ${LEASE_COLUMNS} FROM leases
        WHERE parameter_group = ? AND ap_id IN (${marks}) AND until > ?`;
      found.push(...(await tx.query<LeaseRow>(nearSql, [group, ...values, nowMs])).map(toLease));
    }
  }
  return found;
}

/** Ended ones that were not deleted yet included. */
export async function findLeasesOf(tx: SqlQueries, caller_id: string): Promise<Lease[]> {
  const rows = await tx.query<LeaseRow>(`SELECT ${LEASE_COLUMNS} FROM leases WHERE caller_id = ?`, [caller_id]);
  return rows.map(toLease);
}

/** Only this very lease of the caller, not one that has replaced it. */
export async function deleteLeases(tx: SqlQueries, leases: readonly Lease[]): Promise<void> {
  await runRows(
    tx,
    'DELETE FROM leases WHERE (ap_id, parameter, caller_id, command_id) IN (VALUES {{rows}})',
    leases.map(({ ap_id, parameter, caller_id, command_id }) => [ap_id, parameter, caller_id, command_id]),
  );
}

export async function putLeases(tx: SqlQueries, leases: readonly Lease[]): Promise<void> {
  await runRows(
    tx,
    `INSERT INTO leases (${LEASE_COLUMNS}) VALUES {{rows}}
     ON CONFLICT (ap_id, parameter, caller_id) DO UPDATE SET ${LEASE_CHANGES}`,
    leases.map((lease) =>
      leaseColumns.map((column) => (column === 'value' ? JSON.stringify(lease.value) : lease[column])),
    ),
  );
}

export async function findStates(tx: SqlQueries, states: ReadSetFields['states']): Promise<StateRecord[]> {
  const sql = `SELECT ${STATE_COLUMNS} FROM parameter_states WHERE (ap_id, parameter) IN (VALUES {{rows}})`;
  return (await runRows<StateRow>(tx, sql, states)).map(toState);
}

export async function putStates(tx: SqlQueries, states: readonly StateRecord[]): Promise<void> {
  await runRows(
    tx,
    `INSERT INTO parameter_states (${STATE_COLUMNS}) VALUES {{rows}} ON CONFLICT (ap_id, parameter) DO UPDATE SET
       changed_at = excluded.changed_at, frozen_until = excluded.frozen_until, recent = excluded.recent,
       value = excluded.value`,
    states.map((state) => valuesOf(state, STATE_COLUMNS)),
  );
}

/** Whether one more parameter that callers have made up is held: beyond a number, what they send is not. */
export async function holdsText(
  tx: SqlQueries,
  ap_id: string,
  here: readonly Lease[],
  nowMs: number,
): Promise<boolean> {
  const sql = 'SELECT DISTINCT parameter FROM leases WHERE ap_id = ? AND until > ?';
  const held = (await tx.query<{ parameter: string }>(sql, [ap_id, nowMs])).map(({ parameter }) => parameter);
  return new Set([...held, ...here.map(({ parameter }) => parameter)]).size < maxTextParameters;
}

/** Of the parameters of this agent that are not `known`, only those that changed last are remembered. */
export async function boundStates(tx: SqlQueries, ap_id: string, known: ReadonlySet<string>): Promise<void> {
  const sql = 'SELECT parameter FROM parameter_states WHERE ap_id = ? ORDER BY changed_at DESC';
  const rows = await tx.query<{ parameter: string }>(sql, [ap_id]);
  const oldest = rows.filter(({ parameter }) => !known.has(parameter)).slice(maxTextParameters);
  await runRows(
    tx,
    'DELETE FROM parameter_states WHERE (ap_id, parameter) IN (VALUES {{rows}})',
    oldest.map(({ parameter }) => [ap_id, parameter]),
  );
}

function toLease(row: LeaseRow): Lease {
  return { ...row, value: JSON.parse(row.value as string) } as unknown as Lease;
}

function toState({ recent, value, ...rest }: StateRow): StateRecord {
  return { ...rest, recent: JSON.parse(recent), value: value === null ? null : JSON.parse(value) };
}

export interface PruneTimes {
  nowMs: number;
  commandsBefore: number;
  statesBefore: number;
}

/** Deletes commands that ended before, leases that have ended, and old parameter states; resolves whether there may be more. */
export async function prune(
  db: SqlQueries,
  { nowMs, commandsBefore, statesBefore }: PruneTimes,
  limit: number,
): Promise<boolean> {
  const commands = await db.query(
    `DELETE FROM commands WHERE command_id IN (SELECT command_id FROM commands
       WHERE ended_at IS NOT NULL AND ended_at <= ? AND guard_until IS NULL ORDER BY ended_at LIMIT ?)
     RETURNING command_id`,
    [commandsBefore, limit],
  );
  const leases = await db.query(
    `DELETE FROM leases WHERE (ap_id, parameter, caller_id) IN (
       SELECT ap_id, parameter, caller_id FROM leases WHERE until <= ? ORDER BY until LIMIT ?) RETURNING ap_id`,
    [nowMs, limit],
  );
  const states = await db.query(
    `DELETE FROM parameter_states WHERE (ap_id, parameter) IN (
       SELECT ap_id, parameter FROM parameter_states WHERE changed_at <= ? ORDER BY changed_at LIMIT ?)
     RETURNING ap_id`,
    [statesBefore, limit],
  );
  return Math.max(commands.length, leases.length, states.length) === limit;
}
