// Who has sent commands about sleep and power, read from the commands.

import type { SqlRow } from '../../core/base/storage/sql-database.ts';
import { inParts } from '../../core/base/storage/sql-rows.ts';
import { SqlStore } from '../../core/base/storage/sql-store.ts';
import type { CommandRecord } from '../../core/commands/ledger/command-record.ts';

const POWER = `parameter IN ('power_state', 'tx_power', 'dimming') AND state = 'succeeded' AND caller_kind <> 'weft'`;
const maxRows = 10_000;

export type PowerCommand = Pick<CommandRecord, 'command_id' | 'ap_id' | 'caller_kind' | 'caller_id' | 'caller_name'>;

const COLUMNS = 'command_id, ap_id, caller_kind, caller_id, caller_name';

/** Newest first, up to 10,000. Every method throws TryLaterError (503) while the database is unreachable. */
export class PowerCommandStore extends SqlStore {
  since(startMs: number, endMs: number): Promise<PowerCommand[]> {
    return this.#select('created_at >= ? AND created_at <= ?', [startMs, endMs]);
  }

  async of(ap_ids: readonly string[]): Promise<PowerCommand[]> {
    const found: PowerCommand[] = [];
    for (const { marks, values } of inParts(ap_ids)) {
      if (found.length < maxRows) found.push(...(await this.#select(`ap_id IN (${marks})`, values)));
    }
    return found.slice(0, maxRows);
  }

  #select(where: string, params: (string | number)[]): Promise<PowerCommand[]> {
    const sql = `SELECT ${COLUMNS} FROM commands WHERE ${POWER} AND ${where} ORDER BY created_at DESC LIMIT ?`;
    return this.db.query<PowerCommand & SqlRow>(sql, [...params, maxRows]);
  }
}
