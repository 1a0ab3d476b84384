// What the socket of a job delivers: stored messages first, then what comes, in order, once each, until the last.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type DatabaseKind, eachDatabase, openTwoNodes } from '../../../../../test/databases.ts';
import { bearer, connect, type SocketClient } from '../../../../../test/socket-client.ts';
import { type SocketServer, startSocketServer } from '../../../../../test/socket-server.ts';

let server: SocketServer;
let token: string;
let job: string;
let onPage: (() => Promise<void>) | undefined;

beforeAll(async () => {
  server = await startSocketServer({ onPage: () => onPage?.() });
  token = await server.user('ada@weft.test');
});
afterAll(() => server.stop());
beforeEach(async () => {
  job = await server.job(token);
});

const open = (query = '', path = '/api/v1/ws/') => connect(server.url, `${path}${job}${query}`, bearer(token));
const upTo = (count: number, from = 1) => Array.from({ length: count }, (_, index) => from + index);

describe('in order, once each', () => {
  it('J9: what is stored comes at once, then what is posted, then the end', async () => {
    await server.post(job, [{ value: 1 }]);
    await server.post(job, [{ value: 2 }]);
    const client = await open();
    await expect.poll(() => client.seqs).toEqual([1, 2]);
    await server.post(job, [{ value: 3 }], { final: true });
    expect(await client.closed).toEqual({ code: 1000, reason: 'job ended' });
    expect(client.messages).toEqual(
      upTo(3).map((seq) => ({
        job_number: job,
        seq,
        type: 'agent_data',
        data: [{ value: seq }],
        final: seq === 3,
        ts: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      })),
    );
  });

  it('data is sent as it came, to the last digit and space', async () => {
    await server.post(job, '[ {"value" : 12345678901234567890.10} ]');
    const client = await open();
    await expect.poll(() => client.texts.length).toBe(1);
    expect(client.texts[0]).toContain('"data":[ {"value" : 12345678901234567890.10} ],"final":false');
  });

  it('a message of this process goes out without a look into the database', async () => {
    const client = await open();
    await server.post(job, [0]);
    await expect.poll(() => client.seqs).toEqual([1]);
    const before = server.pagesRead;
    await server.post(job, [1]);
    await server.post(job, [2]);
    await expect.poll(() => client.seqs).toEqual([1, 2, 3]);
    expect(server.pagesRead).toBe(before);
  });

  it('a message that is heard of before the one in front of it waits for it', async () => {
    const client = await open();
    await server.post(job, [1]);
    await expect.poll(() => client.seqs).toEqual([1]);
    const second = await server.post(job, [2], { isTold: false });
    const third = await server.post(job, [3], { isTold: false });
    server.hub.deliver(third);
    server.hub.deliver(second);
    server.hub.deliver(third);
    await server.post(job, [4], { final: true });
    await client.closed;
    expect(client.seqs).toEqual([1, 2, 3, 4]);
  });

  it('a message that comes during a look which finds nothing is not forgotten', async () => {
    const client = await open();
    const looked = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    onPage = () => {
      looked.resolve();
      return held.promise;
    };
    server.hub.news(job, 1);
    await looked.promise;
    await server.post(job, [1]);
    onPage = undefined;
    held.resolve();
    await expect.poll(() => client.seqs).toEqual([1]);
    client.socket.close();
  });

  it('posts while clients connect, and told in any order, are delivered without a gap', async () => {
    const clients: Promise<SocketClient>[] = [];
    const untold: ReturnType<typeof server.post>[] = [];
    for (let round = 0; round < 40; round++) {
      clients.push(open());
      untold.push(server.post(job, [round], { isTold: false }));
      if (round % 3 !== 0) continue;
      const stored = await Promise.all(untold.splice(0));
      for (const message of stored.reverse()) server.hub.deliver(message);
    }
    await Promise.all(untold);
    await server.post(job, [], { final: true });
    for (const client of await Promise.all(clients)) {
      expect((await client.closed).code).toBe(1000);
      expect(client.seqs).toEqual(upTo(41));
    }
  });

  it('J12: every socket of a job gets everything', async () => {
    const [one, two] = await Promise.all([open(), open()]);
    expect(server.hub.hasSocket(job)).toBe(true);
    await server.post(job, [1]);
    await server.post(job, [2], { final: true });
    await Promise.all([one.closed, two.closed]);
    expect([one.seqs, two.seqs]).toEqual([
      [1, 2],
      [1, 2],
    ]);
    await expect.poll(() => server.hub.hasSocket(job)).toBe(false);
  });

  it('an administrator may listen too', async () => {
    const admin = await server.user('root@weft.test', ['admin']);
    await server.post(job, [1], { final: true });
    const client = await connect(server.url, `/api/v1/ws/${job}`, bearer(admin));
    await client.closed;
    expect(client.seqs).toEqual([1]);
  });
});

describe('coming back', () => {
  it('J11: a client that was cut off mid-stream goes on after the last message it has', async () => {
    const data = [{ text: 'x'.repeat(100_000) }];
    for (let count = 0; count < 60; count++) await server.post(job, data, { isTold: false });
    const first = await open();
    await expect.poll(() => first.texts.length).toBeGreaterThan(5);
    first.connection.resetAndDestroy();
    await first.closed;
    await server.post(job, data, { final: true });
    const second = await open(`?after=${first.seqs.at(-1)}`);
    await second.closed;
    expect([...first.seqs, ...second.seqs]).toEqual(upTo(61));
  });

  it('whoever has everything of a job that has ended is told so at once', async () => {
    await server.post(job, [1], { final: true });
    const client = await open('?after=1');
    expect(await client.closed).toEqual({ code: 1000, reason: 'job ended' });
    expect(client.texts).toEqual([]);
  });

  it('a number beyond the newest counts as the newest', async () => {
    await server.post(job, [1]);
    const client = await open('?after=99999999999999');
    await server.post(job, [2]);
    await expect.poll(() => client.seqs).toEqual([2]);
    client.socket.close();
  });

  it('a job that is gone is not waited for', async () => {
    const client = await open();
    await server.post(job, [1]);
    await expect.poll(() => client.seqs).toEqual([1]);
    await server.post(job, [2], { final: true, isTold: false });
    await server.jobs.prune(Number.MAX_SAFE_INTEGER, 1_000);
    await server.hub.checkAll();
    expect((await client.closed).code).toBe(4404);
  });
});

describe('how a job ends', () => {
  it('a failed job says so in its last message', async () => {
    const client = await open();
    await server.end(job, 'failed', 'no such agent');
    expect(await client.closed).toEqual({ code: 1000, reason: 'job ended' });
    expect(client.messages).toMatchObject([
      { type: 'status', final: true, data: [{ state: 'failed', detail: 'no such agent' }] },
    ]);
  });

  it.each(['/ws/', '/api/v1/callback/agent_data/ws/', '/api/v1/callback/emulator/ws/'])(
    'at %s the data comes without an envelope',
    async (path) => {
      await server.post(job, '[ 1.0 ]');
      const client = await open('', path);
      await server.post(job, [2], { final: true });
      expect((await client.closed).code).toBe(1000);
      expect(client.texts).toEqual(['[ 1.0 ]', '[2]']);
    },
  );

  it('without an envelope, a failure is the reason of the closing', async () => {
    const client = await open('', '/ws/');
    await server.post(job, [1]);
    await server.end(job, 'expired', 'its time is over');
    expect(await client.closed).toEqual({ code: 1011, reason: 'expired: its time is over' });
    expect(client.texts).toEqual(['[1]']);
    const late = await open('?after=2', '/ws/');
    expect(await late.closed).toEqual({ code: 1011, reason: 'expired: its time is over' });
  });

  it('a reason too long for a closing frame is cut between characters', async () => {
    const client = await open('', '/ws/');
    await server.end(job, 'failed', '🛰'.repeat(100));
    const { code, reason } = await client.closed;
    expect([code, reason]).toEqual([1011, `failed: ${'🛰'.repeat(28)}`]);
  });
});

it('what cannot be read at first is delivered later', async () => {
  const frail = await startSocketServer({ times: { sweepMs: 20 } });
  const { database } = frail;
  try {
    const owner = await frail.user('bob@weft.test');
    const number = await frail.job(owner);
    const client = await connect(frail.url, `/api/v1/ws/${number}`, bearer(owner));
    await frail.post(number, [1], { isTold: false });
    await database.query('ALTER TABLE job_messages RENAME TO hidden');
    frail.hub.news(number, 1);
    await expect.poll(() => frail.errors.length).toBeGreaterThan(0);
    await database.query('ALTER TABLE hidden RENAME TO job_messages');
    await expect.poll(() => client.seqs).toEqual([1]);
  } finally {
    await frail.stop();
  }
});

it('how a job ended is sent to a caller that is gone, though nobody told this node of it', async () => {
  const node = await startSocketServer({ times: { sweepMs: 20 } });
  try {
    const owner = await node.user('bob@weft.test');
    const number = await node.job(owner);
    const client = await connect(node.url, `/api/v1/ws/${number}`, bearer(owner));
    await node.post(number, [{ state: 'cancelled' }], { final: true, isTold: false, type: 'status' });
    await node.removeUser('bob@weft.test');
    await client.closed;
    expect(client.seqs).toEqual([1]);
  } finally {
    await node.stop();
  }
});

it('L5: a stop closes every socket with 1012 and opens no other', async () => {
  const node = await startSocketServer({ times: { closeTimeoutMs: 300 } });
  const owner = await node.user('bob@weft.test');
  const path = `/api/v1/ws/${await node.job(owner)}`;
  const client = await connect(node.url, path, bearer(owner));
  const deaf = await connect(node.url, path, bearer(owner));
  deaf.socket.pause();
  await node.stop();
  expect(await client.closed).toEqual({ code: 1012, reason: 'restarting' });
  expect(node.hub.openSockets).toBe(0);
});

eachDatabase((kind: DatabaseKind) => {
  describe('L1: two nodes', () => {
    let nodes: SocketServer[];
    let remove: () => Promise<void>;
    let owner: string;
    let number: string;
    let client: SocketClient;

    async function start(pollMs: number | undefined): Promise<void> {
      const opened = await openTwoNodes(kind);
      remove = opened.remove;
      const options = pollMs === undefined ? {} : { pollMs };
      nodes = await Promise.all(opened.nodes.map((database) => startSocketServer({ database, ...options })));
      owner = await nodes[0]!.user('ada@weft.test');
      number = await nodes[0]!.job(owner);
      client = await connect(nodes[0]!.url, `/api/v1/ws/${number}`, bearer(owner));
    }
    async function stop(): Promise<void> {
      await Promise.all(nodes.map((node) => node.stop()));
      await remove();
    }

    it('news of another node is followed by the message', async () => {
      await start(undefined);
      const { seq } = await nodes[1]!.post(number, [1]);
      nodes[0]!.hub.news(number, seq);
      await expect.poll(() => client.seqs).toEqual([1]);
      await stop();
    });

    it('without news it is found by looking, and so is the end', async () => {
      await start(50);
      await nodes[1]!.post(number, [1]);
      await expect.poll(() => client.seqs).toEqual([1]);
      await nodes[1]!.end(number, 'cancelled', 'not wanted any more');
      expect((await client.closed).code).toBe(1000);
      expect(client.seqs).toEqual([1, 2]);
      await stop();
    });
  });
});
