// An installation from before secrets belonged to anything: what its layers name goes on to reach who it reached, with the same
// hashes, and nobody else.
import { createHash } from 'node:crypto';
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { eachDatabase } from '../../../../test/databases.ts';
import { untilSo } from '../../../../test/pure/until-so.ts';
import { startWeft } from '../../../../test/weft.ts';
import { Keyring } from '../../core/base/secrets.ts';
import { MIGRATIONS_FOLDER } from '../../core/base/storage/migrations.ts';
import { openSqlite } from '../../core/base/storage/sql-database.sqlite.ts';

const WEFT_SECRET = 'kXf2mQ9wLr7Tz4Vb8Nc1Hs6Jd3Pg5YaEuWoRiKtMvBx';

eachDatabase((kind) => {
  test('layers of an older version keep the secrets that they name, and managers change what stands beside them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'weft-older-'));
    const namespace = await kind.createNamespace({ isBare: true });
    onTestFinished(async () => {
      await namespace.remove();
      rmSync(folder, { recursive: true, force: true });
    });
    const migrationsFolder = mkdtempSync(join(folder, 'migrations-'));
    for (const file of readdirSync(MIGRATIONS_FOLDER).filter((each) => each < '0048'))
      copyFileSync(join(MIGRATIONS_FOLDER, file), join(migrationsFolder, file));
    const isPostgres = kind.dialect === 'postgres';
    const old = isPostgres
      ? namespace.open({ migrationsFolder })
      : openSqlite(join(folder, 'weft.db'), { migrationsFolder });
    await old.migrate();
    const sealed = new Keyring(WEFT_SECRET).encrypt('as it was', 'config secret psk');
    await old.query('INSERT INTO config_secrets (name, version, value, updated_at) VALUES (?, 3, ?, 1)', [
      'psk',
      sealed,
    ]);
    await old.query(
      `INSERT INTO config_layer_versions
         (layer_id, version, name, selector, weight, optional, settings, removed, rollout_id, created_by, created_at)
       VALUES ('old', 2, 'guest', 'site:uk/**', 10, 0, ?, 0, 'r', 'ada', 1)`,
      [JSON.stringify({ passphrase: { secret: 'psk' }, channel: 36 })],
    );
    await old.query(`INSERT INTO config_layers (id, version) VALUES ('old', 2)`);
    await old.close();
    const weft = await startWeft({
      WEFT_SECRET,
      WEFT_DATA_DIR: folder,
      ...(isPostgres && { WEFT_DATABASE_URL: namespace.address }),
    });
    onTestFinished(() => weft.stop());
    const admin = await weft.admin();
    const ask = async (method: string, path: string, json?: unknown, token = admin) => {
      const { status, body, text } = await weft.request(method, `/api/v1${path}`, {
        token,
        ...(json !== undefined && { json }),
      });
      expect(status, text).toBe(200);
      return body;
    };
    expect((await ask('GET', '/config/secrets')).items).toMatchObject([
      { name: 'psk', version: 3, ap_id: null, site: null, shared: false },
    ]);
    await ask('POST', '/sites', { path: 'uk' });
    const token = await weft.agent('kept-1', { settings: { passphrase: {}, channel: {} } });
    await ask('PATCH', '/agents/kept-1/labels', { site: 'uk' });
    const given = (channel: number) =>
      untilSo(async () => {
        const { next } = await ask('GET', '/agents/kept-1/config/next', undefined, token);
        const passphrase = { secret: 'psk', version: 3, value: 'as it was' };
        expect(next).toMatchObject({ type: 'config', settings: { channel, passphrase } });
        return next;
      });
    const text = '{"channel":36,"passphrase":{"secret":"psk","version":3}}';
    expect((await given(36)).hash).toBe(createHash('sha256').update(text).digest('hex'));
    const manager = await weft.user('uk@weft.test');
    await ask('PUT', '/users/uk@weft.test/grants', [{ role: 'manager', selector: 'site:uk/**' }]);
    const settings = { passphrase: { secret: 'psk' }, channel: 40 };
    const layer = { id: 'old', name: 'guest', selector: 'site:uk/**', weight: 10, settings };
    const set = await ask('POST', '/config/change_sets', { title: 'channel', layers: [layer] }, manager);
    await ask('POST', `/config/change_sets/${set.id}/rollout`, {}, manager);
    await given(40);
  });
});
