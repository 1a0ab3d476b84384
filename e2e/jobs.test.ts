// The job path on the embedded default, from outside: one process, no other server.
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { findFreePort } from '../test/server-process.ts';
import { JobLedger } from './job-ledger.ts';
import { serve as serveHere } from './weft-here.ts';
import { eventually, password, serve, temporaryFolder, type WeftServer } from './weft-process.ts';

const details = '/api/v1/agent_details/request_all_agents_details';

async function createAgent(weft: WeftServer, token: string, ap_id: string): Promise<string> {
  const json = { ap_id, password, configuration: { site: 'lab' } };
  expect((await weft.request('POST', '/api/v1/agents/', { token, json })).status).toBe(200);
  return (await weft.login(ap_id, password, 'agent')).body.access_token;
}

async function post(weft: WeftServer, token: string, samples: object[]): Promise<void> {
  const { status } = await weft.request('POST', '/api/v1/agent_update/update', { token, json: { samples } });
  expect(status).toBe(200);
}

function dataPath(agent_id: string, startMs: number, endMs: number): string {
  const query = new URLSearchParams({
    agent_id,
    start_time: new Date(startMs).toISOString(),
    end_time: new Date(endMs).toISOString(),
  });
  return `/api/v1/agent_data/request_agent_data?${query}`;
}

test('a program asks, and its results come over the socket: before it connects, while it waits, across a kill and a stop, each record once', async () => {
  const env = { WEFT_DATA_DIR: temporaryFolder(), WEFT_PORT: String(await findFreePort()) };
  const beganMs = performance.now();
  let weft = await serve({ env });
  const token = await weft.createAdmin();
  const startMs = performance.now() - beganMs;
  const agent = await createAgent(weft, token, 'ap-1');
  const other = await createAgent(weft, token, 'ap-2');
  const start = Date.now() - 60_000;
  await post(
    weft,
    agent,
    [0, 1, 2].map((n) => ({ ts: start + n * 1000, rssi: -60 - n, note: `n${n}` })),
  );

  const ledger = new JobLedger(() => weft.url, token);
  const asked = (await ledger.ask(details))!;
  await eventually(
    () => weft.request('GET', `/api/v1/jobs/${asked.job_number}`, { token }),
    ({ body }) => body.state === 'succeeded',
  );
  await ledger.follow(asked);
  expect(asked.data).toMatchObject([
    { ap_id: 'ap-1', configuration: { site: 'lab' }, onboard: true },
    { ap_id: 'ap-2' },
  ]);

  const history = (await ledger.ask(dataPath('ap-1', start, start + 5000)))!;
  await ledger.follow(history);
  expect(history.data).toEqual(
    [0, 1, 2].flatMap((n) => [
      { time: new Date(start + n * 1000).toISOString(), field: 'note', value: `n${n}` },
      { time: new Date(start + n * 1000).toISOString(), field: 'rssi', value: -60 - n },
    ]),
  );

  // What ends in the future: what is stored, and what arrives. Time for a kill and a start, many times what the first one took.
  // What comes more than a minute late between a start and the work of the job is in the store alone.
  const recent = Date.now() - 10_000;
  await post(weft, other, [{ ts: recent, load: 1 }]);
  const live = (await ledger.ask(dataPath('ap-2', recent, Date.now() + 15_000 + 15 * startMs)))!;
  const following = ledger.follow(live);
  const heard = (count: number) =>
    eventually(
      async () => live.data.length,
      (length) => length >= count,
    );
  await heard(1);
  await post(weft, other, [{ load: 2 }]);
  await heard(2);

  const kept = (await ledger.ask(details))!;
  await weft.end('SIGKILL');
  weft = await serve({ env });
  await post(weft, other, [{ load: 3 }, { ts: recent + 1, load: 4 }]);
  await heard(4);
  await ledger.follow(kept);
  expect(kept.data).toMatchObject([{ ap_id: 'ap-1' }, { ap_id: 'ap-2' }]);

  // A stop tells open sockets to come back.
  const last = (await ledger.ask(dataPath('ap-1', Date.now() - 1000, Date.now() + 8_000)))!;
  const socket = new WebSocket(`${weft.url.replace('http', 'ws')}/api/v1/ws/${last.job_number}?token=${token}`);
  await new Promise((resolve) => socket.on('open', resolve));
  const closed = new Promise<number>((resolve) => socket.on('close', resolve));
  expect(await weft.end('SIGTERM')).toBe(0);
  expect(await closed).toBe(1012);
  // At the same address, and not as a process: it is not stopped any more.
  await serveHere({ env });
  await Promise.all([ledger.follow(last), following]);
  expect([last.end, live.end, ...ledger.violations]).toEqual(['succeeded', 'succeeded']);
  expect(live.data.map(({ value }) => value).sort()).toEqual([1, 2, 3, 4]);
});

test('nobody else gets in: no token, a stranger, a foreign page, and after the token was revoked', async () => {
  const weft = await serve();
  const admin = await weft.createAdmin();
  const signUp = async (username: string) => {
    await weft.request('POST', '/api/v1/users/signup', { json: { username, password } });
    return (await weft.login(username, password)).body.access_token as string;
  };
  const [owner, stranger] = [await signUp('owner@example.org'), await signUp('stranger@example.org')];
  await createAgent(weft, admin, 'ap-1');
  const path = dataPath('ap-1', Date.now() - 1000, Date.now() + 60_000);
  const { job_number, websocket } = (await weft.request('POST', path, { token: owner })).body;

  const refusal = (headers: Record<string, string>, at = websocket) =>
    new Promise<number>((resolve, reject) => {
      const socket = new WebSocket(weft.url.replace('http', 'ws') + at, { headers });
      socket.on('unexpected-response', (_request, response) => resolve(response.statusCode!));
      socket.on('open', () => reject(new Error('it was let in')));
      socket.on('error', () => {});
    });
  expect(await refusal({})).toBe(401);
  expect(await refusal({ authorization: `Bearer ${stranger}` })).toBe(404);
  expect(await refusal({ authorization: `Bearer ${owner}`, origin: 'https://evil.test' })).toBe(403);
  expect((await weft.request('GET', `/api/v1/jobs/${job_number}`, { token: stranger })).status).toBe(404);
  expect((await weft.request('DELETE', `/api/v1/jobs/${job_number}`, { token: stranger })).status).toBe(404);

  const socket = new WebSocket(`${weft.url.replace('http', 'ws')}${websocket}?token=${owner}`);
  await new Promise((resolve) => socket.on('open', resolve));
  const closed = new Promise<number>((resolve) => socket.on('close', resolve));
  const revokedAt = performance.now();
  const change = { token: admin, json: { password: 'another password' } };
  expect((await weft.request('PUT', '/api/v1/users/owner@example.org', change)).status).toBe(200);
  expect(await closed).toBe(4401);
  // A second, and patience for a busy machine; a look every minute would not pass.
  expect(performance.now() - revokedAt).toBeLessThan(45_000);
  await weft.end();
  expect(weft.out + weft.err).not.toContain(owner);
});
