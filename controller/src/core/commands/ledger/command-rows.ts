// Commands as rows of the table `commands`: its columns, and the statements that write many rows at once.
import type { SqlQueries, SqlRow, SqlValue } from '../../base/storage/sql-database.ts';
import { runList, runRows } from '../../base/storage/sql-rows.ts';
import type { CommandRecord, Found, ReadSetFields } from './command-record.ts';

type ColumnType = 'TEXT' | 'BIGINT';

/** What is written once. */
const fixedColumns = [
  ...['command_id', 'job_number', 'ap_id', 'agent_id', 'name', 'parameter', 'caller_kind', 'caller_id'],
  ...['caller_name', 'owner_kind', 'owner_id', 'rank', 'priority', 'created_at', 'expires_at'],
  ...['idempotency_key', 'guard', 'settle_ms', 'inverse_of', 'batch_id', 'args', 'text'],
] as const;

/** What changes with the state. PostgreSQL needs the types, SQLite ignores them. */
const stateColumns = {
  state: 'TEXT',
  detail: 'TEXT',
  due_at: 'BIGINT',
  sent_at: 'BIGINT',
  received_at: 'BIGINT',
  ended_at: 'BIGINT',
  guard_until: 'BIGINT',
  guard_state: 'TEXT',
  rolled_back_by: 'TEXT',
  sealed: 'TEXT',
} as const satisfies Record<string, ColumnType>;

/** What a decision, or the agent's answer, writes. */
const decisionColumns = {
  verdict: 'TEXT',
  reason: 'TEXT',
  rival: 'TEXT',
  hold_until: 'BIGINT',
  deliver_after: 'BIGINT',
  parameter_group: 'TEXT',
  sent_args: 'TEXT',
  applied: 'TEXT',
  previous: 'TEXT',
  intent: 'TEXT',
  result: 'TEXT',
} as const satisfies Record<string, ColumnType>;

type Column = (typeof fixedColumns)[number] | keyof typeof stateColumns | keyof typeof decisionColumns;

const columns: readonly Column[] = [
  ...fixedColumns,
  ...(Object.keys(stateColumns) as (keyof typeof stateColumns)[]),
  ...(Object.keys(decisionColumns) as (keyof typeof decisionColumns)[]),
];
const jsonColumns = ['rival', 'args', 'sent_args', 'applied', 'previous', 'intent'] as const;
const isJson: ReadonlySet<string> = new Set(jsonColumns);

export const COMMAND_COLUMNS = columns.join(', ');

export type CommandRow = { [Name in Column]: SqlValue } & SqlRow;

export function toRecord(row: CommandRow): CommandRecord {
  const record: Record<string, unknown> = { ...row };
  for (const column of jsonColumns) {
    const text = row[column];
    if (text !== null) record[column] = JSON.parse(text as string);
  }
  return record as unknown as CommandRecord;
}

/** The commands to these agents that are open, or whose guards are watched. */
export async function findOpenAt(tx: SqlQueries, ap_ids: readonly string[]): Promise<CommandRecord[]> {
  const open = '(ended_at IS NULL OR guard_until IS NOT NULL) AND ap_id IN ({{list}})';
  return (await runList<CommandRow>(tx, `SELECT ${COMMAND_COLUMNS} FROM commands WHERE ${open}`, ap_ids)).map(toRecord);
}

/**
 * The commands of an owner that are open, or whose guards are watched; without Weft's own, which take something back. Two
 * queries, each of which has its index.
 */
export async function findOwned(tx: SqlQueries, owner_kind: string, owner_id: string): Promise<CommandRecord[]> {
  const own = "owner_id = ? AND owner_kind = ? AND caller_kind <> 'weft'";
  const found: CommandRecord[] = [];
  for (const isLeft of ['ended_at IS NULL', 'ended_at IS NOT NULL AND guard_until IS NOT NULL']) {
    const sql = `SELECT ${COMMAND_COLUMNS} FROM commands WHERE ${isLeft} AND ${own} ORDER BY created_at, command_id`;
    found.push(...(await tx.query<CommandRow>(sql, [owner_id, owner_kind])).map(toRecord));
  }
  return found;
}

/** The commands that name this device anywhere, or in whose results it is named; also those that have ended. */
export async function findOfDevice(tx: SqlQueries, device: string): Promise<CommandRecord[]> {
  const texts = ['args', 'sent_args', 'text', 'result', 'applied', 'previous', 'intent'];
  const sql = `SELECT ${COMMAND_COLUMNS} FROM commands
    WHERE ${texts.map((column) => `${column} LIKE ?`).join(' OR ')} ORDER BY created_at`;
  return (
    await tx.query<CommandRow>(
      sql,
      texts.map(() => `%${device}%`),
    )
  ).map(toRecord);
}

export async function insertCommands(tx: SqlQueries, commands: readonly CommandRecord[]): Promise<void> {
  const rows = commands.map((command) => toValues(command, columns));
  await runRows(tx, `INSERT INTO commands (${COMMAND_COLUMNS}) VALUES {{rows}}`, rows);
}

const updateState = toUpdate(stateColumns);
const updateAll = toUpdate({ ...stateColumns, ...decisionColumns });

/** Writes state, detail and times. */
export function updateCommandStates(tx: SqlQueries, commands: readonly CommandRecord[]): Promise<void> {
  return update(tx, commands, updateState);
}

/** Writes everything that can change. */
export function updateCommands(tx: SqlQueries, commands: readonly CommandRecord[]): Promise<void> {
  return update(tx, commands, updateAll);
}

interface Update {
  sql: string;
  mark: string;
  columns: readonly Column[];
}

function toUpdate(types: Partial<Record<Column, ColumnType>>): Update {
  const names = Object.keys(types) as Column[];
  const sets = names.map((name, index) => `${name} = v.column${index + 2}`);
  const marks = ['TEXT', ...Object.values(types)].map((type) => `CAST(? AS ${type})`);
  return {
    sql: `UPDATE commands SET ${sets.join(', ')} FROM (VALUES {{rows}}) AS v WHERE command_id = v.column1`,
    mark: `(${marks.join(', ')})`,
    columns: ['command_id', ...names],
  };
}

async function update(
  tx: SqlQueries,
  commands: readonly CommandRecord[],
  { sql, mark, columns }: Update,
): Promise<void> {
  const rows = commands.map((command) => toValues(command, columns));
  await runRows(tx, sql, rows, mark);
}

function toValues(command: CommandRecord, names: readonly Column[]): SqlValue[] {
  return names.map((name) => {
    const value = command[name];
    if (value === null || !isJson.has(name)) return value as SqlValue;
    return JSON.stringify(value);
  });
}

export async function selectCommands(
  tx: SqlQueries,
  where: string,
  params: readonly SqlValue[],
): Promise<CommandRecord[]> {
  return (await tx.query<CommandRow>(`SELECT ${COMMAND_COLUMNS} FROM commands WHERE ${where}`, params)).map(toRecord);
}

export async function findCommands(tx: SqlQueries, ids: ReadonlySet<string>): Promise<CommandRecord[]> {
  const sql = `SELECT ${COMMAND_COLUMNS} FROM commands WHERE command_id IN ({{list}})`;
  return (await runList<CommandRow>(tx, sql, [...ids])).map(toRecord);
}

export async function findKeys(tx: SqlQueries, keys: ReadSetFields['keys']): Promise<CommandRecord[]> {
  // The condition lets the partial index be used.
  const sql = `SELECT ${COMMAND_COLUMNS} FROM commands
    WHERE idempotency_key IS NOT NULL AND (owner_id, idempotency_key) IN (VALUES {{rows}})`;
  return (await runRows<CommandRow>(tx, sql, keys)).map(toRecord);
}

export async function countOpen(tx: SqlQueries, owners: ReadonlySet<string>): Promise<Map<string, number>> {
  const sql = `SELECT owner_id, COUNT(*) AS open FROM commands WHERE ended_at IS NULL AND owner_id IN ({{list}})
    GROUP BY owner_id`;
  const rows = await runList<{ owner_id: string; open: number }>(tx, sql, [...owners]);
  return new Map(rows.map(({ owner_id, open }) => [owner_id, open]));
}

/** Emulated networks, by how their numbers begin. */
export async function findRuns(tx: SqlQueries, runs: Iterable<string>): Promise<Found['runs']> {
  const found: Found['runs'] = new Map();
  const sql = 'SELECT model_time, state FROM emulator_runs WHERE job_number >= ? AND job_number < ?';
  for (const run of runs) {
    const [row] = await tx.query<{ model_time: number | null; state: string | null }>(sql, [run, `${run}~`]);
    if (row) found.set(run, { modelMs: row.model_time, isOver: row.state !== null });
  }
  return found;
}
