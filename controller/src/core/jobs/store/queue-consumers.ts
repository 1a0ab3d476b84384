// How many consumers of each queue of the broker each process of Weft has: AMQP does not say whose they are.
import { runRows } from '../../base/storage/sql-rows.ts';
import { SqlStore } from '../../base/storage/sql-store.ts';

/** The consumers of a process that has written nothing for longer are nobody's that is known. */
const countedMs = 10_000;

/** Every method throws TryLaterError (503) while the database is unreachable; then nothing was changed. */
export class QueueConsumers extends SqlStore {
  /** Replaces what that process has written, and removes what others have left behind. */
  async write(node: string, counts: ReadonlyMap<string, number>, nowMs: number): Promise<void> {
    const rows = [...counts].filter(([, count]) => count > 0).map(([queue, count]) => [node, queue, count, nowMs]);
    await this.db.transaction(async (tx) => {
      await tx.query('DELETE FROM queue_consumers WHERE node = ? OR seen_at <= ?', [node, nowMs - countedMs]);
      await runRows(tx, 'INSERT INTO queue_consumers (node, queue, consumers, seen_at) VALUES {{rows}}', rows);
    });
  }

  /** Of all processes but that one. */
  async countOthers(node: string, queue: string, nowMs: number): Promise<number> {
    const sql = 'SELECT SUM(consumers) AS count FROM queue_consumers WHERE queue = ? AND node <> ? AND seen_at > ?';
    const [row] = await this.db.query<{ count: number | null }>(sql, [queue, node, nowMs - countedMs]);
    return Number(row?.count ?? 0);
  }
}
