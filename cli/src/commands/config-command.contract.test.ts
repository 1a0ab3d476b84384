// `weft config` and `weft rollout` against a real server: what was applied reads back, and a second plan says nothing to do.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWeft, type TestWeft } from '../../../test/weft.ts';
import { clientWeft } from '../client-commands.ts';
import { commandsCalled, execute } from '../run-weft.ts';

let weft: TestWeft;
let token: string;
const folder = mkdtempSync(join(tmpdir(), 'weft-config-'));
beforeAll(async () => {
  weft = await startWeft();
  token = await weft.admin();
  await weft.agent('ap-1', { settings: { channel: { type: 'integer', enum: [36, 100], restart: 'radio' } } });
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await weft.stop();
});

async function run(...args: string[]) {
  const output = { stdout: '', stderr: '' };
  const into = (name: 'stdout' | 'stderr') => ({
    write: (text: string | Uint8Array) => {
      output[name] += text;
    },
  });
  const [name, ...rest] = args;
  const [command] = await commandsCalled(clientWeft, name!);
  const around = {
    env: { WEFT_URL: weft.url, WEFT_TOKEN: token, WEFT_LOGIN_FILE: join(folder, 'none') },
    stdin: process.stdin,
    stdout: into('stdout'),
    stderr: into('stderr'),
  };
  const code = await execute(command!, rest, around);
  return { code, ...output };
}

function write(file: string, layer: object): void {
  writeFileSync(join(folder, file), JSON.stringify(layer));
}

test('plan, apply, plan, export: a folder is what is in force', async () => {
  expect(await run('config', 'plan', '-f', folder)).toMatchObject({ code: 0, stdout: 'Nothing to do.\n' });
  write('radio.json', { name: 'radio', selector: 'name:nobody', weight: 10, settings: { channel: 100 } });
  write('all.json', {
    name: 'all',
    selector: 'name:nobody',
    weight: 1,
    optional: true,
    settings: { b: 1, a: [1, { c: 2 }] },
  });
  expect(await run('config', 'plan', '-f', folder)).toMatchObject({ code: 2 });
  expect(await run('config', 'plan', '-f', folder, '--json')).toMatchObject({
    code: 2,
    stdout: expect.stringContaining('"groups":[]'),
  });
  const applied = await run('config', 'apply', '-f', folder);
  expect(applied).toMatchObject({ code: 0, stderr: expect.stringContaining('completed') });
  expect(await run('config', 'plan', '-f', folder)).toMatchObject({ code: 0, stdout: 'Nothing to do.\n' });
  expect(await run('config', 'apply', '-f', folder)).toMatchObject({ code: 0, stdout: 'Nothing to do.\n' });
  await run('config', 'export', folder);
  const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  await run('config', 'export', folder);
  expect(readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual(texts);
  expect(await run('config', 'plan', '-f', folder)).toMatchObject({ code: 0 });
  rmSync(join(folder, 'all.json'));
  expect(await run('config', 'plan', '-f', folder)).toMatchObject({ code: 0 });
  expect(await run('config', 'apply', '-f', folder, '--remove')).toMatchObject({ code: 0 });
  await run('config', 'export', folder);
  expect(readdirSync(folder)).toEqual(['radio.json']);
  expect((await run('rollout', 'list')).stdout).toContain('completed');
});

test('what an access point refuses is said, with leaf and layer, and nothing is left behind', async () => {
  write('radio.json', { name: 'radio', selector: 'name:ap-1', weight: 10, settings: { channel: 40 } });
  const refused = await run('config', 'plan', '-f', folder);
  expect(refused).toMatchObject({ code: 1, stdout: expect.stringContaining('refused: ap-1, channel of radio') });
  await expect(run('config', 'apply', '-f', folder)).rejects.toThrow('cannot take it');
  const { items } = (await weft.request('GET', '/api/v1/config/change_sets', { token })).body;
  expect(items.filter(({ state }: { state: string }) => state === 'draft')).toEqual([]);
});

test('a roll-out is shown, paused and given up', async () => {
  write('radio.json', { name: 'radio', selector: 'name:ap-1', weight: 10, settings: { channel: 36 } });
  const begun = await run('config', 'apply', '-f', folder, '--no-wait', '--json');
  const { id } = JSON.parse(begun.stdout);
  expect((await run('rollout', 'pause', id)).stderr).toContain('paused');
  expect((await run('rollout', 'show', id)).stdout).toContain('ap-1');
  expect((await run('rollout', 'abort', id)).stderr).toContain('aborted');
});

test('all roll-outs are listed, and all access points of one, however many there are', async () => {
  const { database } = weft.platform;
  const [{ id }] = (await database.query(`SELECT id FROM config_rollouts WHERE ended_at IS NOT NULL LIMIT 1`)) as [
    { id: string },
  ];
  const numbers = 'WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1500)';
  const rollout =
    'change_set_id, title, state, reason, plan, changes, wave, wave_started_at, total, measured, owner_kind, owner_id, owner_name, created_at, ended_at';
  await database.query(
    `${numbers} INSERT INTO config_rollouts (id, ${rollout})
     SELECT id || '-' || n, ${rollout} FROM config_rollouts, numbers WHERE id = ? AND n <= 400`,
    [id],
  );
  await database.query(
    `${numbers} INSERT INTO config_rollout_agents (rollout_id, agent_id, ap_id, wave, treated)
     SELECT ?, 'agent-' || n, 'ap-' || n, 0, 0 FROM numbers`,
    [id],
  );
  const listed = JSON.parse((await run('rollout', 'list', '--json')).stdout);
  expect(new Set(listed.map((each: { id: string }) => each.id)).size).toBeGreaterThan(400);
  const shown = JSON.parse((await run('rollout', 'show', id, '--json')).stdout);
  expect(shown.agents.length).toBeGreaterThanOrEqual(1500);
});
