// The stores of telemetry that `bench stores` compares, each with a server of its own that flushes what it answers. One more is
// one more line in the table at the end.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { openClickHouseTelemetry } from '../../controller/src/core/telemetry/store/clickhouse/telemetry-store.clickhouse.ts';
import { openPostgresTelemetry } from '../../controller/src/core/telemetry/store/postgres/telemetry-store.postgres.ts';
import { openEmbeddedTelemetry } from '../../controller/src/core/telemetry/store/telemetry-store.embedded.ts';
import type { TelemetryStore } from '../../controller/src/core/telemetry/store/telemetry-store.ts';
import { clickHouseAnswers, findClickHouse, startClickHouse } from '../../test/clickhouse.ts';
import { startPostgres } from '../../test/postgres.ts';
import { cpuSecondsOfFamily, createDataDir, parentOf } from './processes.ts';

const day = 86_400_000;
const retention = { rawRetentionMs: 31 * day, rollupRetentionMs: 400 * day };

export interface StoreUnderLoad {
  store: TelemetryStore;
  /** Processor time of the server so far; 0 if it runs in this process. */
  serverCpuSeconds(): Promise<number>;
  /** Brings what was stored into the form in which it stays. */
  settle(): Promise<void>;
  /** On disk, settled. */
  bytes(): Promise<{ samples: number; rollups: number }>;
  stop(): Promise<void>;
}

async function openEmbedded(): Promise<StoreUnderLoad> {
  const dataDir = createDataDir();
  const folder = join(dataDir, 'telemetry');
  mkdirSync(folder);
  const onFatal = (error: Error) => {
    throw error;
  };
  const store = await openEmbeddedTelemetry({ folder, ...retention, onDamage: () => {}, onFatal });
  return {
    store,
    serverCpuSeconds: async () => 0,
    settle: () => store.sealAll(),
    bytes: async () => {
      const database = new DatabaseSync(join(folder, 'telemetry.db'), { readOnly: true });
      const sum = (table: string) =>
        (
          database.prepare('SELECT sum(pgsize) AS bytes FROM dbstat WHERE name LIKE ?').get(`${table}%`) as {
            bytes: number;
          }
        ).bytes;
      const bytes = { samples: sum('blocks'), rollups: sum('rollups') };
      database.close();
      return bytes;
    },
    stop: async () => {
      await store.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function openPostgres(): Promise<StoreUnderLoad> {
  const server = await startPostgres({ isDurable: true });
  const store = openPostgresTelemetry({ url: server.url, ...retention, onChange: () => {} });
  await orStop(store, server);
  const client = new Client({ connectionString: server.url });
  await client.connect();
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
  const pid = await parentOf(rows[0].pid);
  const size = async (table: string) => {
    const parts = `SELECT sum(pg_total_relation_size(oid))::float8 AS bytes FROM pg_class WHERE relkind = 'r' AND relname LIKE $1`;
    return (await client.query(parts, [`telemetry\\_${table}%`])).rows[0].bytes as number;
  };
  return {
    store,
    serverCpuSeconds: () => cpuSecondsOfFamily(pid),
    settle: async () => {
      while (await store.seal({ everything: true }));
      await client.query('CHECKPOINT');
    },
    bytes: async () => ({ samples: await size('blocks'), rollups: await size('rollups') }),
    stop: async () => {
      await client.end();
      await store.close();
      await server.stop();
    },
  };
}

async function openClickHouse(): Promise<StoreUnderLoad> {
  const server = await startClickHouse();
  const answer = (statement: string) => clickHouseAnswers(server.url, statement);
  const store = openClickHouseTelemetry({ url: `${server.url}/bench`, ...retention });
  await answer('CREATE DATABASE IF NOT EXISTS bench').then(() => orStop(store, server));
  return {
    store,
    serverCpuSeconds: () => cpuSecondsOfFamily(server.pid()),
    settle: async () => {
      while (await store.rollUp(0));
      const tables = (await answer(`SELECT name FROM system.tables WHERE database = 'bench'`)).trim().split('\n');
      // Some are no tables of their own.
      for (const table of tables) await answer(`OPTIMIZE TABLE bench.\`${table}\` FINAL`).catch(() => {});
    },
    bytes: async () => {
      const size = (tables: string) =>
        answer(`SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = 'bench' AND table ${tables}`);
      return {
        samples: Number(await size(`!= 'telemetry_minutes'`)),
        rollups: Number(await size(`= 'telemetry_minutes'`)),
      };
    },
    stop: async () => {
      await store.close();
      await server.stop();
    },
  };
}

/** Nothing stays behind of what cannot be measured. */
async function orStop(store: TelemetryStore, server: { stop(): Promise<void> }): Promise<void> {
  await store.check().catch(async (error: unknown) => {
    await server.stop();
    throw error;
  });
}

export const stores: Record<string, () => Promise<StoreUnderLoad>> = {
  embedded: openEmbedded,
  PostgreSQL: openPostgres,
  // Its library is large, and installed apart (test/clickhouse/).
  ...(findClickHouse() !== undefined && { ClickHouse: openClickHouse }),
};
