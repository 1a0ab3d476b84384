// Who is let in by WebSocket, and what the others hear: refusals are answers like everywhere, before the upgrade.
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askRaw, openRawConnection } from '../../../../../test/raw-connection.ts';
import { bearer, connect, refusal } from '../../../../../test/socket-client.ts';
import { type SocketServer, startSocketServer } from '../../../../../test/socket-server.ts';
import { startWeft } from '../../../../../test/weft.ts';
import { createParts } from '../../../parts.ts';
import { TryLaterError } from '../../base/errors.ts';

const handshake = [
  'Host: localhost',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];

let server: SocketServer;
let token: string;
let path: string;
let onAdmit: (() => Promise<void>) | undefined;
const lines: string[] = [];

beforeAll(async () => {
  const sink = new Writable({
    write(line, _encoding, done) {
      lines.push(String(line));
      done();
    },
  });
  server = await startSocketServer({
    log: pino({ level: 'debug' }, sink),
    settings: { WEFT_PUBLIC_URL: 'https://weft.example', WEFT_CORS_ORIGINS: 'https://dashboard.example' },
    onAdmit: () => onAdmit?.(),
  });
  token = await server.user('ada@weft.test');
  path = `/api/v1/ws/${await server.job(token)}`;
});
afterAll(() => server.stop());

const raw = (line: string, headers = handshake) => askRaw(server.url, `${[line, ...headers].join('\r\n')}\r\n\r\n`);
const without = (name: string, ...more: string[]) => [...handshake.filter((line) => !line.startsWith(name)), ...more];

describe('the token', () => {
  it.each([
    ['in the header', () => connect(server.url, path, bearer(token))],
    ['in the query', () => connect(server.url, `${path}?token=${token}`, {})],
    ['with a slash at the end', () => connect(server.url, `${path}/?token=${token}`, {})],
  ])('is taken %s', async (_where, open) => {
    const client = await open();
    expect(client.socket.protocol).toBe('');
    client.socket.close();
  });

  it('is taken from the protocols on offer, of which the other one is selected', async () => {
    const client = await connect(server.url, path, {}, ['weft.v1', `bearer.${token}`]);
    expect(client.socket.protocol).toBe('weft.v1');
    client.socket.close();
  });

  it('may come elsewhere while the protocol is named', async () => {
    const client = await connect(server.url, `${path}?token=${token}`, {}, ['weft.v1']);
    expect(client.socket.protocol).toBe('weft.v1');
    client.socket.close();
  });

  it.each([
    ['none', () => refusal(server.url, path)],
    ['a forged one', () => refusal(server.url, path, bearer(`${token}x`))],
    ['a forged one in the query', () => refusal(server.url, `${path}?token=${token}x`)],
    ['two among the protocols', () => refusal(server.url, path, {}, ['weft.v1', `bearer.${token}`, 'bearer.x'])],
  ])('J14: %s is refused with 401', async (_what, ask) => {
    const { status, headers, body } = await ask();
    expect({ status, body }).toEqual({ status: 401, body: { detail: expect.any(String), code: expect.any(String) } });
    expect(headers).toMatchObject({
      'www-authenticate': 'Bearer',
      'content-type': 'application/json',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.any(String),
      connection: 'close',
    });
  });

  it('J14: never reaches the log', async () => {
    lines.length = 0;
    await refusal(server.url, `${path}x?token=${token}`);
    const client = await connect(server.url, `${path}?token=${token}`, {});
    client.socket.close();
    await expect.poll(() => lines.length).toBe(2);
    const [refused, opened] = lines.map((line) => JSON.parse(line));
    expect(refused).toMatchObject({ operation: 'job_socket', status: 404, url: `${path}x?token=***` });
    expect(opened).toMatchObject({ operation: 'job_socket', status: 101, url: `${path}?token=***` });
    expect(lines.join('')).not.toContain(token);
  });
});

describe('J13: the origin', () => {
  it.each([
    ['the address asked for', () => server.url],
    ['the public address', () => 'https://weft.example'],
    ['one that the operator has named', () => 'https://dashboard.example'],
  ])('may be %s', async (_what, origin) => {
    const client = await connect(server.url, path, { ...bearer(token), origin: origin() });
    client.socket.close();
  });

  it.each(['https://evil.example', 'null', 'http://127.0.0.1:1', 'https://weft.example.evil.example', 'nonsense'])(
    'may not be %s',
    async (origin) => {
      const { status, body } = await refusal(server.url, path, { ...bearer(token), origin });
      expect([status, body.code]).toEqual([403, 'origin_not_allowed']);
    },
  );

  it('is looked at before the token', async () => {
    expect((await refusal(server.url, path, { origin: 'https://evil.example' })).status).toBe(403);
  });
});

describe('what is no handshake', () => {
  it.each([
    ['a plain request', () => ['Host: localhost', 'Connection: close'], 426, 'upgrade_required'],
    ['another protocol', () => without('Upgrade', 'Upgrade: h2c'), 426, 'upgrade_required'],
    ['no version', () => without('Sec-WebSocket-Version'), 426, 'upgrade_required'],
    ['an old version', () => without('Sec-WebSocket-Version', 'Sec-WebSocket-Version: 8'), 426, 'upgrade_required'],
    ['no key', () => without('Sec-WebSocket-Key'), 400, 'bad_handshake'],
    ['a short key', () => without('Sec-WebSocket-Key', 'Sec-WebSocket-Key: abc='), 400, 'bad_handshake'],
    ['two keys', () => [...handshake, 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='], 400, 'bad_handshake'],
    ['an empty protocol', () => [...handshake, 'Sec-WebSocket-Protocol: a,,b'], 400, 'bad_handshake'],
    ['a protocol twice', () => [...handshake, 'Sec-WebSocket-Protocol: weft.v1, weft.v1'], 400, 'bad_handshake'],
    ['two hosts', () => [...handshake, 'Host: evil.example'], 400, 'bad_request'],
    ['a foreign host', () => without('Host', 'Host: evil.example'), 421, 'host_not_allowed'],
  ])('%s is refused', async (_what, headers, status, code) => {
    const answer = await raw(`GET ${path}?token=${token} HTTP/1.1`, headers());
    expect([answer.status, JSON.parse(answer.text).code]).toEqual([status, code]);
    if (status === 426) expect(answer.headers.get('upgrade')).toBe('websocket');
  });

  it('another method is refused with those that there are', async () => {
    const answer = await raw(`POST ${path} HTTP/1.1`, [...handshake, 'Content-Length: 0']);
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET']);
  });

  it('a socket elsewhere is answered like any request there', async () => {
    expect((await refusal(server.url, '/api/v1/nothing', bearer(token))).status).toBe(404);
    expect((await refusal(server.url, '/healthz', bearer(token))).status).toBe(200);
  });

  it('what is sent in advance is read as frames, never as a request', async () => {
    const connection = await openRawConnection(server.url);
    const ask = `${[`GET ${path}?token=${token} HTTP/1.1`, ...handshake].join('\r\n')}\r\n\r\n`;
    connection.send(ask + ask);
    expect((await connection.answer()).status).toBe(101);
    await connection.closed();
  });

  it('behind a request that is not answered yet it is not taken', async () => {
    const connection = await openRawConnection(server.url);
    const ask = `${[`GET ${path}?token=${token} HTTP/1.1`, ...handshake].join('\r\n')}\r\n\r\n`;
    connection.send(`GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n${ask}`);
    await connection.closed();
    expect(server.hub.openSockets).toBe(0);
  });
});

describe('what the route itself refuses', () => {
  it.each(['-1', 'abc', '1.5', '', '1e400'])('after=%s is refused with 422', async (after) => {
    const { status, body } = await refusal(server.url, `${path}?after=${after}`, bearer(token));
    expect([status, body.detail[0].loc]).toEqual([422, ['query', 'after']]);
  });

  it.each(['nothing', 'a%00b', '%F0%9F%92%A9', 'x'.repeat(200)])('job %s is refused with 404', async (job_number) => {
    expect((await refusal(server.url, `/api/v1/ws/${job_number}`, bearer(token))).status).toBe(404);
  });

  it('an address that cannot be decoded is refused with 400', async () => {
    expect((await refusal(server.url, '/api/v1/ws/%E0%A4%A', bearer(token))).status).toBe(400);
  });

  it("somebody else's job is refused like one that does not exist", async () => {
    const stranger = await server.user('eve@weft.test');
    const theirs = await refusal(server.url, path, bearer(stranger));
    const none = await refusal(server.url, '/api/v1/ws/nothing', bearer(stranger));
    expect([theirs.status, theirs.body]).toEqual([none.status, none.body]);
  });

  it('everything is refused with 503 until the database is there', async () => {
    const prepare = () => Promise.reject(new TryLaterError(503, 'database_unavailable', 'for the test', 1));
    const waiting = await startWeft(
      {},
      { createParts: (platform, events) => ({ ...createParts(platform, events), waiting: { prepare } }) },
    );
    const { status, headers } = await refusal(waiting.url, path, bearer(token));
    expect([status, headers['retry-after']]).toEqual([503, '2']);
    await waiting.stop();
  });

  it('what nobody foresaw is a 500 that says nothing, and the next client is served', async () => {
    onAdmit = () => Promise.reject(new Error('secret detail'));
    try {
      const { status, body } = await refusal(server.url, path, bearer(token));
      expect([status, body.detail]).toEqual([500, 'Internal Server Error']);
    } finally {
      onAdmit = undefined;
    }
    (await connect(server.url, path, bearer(token))).socket.close();
  });
});

it('a client that goes while its job is looked for leaves nothing behind', async () => {
  await expect.poll(() => server.hub.openSockets).toBe(0);
  const asked = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  onAdmit = () => {
    asked.resolve();
    return held.promise;
  };
  try {
    const connection = await openRawConnection(server.url);
    connection.send(`${[`GET ${path}?token=${token} HTTP/1.1`, ...handshake].join('\r\n')}\r\n\r\n`);
    await asked.promise;
    connection.socket.resetAndDestroy();
    await connection.closed();
  } finally {
    onAdmit = undefined;
  }
  // The end of that connection is noticed before this one, which comes later, is open.
  const client = await connect(server.url, path, bearer(token));
  held.resolve();
  client.socket.close();
  await client.closed;
  await expect.poll(() => server.hub.openSockets).toBe(0);
});
