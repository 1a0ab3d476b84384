// Clients that are slow, gone, rude, too many or no longer allowed: each has an end, and nobody else notices.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ClientOptions } from 'ws';
import { rounds } from '../../../../../test/rounds.ts';
import { bearer, connect, refusal, type SocketClient } from '../../../../../test/socket-client.ts';
import { type SocketServer, type SocketServerOptions, startSocketServer } from '../../../../../test/socket-server.ts';

const mebibyte = 1024 * 1024;
const quick = { sweepMs: 20, pingMs: 100, pongMs: 200, stallMs: 400, closeTimeoutMs: 100 };
// For what must not happen by itself during a test.
const never = 1e9;

/** Most tests are content with it, each with callers of its own. */
let shared: SocketServer;
let server: SocketServer;
let ada: string;
let bob: string;
let token: string;
let job: string;
let cutOffBefore: number;
let tests = 0;
const clients: SocketClient[] = [];

const cutOff = () => server.hub.cutOff - cutOffBefore;

beforeAll(async () => {
  shared = await startSocketServer({ times: { ...quick, pingMs: never } });
});
afterAll(() => shared.stop());
beforeEach(() => use(shared));
afterEach(async () => {
  for (const { socket } of clients.splice(0)) socket.terminate();
  await expect.poll(() => server.hub.openSockets).toBe(0);
  if (server !== shared) await server.stop();
});

async function use(used: SocketServer): Promise<void> {
  server = used;
  [ada, bob] = [`ada-${++tests}@weft.test`, `bob-${tests}@weft.test`];
  token = await server.user(ada);
  job = await server.job(token);
  cutOffBefore = server.hub.cutOff;
}

/** One that only this test has. */
async function start(options: SocketServerOptions): Promise<void> {
  await use(await startSocketServer({ times: { ...quick, pingMs: never }, ...options }));
}

async function open(number = job, options: ClientOptions = {}): Promise<SocketClient> {
  const client = await connect(server.url, `/api/v1/ws/${number}`, { ...bearer(token), ...options });
  clients.push(client);
  return client;
}

/** A frame as clients send it; the mask is zero, so that the payload stays as it is. */
function frame(opcode: number, payload: Uint8Array, { isMasked = true, flags = 0x80 } = {}): Buffer {
  const head = [flags | opcode, (isMasked ? 0x80 : 0) | payload.length, ...(isMasked ? [0, 0, 0, 0] : [])];
  return Buffer.concat([Buffer.from(head), payload]);
}

describe('J15: what clients may not send', () => {
  it.each<[string, number, (client: SocketClient) => void]>([
    ['2 MiB', 1009, ({ socket }) => socket.send('x'.repeat(2 * mebibyte))],
    ['binary', 1003, ({ socket }) => socket.send(Buffer.from('x'))],
    ['text that is not UTF-8', 1007, (client) => client.sendRaw(frame(1, Uint8Array.of(0xff)))],
    ['a frame without a mask', 1002, (client) => client.sendRaw(frame(1, Buffer.from('x'), { isMasked: false }))],
    ['a packed frame', 1002, (client) => client.sendRaw(frame(1, Buffer.from('x'), { flags: 0xc0 }))],
    ['a frame of no kind', 1002, (client) => client.sendRaw(frame(3, Buffer.from('x')))],
    ['a flood of text', 1008, ({ socket }) => repeat(10_000, () => socket.send('x'))],
    ['a flood of pings', 1008, ({ socket }) => repeat(10_000, () => socket.ping())],
    ['a flood of pongs', 1008, ({ socket }) => repeat(10_000, () => socket.pong())],
  ])('%s ends with %i', async (_what, code, misbehave) => {
    const client = await open();
    misbehave(client);
    expect((await client.closed).code).toBe(code);
    await expect.poll(() => server.hub.openSockets).toBe(0);
  });

  it('text in reason is ignored', async () => {
    const client = await open();
    repeat(100, () => client.socket.send('hello'));
    await server.post(job, [1], { final: true });
    expect((await client.closed).code).toBe(1000);
    expect(client.seqs).toEqual([1]);
  });

  it('compression is not negotiated', async () => {
    expect((await open(job, { perMessageDeflate: true })).socket.extensions).toBe('');
  });

  it('whoever breaks the protocol and stays is disconnected', async () => {
    const client = await open();
    client.sendRaw(frame(1, Buffer.from('x'), { isMasked: false }));
    client.connection.pause();
    await expect.poll(() => server.hub.openSockets).toBe(0);
  });
});

describe('J16: a client that takes nothing', () => {
  it('is cut off, while little is held for it and others get theirs', async () => {
    await fill(job, rounds(200, 120), mebibyte);
    global.gc?.();
    const [rssBefore, pagesBefore] = [process.memoryUsage().rss, server.pagesRead];
    const stuck = await open();
    stuck.socket.pause();
    const other = await server.job(token);
    const reader = await open(other);
    await server.post(other, [1]);
    await expect.poll(() => reader.seqs).toEqual([1]);
    await expect.poll(cutOff).toBe(1);
    await expect.poll(() => server.hub.openSockets).toBe(1);
    // What the system's own buffers take in, and a page.
    expect(server.pagesRead - pagesBefore).toBeLessThan(30);
    expect(process.memoryUsage().rss - rssBefore).toBeLessThan(100 * mebibyte);
    await server.post(other, [2], { final: true });
    expect((await reader.closed).code).toBe(1000);
  });

  it('hears 4408 if it wakes up in time', async () => {
    await start({ times: { ...quick, pingMs: never, closeTimeoutMs: never } });
    await fill(job, 40, mebibyte);
    const client = await open();
    client.socket.pause();
    await expect.poll(cutOff).toBe(1);
    client.socket.resume();
    expect(await client.closed).toEqual({ code: 4408, reason: 'too slow' });
    // What was sent before came in order.
    expect(client.seqs).toEqual(client.seqs.map((_, index) => index + 1));
  });

  it('one that takes a little now and then is not cut off', async () => {
    const sipIt = async (pauseMs: number) => {
      const client = await open();
      const { connection } = client;
      connection.pause();
      const sip = setInterval(() => {
        connection.once('data', () => connection.pause());
        connection.resume();
      }, pauseMs);
      const { code } = await client.closed.finally(() => clearInterval(sip));
      return { code, seqs: client.seqs };
    };
    // Client and server are one process here: if that is kept waiting for so long, nobody takes anything. Then all is slower.
    for (let stallMs = 800; ; stallMs *= 2) {
      await start({ times: { ...quick, pingMs: never, stallMs } });
      await fill(job, 1, 32 * mebibyte);
      await server.post(job, [], { final: true });
      const beganAt = performance.now();
      const taken = await sipIt(stallMs / 160);
      if (taken.code === 1006 && stallMs < 50_000) {
        await server.stop();
        continue;
      }
      expect(taken).toEqual({ code: 1000, seqs: [1, 2] });
      expect(performance.now() - beganAt).toBeGreaterThan(stallMs);
      return;
    }
  });

  it('gets a long message whole, and what follows behind it', async () => {
    await start({ times: { ...quick, stallMs: never } });
    const client = await open();
    client.socket.pause();
    const text = '1€'.repeat(mebibyte);
    await server.post(job, [text]);
    await server.post(job, ['short'], { final: true });
    client.socket.resume();
    expect((await client.closed).code).toBe(1000);
    expect(client.texts.map((each) => JSON.parse(each).data)).toEqual([[text], ['short']]);
  });

  it('does not stay by asking for pongs it never reads', async () => {
    const client = await open();
    await fill(job, 40, mebibyte);
    client.socket.pause();
    server.hub.news(job, 40);
    const asking = setInterval(() => client.socket.ping(), 50);
    await expect.poll(() => server.hub.openSockets).toBe(0);
    clearInterval(asking);
    expect(cutOff()).toBe(1);
  });
});

describe('J17: a client that does not answer', () => {
  it('is forgotten when no pong comes', async () => {
    await start({ times: quick });
    const client = await open();
    client.socket.pause();
    await expect.poll(() => server.hub.openSockets).toBe(0);
    expect(server.hub.hasSocket(job)).toBe(false);
  });

  it('stays as long as it answers', async () => {
    await start({ times: quick });
    const client = await open();
    let pings = 0;
    client.socket.on('ping', () => pings++);
    await expect.poll(() => pings).toBeGreaterThan(5);
    expect(client.socket.readyState).toBe(client.socket.OPEN);
  });
});

describe('rights that end', () => {
  it('T9: with a removed account its jobs end, and their sockets say so', async () => {
    const [one, two] = [await open(), await open()];
    await server.removeUser(ada);
    expect([(await one.closed).code, (await two.closed).code]).toEqual([1000, 1000]);
    expect(two.messages).toMatchObject([{ type: 'status', final: true, data: [{ state: 'cancelled' }] }]);
    expect((await refusal(server.url, `/api/v1/ws/${job}`, bearer(token))).status).toBe(401);
  });

  it('J14: a token that expires closes the socket with 4401', async () => {
    await start({ tokenTtlSeconds: 2 });
    const client = await open();
    expect((await client.closed).code).toBe(4401);
  });

  it('others are left alone', async () => {
    const other = await server.user(bob);
    const number = await server.job(other);
    const theirs = await connect(server.url, `/api/v1/ws/${number}`, bearer(other));
    clients.push(theirs);
    const mine = await open();
    await server.removeUser(ada);
    await mine.closed;
    await server.post(number, [1]);
    await expect.poll(() => theirs.seqs).toEqual([1]);
  });
});

describe('J18: too many', () => {
  it('sockets of one caller are refused with 429, others are not', async () => {
    await start({ settings: { WEFT_MAX_SOCKETS_PER_CALLER: '3' } });
    await Promise.all([open(), open(), open()]);
    const { status, headers, body } = await refusal(server.url, `/api/v1/ws/${job}`, bearer(token));
    expect([status, body.code, headers['retry-after']]).toEqual([429, 'too_many_sockets', '10']);
    const other = await server.user(bob);
    const number = await server.job(other);
    clients.push(await connect(server.url, `/api/v1/ws/${number}`, bearer(other)));
    clients[0]!.socket.close();
    await expect.poll(() => open().then(() => 'open', String)).toBe('open');
  });

  it('that come together do not pass the bound together', async () => {
    const all = 20;
    let asked = 0;
    const everybodyAsked = Promise.withResolvers<void>();
    const onAdmit = () => {
      asked++;
      if (asked === all) everybodyAsked.resolve();
      return everybodyAsked.promise;
    };
    await start({ settings: { WEFT_MAX_SOCKETS_PER_CALLER: '3' }, onAdmit });
    const results = await Promise.allSettled(Array.from({ length: all }, () => open()));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(server.hub.openSockets).toBe(3);
  });

  it('connects of one caller are refused with 429', async () => {
    await start({ connectsPerMinute: 5 });
    for (let count = 0; count < 5; count++) (await open()).socket.close();
    const { status, body, headers } = await refusal(server.url, `/api/v1/ws/${job}`, bearer(token));
    expect([status, body.code]).toEqual([429, 'too_many_connects']);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  });

  it('J6: guesses are refused with 404, then with 429', async () => {
    await start({ guessesPerMinute: 5 });
    const statuses: number[] = [];
    for (let count = 0; count < 8; count++) {
      statuses.push((await refusal(server.url, `/api/v1/ws/guess-${count}`, bearer(token))).status);
    }
    expect(statuses).toEqual([404, 404, 404, 404, 404, 429, 429, 429]);
    const other = await server.user(bob);
    expect((await refusal(server.url, '/api/v1/ws/guess', bearer(other))).status).toBe(404);
  });
});

function repeat(count: number, act: () => void): void {
  for (let index = 0; index < count; index++) act();
}

/** Stores that many messages of that size without telling anybody. */
async function fill(job_number: string, count: number, bytes: number): Promise<void> {
  const data = `["${'x'.repeat(bytes - 4)}"]`;
  for (let index = 0; index < count; index++) await server.post(job_number, data, { isTold: false });
}
