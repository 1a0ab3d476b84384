// A database and a telemetry store in a folder of a test's own.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '../controller/src/storage/sql-database.sqlite.ts';
import { openEmbeddedTelemetry } from '../controller/src/telemetry/store/telemetry-store.embedded.ts';
import type { Frame } from '../controller/src/telemetry/store/telemetry-store.ts';

const day = 86_400_000;

export async function openDatabase(name: string) {
  const folder = await mkdtemp(join(tmpdir(), `weft-${name}-`));
  const database = openSqlite(join(folder, 'weft.db'));
  await database.migrate();
  return {
    folder,
    database,
    async close(): Promise<void> {
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export async function openStores(name: string) {
  const { folder, database, close } = await openDatabase(name);
  const telemetry = await openEmbeddedTelemetry({
    folder,
    rawRetentionMs: 30 * day,
    rollupRetentionMs: 400 * day,
    onDamage: () => {},
    onFatal: (error) => {
      throw error;
    },
  });
  return {
    database,
    telemetry,
    /** Everything stored of an agent: one object a moment, oldest first. */
    async rowsOf(ap_id: string): Promise<Record<string, number | string>[]> {
      return toRows(await telemetry.rows(ap_id, { startMs: 0, endMs: Date.now() + day }, 1_000_000));
    },
    async close(): Promise<void> {
      await telemetry.close();
      await close();
    },
  };
}

function toRows({ ts, columns, texts }: Frame): Record<string, number | string>[] {
  return Array.from(ts, (moment, index) => {
    const fields: [string, number | string][] = [];
    for (const [name, values] of columns) if (!Number.isNaN(values[index])) fields.push([name, values[index]!]);
    for (const [name, values] of texts) if (values[index] !== undefined) fields.push([name, values[index]]);
    return Object.fromEntries([['ts', moment], ...fields]);
  });
}
