// Every way in which the tables are written that nodes keep in memory: each raises the revision of its head, or another node would not
// see it. Whole installations that are restored or moved keep revisions that no row is ahead of.
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { databaseKinds, eachDatabase } from '../../../test/databases.ts';
import { agentNamed } from '../../../test/pure/stored-records.ts';
import { password, startWeft } from '../../../test/weft.ts';
import { moveInstallation, openAccounts } from '../offline.ts';
import { restoreBackup } from '../operations/backup/restore-backup.ts';
import { writeBackup } from '../operations/backup/write-backup.ts';
import { AgentStore } from './accounts/agents/agent-store.ts';
import { SessionStore } from './accounts/auth/session-store.ts';
import { loadConfig } from './base/config.ts';
import { openPostgres } from './base/storage/sql-database.postgres.ts';
import { openSqlite } from './base/storage/sql-database.sqlite.ts';
import type { SqlQueries } from './base/storage/sql-database.ts';
import { defaultConflictRules } from './commands/arbitration/parameter-groups.ts';
import { RulesKeeper } from './commands/ledger/rules-keeper.ts';
import { DeviceExtrasStore } from './devices/store/device-extras-store.ts';

const few = { WEFT_MAX_SESSIONS: '2' };
const secret = randomBytes(48).toString('base64');
const heads = {
  agents: 'SELECT revision FROM fleet_revision',
  sites: 'SELECT sites AS revision FROM fleet_revision',
  alarms: 'SELECT version AS revision FROM alarm_head',
  rules: 'SELECT rules_version AS revision FROM alarm_head',
  settings: 'SELECT revision FROM config_head',
  devices: 'SELECT version AS revision FROM device_extras_head',
  sessions: 'SELECT revision FROM session_head',
  conflicts: 'SELECT version AS revision FROM conflict_rules',
};
type Head = keyof typeof heads;

async function revisionsOf(database: SqlQueries): Promise<Record<Head, number>> {
  const found: [string, number][] = [];
  for (const [name, sql] of Object.entries(heads)) {
    const [row] = await database.query<{ revision: number }>(sql);
    found.push([name, row!.revision]);
  }
  return Object.fromEntries(found) as Record<Head, number>;
}

eachDatabase((kind) => {
  test('whoever writes a table that is kept in memory raises its revision', async () => {
    const namespace = await kind.createNamespace();
    onTestFinished(() => namespace.remove());
    const weft = await startWeft(
      kind.dialect === 'postgres' ? { ...few, WEFT_DATABASE_URL: namespace.address, WEFT_SECRET: secret } : few,
    );
    onTestFinished(() => weft.stop());
    const { database } = weft.platform;
    const admin = await weft.admin();
    const send = async (method: string, path: string, json?: unknown, token = admin) => {
      const answer = await weft.request(method, `/api/v1${path}`, { token, ...(json !== undefined && { json }) });
      expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300);
      return answer.body;
    };
    const raises = async <T>(head: Head, what: string, write: () => Promise<T>): Promise<T> => {
      const before = await revisionsOf(database);
      const result = await write();
      expect((await revisionsOf(database))[head], `${what}: ${head}`).toBeGreaterThan(before[head]);
      return result;
    };
    await raises('agents', 'a new agent', () => weft.agent('ap-1', { access_point_type: 'WiFi' }));
    const site = await raises('sites', 'a new site', () => send('POST', '/sites', { path: 'uk' }));
    await raises('agents', 'labels', () => send('PATCH', '/agents/ap-1/labels', { site: 'uk' }));
    await raises('sites', 'another path', () => send('PUT', `/sites/${site.id}`, { path: 'gb' }));
    const rule = { name: 'Away', condition: { state: 'offline' }, severity: 'major' };
    const { id } = await raises('rules', 'a new rule', () => send('POST', '/alarm_rules', rule));
    await raises('rules', 'another rule', () => send('PUT', `/alarm_rules/${id}`, { ...rule, enabled: false }));
    await raises('rules', 'a rule less', () => send('DELETE', `/alarm_rules/${id}`));
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const silence = await raises('rules', 'a new silence', () => send('POST', '/silences', { until }));
    await raises('rules', 'a silence less', () => send('DELETE', `/silences/${silence.id}`));
    const variable = { ap_id: 'ap-1', name: 'channel', value: 36 };
    await raises('settings', 'a variable', () => send('PUT', '/config/variables', variable));
    await raises('settings', 'a secret', () => send('PUT', '/config/secrets', { name: 'psk', value: 'correct horse' }));
    await raises('settings', 'a secret less', () => send('DELETE', '/config/secrets/psk'));
    await raises('conflicts', 'other conflict rules', async () =>
      send('PUT', '/conflicts/rules', await send('GET', '/conflicts/rules')),
    );
    await raises('devices', 'whether clear addresses are allowed', () =>
      send('PUT', '/device_privacy', { clear_addresses: true }),
    );
    const devices = ['phone', 'laptop'].map((identity) => ({ device: identity, rssi_dbm: -50 }));
    await send('POST', '/agent_update/update', { devices }, await weft.login('agent', 'ap-1'));
    const { addresses, extrasStore } = weft.parts.devices;
    const [phone, laptop] = ['phone', 'laptop'].map((identity) => addresses.deviceAt('ap-1', identity)!);
    await raises('devices', 'a watch', () => send('POST', `/devices/${phone}/watch`, {}));
    await raises('devices', 'a watch less', () => send('DELETE', `/devices/${phone}/watch`));
    await raises('devices', 'names of one device', () =>
      send('POST', `/devices/${phone}/identities`, { identity: laptop }),
    );
    const stays = { device: phone!, reason: 'refused', target: 'ap-2', until: 5 } as const;
    await raises('devices', 'one that would not be moved', () =>
      database.transaction((tx) => extrasStore.putSticky(tx, stays)),
    );
    await raises('devices', 'what has ended', () => extrasStore.prune(5));
    await raises('devices', 'a device less', () => send('DELETE', `/devices/${phone}`));
    await raises('settings', 'an agent less', () =>
      raises('alarms', 'an agent less', () => raises('agents', 'an agent less', () => send('DELETE', '/agents/ap-1'))),
    );
    const ada = await weft.user('ada@weft.test');
    const wifi = {
      access_point_type: 'WiFi',
      num_access_points: 1,
      locations: ['Bristol'],
      num_devices: 1,
      duration: 600,
    };
    await raises('agents', 'a spin-up', () => send('POST', '/emulator/spinup', { emulators: [wifi] }, ada));
    const mine = await raises('sessions', 'a session beyond those that a user may have', async () => {
      for (let more = 0; more < 2; more++) await weft.login('user', 'ada@weft.test');
      return weft.login('user', 'ada@weft.test');
    });
    await raises('sessions', 'a token less', () => send('DELETE', '/token/', undefined, mine));
    await raises('sessions', 'a session less', async () => {
      const [session] = await send('GET', '/users/ada@weft.test/sessions');
      await send('DELETE', `/users/ada@weft.test/sessions/${session.id}`);
    });
    await raises('sessions', 'those that have expired', () => new SessionStore(database).removeExpired(Date.now()));
    await send('POST', '/agents/', { ap_id: 'ap-1', password, configuration: {} });
    await send('POST', '/agent_update/update', { devices }, await weft.login('agent', 'ap-1'));
    const watcher = await weft.user('bob@weft.test', ['admin']);
    await send('POST', `/devices/${laptop}/watch`, {}, watcher);
    const accounts = await openAccounts(weft.config, 'operator');
    await raises('devices', 'weft user disable', () => accounts.users.disable('bob@weft.test'));
    await raises('agents', 'weft user disable', () => accounts.users.disable('ada@weft.test'));
    await accounts.close();
  });
});

test('after a restore or a move no row is ahead of its revision, and the next change has a new one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weft-revisions-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const dataDir = join(folder, 'old');
  mkdirSync(dataDir);
  const old = openSqlite(join(dataDir, 'weft.db'));
  await old.migrate();
  for (const name of ['a', 'b', 'c']) await new AgentStore(old).create(agentNamed(name));
  await new AgentStore(old).remove('b');
  await new SessionStore(old).end({ id: 's', ended_at: 1, expires_at: 2 });
  const rules = new RulesKeeper(old);
  await old.transaction((tx) => rules.store(tx, defaultConflictRules));
  await old.transaction((tx) => new DeviceExtrasStore(old).setClearAddresses(tx, true));
  const before = await revisionsOf(old);
  await old.close();

  async function check(database: SqlQueries & { close(): Promise<void> }, create: () => Promise<void>) {
    expect(await revisionsOf(database)).toStrictEqual(before);
    const [newest] = await database.query<{ revision: number }>('SELECT MAX(revision) AS revision FROM agents');
    expect(newest!.revision).toBeLessThanOrEqual(before.agents);
    const [ended] = await database.query<{ revision: number }>('SELECT revision FROM ended_sessions');
    expect(ended!.revision).toBe(before.sessions);
    await create();
    const [made] = await database.query<{ revision: number }>(`SELECT revision FROM agents WHERE ap_id = 'd'`);
    expect(made!.revision).toBe(before.agents + 1);
    await database.close();
  }

  const file = join(folder, 'backup');
  const request = { dataDir, leftOut: [], hasRegistry: true, hasTelemetry: false, secret: undefined, weftVersion: '1' };
  await writeBackup({ ...request, onProgress: () => {} }, { file }).manifest;
  const restored = join(folder, 'restored');
  async function* archive() {
    yield await readFile(file);
  }
  await restoreBackup({ name: 'it', archive: archive(), dataDir: restored, force: false, onProgress: () => {} })
    .restored;
  const again = openSqlite(join(restored, 'weft.db'));
  await check(again, () => new AgentStore(again).create(agentNamed('d')));

  if (inject('postgresUrl') === undefined) return;
  const namespace = await databaseKinds.postgres.createNamespace();
  onTestFinished(() => namespace.remove());
  const { address } = namespace;
  const env = { WEFT_DATA_DIR: dataDir, WEFT_DATABASE_URL: address, WEFT_TELEMETRY_URL: address };
  const config = loadConfig({ env: { ...env, WEFT_SECRET: secret }, file: {}, flags: {} });
  await moveInstallation(dataDir, config, { onStage: () => {}, onProgress: () => {} });
  const moved = openPostgres(address);
  await check(moved, () => new AgentStore(moved).create(agentNamed('d')));
});
