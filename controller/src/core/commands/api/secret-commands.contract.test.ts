// Commands with credentials: the agent gets them, and neither the store, nor an answer, nor the audit log has them.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startWeft, type TestWeft } from '../../../../../test/weft.ts';

const canary = 'canary-hunter2-51c0';
let folder: string;
let weft: TestWeft;
let admin: string;
let agent: string;

const commands = [
  'reboot',
  { name: 'set_wifi', params: { ssid: {}, psk: { type: 'string' } } },
  { name: 'set_snmp', params: { community: { type: 'string', secret: true }, port: { optional: true } } },
  { name: 'set', params: { text: {} } },
];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'weft-secrets-'));
  weft = await startWeft({ WEFT_DATA_DIR: folder });
  admin = await weft.admin();
  agent = await weft.agent('ap-1', { commands });
});
afterEach(async () => {
  await weft.stop();
  rmSync(folder, { recursive: true, force: true });
});

const send = (command: object | string, token = admin, more: Record<string, string> = {}) => {
  const text = typeof command === 'string' ? command : JSON.stringify(command);
  const query = new URLSearchParams({ agent_id: 'ap-1', command: text, hold_seconds: '60', ...more });
  return weft.request('POST', `/api/v1/send_command?${query}`, { token });
};
const poll = async () => (await weft.request('GET', '/api/v1/agents/ap-1/commands?wait=5', { token: agent })).body;
const end = (command_id: string, json: object) =>
  weft.request('POST', `/api/v1/agents/ap-1/commands/${command_id}`, { token: agent, json });

/** Everything that is stored, as the database and as the files have it. */
async function stored(): Promise<string> {
  const { database } = weft.platform;
  const names = await database.query<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'");
  const tables = await Promise.all(names.map(({ name }) => database.query(`SELECT * FROM ${name}`)));
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  return JSON.stringify(tables) + files.map(({ name }) => readFileSync(join(folder, name), 'latin1')).join('\n');
}

/** Every answer about commands that an administrator can get. */
async function answers(): Promise<string> {
  const get = (path: string) => weft.request('GET', path, { token: admin });
  const list = await get('/api/v1/commands?limit=200');
  const texts = [list.text, (await get('/api/v1/conflicts')).text, (await get('/api/v1/audit')).text];
  for (const { command_id, job_number } of list.body) {
    texts.push((await get(`/api/v1/commands/${command_id}`)).text, (await get(`/api/v1/jobs/${job_number}`)).text);
  }
  return texts.join('\n');
}

const secrets = [
  { name: 'set_wifi', ssid: 'lab', psk: canary },
  { name: 'set_snmp', community: canary },
  `set wifi password ${canary}`,
];

test('reach the agent as they were sent, and stay nowhere', async () => {
  const said: string[] = [];
  for (const command of secrets) {
    const { status, text } = await send(command);
    expect([status, text.includes(canary)]).toEqual([200, false]);
  }
  const due = await poll();
  expect(due.map(({ command }: { command: string }) => command)).toEqual(
    secrets.map((command) => (typeof command === 'string' ? command : JSON.stringify(command))),
  );
  expect(due.map(({ args }: { args: unknown }) => args)).toEqual([
    { ssid: 'lab', psk: canary },
    { community: canary },
    { text: `wifi password ${canary}` },
  ]);
  expect(await stored()).not.toContain(canary);
  expect(await answers()).not.toContain(canary);
  for (const { command_id, args } of due) {
    const { status, text } = await end(command_id, { state: 'succeeded', applied: args, result: { echo: [args] } });
    said.push(text);
    expect(status).toBe(200);
  }
  expect(said.join('')).not.toContain(canary);
  expect(await stored()).not.toContain(canary);
  const shown = await answers();
  expect(shown).not.toContain(canary);
  expect(shown).toMatch(/"psk":"secret:[\w-]{22}"/);
  const open = await weft.platform.database.query('SELECT sealed FROM commands WHERE sealed IS NOT NULL');
  expect(open).toEqual([]);
});

test('are sealed until they end, whatever the end', async () => {
  const sealed = async () =>
    (await weft.platform.database.query('SELECT 1 AS one FROM commands WHERE sealed IS NOT NULL')).length;
  const { command_id } = (await send(secrets[0]!)).body;
  await send(secrets[1]!);
  expect(await sealed()).toBe(2);
  await weft.request('DELETE', `/api/v1/commands/${command_id}`, { token: admin });
  expect(await sealed()).toBe(1);
  const [{ command_id: other }] = await poll();
  await end(other, { state: 'failed' });
  expect(await sealed()).toBe(0);
});

test('are still there after a restart', async () => {
  await send(secrets[0]!);
  await weft.stop();
  weft = await startWeft({ WEFT_DATA_DIR: folder });
  expect(await poll()).toMatchObject([{ args: { ssid: 'lab', psk: canary } }]);
});

test('are compared for their own caller alone: another learns nothing of its guesses', async () => {
  const [one, two] = [await weft.app('one'), await weft.app('two')];
  expect((await send(secrets[0]!, one)).status).toBe(200);
  for (const psk of [canary, `${canary}-other`]) {
    for (const options of [{ dry_run: 'true' }, undefined]) {
      expect((await send({ ...(secrets[0] as object), psk }, two, options)).body.reason).toBe('held_by_other');
    }
  }
  const key = { idempotency_key: 'k' };
  const first = await send(secrets[1]!, one, key);
  expect((await send(secrets[1]!, one, key)).body.command_id).toBe(first.body.command_id);
  expect((await send({ name: 'set_snmp', community: 'x' }, one, key)).status).toBe(409);
  expect(await stored()).not.toContain(canary);
});

test('in a roll-out are sealed between its stages', async () => {
  const other = await weft.agent('ap-2', { commands });
  const json = { agents: ['ap-1', 'ap-2'], command: secrets[0], stages: [{ percent: 50, pause_s: 1 }] };
  expect((await weft.request('POST', '/api/v1/commands/batch', { token: admin, json })).status).toBe(200);
  expect(await stored()).not.toContain(canary);
  const { body } = await weft.request('GET', '/api/v1/agents/ap-2/commands?wait=8', { token: other });
  expect(body).toMatchObject([{ command: JSON.stringify(secrets[0]), args: { psk: canary } }]);
  expect(await stored()).not.toContain(canary);
});

test('are in no refusal', async () => {
  const refused = [
    { name: 'set_wifi', psk: canary },
    { name: 'set_wifi', ssid: 'x', psk: { [canary.slice(0, 3)]: canary } },
    { name: 'dance', psk: canary },
    `dance ${canary}`,
    `{"name":"set_wifi","psk":"${canary}"`,
  ];
  for (const command of refused) {
    const { status, text } = await send(command);
    expect([status, text.includes(canary)]).toEqual([422, false]);
  }
  expect(await stored()).not.toContain(canary);
});
