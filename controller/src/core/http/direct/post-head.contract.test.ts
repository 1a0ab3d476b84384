// What is read directly is read as node:http reads it; what is not plain is left to node:http.
import { createServer, type IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rounds } from '../../../../../test/rounds.ts';
import { readPostHead } from './post-head.ts';

const plain = (...lines: string[]) =>
  Buffer.from(
    ['POST /a HTTP/1.1', 'Host: localhost:8000', 'Content-Length: 2', ...lines, '', '{}'].join('\r\n'),
    'latin1',
  );

interface Read {
  url: string | undefined;
  rawHeaders: string[];
  headers: IncomingMessage['headers'];
  body: string;
  keepsAlive: boolean;
}

/** What node:http makes of the bytes; undefined if it refuses them, or waits for more. */
async function readByNode(bytes: Buffer): Promise<Read | undefined> {
  const server = createServer({ requireHostHeader: false });
  const connection = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  return new Promise((resolve) => {
    server.on('clientError', () => resolve(undefined));
    server.on('checkContinue', () => resolve(undefined));
    server.on('checkExpectation', () => resolve(undefined));
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => {
        const { url, rawHeaders, headers } = request;
        const body = Buffer.concat(chunks).toString('latin1');
        resolve({ url, rawHeaders, headers, body, keepsAlive: response.shouldKeepAlive });
      });
      request.on('error', () => resolve(undefined));
    });
    connection.on('error', () => {});
    connection.on('close', () => resolve(undefined));
    server.emit('connection', connection);
    connection.push(bytes);
    connection.push(null);
  });
}

const anyCase = (name: string) =>
  fc.mixedCase(fc.constant(name), { toggleCase: (char) => (char === char.toLowerCase() ? char.toUpperCase() : char) });
const header = fc
  .tuple(
    fc
      .constantFrom(
        ...[
          'host',
          'content-length',
          'content-type',
          'authorization',
          'x-request-id',
          'connection',
          'accept',
          'user-agent',
        ],
        ...[
          'transfer-encoding',
          'content-encoding',
          'expect',
          'upgrade',
          'te',
          'proxy-connection',
          'trailer',
          'x',
          'tsoh',
          'content-length ',
        ],
      )
      .chain(anyCase),
    fc.constantFrom(':', ': ', ':  ', ' : ', ':\t', ''),
    fc.constantFrom(
      ...['2', '02', '+2', '2, 2', 'localhost', 'keep-alive', 'Keep-Alive', 'close', 'chunked', '', ' x '],
    ),
    fc.constantFrom('\r\n', '\r\n', '\r\n', '\r\n', '\n', '\r', '\r\n '),
  )
  .map((parts) => parts.join(''));
/** Heads of all kinds: many plain ones, and those that miss it by a byte. */
const someBytes = fc
  .record({
    line: fc.constantFrom(
      'POST /a HTTP/1.1',
      'POST /a?b HTTP/1.1',
      'GET /a HTTP/1.1',
      'POST /a HTTP/1.0',
      'POST  /a HTTP/1.1',
    ),
    first: fc.subarray(['Host: localhost\r\n', 'Content-Length: 2\r\n', 'Content-Type: application/json\r\n']),
    headers: fc.array(header, { maxLength: 3 }),
    change: fc.option(fc.tuple(fc.nat(), fc.nat(255))),
  })
  .map(({ line, first, headers, change }) => {
    const bytes = Buffer.from(`${line}\r\n${first.join('')}${headers.join('')}\r\n{}`, 'latin1');
    if (change) bytes[change[0] % bytes.length] = change[1];
    return bytes;
  });

it('a head that is read is read as node:http reads it, whatever the bytes', async () => {
  await fc.assert(
    fc.asyncProperty(someBytes, async (bytes) => {
      const head = readPostHead(bytes);
      if (!head || head.bodyEnd > bytes.length) return;
      const read = await readByNode(bytes.subarray(0, head.bodyEnd));
      const names = read?.rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase()) ?? [];
      const { host, authorization } = head.headers;
      expect(read).toMatchObject({ url: head.path, keepsAlive: true, headers: { host } });
      expect(read!.headers.authorization).toBe(authorization);
      expect(read!.headers['content-type']).toBe(head.headers['content-type']);
      expect(read!.headers['x-request-id']).toBe(head.headers['x-request-id']);
      expect(Number(read!.headers['content-length'])).toBe(head.bodyEnd - head.bodyAt);
      expect(read!.body).toBe(bytes.toString('latin1', head.bodyAt, head.bodyEnd));
      expect(names.filter((name) => name === 'host')).toHaveLength(1);
      for (const name of ['transfer-encoding', 'content-encoding', 'expect', 'upgrade', 'trailer']) {
        expect(names).not.toContain(name);
      }
    }),
    { numRuns: rounds(500) },
  );
});

it('a plain head is read whatever its other headers, and in any case', () => {
  const other = fc.stringMatching(/^X-[A-Za-z0-9-]{1,20}$/).filter((name) => !/^x-request-id$/i.test(name));
  fc.assert(
    fc.property(
      fc.array(fc.tuple(other, fc.stringMatching(/^[!-~]([ -~]{0,38}[!-~])?$/)), { maxLength: 8 }),
      (others) => {
        const lines = others.map(([name, value]) => `${name}: ${value}`);
        const head = readPostHead(plain('authorization: Bearer abc', ...lines, 'CONNECTION: keep-alive'));
        expect(head).toMatchObject({ path: '/a', headers: { host: 'localhost:8000', authorization: 'Bearer abc' } });
        expect(head!.bodyEnd - head!.bodyAt).toBe(2);
      },
    ),
  );
});

it('no head is read before its last byte is there', () => {
  const bytes = plain('Authorization: Bearer abc', 'Accept: */*');
  for (let length = 0; length < bytes.length - 2; length++) {
    expect(readPostHead(bytes.subarray(0, length)), String(length)).toBeUndefined();
  }
  expect(readPostHead(bytes)!.bodyEnd).toBe(bytes.length);
});

it.each([
  ['two lengths', 'Content-Length: 2'],
  ['two hosts', 'Host: localhost:8000'],
  ['an encoding', 'Transfer-Encoding: chunked'],
  ['an encoded body', 'Content-Encoding: gzip'],
  ['an expectation', 'Expect: 100-continue'],
  ['an end of the connection', 'Connection: close'],
  ['an upgrade', 'Upgrade: websocket'],
  ['an end of the connection for proxies', 'Proxy-Connection: close'],
  ['a folded line', ' folded'],
  ['a tab', 'X-A: a\tb'],
  ['a byte that is no ASCII', 'X-A: é'],
  ['a NUL', 'X-A: \0'],
  ['a bare line feed', 'X-A: a\nHost: b'],
  ['an empty value', 'X-A:'],
  ['a space behind a value', 'X-A: a '],
  ['17 KB of headers', `X-A: ${'a'.repeat(17 * 1024)}`],
])('%s is left to node:http', (_, line) => {
  expect(readPostHead(plain('X-B: b'))).toBeDefined();
  expect(readPostHead(plain(line))).toBeUndefined();
});
