// Clients that take their time, on purpose or not: they are cut off, and nobody else waits for them.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openRawConnection, type RawConnection } from '../../../../../test/raw-connection.ts';
import { type RunningWeft, serve } from '../../../serve.ts';
import { loadConfig } from '../../base/config.ts';
import { createLogger } from '../request/log.ts';

const timeouts = { headersMs: 300, requestMs: 600, idleMs: 1200, keepAliveMs: 400 };
const maxConnections = 8;

let folder: string;
let weft: RunningWeft;
const connections: RawConnection[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'weft-slow-'));
  const env = { WEFT_PORT: '0', WEFT_DATA_DIR: folder, WEFT_MAX_CONNECTIONS: String(maxConnections) };
  weft = await serve(loadConfig({ env }), { log: createLogger('silent'), timeouts });
});
afterEach(async () => {
  for (const connection of connections.splice(0)) connection.destroy();
  await expect.poll(isAnswering, { interval: 10 }).toBe(true);
});
afterAll(async () => {
  await weft.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function open(): Promise<RawConnection> {
  const connection = await openRawConnection(weft.url);
  connections.push(connection);
  return connection;
}

async function isAnswering(): Promise<boolean> {
  const connection = await open();
  connection.send('GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  const answer = await connection.answer().catch(() => undefined);
  connection.destroy();
  return answer?.status === 200;
}

/** One byte after another for as long as the server listens. */
async function drip(connection: RawConnection, byte: string): Promise<void> {
  const timer = setInterval(() => connection.send(byte), 20);
  await connection.closed().finally(() => clearInterval(timer));
}

describe('D1: a request that never ends', () => {
  it.each([
    ['in its request line', 'GET /a', 'a'],
    ['in its headers', 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-A: ', 'a'],
    [
      'in its body',
      'POST /api/v1/users/password-recovery HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n',
      ' ',
    ],
    [
      'in a body without a length',
      'POST /api/v1/users/password-recovery HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n',
      '1\r\n \r\n',
    ],
  ])('%s is answered 408 and cut off', async (_where, start, byte) => {
    const connection = await open();
    connection.send(start);
    const dripping = drip(connection, byte);
    const answer = await connection.answer();
    expect(answer.status).toBe(408);
    expect(JSON.parse(answer.text)).toEqual({ detail: expect.any(String), code: 'request_timeout' });
    connection.socket.end();
    await dripping;
  });

  it('in its headers is cut off sooner than one in its body', async () => {
    const starts = {
      body: 'POST /api/v1/users/password-recovery HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n',
      headers: 'GET /healthz HTTP/1.1\r\nX-A: ',
    };
    const inOrder = async () => {
      const ends: string[] = [];
      await Promise.all(
        Object.entries(starts).map(async ([name, start]) => {
          const connection = await open();
          connection.send(start);
          await connection.answer();
          ends.push(name);
        }),
      );
      return ends;
    };
    // A busy machine may look at both only when both are over their time.
    await expect.poll(inOrder).toEqual(['headers', 'body']);
  });
});

it('a connection on which nothing is ever asked is closed, without an answer to nothing', async () => {
  const connection = await open();
  await connection.closed();
  expect(connection.socket.bytesRead).toBe(0);
});

describe('a connection that is opened in advance', () => {
  /** Opened before, and silent for longer than headers may take. */
  async function openedLongBefore(): Promise<RawConnection> {
    const connection = await open();
    const slow = await open();
    slow.send('GET /healthz HTTP/1.1\r\nX-A: ');
    expect((await slow.answer()).status).toBe(408);
    return connection;
  }
  // A busy machine may take longer than a connection may be idle.
  const statusOf = async (request: string) => {
    const connection = await openedLongBefore();
    connection.send(request);
    return connection.answer().then(
      ({ status }) => status,
      () => undefined,
    );
  };

  it('is as good as any other', async () => {
    await expect.poll(() => statusOf('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')).toBe(200);
  });

  it('has no more time for its headers than any other', async () => {
    await expect.poll(() => statusOf('GET /healthz HTTP/1.1\r\nX-A: ')).toBe(408);
  });
});

it('a connection that is kept alive and not used any more is closed', async () => {
  const connection = await open();
  connection.send('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
  expect((await connection.answer()).status).toBe(200);
  await connection.closed();
});

it('clients that do not read their answers are cut off and make room', async () => {
  const stall = async (): Promise<void> => {
    const connection = await open();
    // More than the buffers of the system hold.
    connection.send('GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(20));
    const { socket } = connection;
    // Refused ones end by an error.
    await Promise.race([once(socket, 'data'), once(socket, 'close')]).catch(() => connection.closed());
    // The server may not have noticed yet that an earlier connection is gone.
    if (connection.isClosed) await stall();
    else connection.socket.pause();
  };
  // On a busy machine the first of them may be cut off before the last has come.
  const isAnsweringBesides = async () => {
    await Promise.all(Array.from({ length: maxConnections }, stall));
    return isAnswering();
  };
  await expect.poll(isAnsweringBesides).toBe(false);
  await expect.poll(isAnswering).toBe(true);
});

describe('D2: more connections than allowed', () => {
  it('are closed at once while all are in use, and one that leaves makes room', async () => {
    const busy: RawConnection[] = [];
    for (let count = 0; count < maxConnections; count += 1) {
      const connection = await open();
      connection.send(
        'POST /api/v1/users/password-recovery HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n{',
      );
      expect((await connection.answer()).status).toBe(100);
      busy.push(connection);
    }
    expect(await isAnswering()).toBe(false);
    for (const connection of busy) connection.send('}');
    for (const connection of busy) expect((await connection.answer()).status).toBe(422);
    busy[0]!.destroy();
    await expect.poll(isAnswering, { interval: 10 }).toBe(true);
  });
});
