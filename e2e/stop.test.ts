// How a running Weft ends: requests under way are answered, and the exit code says what happened.
import { expect, test } from 'vitest';
import { openRawConnection, type RawConnection } from '../test/raw-connection.ts';
import { command, serve, type WeftServer } from './weft-process.ts';

const body = 'username=nobody%40example.org&password=wrong+password';

/** A login that has begun and whose body is still to come. */
async function beginLogin({ url }: WeftServer): Promise<RawConnection> {
  const connection = await openRawConnection(url);
  const head = [
    'POST /api/v1/token/?login_type=user HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${body.length}`,
    'Expect: 100-continue',
  ];
  connection.send(`${head.join('\r\n')}\r\n\r\n`);
  expect((await connection.answer()).status).toBe(100);
  return connection;
}

test('SIGTERM lets requests under way finish, takes no new ones, and ends with 0', async () => {
  const weft = await serve();
  const logins = await Promise.all(Array.from({ length: 5 }, () => beginLogin(weft)));
  weft.child.kill('SIGTERM');
  await weft.until('word of stopping', () => weft.err.includes('weft: stopping'));
  const isAnswered = () =>
    fetch(`${weft.url}/healthz`).then(
      () => true,
      () => false,
    );
  await expect.poll(isAnswered).toBe(false);
  for (const login of logins) {
    login.send(body);
    expect((await login.answer()).status).toBe(401);
  }
  expect(await weft.ended()).toBe(0);
});

test('another SIGTERM a while later ends it at once with 143, whatever is under way', async () => {
  const weft = await serve();
  await beginLogin(weft);
  // Those of the first second are one wish: a terminal and npm both send it.
  const again = setInterval(() => weft.child.kill('SIGTERM'), 100);
  try {
    expect(await weft.ended()).toBe(143);
  } finally {
    clearInterval(again);
  }
});

test('L11 a rejection that nobody handles is logged, requests under way finish, and the exit code is 1', async () => {
  const fault = "process.on('SIGUSR2', () => { Promise.reject(new Error('fault from a test')); });";
  const preload = `data:text/javascript,${encodeURIComponent(fault)}`;
  const weft = await serve({ launcher: [process.execPath, '--import', preload, command] });
  const login = await beginLogin(weft);
  weft.child.kill('SIGUSR2');
  await weft.until('log of the fault', () => weft.err.includes('fault from a test'));
  login.send(body);
  expect((await login.answer()).status).toBe(401);
  expect(await weft.ended()).toBe(1);
  const line = weft.err.split('\n').find((text) => text.includes('fault from a test'));
  expect(JSON.parse(line ?? '')).toMatchObject({ msg: 'unhandled rejection', err: { message: 'fault from a test' } });
});
