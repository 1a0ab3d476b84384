// Older versions took layers with settings called __proto__: an installation that has some starts, says so, and works.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import pino from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { eachDatabaseOfServers } from '../../../../test/databases.ts';
import { untilSo } from '../../../../test/pure/until-so.ts';
import { startWeft, type TestWeft } from '../../../../test/weft.ts';

type Body = Record<string, unknown>;
const polluted = '{"__proto__":{"zzz":"polluted","config":"roll_out","alarms":true},"tx_power_dbm":12}';
const draftOfLayer = (name: string, settings: Body) => ({
  title: name,
  layers: [{ name, selector: `name:${name}-*`, weight: 1, settings }],
});

async function ok(weft: TestWeft, token: string, method: string, path: string, json?: Body) {
  const answer = await weft.request(method, `/api/v1${path}`, { token, ...(json && { json }) });
  expect([path, answer.status, answer.text]).toEqual([path, 200, expect.any(String)]);
  return answer.body;
}

async function rollOut(weft: TestWeft, admin: string, change: Body) {
  const { id } = await ok(weft, admin, 'POST', '/config/change_sets', change);
  return ok(weft, admin, 'POST', `/config/change_sets/${id}/rollout`, {});
}

/** Takes what it is given, and says so, until nothing is to be done any more. */
async function obey(weft: TestWeft, token: string, ap_id: string) {
  const { next } = await untilSo(async () => {
    const answer = await ok(weft, token, 'GET', `/agents/${ap_id}/config/next?wait=1`);
    expect(answer.next).toMatchObject({ type: 'config' });
    return answer;
  });
  const { id, hash, settings } = next;
  await ok(weft, token, 'POST', `/agents/${ap_id}/config/${id}/result`, { hash, state: 'applied' });
  for (let n = 0; n < 2; n++) await ok(weft, token, 'POST', `/agents/${ap_id}/config/running`, { hash, settings });
  return settings;
}

eachDatabaseOfServers((kind) => {
  test('its layers and roll-outs are left out, taken back, listed, and removed as any other', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'weft-unusable-'));
    const namespace = await kind.createNamespace();
    onTestFinished(async () => {
      rmSync(dataDir, { recursive: true, force: true });
      await namespace.remove();
    });
    const settings = {
      WEFT_DATA_DIR: dataDir,
      WEFT_SECRET: randomBytes(48).toString('base64'),
      ...(kind.dialect === 'postgres' && { WEFT_DATABASE_URL: namespace.address }),
    };
    const declared = { settings: { channel: {}, tx_power_dbm: {} } };
    let weft = await startWeft(settings);
    let admin = await weft.admin();
    const ap = await weft.agent('old-1', declared);
    const other = await weft.agent('ahead-1', declared);
    await weft.agent('draft-1', declared);
    await rollOut(weft, admin, draftOfLayer('old', { tx_power_dbm: 12 }));
    expect(await obey(weft, ap, 'old-1')).toEqual({ tx_power_dbm: 12 });
    await untilSo(async () => expect(await ok(weft, admin, 'GET', '/config/layers')).toMatchObject({ items: [{}] }));
    const { id: ahead } = await rollOut(weft, admin, draftOfLayer('ahead', { channel: 40 }));
    await untilSo(async () => expect((await ok(weft, admin, 'GET', `/rollouts/${ahead}`)).waves[0].treated).toBe(1));
    const { id: draft } = await ok(weft, admin, 'POST', '/config/change_sets', draftOfLayer('draft', { channel: 36 }));
    // As an older version would have stored them.
    const { database } = weft.platform;
    await database.query('UPDATE config_layer_versions SET settings = ?', [polluted]);
    const replaced = (column: string) => `REPLACE(${column}, '"settings":{', '"settings":{"__proto__":{"zzz":"x"},')`;
    await database.query(`UPDATE config_rollouts SET changes = ${replaced('changes')}`);
    await database.query(`UPDATE config_change_sets SET layers = ${replaced('layers')}`);
    await weft.stop();

    const lines: { msg: string; layer?: string }[] = [];
    const written = new Writable({
      write(chunk, _, done) {
        lines.push(JSON.parse(String(chunk)));
        done();
      },
    });
    weft = await startWeft(settings, { log: pino({ level: 'warn' }, written) as never });
    onTestFinished(() => weft.stop());
    admin = await weft.admin();
    const [layer] = (await ok(weft, admin, 'GET', '/config/layers')).items;
    expect(lines).toContainEqual(
      expect.objectContaining({
        layer: layer.id,
        msg: expect.stringContaining('version 1 of the layer old is left out'),
      }),
    );
    const ready = await weft.request('GET', '/readyz');
    expect([ready.status, ready.body.warnings]).toEqual([200, [`layer_left_out ${layer.id}`]]);
    await untilSo(async () =>
      expect((await ok(weft, admin, 'GET', '/agents/ahead-1/config?view=desired')).settings).toEqual({}),
    );
    expect(await obey(weft, other, 'ahead-1')).toEqual({});
    const taken = await untilSo(async () => {
      const rollout = await ok(weft, admin, 'GET', `/rollouts/${ahead}`);
      expect(rollout.state).toBe('reverted');
      return rollout;
    });
    expect(taken.reason).toContain('no setting may be called so');
    const why = '__proto__: no setting may be called so: version 1 of the layer old is left out until it is removed';
    const viewed = await untilSo(async () => {
      const found = await ok(weft, admin, 'GET', '/agents/old-1/config?view=desired');
      expect(found.state).toBe('refused');
      return found;
    });
    expect([viewed.detail, viewed.settings]).toEqual([expect.stringContaining(why), { tx_power_dbm: 12 }]);
    // One that came to match it later, and was never asked for anything.
    const late = await weft.agent('old-2', declared);
    await untilSo(async () =>
      expect(await ok(weft, admin, 'GET', '/agents/old-2/config')).toMatchObject({ state: 'refused', hash: null }),
    );
    const started = await weft.request('POST', `/api/v1/config/change_sets/${draft}/rollout`, {
      token: admin,
      json: {},
    });
    expect([started.status, started.body.detail[0].loc]).toEqual([422, ['layers', 'draft', 'settings', '__proto__']]);
    // Nobody has got a right by it.
    expect(Reflect.ownKeys(Object.prototype)).not.toContain('zzz');
    const app = await weft.app('none');
    for (const path of ['/config/layers', '/rollouts'])
      expect((await weft.request('GET', `/api/v1${path}`, { token: app })).status).toBe(403);

    const removed = await rollOut(weft, admin, { title: 'no more', remove: [layer.id] });
    await untilSo(async () =>
      expect(await ok(weft, admin, 'GET', `/rollouts/${removed.id}`)).toMatchObject({ state: 'completed' }),
    );
    expect(await obey(weft, ap, 'old-1')).toEqual({});
    await untilSo(async () => expect((await ok(weft, admin, 'GET', '/agents/old-1/config')).state).toBe('in_sync'));
    expect((await ok(weft, late, 'GET', '/agents/old-2/config/next?wait=0')).next).toBeNull();
    expect(await ok(weft, admin, 'GET', '/agents/old-2/config')).toMatchObject({ state: null, detail: null });
    expect((await weft.request('GET', '/readyz')).body.warnings).toBeUndefined();
  });
});
