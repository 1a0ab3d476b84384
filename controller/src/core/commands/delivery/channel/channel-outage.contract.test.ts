// Channels while the database is out of reach: each refusal says what it refuses, and nothing an agent has sent is lost.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { Agent } from '../../../../../../sdk/src/index.ts';
import { type DatabaseNamespace, databaseKinds } from '../../../../../../test/databases.ts';
import { untilSo } from '../../../../../../test/pure/until-so.ts';
import { bearer, connect, type SocketClient } from '../../../../../../test/socket-client.ts';
import { startTcpProxy, type TcpProxy } from '../../../../../../test/tcp-proxy.ts';
import { password, startWeft, type TestWeft } from '../../../../../../test/weft.ts';

const unavailable = { type: 'error', status: 503, code: 'database_unavailable', retry_after: 1 };

describe.skipIf(inject('postgresUrl') === undefined)('while the database is out of reach', () => {
  let namespace: DatabaseNamespace;
  let proxy: TcpProxy;
  let weft: TestWeft;

  beforeAll(async () => {
    namespace = await databaseKinds.postgres.createNamespace();
    const url = new URL(namespace.address);
    proxy = await startTcpProxy(Number(url.port));
    url.port = String(proxy.port);
    weft = await startWeft({ WEFT_DATABASE_URL: url.href, WEFT_SECRET: randomBytes(48).toString('base64') });
  });
  afterAll(async () => {
    await weft.stop();
    await proxy.close();
    await namespace.remove();
  });
  beforeEach(mend);

  function breakDatabase(): void {
    proxy.onClientBytes = (_bytes, cut) => cut();
    proxy.cutAll();
  }

  function mend(): void {
    proxy.onClientBytes = undefined;
  }

  async function ask(client: SocketClient, message: string) {
    const before = client.texts.length;
    client.socket.send(message);
    await untilSo(() => expect(client.texts.length).toBeGreaterThan(before));
    return client.messages[before];
  }

  test.each<[string, (n: number) => string, (n: number) => object]>([
    ['telemetry', (n) => `{"type":"telemetry","id":${n},"load":${n}}`, (n) => ({ id: n })],
    ['telemetry in other words', (n) => `{"load":${n},"id":${n},"type":"telemetry"}`, (n) => ({ id: n })],
    ['the second of two equal keys', (n) => `{"type":"telemetry","id":0,"load":1,"id":${n}}`, (n) => ({ id: n })],
    ['telemetry that is wrong', (n) => `{"type":"telemetry","id":${n},"load":[]}`, (n) => ({ id: n })],
    [
      'the word about a command',
      (n) => `{"type":"command_result","command_id":"c-${n}","state":"succeeded"}`,
      (n) => ({ command_id: `c-${n}` }),
    ],
  ])('the refusal of %s has its id, and the channel stays open', async (name, message, about) => {
    const ap_id = `ap-${name.replaceAll(' ', '-')}`;
    const token = await weft.agent(ap_id);
    const client = await connect(weft.url, `/api/v1/agents/${ap_id}/channel`, bearer(token));
    const good = '{"type":"telemetry","id":0,"load":0}';
    const ack = { type: 'telemetry_ack', id: 0, accepted: 1 };
    expect(await ask(client, good)).toEqual(ack);
    breakDatabase();
    // For half a second the agent's account is remembered.
    let n = 0;
    await untilSo(async () => {
      const answer = await ask(client, message(++n));
      expect(answer.status).toBe(503);
      expect(answer).toEqual({ ...unavailable, detail: expect.any(String), ...about(n) });
    });
    mend();
    await untilSo(async () => expect(await ask(client, good)).toEqual(ack));
    client.socket.close();
  });

  test('a report of the SDK arrives once the database is back', async () => {
    await weft.agent('ap-sdk');
    let connections = 0;
    const agent = new Agent({ url: weft.url, ap_id: 'ap-sdk', password, onConnected: () => connections++ });
    await agent.start();
    const time = Date.now() - 60_000;
    await agent.post({ ts: time, load: 0 });
    breakDatabase();
    const posts: Promise<number>[] = [];
    await untilSo(() => {
      posts.push(agent.post({ ts: time + posts.length + 1, load: posts.length + 1 }));
      // The accounts are remembered for half a second: what waits longer than its neighbours was refused.
      expect(agent.waitingReports).toBeGreaterThan(5);
    });
    mend();
    expect(new Set(await Promise.all(posts))).toEqual(new Set([1]));
    expect(connections).toBe(1);
    await agent.stop();
    const stored = await weft.request('GET', '/api/v1/metrics/agent_data?agent=ap-sdk&window=5&max_points=10000', {
      token: await weft.admin(),
    });
    expect(stored.body.points.map(({ load }: { load: number }) => load)).toEqual([0, ...posts.map((_, n) => n + 1)]);
  });
});
