// One more way to log in is taken at every entrance, and what is open by it ends with it.
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { agent, createBareServer } from '../../../../../test/bare-server.ts';
import { bearer, connect, refusal } from '../../../../../test/socket-client.ts';
import { startWeft, type TestWeft, WeftClient } from '../../../../../test/weft.ts';
import type { Caller } from '../../base/caller.ts';
import { ToyScheme } from './toy-scheme.ts';

let weft: TestWeft;
const callers = new Map<string, Caller>();
const channel = '/api/v1/agents/ap-1/channel';

beforeAll(async () => {
  weft = await startWeft();
  const { auth, toy } = weft.parts.auth;
  const tokens = { toy_user: await weft.user('ada@weft.test'), toy_agent: await weft.agent('ap-1') };
  for (const [text, token] of Object.entries(tokens)) callers.set(text, (await auth.read(token)!.admit()) as Caller);
  for (const [text, caller] of callers) toy.callers.set(text, caller);
});
afterAll(() => weft.stop());

function end(text: string): void {
  const { toy } = weft.parts.auth;
  toy.callers.delete(text);
  onTestFinished(() => void toy.callers.set(text, callers.get(text)!));
}

test('the guard takes it, and refuses one that is not there', async () => {
  const get = (token: string) => weft.request('GET', '/api/v1/users/me', { token });
  expect((await get('toy_user')).body).toMatchObject({ username: 'ada@weft.test' });
  expect((await get('toy_other')).body.code).toBe('invalid_token');
});

test.each(['on', 'off'] as const)('a post is read with it, direct posts being %s', async (directPosts) => {
  const toy = new ToyScheme();
  toy.callers.set('toy_agent', agent);
  const app = createBareServer({
    directPosts,
    authenticator: { schemes: [toy], hasAdmin: async () => true, mayReadServiceMetrics: () => false },
  });
  onTestFinished(() => app.close());
  let [seen, routed] = [0, 0];
  app.server.on('request', () => seen++);
  app.addHook('onRequest', (_request, _reply, done) => {
    routed++;
    done();
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const client = new WeftClient(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}`);
  const post = (token: string) => client.request('POST', '/api/v1/agent_update/update', { token, json: { load: 1 } });
  expect((await post('toy_agent')).body).toEqual({ body: { load: 1 } });
  // No framework either way, and no node:http on the direct entrance.
  expect([seen, routed]).toEqual([directPosts === 'on' ? 0 : 1, 0]);
  expect((await post('toy_other')).status).toBe(401);
});

test('an upgrade takes it in the header, in the query and as a protocol; its end closes the socket', async () => {
  const inHeader = await connect(weft.url, channel, bearer('toy_agent'));
  const inQuery = await connect(weft.url, `${channel}?token=toy_agent`, {});
  for (const { socket } of [inHeader, inQuery]) socket.close();
  const client = await connect(weft.url, channel, {}, ['weft.v1', 'bearer.toy_agent']);
  end('toy_agent');
  expect((await client.closed).code).toBe(4401);
  expect((await refusal(weft.url, channel, bearer('toy_agent'))).status).toBe(401);
});

test.each(['/api/v1/events/stream', '/api/v1/metrics/stream'])('%s takes it, and ends with it', async (path) => {
  const response = await fetch(`${weft.url}${path}?token=toy_user`);
  expect(response.status).toBe(200);
  end('toy_user');
  expect(await response.text()).toContain('the token is no longer good');
});
