import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { untilSo } from '../../../test/pure/until-so.ts';
import { startWeft } from '../../../test/weft.ts';
import { Agent, BackOff } from '../index.ts';
import { Channel } from './channel.ts';
import { Session } from './session.ts';

const dayMs = 86_400_000;

test('a token that Weft has ended is renewed at once, however long the pauses have become', async () => {
  const weft = await startWeft();
  onTestFinished(() => weft.stop());
  const ap_id = 'ap-1';
  const password = 'a password that somebody chose';
  const admin = await weft.admin();
  const json = { ap_id, password, configuration: {} };
  expect((await weft.request('POST', '/api/v1/agents/', { token: admin, json })).status).toBe(200);
  const session = new Session({ url: weft.url, ap_id, password });
  const before = await session.token();
  const ended = await weft.request('PUT', `/api/v1/agents/${ap_id}`, { token: admin, json: { password } });
  expect(ended.status).toBe(200);
  const channel = new Channel({
    session,
    backOff: new BackOff({ firstMs: dayMs, longestMs: dayMs }),
    answerTimeoutMs: dayMs,
    missingSinceMs: () => Number.POSITIVE_INFINITY,
    onMessage: () => {},
    onOpen: () => {},
    onClosed: () => {},
    onError: (error) => expect.fail(String(error)),
  });
  onTestFinished(() => channel.stop());
  await channel.start();
  expect(channel.isOpen).toBe(true);
  expect(await session.token()).not.toBe(before);
});

test('what is not a message of Weft is told and ignored, and the agent goes on', async () => {
  const http = createServer((request, response) => {
    const isLogin = request.url!.startsWith('/api/v1/token');
    response.end(JSON.stringify(isLogin ? { access_token: 'a', expires_in: 3600 } : { status: 'success' }));
  });
  const server = new WebSocketServer({ server: http });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  const at = '2026-01-01T00:00:00.000Z';
  const good = {
    type: 'command',
    command_id: 'c-1',
    command: 'blink',
    name: 'blink',
    args: {},
    issued_at: at,
    expires_at: at,
  };
  const frames = [
    '',
    'null',
    '[]',
    '5',
    '{"type":"command","command_id":"z"}',
    JSON.stringify({ ...good, args: 5 }),
    JSON.stringify({ ...good, name: null }),
    JSON.stringify({ ...good, command_id: {} }),
    '{"type":"telemetry_ack","id":1,"accepted":1,"ignored":5}',
    '{"type":"telemetry_ack","id":1,"accepted":1,"ignored":[null]}',
    '{"type":"telemetry_ack","id":"1","accepted":1}',
    '{"type":"command_state","command_id":"c-1"}',
    '{"type":"hello_ack","offered_secret":7}',
    '{"type":"error","status":"x","code":"a","detail":"b"}',
    '{"type":"error","status":503,"code":5,"detail":"b"}',
    '{"type":"nothing"}',
  ];
  server.on('connection', (socket) => {
    for (const frame of frames) socket.send(frame);
    socket.send(JSON.stringify({ ...good, command_id: 'c-2', command: { name: 'blink', times: 2 } }));
    socket.send(JSON.stringify(good));
  });
  const done: unknown[] = [];
  const errors: string[] = [];
  const agent = new Agent({
    url: `http://127.0.0.1:${port}`,
    ap_id: 'ap-1',
    password: 'a password',
    onError: ({ message }) => errors.push(message),
  });
  onTestFinished(async () => {
    await agent.stop({ graceMs: 0 });
    server.close();
    http.closeAllConnections();
    http.close();
  });
  agent.command('blink', (args, { command_id }) => {
    done.push([command_id, args]);
    return undefined;
  });
  await agent.start();
  await untilSo(() => expect(done).toHaveLength(2));
  // The second is as a Weft from before free text writes it.
  expect(done).toEqual([
    ['c-2', { times: 2 }],
    ['c-1', {}],
  ]);
  expect(errors).toEqual(frames.map(() => 'a message of Weft is invalid and was ignored'));
  expect(agent.isConnected).toBe(true);
});
