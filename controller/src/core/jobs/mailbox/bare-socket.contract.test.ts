// Sockets that get bare arrays cannot say where they were: Weft remembers what such a client has received.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { bearer, connect, type SocketClient } from '../../../../../test/socket-client.ts';
import { type SocketServer, startSocketServer } from '../../../../../test/socket-server.ts';

let server: SocketServer;
let token: string;
let job: string;
beforeAll(async () => {
  server = await startSocketServer({});
  token = await server.user('ada@weft.test');
});
afterAll(() => server.stop());
beforeEach(async () => {
  job = await server.job(token);
});

const open = (query = '', options = {}) => connect(server.url, `/ws/${job}${query}`, { ...bearer(token), ...options });
const numbersOf = (client: SocketClient) => client.messages.flat().map(({ n }: { n: number }) => n);

/** The server has forgotten the socket: whoever comes now comes back. */
async function goAway(client: SocketClient): Promise<void> {
  client.socket.terminate();
  await expect.poll(() => server.hub.openSockets).toBe(0);
}

/** Until what it has got counts as received. */
async function untilReceived(client: SocketClient, count: number): Promise<void> {
  const pings: string[] = [];
  client.socket.on('ping', (text) => pings.push(String(text)));
  await expect.poll(() => numbersOf(client).length).toBe(count);
  await expect.poll(() => pings.includes(String(count))).toBe(true);
}

it('a client that comes back gets what it has not received; with after=0 all', async () => {
  const client = await open();
  const received = untilReceived(client, 2);
  for (const n of [1, 2]) await server.post(job, [{ n }]);
  await received;
  await goAway(client);
  await server.post(job, [{ n: 3 }]);
  const back = await open();
  await expect.poll(() => numbersOf(back)).toEqual([3]);
  await goAway(back);
  const all = await open('?after=0');
  await expect.poll(() => numbersOf(all)).toEqual([1, 2, 3]);
  await goAway(all);
  const second = await open('?after=1');
  await expect.poll(() => numbersOf(second)).toEqual([2, 3]);
  await goAway(second);
});

it('what was sent and never answered comes again', async () => {
  const client = await open('', { autoPong: false });
  for (const n of [1, 2]) await server.post(job, [{ n }]);
  await expect.poll(() => numbersOf(client)).toEqual([1, 2]);
  await goAway(client);
  const back = await open();
  await expect.poll(() => numbersOf(back)).toEqual([1, 2]);
  await goAway(back);
});

it('while one socket of a caller is open another one is another client; other callers have places of their own', async () => {
  const client = await open();
  const received = untilReceived(client, 1);
  await server.post(job, [{ n: 1 }]);
  await received;
  const other = await open();
  await expect.poll(() => numbersOf(other)).toEqual([1]);
  const admin = await connect(server.url, `/ws/${job}`, bearer(await server.user('root@weft.test', ['admin'])));
  await expect.poll(() => numbersOf(admin)).toEqual([1]);
  for (const each of [client, other, admin]) each.socket.terminate();
  await expect.poll(() => server.hub.openSockets).toBe(0);
});

it('the end comes once everything is received, and who comes back after it gets the end alone', async () => {
  const client = await open();
  await server.post(job, [{ n: 1 }]);
  await server.post(job, [{ n: 2 }], { final: true });
  expect(await client.closed).toEqual({ code: 1000, reason: 'job ended' });
  expect(numbersOf(client)).toEqual([1, 2]);
  await expect.poll(() => server.hub.openSockets).toBe(0);
  const back = await open();
  expect(await back.closed).toEqual({ code: 1000, reason: 'job ended' });
  expect(back.texts).toEqual([]);
});

it('a client that answers no ping hears of the end all the same', async () => {
  const client = await open('', { autoPong: false });
  await server.post(job, [{ n: 1 }], { final: true });
  expect((await client.closed).code).toBe(1000);
});

it('with the envelope everything comes at each connection, as ever', async () => {
  await server.post(job, [{ n: 1 }]);
  for (let n = 0; n < 2; n++) {
    const client = await connect(server.url, `/api/v1/ws/${job}`, bearer(token));
    await expect.poll(() => client.seqs).toEqual([1]);
    await goAway(client);
  }
});

it('after a quiet end sockets close, and one that comes later gets what was stored since too', async () => {
  const client = await connect(server.url, `/api/v1/ws/${job}`, bearer(token));
  await server.post(job, [{ n: 1 }]);
  await server.mailbox.endQuietly(job, 'Nothing more has come');
  expect(await client.closed).toEqual({ code: 1000, reason: 'job ended' });
  expect(client.messages.at(-1)).toMatchObject({ type: 'status', final: true, data: [{ state: 'succeeded' }] });
  const late = { kind: 'agent_data' as const, data: '[{"n":2}]', isEmpty: false, final: false, chunk: null };
  await server.mailbox.post(
    { job_number: job, task_type: 'agent_data', owner_id: 'id of ada' },
    { ...late, error: undefined, progress: undefined, isByWorker: true },
  );
  for (const path of ['/api/v1/ws/', '/ws/']) {
    const late = await connect(server.url, `${path}${job}`, bearer(token));
    expect(await late.closed).toEqual({ code: 1000, reason: 'job ended' });
    expect(late.texts).toHaveLength(path === '/ws/' ? 2 : 3);
  }
});
