import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { type Fetch, HttpClient } from './http-client.ts';
import { keptFetch, trustOf } from './kept-connections.ts';

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanUp.splice(0).reverse()) await each();
});

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp.push(() => server.close());
  cleanUp.push(() => server.closeAllConnections());
  return (server.address() as AddressInfo).port;
}

async function startServer(answer: RequestListener, fetch: Fetch = keptFetch()): Promise<HttpClient> {
  return new HttpClient({ url: `http://127.0.0.1:${await listen(createServer(answer))}/`, fetch });
}

const post = { method: 'POST', path: '/a', query: { b: 1 }, json: { c: 'é' }, timeoutMs: 5_000 } as const;

describe.each<[string, Fetch]>([
  ['kept connections', keptFetch()],
  ['the fetch of the platform', globalThis.fetch],
])('over %s', (_name, fetch) => {
  test('sends, and gives back whatever is answered', async () => {
    const client = await startServer(async (request, response) => {
      let text = '';
      for await (const piece of request) text += piece;
      const { authorization, 'content-type': type } = request.headers;
      response.writeHead(418, { 'retry-after': '3' });
      response.end(JSON.stringify([request.method, request.url, text, authorization, type]));
    }, fetch);
    const { status, text, headers } = await client.answer({ ...post, token: 'xyz' });
    expect([status, headers.get('retry-after'), headers.get('x-other')]).toEqual([418, '3', null]);
    expect(JSON.parse(text)).toEqual(['POST', '/a?b=1', '{"c":"é"}', 'Bearer xyz', 'application/json']);
    const form = await client.answer({ method: 'PUT', path: '/f', form: { d: 'e f' } });
    expect(JSON.parse(form.text)).toEqual(['PUT', '/f', 'd=e+f', null, 'application/x-www-form-urlencoded']);
    const bytes = { body: new Uint8Array([0x67]), headers: { 'content-type': 'text/plain' } };
    const plain = await client.answer({ method: 'POST', path: '/p', query: { q: ['1', '2'], r: undefined }, ...bytes });
    expect(JSON.parse(plain.text)).toEqual(['POST', '/p?q=1&q=2', 'g', null, 'text/plain']);
  });

  test('reads answers as JSON, nothing as undefined, and refusals as what they mean', async () => {
    const answers = [
      [200, '{"a":1}'],
      [204, undefined],
      [503, '{"code":"busy","detail":"later"}'],
      [502, '<html>'],
    ] as const;
    let next = 0;
    const client = await startServer((_request, response) => {
      const [status, text] = answers[next++]!;
      response.writeHead(status, { 'retry-after': '7' }).end(text);
    }, fetch);
    expect([await client.ask(post), await client.ask(post)]).toEqual([{ a: 1 }, undefined]);
    await expect(client.ask(post)).rejects.toMatchObject({ status: 503, code: 'busy', retryAfterSeconds: 7 });
    await expect(client.ask(post)).rejects.toMatchObject({ status: 502, code: 'unknown', detail: 'no reason given' });
  });

  test('does not go where it is sent', async () => {
    const paths: unknown[] = [];
    const client = await startServer((request, response) => {
      paths.push(request.url);
      response.writeHead(307, { location: '/elsewhere' }).end();
    }, fetch);
    await expect(client.answer(post)).rejects.toThrow();
    expect(paths).toEqual(['/a?b=1']);
  });

  test('waits no longer than told, and not at all when it is called off', async () => {
    const client = await startServer(() => {}, fetch);
    await expect(client.answer({ ...post, timeoutMs: 50 })).rejects.toThrow('in time');
    const reason = new Error('never mind');
    const calledOff = new AbortController();
    const answer = client.answer({ ...post, signal: calledOff.signal });
    calledOff.abort(reason);
    await expect(answer).rejects.toBe(reason);
    await expect(client.answer({ ...post, signal: calledOff.signal })).rejects.toBe(reason);
  });
});

test('a kept connection says why it does not go where it is sent', async () => {
  const client = await startServer((_request, response) => response.writeHead(307, { location: '/' }).end());
  await expect(client.answer(post)).rejects.toThrow("Weft's address leads elsewhere: 307");
});

test('a kept connection that was closed meanwhile does no harm', async () => {
  let count = 0;
  const client = await startServer((request, response) => {
    count++;
    // The second request comes over a connection that is cut before it has an answer.
    if (count === 2) request.socket.destroy();
    else response.end('{}');
  });
  await client.answer(post);
  expect((await client.answer(post)).status).toBe(200);
  expect(count).toBe(3);
});

test('the one trusted certificate may answer whatever host it names, over HTTP and WebSocket; no other may', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'weft-sdk-'));
  cleanUp.push(() => rm(folder, { recursive: true }));
  const make = async (name: string) => {
    const [key, cert] = [join(folder, `${name}.key`), join(folder, `${name}.crt`)];
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
    const files = ['-keyout', key, '-out', cert];
    execFileSync('openssl', ['req', '-x509', ...curve, '-nodes', '-subj', `/CN=${name}`, ...files], {
      stdio: 'ignore',
    });
    return { key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8') };
  };
  const [own, other] = [await make('weft.example.org'), await make('other.example.org')];
  const server = createTlsServer(own, (_request, response) => response.end('{}'));
  const sockets = new WebSocketServer({ server });
  cleanUp.push(() => sockets.close());
  const port = await listen(server);
  const reach = async (trustedCertificate?: string) => {
    const socket = new WebSocket(`wss://127.0.0.1:${port}`, trustOf(trustedCertificate));
    cleanUp.push(() => socket.terminate());
    await once(socket, 'open');
    return (
      await new HttpClient({ url: `https://127.0.0.1:${port}`, fetch: keptFetch(trustedCertificate) }).answer(post)
    ).status;
  };
  expect(await reach(own.cert)).toBe(200);
  for (const wrong of [other.cert, undefined]) {
    await expect(reach(wrong)).rejects.toThrow();
    const client = new HttpClient({ url: `https://127.0.0.1:${port}`, fetch: keptFetch(wrong) });
    await expect(client.answer(post)).rejects.toThrow();
  }
});
