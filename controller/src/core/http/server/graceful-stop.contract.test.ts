// Stopping: what is under way is finished, what only waits is closed, nothing new is taken, and there is an end to it.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openRawConnection, type RawConnection } from '../../../../../test/raw-connection.ts';
import { password, startWeft, type TestWeft } from '../../../../../test/weft.ts';

const body = JSON.stringify({ username: 'late@weft.test', password, roles: ['admin'] });
const post = `POST /api/v1/users/public HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;

let weft: TestWeft;
let stopped: Promise<void> | undefined;
const connections: RawConnection[] = [];

beforeEach(async () => {
  // Longer than any test may take: who waits for the deadline does not come back.
  weft = await startWeft({ WEFT_SHUTDOWN_SECONDS: '3600' });
});
afterEach(async () => {
  for (const connection of connections.splice(0)) connection.destroy();
  await (stopped ?? weft.stop());
  stopped = undefined;
});

async function open(): Promise<RawConnection> {
  const connection = await openRawConnection(weft.url);
  connections.push(connection);
  return connection;
}

/** A connection that has had an answer and waits for the next request. */
async function openIdle(): Promise<RawConnection> {
  const connection = await open();
  connection.send('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
  expect((await connection.answer()).status).toBe(200);
  return connection;
}

/** A request of which the server has the first half. */
async function openUnfinished(): Promise<RawConnection> {
  const connection = await openIdle();
  connection.send(post + body.slice(0, 10));
  // An answer on another connection means that the bytes before it have been read.
  await openIdle();
  return connection;
}

function stop(): Promise<void> {
  stopped = weft.stop();
  return stopped;
}

it('a request under way is finished, its connection then closed, and that is all that is waited for', async () => {
  const connection = await openUnfinished();
  const stopping = stop();
  connection.send(body.slice(10));
  const answer = await connection.answer();
  expect([answer.status, JSON.parse(answer.text).username]).toEqual([200, 'late@weft.test']);
  await connection.closed();
  await stopping;
});

it('connections that wait for their next request are closed at once', async () => {
  const idle = await openIdle();
  const stopping = stop();
  await idle.closed();
  await stopping;
});

it('connections that never asked anything are closed at once', async () => {
  const silent = await open();
  await openIdle();
  const stopping = stop();
  await silent.closed();
  await stopping;
});

it('new connections are refused while the last requests finish', async () => {
  const connection = await openUnfinished();
  stop();
  const connectAgain = () =>
    openRawConnection(weft.url).then(
      () => 'open',
      (error) => error.code,
    );
  await expect.poll(connectAgain, { interval: 10 }).toBe('ECONNREFUSED');
  connection.send(body.slice(10));
  expect((await connection.answer()).status).toBe(200);
});

it('a request that does not end is cut off at the deadline', async () => {
  await weft.stop();
  weft = await startWeft({ WEFT_SHUTDOWN_SECONDS: '2' });
  const connection = await openUnfinished();
  const start = performance.now();
  const stopping = stop();
  await connection.closed();
  await stopping;
  expect(performance.now() - start).toBeGreaterThan(1900);
});

it('stopping twice is stopping once', async () => {
  await openIdle();
  stopped = weft.stop();
  await Promise.all([stopped, weft.stop()]);
});
