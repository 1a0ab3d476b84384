// Pushes from a real server to real endpoints, honest ones and others (S1, S2).
import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import {
  type ChannelServer,
  type ChannelServerOptions,
  startChannelServer,
} from '../../../../../../test/channel-server.ts';
import { untilSo } from '../../../../../../test/pure/until-so.ts';
import { bearer, connect } from '../../../../../../test/socket-client.ts';

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const each of cleanUp.splice(0).reverse()) await each();
});

interface Pushed {
  path: string;
  signature: string;
  host: string;
  text: string;
}

/** An access point that takes pushes. */
async function startEndpoint(answer: (response: ServerResponse, request: IncomingMessage) => void) {
  const pushed: Pushed[] = [];
  const listener: RequestListener = async (request, response) => {
    let text = '';
    for await (const piece of request) text += piece;
    const signature = String(request.headers['x-weft-signature']);
    pushed.push({ path: request.url!, signature, host: request.headers.host!, text });
    answer(response, request);
  };
  const endpoint = createServer(listener);
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
  cleanUp.push(async () => {
    endpoint.closeAllConnections();
    endpoint.close();
  });
  return { pushed, port: (endpoint.address() as AddressInfo).port };
}

async function start(options: ChannelServerOptions = {}): Promise<ChannelServer> {
  const server = await startChannelServer(options);
  cleanUp.push(() => server.stop());
  await server.push.start();
  return server;
}

async function pushAgent(server: ChannelServer, ap_id: string, api_url: unknown) {
  const agent = await server.agent(ap_id, { api_url });
  const { status, body } = await server.request(
    'POST',
    `/api/v1/agents/${encodeURIComponent(ap_id)}/push_secret`,
    agent.token,
  );
  expect([status, body]).toEqual([200, { ap_id, secret: expect.stringMatching(/^weft-push-.{40,}$/) }]);
  return { ...agent, secret: body.secret as string };
}

const local = (port: number) => ({ host: '127.0.0.0/8', port });
const stateOf = (server: ChannelServer, command_id: string) => server.ledger.commands.get(command_id)!.state;
const accept = (response: ServerResponse) => response.end();

describe('a push', () => {
  test('is signed, goes to api_url/ap_id, and counts as sent when it is taken', async () => {
    const { pushed, port } = await startEndpoint(accept);
    const server = await start({ pushAllow: [local(port)] });
    const agent = await pushAgent(server, 'ap/1 ü', `http://127.0.0.1:${port}/base/`);
    const command_id = server.ledger.send(agent, 'set_tx_power', { dbm: 17 });
    await untilSo(() => expect(stateOf(server, command_id)).toBe('sent'));
    const [{ path, signature, text }] = pushed as [Pushed];
    expect(path).toBe('/base/ap%2F1%20%C3%BC');
    expect(JSON.parse(text)).toMatchObject({ command_id, name: 'set_tx_power', args: { dbm: 17 } });
    const [, seconds, hex] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(signature)!;
    expect(Math.abs(Number(seconds) - Date.now() / 1000)).toBeLessThan(60);
    expect(createHmac('sha256', agent.secret).update(`${seconds}.${text}`).digest('hex')).toBe(hex);
  });

  test('makes the command what its answer says', async () => {
    const answers = [
      ['{"state":"succeeded","applied":{"dbm":16}}', 'succeeded'],
      ['{"state":"received"}', 'received'],
      ['{"state":"perhaps"}', 'sent'],
      ['{"status":"ok"}', 'sent'],
      ['done!', 'sent'],
    ] as const;
    const { port } = await startEndpoint((response, { url }) =>
      response.end(answers[Number(url!.slice('/ap-'.length))]![0]),
    );
    const server = await start({ pushAllow: [local(port)] });
    for (const [index, [answer, state]] of answers.entries()) {
      const agent = await pushAgent(server, `ap-${index}`, `http://127.0.0.1:${port}`);
      const command_id = server.ledger.send(agent, 'sleep');
      await untilSo(() => expect([answer, stateOf(server, command_id)]).toEqual([answer, state]));
    }
  });

  test('that waits behind a slow one and is cancelled meanwhile never leaves', async () => {
    const held: ServerResponse[] = [];
    const { pushed, port } = await startEndpoint((response) => void held.push(response));
    const server = await start({ pushAllow: [local(port)] });
    const agent = await pushAgent(server, 'ap-1', `http://127.0.0.1:${port}`);
    server.ledger.handsOver = false;
    const names = () => pushed.map(({ text }) => JSON.parse(text).command);
    const send = (name: string) => server.ledger.send(agent, name);
    const slow = send('slow');
    await untilSo(() => expect(held).toHaveLength(1));
    // All three are found by one look, behind the slow one.
    const [, cancelled, last] = [send('before'), send('cancelled'), send('last')];
    held.shift()!.end();
    await untilSo(() => expect(names()).toEqual(['slow', 'before']));
    server.ledger.cancel(cancelled);
    held.shift()!.end();
    await untilSo(() => expect(names()).toEqual(['slow', 'before', 'last']));
    held.shift()!.end();
    await untilSo(() => expect([slow, last].map((id) => stateOf(server, id))).toEqual(['sent', 'sent']));
    expect(stateOf(server, cancelled)).toBe('cancelled');
  });

  test('a word in a refusal is not the word of the agent; it is tried again, in order', async () => {
    let calls = 0;
    const { pushed, port } = await startEndpoint((response) => {
      calls++;
      response.statusCode = calls < 3 ? 500 : 204;
      response.end(calls < 3 ? '{"state":"succeeded"}' : '');
    });
    const server = await start({ pushAllow: [local(port)] });
    const agent = await pushAgent(server, 'ap-1', `http://127.0.0.1:${port}`);
    const ids = ['one', 'two'].map((name) => server.ledger.send(agent, name));
    await untilSo(() => expect(ids.map((id) => stateOf(server, id))).toEqual(['sent', 'sent']));
    const order = pushed.map(({ text }) => JSON.parse(text).command);
    expect(order).toEqual(['one', 'one', 'one', 'two']);
    expect(server.ledger.of('ap-1').flatMap(({ answers }) => answers)).toEqual([]);
  });

  test('goes to nobody who has a channel, and to nobody without a secret', async () => {
    const { pushed, port } = await startEndpoint(accept);
    const server = await start({ pushAllow: [local(port)] });
    const agent = await pushAgent(server, 'ap-1', `http://127.0.0.1:${port}`);
    const client = await connect(server.url, '/api/v1/agents/ap-1/channel', bearer(agent.token));
    server.ledger.send(agent, 'sleep');
    server.ledger.send(await server.agent('ap-2', { api_url: `http://127.0.0.1:${port}` }), 'sleep');
    await untilSo(() => expect(client.texts.length).toBe(1));
    await server.push.stop();
    expect(pushed).toEqual([]);
    expect(server.ledger.of('ap-2').map(({ state }) => state)).toEqual(['queued']);
  });

  test('what waited is pushed after the start', async () => {
    const { pushed, port } = await startEndpoint(accept);
    const server = await startChannelServer({ pushAllow: [local(port)] });
    cleanUp.push(() => server.stop());
    const agent = await server.agent('ap-1', { api_url: `http://127.0.0.1:${port}` });
    const command_id = server.ledger.send(agent, 'sleep');
    await server.request('POST', '/api/v1/agents/ap-1/push_secret', agent.token);
    expect(pushed).toEqual([]);
    await server.push.start();
    await untilSo(() => expect(stateOf(server, command_id)).toBe('sent'));
  });

  test('the secret is for the agent itself and administrators, and stands nowhere in clear', async () => {
    const server = await start();
    const agent = await server.agent('ap-1');
    const other = await server.agent('ap-2');
    const path = '/api/v1/agents/ap-1/push_secret';
    expect((await server.request('POST', path, other.token)).status).toBe(403);
    expect((await server.request('POST', '/api/v1/agents/nobody/push_secret', await server.adminToken())).status).toBe(
      404,
    );
    const first = (await server.request('POST', path, agent.token)).body.secret;
    const second = (await server.request('POST', path, await server.adminToken())).body.secret;
    expect(second).not.toBe(first);
  });
});

describe('S1 a destination that is not allowed', () => {
  const refused = [
    'http://127.0.0.1:PORT',
    'http://0x7f000001:PORT',
    'http://2130706433:PORT',
    'http://[::ffff:127.0.0.1]:PORT',
    'http://[::1]:PORT',
    'http://localhost:PORT',
    'http://169.254.169.254/latest/meta-data',
    'http://a@127.0.0.1:PORT',
    'file:///etc/passwd',
    'gopher://127.0.0.1:PORT',
    7,
  ];
  test('fails the command, with the reason, and nobody is asked', async () => {
    const { pushed, port } = await startEndpoint(accept);
    // Listed by name: which is not enough for an address of this machine.
    const pushAllow = ['localhost', 'evil.example', '127.0.0.1', '::1'].map((host) => ({ host, port }));
    const server = await start({ pushAllow });
    for (const [index, api_url] of refused.entries()) {
      const url = typeof api_url === 'string' ? api_url.replace('PORT', String(port)) : api_url;
      const command_id = server.ledger.send(await pushAgent(server, `ap-${index}`, url), 'sleep');
      await untilSo(() => expect([api_url, stateOf(server, command_id)]).toEqual([api_url, 'failed']));
      const detail = expect.stringMatching(/^The push was refused: /);
      expect([api_url, server.ledger.commands.get(command_id)!.detail]).toEqual([api_url, detail]);
      expect([api_url, pushed, server.errors]).toEqual([api_url, [], []]);
    }
  });

  test('a name is looked up once, and the connection goes to the address that was judged', async () => {
    const { pushed, port } = await startEndpoint(accept);
    const asked: string[] = [];
    const server = await start({
      pushAllow: [{ host: 'ap.example.org', port }],
      // Public when it is judged, private from then on.
      resolve: async (host) => (asked.push(host) === 1 ? ['2000::1'] : ['127.0.0.1']),
      pushTimeoutMs: 300,
    });
    const agent = await pushAgent(server, 'ap-1', `http://ap.example.org:${port}`);
    const command_id = server.ledger.send(agent, 'sleep');
    // The first attempt goes to the public address in vain, the second is refused.
    await untilSo(() => expect(stateOf(server, command_id)).toBe('failed'));
    expect([asked, pushed]).toEqual([['ap.example.org', 'ap.example.org'], []]);
  });

  test('a name for an address that a network names is reached there, under its name', async () => {
    const { pushed, port } = await startEndpoint(accept);
    const server = await start({ pushAllow: [local(port)], resolve: async () => ['10.9.9.9', '127.0.0.1'] });
    const agent = await pushAgent(server, 'ap-1', `http://ap.example.org:${port}`);
    const command_id = server.ledger.send(agent, 'sleep');
    await untilSo(() => expect(stateOf(server, command_id)).toBe('sent'));
    expect(pushed.map(({ host }) => host)).toEqual([`ap.example.org:${port}`]);
  });

  test('a redirect is not followed', async () => {
    const secret = await startEndpoint(accept);
    const { pushed, port } = await startEndpoint((response, { url }) =>
      response.writeHead(Number(url!.slice('/ap-'.length)), { location: `http://127.0.0.1:${secret.port}/` }).end(),
    );
    const server = await start({ pushAllow: [local(port), local(secret.port)] });
    const statuses = [301, 302, 307, 308];
    for (const status of statuses) {
      const agent = await pushAgent(server, `ap-${status}`, `http://127.0.0.1:${port}`);
      const command_id = server.ledger.send(agent, 'sleep');
      await untilSo(() => expect([status, stateOf(server, command_id)]).toEqual([status, 'failed']));
    }
    expect([...new Set(pushed.map(({ path }) => path))]).toEqual(statuses.map((status) => `/ap-${status}`));
    expect(secret.pushed).toEqual([]);
  });
});

describe('S2 an endpoint', () => {
  test('that answers without end is cut off, and the command fails', async () => {
    let written = 0;
    const closed = Promise.withResolvers<void>();
    const { port } = await startEndpoint((response) => {
      const piece = Buffer.alloc(64 * 1024);
      response.on('close', closed.resolve);
      const write = () => {
        while (!response.destroyed && response.write(piece)) written += piece.length;
        if (!response.destroyed) response.once('drain', write);
      };
      write();
    });
    const server = await start({ pushAllow: [local(port)] });
    const command_id = server.ledger.send(await pushAgent(server, 'ap-1', `http://127.0.0.1:${port}`), 'sleep');
    await untilSo(() => expect(stateOf(server, command_id)).toBe('failed'));
    await closed.promise;
    expect(written).toBeLessThan(50 * 1024 * 1024);
  });

  test.each([
    ['that never answers', () => {}],
    [
      'that drips',
      (response: ServerResponse) => {
        const drip = setInterval(() => response.write('x'), 20);
        response.on('close', () => clearInterval(drip));
      },
    ],
  ])('%s is cut off; the command fails before it expires', async (_name, answer) => {
    const { pushed, port } = await startEndpoint(answer);
    const server = await start({ pushAllow: [local(port)], pushTimeoutMs: 200 });
    const agent = await pushAgent(server, 'ap-1', `http://127.0.0.1:${port}`);
    const command_id = server.ledger.send(agent, 'sleep', {}, 7_000);
    await untilSo(() => expect(stateOf(server, command_id)).toBe('failed'));
    expect(server.ledger.commands.get(command_id)!.detail).toBe(
      'The push did not work: there was no whole answer within 0.2 s',
    );
    expect(pushed.length).toBeGreaterThan(1);
  });
});
