// Nobody can tell whether a request was read directly or by node:http, however its bytes arrive.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import { openRawConnection, type RawAnswer, type RawConnection } from '../../../../../test/raw-connection.ts';
import { rounds } from '../../../../../test/rounds.ts';
import { createListener, type ListenerOptions } from '../server/listener.ts';

const cleanUp: (() => void)[] = [];
afterEach(() => {
  for (const end of cleanUp.splice(0)) end();
});

interface Seen {
  direct: number;
  byNode: number;
}

/** Answers each request with what it was; posts to /direct without node:http, if `isDirect`. */
async function start(isDirect: boolean, more: Partial<ListenerOptions> = {}) {
  const seen: Seen = { direct: 0, byNode: 0 };
  let held: Promise<void> | undefined;
  const faults: unknown[] = [];
  const { server, direct } = createListener(
    {
      tls: undefined,
      onFault: (error, socket) => {
        faults.push(error);
        socket?.destroy();
      },
      ...(isDirect && {
        handleDirectly: (request, answer, body) => {
          if (request.url === '/throws') throw new Error('thrown');
          if (request.url === '/rejects') return Promise.reject(new Error('rejected'));
          if (request.url === '/later') return Promise.resolve(false);
          if (request.url !== '/direct') return false;
          seen.direct++;
          const text = JSON.stringify({ url: request.url, body: body.toString('latin1') });
          const last = text.includes('last') ? ['connection', 'close'] : [];
          const send = () => answer.send(200, 'content-type: application/json\r\n', 'id', text, last);
          // At once, soon, or when more has come meanwhile.
          if (held) void held.then(send);
          else if (body.length % 4 === 0) send();
          else if (body.length % 4 === 1) queueMicrotask(send);
          else if (body.length % 4 === 2) setImmediate(send);
          else setTimeout(send, 3);
          return true;
        },
      }),
      ...more,
    },
    (request, response) => {
      seen.byNode++;
      if (held) return;
      const chunks: Buffer[] = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString('latin1');
        const text = JSON.stringify({ url: request.url, body });
        const last = body.includes('last') ? { connection: 'close' } : {};
        response.writeHead(200, {
          'content-type': 'application/json',
          'x-request-id': 'id',
          'content-length': text.length,
          ...last,
        });
        response.end(text);
      });
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp.push(() => {
    server.close();
    server.closeAllConnections();
    for (const connection of direct) connection.destroy();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const hold = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    held = promise;
    return () => {
      held = undefined;
      resolve();
    };
  };
  return { server, direct, url, seen, hold, faults };
}

async function open(url: string): Promise<RawConnection> {
  const connection = await openRawConnection(url);
  connection.socket.setNoDelay(true);
  cleanUp.push(() => connection.destroy());
  return connection;
}

const post = (path: string, body: string, ...headers: string[]) =>
  [`POST ${path} HTTP/1.1`, 'Host: localhost', `Content-Length: ${body.length}`, ...headers, '', body].join('\r\n');
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

function comparable({ status, headers, text }: RawAnswer) {
  const names = [...headers].filter(([name]) => name !== 'date').sort(([a], [b]) => (a < b ? -1 : 1));
  return { status, text, headers: Object.fromEntries(names) };
}

/** Sends the pieces one after the other, so that most arrive alone, and one more request once all are answered; the answers, in order. */
async function ask(
  url: string,
  pieces: readonly Buffer[],
  answers: number,
  afterwards: Buffer,
): Promise<ReturnType<typeof comparable>[]> {
  const connection = await open(url);
  for (const piece of pieces) {
    await new Promise<void>((resolve) => connection.socket.write(piece, () => setImmediate(resolve)));
  }
  const all: ReturnType<typeof comparable>[] = [];
  for (let count = 0; count < answers; count++) all.push(comparable(await connection.answer()));
  connection.send(afterwards);
  all.push(comparable(await connection.answer()));
  connection.destroy();
  return all;
}

const request = fc.oneof(
  { weight: 5, arbitrary: fc.stringMatching(/^[a-z{}]{1,30}$/).map((body) => post('/direct', body)) },
  fc.stringMatching(/^[a-z{}]{1,30}$/).map((body) => post('/other', body)),
  fc.constantFrom(get('/direct'), post('/direct', '{}', 'Connection: keep-alive'), post('/direct', '', 'X: y')),
  fc.constant('POST /direct HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'),
);

it('whatever is asked, and wherever its bytes are cut, the answers are those of node:http, in order', async () => {
  const direct = await start(true);
  const byNode = await start(false);
  const input = fc.record({
    requests: fc.array(request, { minLength: 1, maxLength: 5 }),
    cuts: fc.array(fc.nat(), { maxLength: 4 }),
  });
  await fc.assert(
    fc.asyncProperty(input, async ({ requests, cuts }) => {
      const bytes = Buffer.from(requests.join(''), 'latin1');
      const afterwards = Buffer.from(post('/direct', 'afterwards'));
      const places = [0, ...new Set(cuts.map((cut) => cut % bytes.length)), bytes.length].sort((a, b) => a - b);
      const pieces = places.slice(1).map((to, index) => bytes.subarray(places[index], to));
      const expected = await ask(byNode.url, pieces, requests.length, afterwards);
      expect(await ask(direct.url, pieces, requests.length, afterwards)).toEqual(expected);
    }),
    { numRuns: rounds(60) },
  );
});

it('posts are read directly until the first other request: that one, and all that follow, are node:http’s', async () => {
  const { url, seen } = await start(true);
  for (const other of [get('/'), post('/other', '{}'), post('/later', '{}'), post('/direct', '{}', 'X:'), 'half']) {
    Object.assign(seen, { direct: 0, byNode: 0 });
    const connection = await open(url);
    for (const bytes of [post('/direct', '{}'), post('/direct', '{}')]) {
      connection.send(bytes);
      await connection.answer();
    }
    expect(seen).toEqual({ direct: 2, byNode: 0 });
    if (other === 'half') {
      await new Promise<void>((resolve) =>
        connection.socket.write(post('/direct', '{}').slice(0, -1), () => resolve()),
      );
      await expect.poll(() => seen.direct + seen.byNode, { interval: 5 }).toBe(3);
      connection.send('}');
    } else connection.send(other);
    await connection.answer();
    connection.send(post('/direct', '{}'));
    await connection.answer();
    expect(seen).toEqual({ direct: 2, byNode: 2 });
  }
});

it.each([true, false])(
  'a peer that ends its side while it is answered gets no more, as from node:http (direct: %s)',
  async (isDirect) => {
    const { url, hold, seen } = await start(isDirect);
    const release = hold();
    const connection = await open(url);
    connection.socket.end(post('/direct', 'a'));
    await connection.closed();
    release();
    expect(seen.direct + seen.byNode).toBe(1);
    await expect(connection.answer()).rejects.toThrow('closed before');
  },
);

it('the last answer ends the connection, and what follows is not answered', async () => {
  const { url, seen, hold } = await start(true);
  const release = hold();
  const connection = await open(url);
  connection.send(post('/direct', 'last'));
  await expect.poll(() => seen.direct, { interval: 5 }).toBe(1);
  connection.send(post('/direct', 'more'));
  release();
  expect((await connection.answer()).headers.get('connection')).toBe('close');
  await connection.closed();
  expect(seen).toEqual({ direct: 1, byNode: 0 });
});

it.each(['/throws', '/rejects'])('what a handler throws (%s) ends its connection, and no other', async (path) => {
  const { url, faults } = await start(true);
  const [connection, other] = [await open(url), await open(url)];
  connection.send(post(path, '{}'));
  await connection.closed();
  expect(faults).toHaveLength(1);
  other.send(post('/direct', '{}'));
  expect((await other.answer()).status).toBe(200);
});

it('a peer that asks without end and reads no answer is not read any further', async () => {
  const { url, seen } = await start(true);
  const connection = await open(url);
  connection.socket.pause();
  const body = 'x'.repeat(10_000);
  const posts = Buffer.from(post('/direct', body).repeat(16));
  let sent = 0;
  let isTaken = true;
  // Until nothing more fits into the buffers of both kernels.
  while (isTaken) {
    isTaken = await Promise.race([
      new Promise<boolean>((resolve) => connection.socket.write(posts, () => resolve(true))),
      untilStill(() => seen.direct),
    ]);
    sent += 16;
    expect(sent).toBeLessThan(20_000);
  }
  expect(seen.direct).toBeLessThan(sent);
});

/** Resolves false once a number has not changed for a while. */
async function untilStill(read: () => number): Promise<false> {
  let last = -1;
  for (let still = 0; still < 40; still = read() === last ? still + 1 : 0) {
    last = read();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return false;
}

it('a connection that is idle is closed: before its first request, and between two', async () => {
  // Long enough for a request on a machine that is busy.
  const { url } = await start(true, { timeouts: { idleMs: 3_000, keepAliveMs: 0 } });
  const silent = await open(url);
  const kept = await open(url);
  kept.send(post('/direct', '{}'));
  await kept.answer();
  await Promise.all([silent.closed(), kept.closed()]);
});

it('a request under way may take longer than connections are kept', async () => {
  const { url, hold, seen } = await start(true, { timeouts: { idleMs: 60_000, keepAliveMs: 0 } });
  const [connection, other] = [await open(url), await open(url)];
  for (const each of [connection, other]) {
    each.send(post('/direct', '{}'));
    await each.answer();
  }
  const release = hold();
  connection.send(post('/direct', '{}'));
  await expect.poll(() => seen.direct, { interval: 5 }).toBe(3);
  // The other one has been idle for a shorter time.
  await other.closed();
  release();
  expect((await connection.answer()).status).toBe(200);
});

it('a stopping server closes idle connections at once, and one with a request under way only if it must', async () => {
  const { url, hold, seen, direct } = await start(true);
  const [idle, connection] = [await open(url), await open(url)];
  const release = hold();
  connection.send(post('/direct', '{}'));
  await expect.poll(() => seen.direct, { interval: 5 }).toBe(1);
  expect(direct.size).toBe(2);
  for (const each of direct) each.closeIfIdle();
  await idle.closed();
  release();
  expect((await connection.answer()).status).toBe(200);
});
