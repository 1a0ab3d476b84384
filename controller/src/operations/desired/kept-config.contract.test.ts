// What access points shall be outlives what happens to an installation: another secret, a backup and its restore, the move to
// PostgreSQL; layers with their versions, variables, secrets, drafts, a roll-out under way, and how each access point stands.
import { randomBytes } from 'node:crypto';
import { createReadStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { databaseKinds } from '../../../../test/databases.ts';
import { untilSo } from '../../../../test/pure/until-so.ts';
import { password, startWeft, type TestWeft } from '../../../../test/weft.ts';
import { loadConfig } from '../../core/base/config.ts';
import { moveInstallation } from '../../offline.ts';
import { restoreBackup } from '../backup/restore-backup.ts';
import { writeBackup } from '../backup/write-backup.ts';

const psk = 'a passphrase nobody else has';
const [older, newer] = [0, 1].map(() => randomBytes(48).toString('base64')) as [string, string];

/** All that people are told, but for what time changes. */
async function pictured(weft: TestWeft, layer: string): Promise<unknown[]> {
  const token = await weft.admin();
  const paths = ['/config/layers', `/config/layers/${layer}/versions`, '/config/variables', '/config/secrets'];
  const others = ['/config/change_sets', '/rollouts', '/agents/kept-1/config?view=why', '/agents/kept-2/config'];
  const bodies: unknown[] = [];
  for (const path of [...paths, ...others]) {
    const { status, body } = await weft.request('GET', `/api/v1${path}`, { token });
    expect(status, path).toBe(200);
    bodies.push(body);
  }
  return bodies;
}

const post = async (weft: TestWeft, token: string, path: string, json: unknown = {}, method = 'POST') => {
  const { status, body, text } = await weft.request(method, `/api/v1${path}`, { token, json });
  expect(status, text).toBe(200);
  return body;
};

/** Everything there is, once; the second access point was sent its settings and has not answered. */
async function fill(weft: TestWeft): Promise<{ layer: string; rollout: string }> {
  const admin = await weft.admin();
  const declared = { settings: { channel: {}, psk: {} } };
  const first = await weft.agent('kept-1', declared);
  await weft.agent('kept-2', declared);
  await post(weft, admin, '/config/secrets', { name: 'psk', value: psk }, 'PUT');
  await post(weft, admin, '/sites', { path: 'uk' });
  await post(weft, admin, '/config/secrets', { name: 'psk', site: 'uk', value: `${psk} here` }, 'PUT');
  await post(weft, admin, '/agents/kept-2/labels', { site: 'uk' }, 'PATCH');
  await post(weft, admin, '/config/variables', { ap_id: 'kept-1', name: 'channel', value: 36 }, 'PUT');
  const rollOut = async (id: string | undefined, settings: object, plan: object) => {
    const layer = { ...(id && { id }), name: 'kept', selector: 'name:kept-*', weight: 1, settings };
    const set = await post(weft, admin, '/config/change_sets', { title: 'kept', layers: [layer] });
    const { id: rollout } = await post(weft, admin, `/config/change_sets/${set.id}/rollout`, plan);
    return { layer: set.layers[0].id as string, rollout: rollout as string };
  };
  const obey = async (token: string) => {
    const next = await untilSo(async () => {
      const { body } = await weft.request('GET', '/api/v1/agents/kept-1/config/next?wait=1', { token });
      expect(body.next).toMatchObject({ type: 'config' });
      return body.next;
    });
    const { value: _, ...reference } = next.settings.psk;
    const running = { hash: next.hash, settings: { ...next.settings, psk: reference } };
    await post(weft, token, `/agents/kept-1/config/${next.id}/result`, { hash: next.hash, state: 'applied' });
    for (let times = 0; times < 2; times++) await post(weft, token, '/agents/kept-1/config/running', running);
  };
  const { layer, rollout } = await rollOut(undefined, { psk: { secret: 'psk' } }, {});
  await obey(first);
  await post(weft, admin, `/rollouts/${rollout}/abort`);
  const waves = [{ select: 'name:kept-1' }, { percent: 100 }];
  const under = await rollOut(undefined, { channel: 40, psk: { secret: 'psk' } }, { waves });
  await obey(first);
  await untilSo(async () => {
    const { body } = await weft.request('GET', `/api/v1/rollouts/${under.rollout}`, { token: admin });
    expect(body).toMatchObject({ wave: 2, waves: [{}, { treated: 1 }] });
  });
  return { ...under, layer };
}

async function expectGoesOn(weft: TestWeft, rollout: string): Promise<void> {
  const token = await weft.login('agent', 'kept-2', password);
  const next = await untilSo(async () => {
    const { body } = await weft.request('GET', '/api/v1/agents/kept-2/config/next?wait=1', { token });
    expect(body.next).toMatchObject({ type: 'config' });
    return body.next;
  });
  expect(next.settings).toEqual({
    channel: 40,
    psk: { secret: 'psk', of: expect.any(String), version: 1, value: `${psk} here` },
  });
  const refused = { hash: next.hash, state: 'refused', reason: 'no' };
  await post(weft, token, `/agents/kept-2/config/${next.id}/result`, refused);
  await untilSo(async () => {
    const { body } = await weft.request('GET', `/api/v1/rollouts/${rollout}`, { token: await weft.admin() });
    expect(body).toMatchObject({ state: 'stopped', reason: '1 failed, more than 0: kept-2 refused (no)' });
  });
}

test('rotation, backup and restore, and the move to PostgreSQL keep all of it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weft-kept-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const dataDir = join(folder, 'data');
  const run = async <T>(env: Record<string, string>, use: (weft: TestWeft) => Promise<T>): Promise<T> => {
    const weft = await startWeft({ WEFT_DATA_DIR: dataDir, ...env });
    return use(weft).finally(() => weft.stop());
  };
  const made = await run({ WEFT_SECRET: older }, async (weft) => {
    const { layer, rollout } = await fill(weft);
    return { layer, rollout, before: await pictured(weft, layer) };
  });
  const { layer, rollout, before } = made;
  await run({ WEFT_SECRET: newer, WEFT_SECRET_PREVIOUS: older }, async (weft) => {
    expect(await pictured(weft, layer)).toEqual(before);
  });

  const file = join(folder, 'backup');
  const request = { dataDir, leftOut: [], hasRegistry: true, hasTelemetry: true, secret: undefined, weftVersion: '1' };
  await writeBackup({ ...request, onProgress: () => {} }, { file }).manifest;
  expect(readFileSync(file, 'latin1')).not.toContain(psk);
  const restored = join(folder, 'restored');
  const archive = createReadStream(file);
  await restoreBackup({ name: 'it', archive, dataDir: restored, force: false, onProgress: () => {} }).restored;
  // Only the new secret: what is not encrypted with it could not be read any more.
  const of = { WEFT_DATA_DIR: restored, WEFT_SECRET: newer };
  await run(of, async (weft) => expect(await pictured(weft, layer)).toEqual(before));

  if (inject('postgresUrl') === undefined) return run(of, (weft) => expectGoesOn(weft, rollout));
  const namespace = await databaseKinds.postgres.createNamespace();
  onTestFinished(() => namespace.remove());
  const shared = { WEFT_DATABASE_URL: namespace.address, WEFT_TELEMETRY_URL: namespace.address };
  const env = { ...of, ...shared, WEFT_DATA_DIR: join(folder, 'moved') };
  const silent = { onStage: () => {}, onProgress: () => {} };
  // The seals of the audit log are those of both secrets.
  const both = { ...env, WEFT_SECRET_PREVIOUS: older };
  await moveInstallation(restored, loadConfig({ env: both, file: {}, flags: {} }), silent);
  await run(env, async (weft) => {
    expect(await pictured(weft, layer)).toEqual(before);
    await expectGoesOn(weft, rollout);
  });
});
