// What features tell: each change is an event in the log, once, without a secret.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import type { EventItem } from '../../../../../contract/src/index.ts';
import { untilSo } from '../../../../../test/pure/until-so.ts';
import { adminUsername, password, startWeft, type TestWeft } from '../../../../../test/weft.ts';
import { createLogger } from '../../http/request/log.ts';

let weft: TestWeft;
let admin: string;
beforeAll(async () => {
  weft = await startWeft({ WEFT_EMULATOR_MAX_RUNS: '0' });
  admin = await weft.admin();
});
afterAll(() => weft.stop());

async function events(query = ''): Promise<EventItem[]> {
  const { body } = await weft.request('GET', `/api/v1/events?after=0&limit=500&${query}`, { token: admin });
  return body.items;
}
const kindsOf = async (query: string) => (await events(query)).map(({ kind }) => kind);
async function send(method: string, path: string, json?: unknown, token = admin) {
  const answer = await weft.request(method, path, { token, ...(json !== undefined && { json }) });
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer.body;
}

test('the start of a node', async () => {
  expect(await events('kinds=node.*')).toMatchObject([
    {
      kind: 'node.started',
      subject_kind: 'node',
      data: { version: expect.any(String), roles: ['api', 'worker', 'emulator'] },
    },
  ]);
});

test('the start of another version says which one there was before', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'weft-upgrade-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const settings = { WEFT_EMULATOR_MAX_RUNS: '0', WEFT_DATA_DIR: dataDir };
  await (await startWeft(settings)).stop();
  const database = new DatabaseSync(join(dataDir, 'weft.db'));
  database.exec(`UPDATE event_log SET data = '{"version":"0.0.1"}' WHERE kind = 'node.started'`);
  database.close();
  const log = createLogger('silent');
  const said = vi.spyOn(log, 'info');
  const later = await startWeft(settings, { log });
  onTestFinished(() => later.stop());
  const { body } = await later.request('GET', '/api/v1/events?kinds=node.started&limit=1', {
    token: await later.admin(),
  });
  expect(body.items).toMatchObject([
    { text: expect.stringMatching(/ after 0\.0\.1$/), data: { version_before: '0.0.1' } },
  ]);
  // From, to, and what changed, in the log too.
  expect(said.mock.calls.flat()).toContainEqual(expect.stringMatching(/^upgraded from 0\.0\.1 to .*CHANGELOG\.md/));
});

test('an agent: its first login, its configuration, its end; no password and no news of one', async () => {
  await weft.agent('ap-1');
  await send('PUT', '/api/v1/agents/ap-1', { configuration: { channel: 6 } });
  await send('PUT', '/api/v1/agents/ap-1', { password: 'another long password' });
  await send('DELETE', '/api/v1/agents/ap-1');
  const found = await events('ap_id=ap-1');
  expect(found.map(({ kind }) => kind)).toEqual(['agent.onboarded', 'config.changed', 'agent.removed']);
  expect(found[1]).toMatchObject({
    text: 'The access point ap-1 was updated',
    data: { by: adminUsername, by_kind: 'user', keys: ['channel'], action: 'agent_updated' },
  });
  expect(JSON.stringify(found)).not.toContain(password);
});

test('the conflict rules', async () => {
  const rules = await send('GET', '/api/v1/conflicts/rules');
  await send('PUT', '/api/v1/conflicts/rules', rules);
  expect(await events('kinds=config.changed&subject=rules')).toMatchObject([
    { text: 'The conflict rules were updated' },
  ]);
});

test('commands: accepted and ended, in the same transaction as their rows; conflicts', async () => {
  const agent = await weft.agent('ap-2');
  const first = await send('POST', '/api/v1/send_command?agent_id=ap-2&command=set_tx_power%20dbm=3');
  await send('POST', `/api/v1/agents/ap-2/commands/${first.command_id}`, { state: 'failed' }, agent);
  const found = await events('ap_id=ap-2&kinds=command.*');
  expect(found).toMatchObject([
    {
      kind: 'command.accepted',
      subject_kind: 'command',
      subject: first.command_id,
      ap_id: 'ap-2',
      text: 'set_tx_power for ap-2 was accepted',
      data: { by: adminUsername, command: 'set_tx_power' },
    },
    { kind: 'command.failed', subject: first.command_id, severity: 'warning' },
  ]);
  const app = await weft.app('app-1');
  const answer = await weft.request('POST', '/api/v1/send_command?agent_id=ap-2&command=set_tx_power%20dbm=9', {
    token: app,
  });
  expect(answer.status).toBe(409);
  expect(await events('agent=ap-2&kinds=conflict.*')).toMatchObject([
    { kind: 'conflict.rejected', data: { by: 'app-1', verdict: 'rejected' } },
  ]);
  const { body } = await weft.request('GET', '/api/v1/events?agent=ap-2&kinds=conflict.*', { token: app });
  expect(body.items[0].data).not.toHaveProperty('by');
});

test('emulated networks: started, and ended', async () => {
  const network = {
    access_point_type: 'WiFi',
    num_access_points: 3,
    locations: ['51.45,-2.58'],
    num_devices: 5,
    duration: 600,
  };
  const { job_number } = await send('POST', '/api/v1/emulator/spinup', { emulators: [network], seed: 7 });
  await send('POST', `/api/v1/emulator/${job_number}/stop`);
  await untilSo(async () => expect(await kindsOf(`subject=${job_number}`)).toEqual(['run.started', 'run.ended']));
  expect((await events(`subject=${job_number}`))[0]).toMatchObject({
    text: 'An emulated network of 3 access points was started',
    data: { access_points: 3 },
  });
});
