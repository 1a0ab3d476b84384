// `weft migrate` inside: every table and file, an end at every step, and a server that goes on with what was moved.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { databaseKinds } from '../../../../test/databases.ts';
import { adminUsername, startWeft } from '../../../../test/weft.ts';
import { type Config, loadConfig } from '../../core/base/config.ts';
import { openPostgres } from '../../core/base/storage/sql-database.postgres.ts';
import { openSqlite } from '../../core/base/storage/sql-database.sqlite.ts';
import { openPostgresTelemetry } from '../../core/telemetry/store/postgres/telemetry-store.postgres.ts';
import { openEmbeddedTelemetry } from '../../core/telemetry/store/telemetry-store.embedded.ts';
import type { Frame, TelemetryStore } from '../../core/telemetry/store/telemetry-store.ts';
import { moveInstallation } from '../../offline.ts';

const day = 86_400_000;
const secret = randomBytes(48).toString('base64');
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-moving-'));
  folders.push(folder);
  return folder;
}

/** The settings of a cluster on an empty database. */
async function clusterSettings(dataDir: string): Promise<Record<string, string>> {
  const namespace = await databaseKinds.postgres.createNamespace();
  onTestFinished(() => namespace.remove());
  return {
    WEFT_DATA_DIR: dataDir,
    WEFT_DATABASE_URL: namespace.address,
    WEFT_TELEMETRY_URL: namespace.address,
    WEFT_SECRET: secret,
  };
}

const toConfig = (env: Record<string, string>): Config => loadConfig({ env, file: {}, flags: {} });
const notMoved = /^(sqlite_|schema_migrations|data_migration|device_key)/;
const silent = { onStage: () => {}, onProgress: () => {} };

/** Ends at the n-th word that it says; whether it came to its end before. */
async function moveUntil(n: number, from: string, config: Config): Promise<boolean> {
  let words = 0;
  const step = () => {
    if (++words > n) throw new Error('ended by the test');
  };
  try {
    await moveInstallation(from, config, { onStage: step, onProgress: step });
    return true;
  } catch (error) {
    expect((error as Error).message).toBe('ended by the test');
    return false;
  }
}

/** Rows in every table. The same texts in all of them, so that rows that refer to others find them. */
async function fillTables(file: string): Promise<{ rows: number; tables: number }> {
  const database = openSqlite(file);
  await database.migrate();
  await database.close();
  const sqlite = new DatabaseSync(file);
  sqlite.exec('PRAGMA foreign_keys = OFF');
  const tables = sqlite.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all() as { name: string }[];
  let rows = 0;
  for (const { name } of tables) {
    // The chain of the audit log is looked at as such; the state of a migration is not moved.
    if (notMoved.test(name) || name.startsWith('audit_')) continue;
    const columns = sqlite.prepare('SELECT name, type FROM pragma_table_info(?)').all(name) as {
      name: string;
      type: string;
    }[];
    for (let row = 1; row <= 3; row++) {
      const values = columns.map(({ type }) => {
        if (type === 'TEXT') return `${row} "ü" \\ {,} \u{1F4E1} null`;
        return type === 'DOUBLE PRECISION' ? row / 3 : row === 1 ? 1 : 0;
      });
      const marks = columns.map(() => '?').join();
      rows += Number(sqlite.prepare(`INSERT OR IGNORE INTO ${name} VALUES (${marks})`).run(...values).changes);
    }
  }
  sqlite.close();
  return { rows, tables: tables.filter(({ name }) => !notMoved.test(name)).length };
}

/** Samples of some agents over days, with texts, late ones and replaced ones. */
async function fillTelemetry(dataDir: string): Promise<Frame[]> {
  mkdirSync(join(dataDir, 'telemetry'), { recursive: true });
  const store = await openEmbeddedTelemetry({
    folder: join(dataDir, 'telemetry'),
    rawRetentionMs: 30 * day,
    rollupRetentionMs: 400 * day,
    onDamage: () => {},
    onFatal: () => {},
  });
  for (let agent = 0; agent < 5; agent++) {
    const start = Date.now() - 3 * day;
    const samples = Array.from({ length: 1_500 }, (_, n) => ({
      ts: start + n * 120_000 + agent,
      names: ['power_w', 'sinr\0db'],
      values: [n * agent, n / 7],
      texts: n % 9 === 0 ? ([['state', `s${n % 4}`]] as [string, string][]) : [],
    }));
    await store.append(`ap-${agent}`, samples);
    if (agent % 2 === 0) await store.sealAll();
    await store.append(`ap-${agent}`, [{ ts: start + agent, names: ['power_w'], values: [-1], texts: [] }]);
  }
  await store.remove('ap-3');
  const frames = await allRows(store);
  await store.close();
  return frames;
}

async function allRows(store: TelemetryStore): Promise<Frame[]> {
  const names = Array.from({ length: 5 }, (_, agent) => `ap-${agent}`);
  return Promise.all(names.map((name) => store.rows(name, { startMs: 0, endMs: Date.now() }, 100_000)));
}

describe.skipIf(inject('postgresUrl') === undefined)('an installation that moves to PostgreSQL', () => {
  test('may be ended at every step: in the end every row of every table, all telemetry and all files are there', async () => {
    const from = await newFolder();
    const { rows: filled, tables } = await fillTables(join(from, 'weft.db'));
    const samples = await fillTelemetry(from);
    mkdirSync(join(from, 'outbox'));
    writeFileSync(join(from, 'outbox', 'mail.eml'), 'a mail');
    writeFileSync(join(from, 'secret'), `${secret}\n`, { mode: 0o600 });
    const dataDir = await newFolder();
    const env = await clusterSettings(dataDir);
    const agents = 4;
    // Two stages, the agents twice, then the tables.
    const words = 2 + 2 * agents + tables;
    for (const said of [0, 1, 1 + agents, 2 + agents, 5 + agents, 2 + 2 * agents, 30, words - 1]) {
      expect(await moveUntil(said, from, toConfig(env)), `after ${said} words`).toBe(false);
    }
    await expect(startWeft(env)).rejects.toThrow('weft migrate has not finished');
    expect(await moveUntil(Number.POSITIVE_INFINITY, from, toConfig(env))).toBe(true);
    expect(await moveInstallation(from, toConfig(env), silent)).toBeUndefined();

    const database = openPostgres(env.WEFT_DATABASE_URL!);
    onTestFinished(() => database.close());
    const telemetry = openPostgresTelemetry({
      url: env.WEFT_TELEMETRY_URL!,
      rawRetentionMs: 30 * day,
      rollupRetentionMs: 400 * day,
      onChange: () => {},
    });
    onTestFinished(() => telemetry.close());
    expect(await allRows(telemetry)).toEqual(samples);
    let rows = 0;
    const sqlite = new DatabaseSync(join(from, 'weft.db'));
    for (const { name } of sqlite.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all() as {
      name: string;
    }[]) {
      if (notMoved.test(name)) continue;
      const there = sqlite.prepare(`SELECT * FROM ${name}`).all() as Record<string, unknown>[];
      const here = await database.query(`SELECT * FROM ${name}`);
      const sorted = (all: Record<string, unknown>[]) =>
        all.map((row) => JSON.stringify(Object.entries(row).sort())).sort();
      if (name !== 'jobs') expect(sorted(here), name).toEqual(sorted(there));
      rows += here.length;
    }
    sqlite.close();
    expect(rows).toBeGreaterThan(filled * 0.8);
    expect(readFileSync(join(dataDir, 'outbox', 'mail.eml'), 'utf8')).toBe('a mail');
    expect(readFileSync(join(dataDir, 'device-key'))).toEqual(readFileSync(join(from, 'device-key')));
    expect([existsSync(join(dataDir, 'weft.db')), existsSync(join(dataDir, 'telemetry'))]).toEqual([false, false]);
    await expect(startWeft({ WEFT_DATA_DIR: from })).rejects.toThrow('was moved to PostgreSQL');
  });

  test('goes on on PostgreSQL: accounts, tokens, samples, devices, open jobs, the audit log', async () => {
    const folder = await newFolder();
    const old = await startWeft({ WEFT_DATA_DIR: folder, WEFT_SECRET: secret });
    const admin = await old.admin();
    const agent = await old.agent('ap-1', { site: 'roof' });
    await old.app('saver', { agents: ['*'] });
    await old.request('POST', '/api/v1/sites', { token: admin, json: { path: 'town/hall', name: 'Hall' } });
    const report = (n: number, client = old) =>
      client.request('POST', '/api/v1/agent_update/update', {
        token: agent,
        json: { power_w: n, note: `n${n}`, devices: [{ device: '00:1b:44:11:3a:b7', rssi_dbm: -60 }] },
      });
    expect((await report(1)).status).toBe(200);
    const command = '/api/v1/send_command?agent_id=ap-1&command=sleep';
    const sent = await old.request('POST', command, { token: admin });
    const devices = (await old.request('GET', '/api/v1/devices', { token: admin })).body.items;
    expect(devices).toHaveLength(1);
    const env = await clusterSettings(folder);
    let before: unknown;
    let events: unknown[] = [];
    const moved = await moveInstallation(folder, toConfig(env), {
      ...silent,
      onStage: (text) => {
        if (!text.startsWith('Copied.')) return;
        // Posted after the first copy, and answered.
        void report(2)
          .then(async () => {
            before = await old.rowsOf('ap-1');
            events = (await old.request('GET', '/api/v1/events', { token: admin })).body.items;
          })
          .finally(() => old.stop());
      },
    });
    expect(moved!.telemetry).toMatchObject({ agents: 1, rows: 2 });
    expect(moved!.tables.find(({ table }) => table === 'sites')).toMatchObject({ rows: 1 });

    const weft = await startWeft(env);
    onTestFinished(() => weft.stop());
    expect(await weft.rowsOf('ap-1')).toEqual(before);
    const { items } = (await weft.request('GET', '/api/v1/events', { token: admin })).body;
    expect(items).toEqual(expect.arrayContaining(events));
    expect((await report(3, weft)).status).toBe(200);
    expect((await weft.rowsOf('ap-1')).map(({ power_w }) => power_w)).toEqual([1, 2, 3]);
    expect((await weft.request('GET', '/api/v1/devices', { token: admin })).body.items).toMatchObject([
      { device: devices[0].device },
    ]);
    expect((await weft.request('GET', `/api/v1/commands/${sent.body.command_id}`, { token: admin })).status).toBe(200);
    await weft.login('third_party_app', 'saver');
    await weft.login('user', adminUsername);
    expect(await weft.parts.audit.log.verify({})).toMatchObject({ isWhole: true, seals: { unknown: 0 } });
  });
});
