// One address that opens every connection there is does not shut the others out, and costs nobody who has logged in
// anything.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { openRawConnection, RawConnection } from '../../../../../test/raw-connection.ts';
import { adminUsername, password, startWeft, type TestWeft } from '../../../../../test/weft.ts';

const greedy = '127.0.0.1';
const other = '127.0.0.2';
const proxy = '127.0.0.3';
const maxConnections = 300;

let weft: TestWeft;
let token: string;
const connections: RawConnection[] = [];

beforeAll(async () => {
  weft = await startWeft({
    WEFT_MAX_CONNECTIONS: String(maxConnections),
    WEFT_TRUSTED_PROXIES: proxy,
    WEFT_ADMIN_USERNAME: adminUsername,
    WEFT_ADMIN_PASSWORD: password,
  });
  token = await weft.agent('ap-1');
});
afterEach(async () => {
  for (const connection of connections.splice(0)) connection.destroy();
});
afterAll(() => weft.stop());

async function open(address: string): Promise<RawConnection> {
  const connection = await openRawConnection(weft.url, address);
  connections.push(connection);
  return connection;
}

/** On which nothing is ever asked. */
async function openIdle(address: string, count: number): Promise<RawConnection[]> {
  return await Promise.all(Array.from({ length: count }, () => open(address)));
}

async function ask(connection: RawConnection, path: string, bearer?: string): Promise<number> {
  const authorization = bearer === undefined ? '' : `Authorization: Bearer ${bearer}\r\n`;
  connection.send(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${authorization}\r\n`);
  return (await connection.answer()).status;
}

it('300 idle connections of one address leave room for another caller, and for the next of their own', async () => {
  const idle = await openIdle(greedy, maxConnections);
  expect(await ask(await open(other), '/healthz')).toBe(200);
  expect(await ask(await open(greedy), '/healthz')).toBe(200);
  await expect.poll(() => idle.filter(({ isClosed }) => isClosed).length, { interval: 10 }).toBeGreaterThan(0);
  expect(idle.filter(({ isClosed }) => !isClosed).length).toBeGreaterThan(maxConnections - 20);
});

describe('whoever has logged in is not closed for others', () => {
  it('a kept connection on which a token was shown', async () => {
    const known = await open(greedy);
    expect(await ask(known, '/api/v1/agents/ap-1', token)).toBe(200);
    await openIdle(greedy, maxConnections + 50);
    expect(await ask(known, '/api/v1/agents/ap-1', token)).toBe(200);
  });

  it('a WebSocket', async () => {
    const url = `${weft.url.replace('http', 'ws')}/api/v1/agents/ap-1/channel`;
    const socket = new WebSocket(url, { headers: { authorization: `Bearer ${token}` }, localAddress: greedy });
    await once(socket, 'open');
    await openIdle(greedy, maxConnections + 50);
    expect(await ask(await open(other), '/healthz')).toBe(200);
    socket.ping();
    await once(socket, 'pong');
    socket.close();
    await once(socket, 'close');
  });

  it('but a bad token is no login', async () => {
    const unknown = await open(greedy);
    expect(await ask(unknown, '/api/v1/agents/ap-1', `${token}x`)).toBe(401);
    await openIdle(greedy, maxConnections + 50);
    await unknown.closed();
  });
});

it('over TLS too: who has logged in stays, and others get in', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weft-tls-'));
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=localhost'];
  execFileSync('openssl', ['req', '-x509', ...made, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  const secure = await startWeft({
    WEFT_MAX_CONNECTIONS: '20',
    WEFT_TLS_CERT: cert,
    WEFT_TLS_KEY: key,
    WEFT_DATA_DIR: folder,
    WEFT_ADMIN_USERNAME: adminUsername,
    WEFT_ADMIN_PASSWORD: password,
  });
  onTestFinished(async () => {
    await secure.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const openSecure = async (localAddress: string) => {
    const { port } = new URL(secure.url);
    const plain = connect({ host: '127.0.0.1', port: Number(port), localAddress });
    const socket = connectTls({ socket: plain, rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    const connection = new RawConnection(socket);
    connections.push(connection);
    return connection;
  };
  const known = await openSecure(greedy);
  const form = `username=${encodeURIComponent(adminUsername)}&password=${encodeURIComponent(password)}`;
  known.send(
    `POST /api/v1/token/?login_type=user HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${form.length}\r\n\r\n${form}`,
  );
  const { access_token } = JSON.parse((await known.answer()).text);
  expect(await ask(known, '/api/v1/users/me', access_token)).toBe(200);
  for (let count = 0; count < 30; count++) connections.push(await openRawConnection(secure.url, greedy));
  expect(await ask(await openSecure(other), '/healthz')).toBe(200);
  expect(await ask(known, '/api/v1/users/me', access_token)).toBe(200);
});

it('connections of a trusted proxy are not those of one greedy address', async () => {
  const forwarded = await openIdle(proxy, 100);
  await openIdle(greedy, maxConnections);
  expect(await ask(await open(other), '/healthz')).toBe(200);
  for (const connection of forwarded) expect(await ask(connection, '/healthz')).toBe(200);
});

it('counts what it closed', async () => {
  const admin = await weft.admin();
  const { text } = await weft.request('GET', '/metrics', { token: admin });
  expect(Number(/^weft_connections_gave_way (\d+)$/m.exec(text)?.[1])).toBeGreaterThan(0);
  expect(text).toMatch(/^weft_share_connections_held \d+$/m);
});
