// Outgoing requests against real servers: what is sent, and what is never done.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createRawServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { AnswerTooLong, OutgoingError, OutgoingHttp, type OutgoingHttpOptions } from './outgoing-http.ts';

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanUp.splice(0).reverse()) await each();
});

const limits = { timeoutMs: 5_000, maxAnswerBytes: 1024 };
const request = { path: '/a/../b?c=1', headers: { 'X-A': '1' }, body: '{"c":"é"}' };

function open(options: Partial<OutgoingHttpOptions> = {}): OutgoingHttp {
  const http = new OutgoingHttp({ ...limits, ...options });
  cleanUp.push(() => http.close());
  return http;
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp.push(() => server.close());
  cleanUp.push(() => server.closeAllConnections());
  return (server.address() as AddressInfo).port;
}

async function start(answer: RequestListener): Promise<URL> {
  return new URL(`http://127.0.0.1:${await listen(createServer(answer))}/ignored`);
}

test('posts to the address that was judged, under the name of the host, and resolves whatever is answered', async () => {
  const origin = await start(async (message, response) => {
    let text = '';
    for await (const piece of message) text += piece;
    const { host, 'x-a': own, connection } = message.headers;
    response.writeHead(418).end(JSON.stringify([message.url, text, host, own, connection]));
  });
  const named = new URL(`http://ap.example.org.:${origin.port}`);
  const { status, text } = await open().post({ ...request, origin: named, addressOf: async () => '127.0.0.1' });
  expect(status).toBe(418);
  expect(JSON.parse(text)).toEqual(['/a/../b?c=1', '{"c":"é"}', named.host, '1', 'close']);
});

test('a redirect is an answer without a text, and is not followed', async () => {
  const paths: unknown[] = [];
  const origin = await start((message, response) => {
    paths.push(message.url);
    // The answer never ends.
    response.writeHead(307, { location: '/elsewhere' }).write('see there');
  });
  expect(await open().post({ ...request, origin })).toEqual({ status: 307, text: '' });
  expect(paths).toEqual(['/a/../b?c=1']);
});

test('an answer has a bound in size', async () => {
  const origin = await start((_message, response) => response.end('x'.repeat(1025)));
  const error = await open()
    .post({ ...request, origin })
    .catch((thrown) => thrown);
  expect(error).toBeInstanceOf(AnswerTooLong);
  expect(error.message).toBe('its answer was longer than 1024 bytes');
});

test('an answer that changes the protocol is a failure at once, and does not hold the request', async () => {
  const server = createRawServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.write('HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp.push(() => server.close());
  const origin = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await expect(open().post({ ...request, origin })).rejects.toThrow('its answer was no HTTP answer');
});

test('one time limit holds for the lookup, for silence and for an answer that does not end', async () => {
  const silent = await start(() => {});
  const slow = await start((_message, response) => response.writeHead(200).write('x'));
  const never = (signal: AbortSignal) => once(signal, 'abort').then(() => Promise.reject(signal.reason));
  const http = open({ timeoutMs: 100 });
  for (const one of [{ origin: silent }, { origin: slow }, { origin: silent, addressOf: never }]) {
    const error = await http.post({ ...request, ...one }).catch((thrown) => thrown);
    expect([error.name, error.code, error.message]).toEqual([
      'OutgoingError',
      'ETIMEDOUT',
      'there was no whole answer within 0.1 s',
    ]);
  }
});

test('the signal ends it, with its reason', async () => {
  const origin = await start(() => {});
  const stopping = new AbortController();
  const answer = open().post({ ...request, origin, signal: stopping.signal });
  stopping.abort(new Error('stopping'));
  await expect(answer).rejects.toThrow('stopping');
});

test('an error tells the code and no address; what the judge of addresses throws is thrown', async () => {
  const origin = await start(() => {});
  const port = await listen(createServer());
  await cleanUp.pop()!();
  await cleanUp.pop()!();
  const closed = await open()
    .post({ ...request, origin: new URL(`http://me:secret@127.0.0.1:${port}`) })
    .catch((thrown) => thrown);
  expect(closed).toBeInstanceOf(OutgoingError);
  expect([closed.message, closed.cause]).toEqual(['ECONNREFUSED', undefined]);
  const refusal = new Error('not listed');
  await expect(open().post({ ...request, origin, addressOf: () => Promise.reject(refusal) })).rejects.toBe(refusal);
});

test('a kept connection that was closed meanwhile is noticed, and used again only for what is repeatable', async () => {
  let count = 0;
  const origin = await start((message, response) => {
    count++;
    if (count % 2 === 0) message.socket.destroy();
    else response.end('{}');
  });
  const http = open({ maxKeptConnections: 2 });
  await http.post({ ...request, origin });
  expect((await http.post({ ...request, origin, isRepeatable: true })).status).toBe(200);
  expect(count).toBe(3);
  await expect(http.post({ ...request, origin })).rejects.toThrow('ECONNRESET');
  http.close();
  await expect(http.post({ ...request, origin, isRepeatable: true })).rejects.toThrow('closed');
});

test('over TLS the name of the host is checked, at whatever address, by the authorities that are trusted', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'weft-outgoing-'));
  cleanUp.push(() => rm(folder, { recursive: true }));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const name = ['-subj', '/CN=ap.example.org', '-addext', 'subjectAltName=DNS:ap.example.org'];
  execFileSync('openssl', ['req', '-x509', ...curve, ...name, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  const ca = await readFile(cert, 'utf8');
  const server = createTlsServer({ key: await readFile(key), cert: ca }, (_message, response) => response.end('{}'));
  const port = await listen(server);
  const post = (host: string, tls?: OutgoingHttpOptions['tls']) =>
    open(tls && { tls }).post({
      ...request,
      origin: new URL(`https://${host}:${port}`),
      addressOf: async () => '127.0.0.1',
    });
  expect((await post('ap.example.org', { ca })).status).toBe(200);
  await expect(post('other.example.org', { ca })).rejects.toThrow('ERR_TLS_CERT_ALTNAME_INVALID');
  await expect(post('ap.example.org')).rejects.toThrow('DEPTH_ZERO_SELF_SIGNED_CERT');
});
