// Bytes that no HTTP client would send, on the sockets of the running server: each gets one clear answer, the connection
// ends where it cannot be trusted any more, and nobody else notices.
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { askRaw, openRawConnection, type RawConnection } from '../../../../../test/raw-connection.ts';
import { startWeft, type TestWeft } from '../../../../../test/weft.ts';

const signup = '/api/v1/users/signup';
const maxBodyBytes = 1024 * 1024;

let weft: TestWeft;
let token: string;
const connections: RawConnection[] = [];

beforeAll(async () => {
  weft = await startWeft();
  token = await weft.admin();
});
afterEach(async () => {
  for (const connection of connections.splice(0)) connection.destroy();
  expect((await weft.request('GET', '/api/v1/users/me', { token })).status).toBe(200);
});
afterAll(() => weft.stop());

async function open(): Promise<RawConnection> {
  const connection = await openRawConnection(weft.url);
  connections.push(connection);
  return connection;
}

const head = (line: string, ...headers: string[]) => `${[line, 'Host: localhost', ...headers].join('\r\n')}\r\n\r\n`;

describe('I19: a request that two parsers could read differently', () => {
  it.each([
    [
      'a length and an encoding',
      head(`POST ${signup} HTTP/1.1`, 'Content-Length: 5', 'Transfer-Encoding: chunked') + '0\r\n\r\nX',
      400,
    ],
    ['two lengths', head(`POST ${signup} HTTP/1.1`, 'Content-Length: 5', 'Content-Length: 6') + 'hello!', 400],
    ['a length that is no number', head(`POST ${signup} HTTP/1.1`, 'Content-Length: 5x') + 'hello', 400],
    ['a negative length', head(`POST ${signup} HTTP/1.1`, 'Content-Length: -5') + 'hello', 400],
    ['an unknown encoding', head(`POST ${signup} HTTP/1.1`, 'Transfer-Encoding: xchunked') + '0\r\n\r\n', 400],
    ['chunked not last', head(`POST ${signup} HTTP/1.1`, 'Transfer-Encoding: chunked, identity') + '0\r\n\r\n', 400],
    ['a broken chunk size', head(`POST ${signup} HTTP/1.1`, 'Transfer-Encoding: chunked') + 'zz\r\nhello\r\n', 400],
    ['a folded header', head('GET /healthz HTTP/1.1', 'X-A: 1', ' folded: 2'), 400],
    ['a space before the colon', head('GET /healthz HTTP/1.1', 'Content-Length : 5'), 400],
    ['a post whose target has no slash', 'POST x HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n', 400],
    ['an absolute address', head('GET http://localhost/healthz HTTP/1.1'), 400],
    ['an absolute address elsewhere', head('GET http://evil.test/healthz HTTP/1.1'), 400],
    ['no host', 'GET /healthz HTTP/1.1\r\n\r\n', 400],
    ['two hosts', head('GET /healthz HTTP/1.1', 'Host: evil.test'), 400],
    ['a NUL in the path', head('GET /api/v1/users/a\0b HTTP/1.1'), 400],
    ['a NUL in a header', head('GET /healthz HTTP/1.1', 'X-A: a\0b'), 400],
    ['a bare line feed in a header', head('GET /healthz HTTP/1.1', 'X-A: a\nX-B: b\rX-C: c'), 400],
    ['a method of another protocol, without a version', head('PRI /api/v1/users'), 400],
    ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n\r\n', 400],
    ['20 KB of headers', head('GET /healthz HTTP/1.1', `X-A: ${'a'.repeat(20_000)}`), 431],
    ['a bearer of 60 KB', head('GET /api/v1/users/me HTTP/1.1', `Authorization: Bearer ${'a'.repeat(60_000)}`), 431],
    ['3,000 small headers', head('GET /healthz HTTP/1.1', ...Array(3000).fill('X-A: b')), 431],
    ['an address of 20 KB', head(`GET /api/v1/users/${'a'.repeat(20_000)} HTTP/1.1`), 431],
  ])('%s is refused and the connection closed', async (_what, bytes, status) => {
    const connection = await open();
    connection.send(bytes);
    const answer = await connection.answer();
    expect({ status: answer.status, body: JSON.parse(answer.text) }).toEqual({
      status,
      body: { detail: expect.any(String), code: status === 431 ? 'headers_too_large' : 'bad_request' },
    });
    await connection.closed();
  });

  it('what follows a broken request on the same connection is never answered', async () => {
    const connection = await open();
    const smuggled = head('GET /healthz HTTP/1.1');
    connection.send(
      `${head(`POST ${signup} HTTP/1.1`, 'Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n${smuggled}`,
    );
    expect((await connection.answer()).status).toBe(400);
    await connection.closed();
    await expect(connection.answer()).rejects.toThrow('closed before');
  });
});

describe('a path that cannot be read', () => {
  it.each([
    ['/api/v1/users/%', 400],
    ['/api/v1/users/%zz', 400],
    ['/api/v1/users/%c3%28', 400],
    ['/api/v1/agents/%ff%fe', 400],
    ['/api/v1/agents/a%00b', 404],
    ['/api/v1/agents/..', 404],
    ['/api/v1/agents/..%2f..%2fetc%2fpasswd', 404],
    ['/api/v1/agents/%2e%2e%5c%2e%2e', 404],
    ['/docs/..%2f..%2fpackage.json', 404],
    ['/docs/../../package.json', 404],
    ['/docs/%2e%2e/%2e%2e/package.json', 404],
    ['//etc/passwd', 404],
    ['/api//v1/users/me', 404],
    ['/api/v1/users/me;x=1', 404],
  ])('%s is %i', async (path, status) => {
    const answer = await askRaw(weft.url, head(`GET ${path} HTTP/1.1`, `Authorization: Bearer ${token}`));
    expect({ status: answer.status, body: JSON.parse(answer.text) }).toEqual({
      status,
      body: { detail: expect.any(String), code: expect.any(String) },
    });
  });
});

describe('I5: a body over the limit', () => {
  it('is refused by its announced length, before a byte of it is sent', async () => {
    const connection = await open();
    connection.send(head(`POST ${signup} HTTP/1.1`, `Content-Length: ${maxBodyBytes + 1}`));
    const answer = await connection.answer();
    expect([answer.status, JSON.parse(answer.text).code]).toEqual([413, 'body_too_large']);
    await connection.closed();
  });

  it('of exactly the limit is read', async () => {
    const body = JSON.stringify({ username: 'x', password: 'y' }).padEnd(maxBodyBytes, ' ');
    const answer = await weft.request('POST', signup, { body, headers: { 'content-type': 'application/json' } });
    expect(answer.status).toBe(422);
  });

  it('without a length is refused once too much has come, and no longer read', async () => {
    const connection = await open();
    connection.send(head(`POST ${signup} HTTP/1.1`, 'Content-Type: application/json', 'Transfer-Encoding: chunked'));
    const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536, ' '), Buffer.from('\r\n')]);
    let sent = 0;
    while (connection.socket.writable && sent < 64 * maxBodyBytes) {
      sent += 65_536;
      // Writing to a connection that the server has closed fails; that is what is waited for.
      if (!connection.socket.write(chunk)) await once(connection.socket, 'drain').catch(() => {});
    }
    await connection.closed();
    expect(sent).toBeLessThan(32 * maxBodyBytes);
  });

  it('is answered 413 even while it is still being sent', async () => {
    const body = new ReadableStream({
      start(controller) {
        for (let count = 0; count < 24; count += 1) controller.enqueue(new Uint8Array(65_536));
        controller.close();
      },
    });
    const request = { method: 'POST', body, duplex: 'half' } as RequestInit;
    const response = await fetch(weft.url + signup, request);
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ code: 'body_too_large' });
  });
});

describe('I6: an encoded body', () => {
  it.each(['gzip', 'deflate', 'br', 'zstd', 'gzip, gzip', 'x'.repeat(1000)])('in %.10s is 415', async (encoding) => {
    const answer = await weft.request('POST', signup, {
      body: Buffer.alloc(10_000),
      headers: { 'content-type': 'application/json', 'content-encoding': encoding },
    });
    expect(answer.status).toBe(415);
    expect(answer.body).toEqual({ detail: expect.any(String), code: 'unsupported_encoding' });
    expect(answer.body.detail.length).toBeLessThan(100);
  });

  it('in identity is a plain one', async () => {
    const headers = { 'content-encoding': 'Identity' };
    expect((await weft.request('POST', signup, { json: {}, headers })).status).toBe(422);
  });
});
