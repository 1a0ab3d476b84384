// Takes the name of an erased device out of everything that commands have left: the commands themselves, their jobs, messages and
// events, leases and states. A step inside of the transaction that erases the device. The audit log stays as it is: each of its
// entries proves the one before.
import { setImmediate } from 'node:timers/promises';
import type { SqlQueries } from '../../base/storage/sql-database.ts';
import { inParts } from '../../base/storage/sql-rows.ts';
import { type StepOutcome, together } from '../../event-kinds.ts';
import { devicePrefix } from '../grammar/device-commands.ts';
import type { CommandLedger } from './command-ledger.ts';
import type { CommandOperations } from './command-operations.ts';
import { findOfDevice } from './command-rows.ts';
import type { CommandStore } from './command-store.ts';

/** What stands in place of the name. */
export const erasedName = 'erased';
/** The embedded database works on this thread; the process should go on in between. */
const commandsPerStep = 192;
const eventsPerStep = 2_000;
const commandTexts = ['detail', 'rival', 'args', 'sent_args', 'applied', 'previous', 'intent', 'result', 'text'];

export interface DeviceErasureOptions {
  store: Pick<CommandStore, 'forgetAgent'>;
  ledger: Pick<CommandLedger, 'lock' | 'within'>;
  operations: Pick<CommandOperations, 'endOwned'>;
}

export class DeviceErasure {
  readonly #options: DeviceErasureOptions;

  constructor(options: DeviceErasureOptions) {
    this.#options = options;
  }

  /** `names`: all that stood for the device. */
  readonly step = async (tx: SqlQueries, { names }: { names: readonly string[] }): Promise<StepOutcome> => {
    const { store, ledger, operations } = this.#options;
    await ledger.lock(tx);
    const outcomes: StepOutcome[] = [];
    for (const name of names) {
      const commands = await findOfDevice(tx, name);
      const open = commands.filter(({ ended_at, guard_until }) => ended_at === null || guard_until !== null);
      for (let start = 0; start < open.length; start += commandsPerStep) {
        const part = open.slice(start, start + commandsPerStep);
        outcomes.push(await ledger.within(tx, operations.endOwned(part, 'The device was erased')));
      }
      await store.forgetAgent(tx, `${devicePrefix}${name}`);
      const replace = (table: string, columns: readonly string[], key: string, keys: readonly string[]) =>
        replaceIn(tx, { table, columns, key, keys, name });
      const ids = commands.map(({ command_id }) => command_id);
      await replace('commands', commandTexts, 'command_id', ids);
      const jobs = commands.map(({ job_number }) => job_number);
      await replace('jobs', ['detail', 'data'], 'job_number', jobs);
      await replace('job_messages', ['data'], 'job_number', jobs);
      // Under whatever key a caller has put it.
      for (const [table, columns] of Object.entries({ parameter_states: ['value', 'recent'], leases: ['value'] })) {
        const sets = columns.map((column) => `${column} = REPLACE(${column}, ?, '${erasedName}')`).join(', ');
        const named = columns.map((column) => `${column} LIKE ?`).join(' OR ');
        const values = [...columns.map(() => name), ...columns.map(() => `%${name}%`)];
        await tx.query(`UPDATE ${table} SET ${sets} WHERE ${named}`, values);
      }
      await replaceInEvents(tx, name, new Set(commands.map(({ ap_id }) => ap_id)));
    }
    return together(outcomes);
  };
}

interface Replacement {
  table: string;
  columns: readonly string[];
  key: string;
  keys: readonly string[];
  name: string;
}

async function replaceIn(tx: SqlQueries, { table, columns, key, keys, name }: Replacement): Promise<void> {
  const changes = columns.map((column) => `${column} = REPLACE(${column}, ?, '${erasedName}')`).join(', ');
  for (const { marks, values } of inParts(keys)) {
    await tx.query(`UPDATE ${table} SET ${changes} WHERE ${key} IN (${marks})`, [
      ...columns.map(() => name),
      ...values,
    ]);
    await setImmediate();
  }
}

const replaceInEvent = `UPDATE event_log SET text = REPLACE(text, ?, '${erasedName}'), data = REPLACE(data, ?, '${erasedName}')`;
const isNamed = '(text LIKE ? OR data LIKE ?)';

/** Decisions name the device in their words; one that was against a command is all that is left of it. */
async function replaceInEvents(tx: SqlQueries, name: string, ap_ids: ReadonlySet<string>): Promise<void> {
  const like = `%${name}%`;
  for (const ap_id of ap_ids) {
    const sql = `${replaceInEvent} WHERE ap_id = ? AND subject_kind = 'command' AND ${isNamed}`;
    await tx.query(sql, [name, name, ap_id, like, like]);
  }
  for (let after = 0; ; ) {
    const range = "subject_kind = 'conflict' AND id > ?";
    const page = await tx.query<{ id: number }>(
      `SELECT id FROM event_log WHERE ${range} ORDER BY id LIMIT ${eventsPerStep}`,
      [after],
    );
    const last = page.at(-1)?.id;
    if (last === undefined) break;
    const sql = `${replaceInEvent} WHERE ${range} AND id <= ? AND ${isNamed}`;
    await tx.query(sql, [name, name, after, last, like, like]);
    after = last;
    await setImmediate();
  }
}
