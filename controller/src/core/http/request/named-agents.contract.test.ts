// What people call an access point, where its id is asked for.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { App } from '../../../../../sdk/src/index.ts';
import { password, startWeft, type TestWeft } from '../../../../../test/weft.ts';

let weft: TestWeft;
let admin: string;
let narrow: string;
let agent: string;
beforeAll(async () => {
  weft = await startWeft();
  admin = await weft.admin();
  for (const [ap_id, display_name] of [
    ['ap-17', 'Lobby left'],
    ['ap-18', 'Stairs'],
    ['ap-19', 'Stairs'],
  ] as const) {
    await weft.agent(ap_id);
    const json = { display_name };
    await weft.request('PATCH', `/api/v1/agents/${ap_id}/labels`, { token: admin, json });
  }
  narrow = await weft.app('narrow', { agents: ['ap-18'] });
  agent = await weft.login('agent', 'ap-18');
});
afterAll(() => weft.stop());

const lobby = encodeURIComponent('Lobby left');
const ask = async (method: string, path: string, token = admin, json?: object) => {
  const { status, body } = await weft.request(method, `/api/v1/${path}`, { token, ...(json && { json }) });
  return [status, body.code, body.detail];
};
const told = [404, 'agent_not_found', 'Agent not found: Lobby left is the display name of ap-17. Send the id.'];

describe('the refusal of a display name says the id', () => {
  test.each([
    ['GET', `agents/${lobby}`],
    ['PUT', `agents/${lobby}`, {}],
    ['DELETE', `agents/${lobby}`],
    ['GET', `agents/${lobby}/config`],
    ['GET', `agents/${lobby}/labels`],
    ['GET', `agents/${lobby}/devices`],
    ['POST', `send_command?agent_id=${lobby}&command=sleep`],
    ['GET', `metrics/agent_data?agent=${lobby}`],
    ['GET', `metrics/agent_metrics?ap_id=${lobby}`],
    ['GET', `metrics/export?agent=${lobby}`],
    ['POST', `agents/${encodeURIComponent('lobby LEFT')}/push_secret`],
  ] as [string, string, object?][])('%s %s', async (method, path, json) => {
    const [status, code, detail] = await ask(method, path, admin, json);
    expect([status, code, String(detail).toLowerCase()]).toEqual([...told.slice(0, 2), String(told[2]).toLowerCase()]);
  });

  test('of several all ids are named', async () => {
    expect((await ask('GET', 'agents/Stairs'))[2]).toBe(
      'Agent not found: Stairs is the display name of ap-18, ap-19. Send the id.',
    );
  });

  test('nobody is told of an access point that it may not see', async () => {
    expect(await ask('GET', `agents/${lobby}`, narrow)).toEqual([404, 'agent_not_found', 'Agent not found']);
    expect((await ask('GET', 'agents/Stairs', narrow))[2]).toContain('display name of ap-18. Send');
    expect(await ask('GET', 'agents/nobody')).toEqual([404, 'agent_not_found', 'Agent not found']);
    expect((await ask('GET', `agents/${lobby}`, agent))[0]).toBe(403);
    expect((await weft.request('GET', `/api/v1/agents/${lobby}`)).status).toBe(401);
  });

  test('a program that uses the SDK reads it in the message', async () => {
    await weft.app('program');
    const app = new App({ url: weft.url, name: 'program', key: password });
    const refused = await app.command('Lobby left', 'sleep').catch((error) => error);
    expect(refused.message).toContain('Lobby left is the display name of ap-17');
    await app.close();
  });
});
