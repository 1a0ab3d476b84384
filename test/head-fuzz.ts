// Raw connections with heads of every kind to two servers in this process: one reads plain posts directly, the other leaves all
// to node:http. Whatever differs in what they answer, or in which connections stay open, is a failure.
import { deepStrictEqual, ok } from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';
import { AuthenticationError, TryLaterError } from '../controller/src/errors.ts';
import { agent, createBareServer, echo } from './bare-server.ts';
import { Random } from './pure/random.ts';

const { url } = echo;
/** How many connections to each server are open at once. */
const atOnce = 64;

/** Until what was read is answered, and the answer has arrived: the handler takes one, and all is in one process. */
const turnsToAnswer = 4;

export interface Tls {
  certFile: string;
  keyFile: string;
}

class FuzzServer {
  readonly #app: ReturnType<typeof createBareServer>;
  readonly #tls: boolean;
  readonly #accepted: Map<string, Socket>;
  port = 0;
  /** Those that node:http has read. */
  requests = 0;

  constructor(directPosts: 'on' | 'off', tls: Tls | undefined, accepted: Map<string, Socket>) {
    this.#tls = tls !== undefined;
    this.#accepted = accepted;
    const known = new Set(['cached']);
    this.#app = createBareServer({
      directPosts,
      tls,
      routes: [
        {
          ...echo,
          async handle({ body, caller }) {
            // As a store: the answer is not there before the rest of what came is read.
            await turn();
            if (body === 1) throw new TryLaterError(429, 'too_many', 'Later', 3);
            return { body, name: caller.name, text: 'é' };
          },
        },
      ],
      async authenticate(token) {
        if (!/^(cached|later-\d+)$/.test(token)) throw new AuthenticationError();
        known.add(token);
        return agent;
      },
      remembered: (token) => (known.has(token) ? agent : undefined),
    });
    this.#app.server.on('request', () => this.requests++);
  }

  async start(): Promise<void> {
    await this.#app.listen({ host: '127.0.0.1', port: 0 });
    this.port = (this.#app.server.address() as AddressInfo).port;
  }

  stop(): Promise<void> {
    return this.#app.close();
  }

  async open(): Promise<FuzzClient> {
    const { port } = this;
    const raw = connect({ port, host: '127.0.0.1' });
    raw.on('error', () => {});
    const socket = this.#tls ? connectTls({ socket: raw, rejectUnauthorized: false }) : raw;
    await once(socket, this.#tls ? 'secureConnect' : 'connect');
    // The server may not have accepted it yet.
    for (;;) {
      const accepted = this.#accepted.get(`${port} ${raw.localPort}`);
      if (accepted) return new FuzzClient(raw, socket, accepted);
      await turn();
    }
  }
}

class FuzzClient {
  readonly #raw: Socket;
  readonly #socket: Socket;
  readonly #accepted: Socket;
  readonly #closed: Promise<unknown>;
  #received = '';
  #sentBytes = 0;

  constructor(raw: Socket, socket: Socket, accepted: Socket) {
    this.#raw = raw;
    this.#socket = socket;
    this.#accepted = accepted;
    socket.on('data', (bytes) => {
      this.#received += bytes.toString('latin1');
    });
    socket.on('error', () => {});
    this.#closed = new Promise((resolve) => socket.once('close', resolve));
  }

  /** As the server has it: the news may still be on its way. */
  get #isClosed(): boolean {
    return this.#accepted.destroyed || this.#accepted.writableEnded;
  }

  /** Resolves once the server has read the bytes and answered what it will. */
  async send(bytes: Buffer): Promise<void> {
    if (this.#isClosed) return;
    this.#sentBytes += bytes.length;
    await new Promise((resolve) => this.#socket.write(bytes, resolve));
    const { bytesWritten } = this.#raw;
    while (!this.#accepted.destroyed && this.#accepted.bytesRead < bytesWritten) await turn();
    // What was written meanwhile arrives here, on the same machine.
    for (let count = 0; count < turnsToAnswer; count++) await turn();
  }

  /** Everything that was answered, without what differs from one answer to the next. */
  async end(): Promise<{ received: string; isClosed: boolean; sentBytes: number }> {
    const isClosed = this.#isClosed;
    this.#socket.end();
    await this.#closed;
    // The order of headers says nothing; all else must be the same.
    const received = this.#received.replace(/HTTP\/1\.1 \d{3} .*?\r\n\r\n/gs, (head) =>
      head
        .replace(/^date: .*\r$/gim, 'date\r')
        .replace(/^(x-request-id: )[\w-]{8}-\w+\r$/gim, '$1id\r')
        .split('\r\n')
        .sort()
        .join('\n'),
    );
    return { received, isClosed, sentBytes: this.#sentBytes };
  }
}

const token = "!#$%&'*+-.^_`|~09azAZ";

interface Script {
  pieces: readonly Buffer[];
  /** Where each head begins. */
  starts: readonly number[];
}

class HeadMaker {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** One connection: some requests, and where their bytes are cut. */
  script(): Script {
    const random = this.#random;
    const pieces = Array.from({ length: 1 + random.below(10) }, () => this.#request());
    const starts = pieces.map((_, index) => Buffer.concat(pieces.slice(0, index)).length);
    const isPipelined = random.below(5) === 0;
    let all = isPipelined ? [Buffer.concat(pieces)] : pieces;
    for (let cuts = random.below(5) ? 0 : 1 + random.below(2); cuts > 0; cuts--) {
      const index = random.below(all.length);
      const at = random.below(all[index]!.length + 1);
      all = [...all.slice(0, index), all[index]!.subarray(0, at), all[index]!.subarray(at), ...all.slice(index + 1)];
    }
    return { pieces: all.filter(({ length }) => length > 0), starts };
  }

  #request(): Buffer {
    const random = this.#random;
    if (random.below(60) === 0) return random.bytes(1 + random.below(200));
    const body = random.below(8) ? '{"a":1}' : random.of(['{}', '1', '{"a":', '"é"', '', '0', '[1,2]', 'x'.repeat(50)]);
    const bytes = Buffer.from(this.#head(Buffer.byteLength(body)) + body);
    return random.below(8) === 0 ? this.#changed(bytes) : bytes;
  }

  #head(length: number): string {
    const random = this.#random;
    /** The usual one mostly, so that many heads miss being plain by one thing only. */
    const rarely = (usual: string, others: readonly string[]) => (random.below(50) ? usual : random.of(others));
    const line = [
      rarely('POST', ['GET', 'PUT', 'HEAD', 'OPTIONS', 'CONNECT', 'post', 'POSTS', 'PRI', '', ' POST', 'QUERY']),
      rarely(' ', ['  ', '\t', '']),
      rarely(url, [
        ...['x', '*', '/', '//', `${url}/`, `${url}?a=b`, `${url}#a`, `http://localhost${url}`, 'localhost:80', ''],
        ...[`${url} `, `/%${url}`, `${url}\x80`, `${url}\0`, `${url}\x7f`, `/a b${url}`, '/healthz', `\\${url}`, 'é'],
      ]),
      rarely(' HTTP/1.1', [
        ...[
          ' HTTP/1.0',
          ' HTTP/1.2',
          ' HTTP/2.0',
          ' HTTP/0.9',
          ' http/1.1',
          ' HTTP/1.1 ',
          '',
          ' ',
          ' HTTP/1.11',
          ' RTSP/1.0',
        ],
        ...[' HTTP/1,1', ' HTTP/01.1', '\tHTTP/1.1', ' ICE/1.0', ' HTTP/'],
      ]),
    ].join('');
    const headers = [
      rarely('Host: localhost', [
        'Host:localhost',
        'Host:',
        'Host: evil.test',
        'Host: a, b',
        'Host: localhost:1',
        'HOST:  localhost',
        '',
      ]),
      rarely(`Content-Length: ${length}`, this.#lengths(length)),
      rarely('Content-Type: application/json', [
        '',
        'Content-Type: text/plain',
        'Content-Type:',
        'Content-Type: application/json; charset=utf-8',
        'content-type: Application/JSON',
      ]),
      rarely(`Authorization: Bearer ${random.below(4) ? 'cached' : `later-${random.below(5000)}`}`, [
        ...[
          '',
          'Authorization: Bearer bad',
          'Authorization: Bearer',
          'Authorization: bearer cached',
          'Authorization: Basic YTpi',
        ],
        ...['authorization:Bearer cached ', 'AUTHORIZATION: Bearer  cached', 'Authorization : Bearer cached'],
      ]),
    ];
    for (let more = Math.max(0, random.below(5) - 2); more > 0; more--) headers.push(this.#header(length));
    if (random.below(4) === 0) headers.sort(() => random.below(3) - 1);
    const [end, blank] = [
      () => rarely('\r\n', ['\n', '\r', '\r\r\n', '\n\r', '\r\n\r\n']),
      rarely('\r\n', ['\n', '\r\r\n', ' \r\n', '']),
    ];
    return `${rarely('', ['\r\n', '\n', ' ', '\r\n\r\n'])}${line}${end()}${headers.map((header) => (header === '' ? '' : header + end())).join('')}${blank}`;
  }

  #lengths(length: number): string[] {
    const values = [
      `0${length}`,
      `+${length}`,
      `-${length}`,
      `${length}, ${length}`,
      `${length} ${length}`,
      `0x${length}`,
    ];
    return [
      ...[
        '',
        `${length + 1}`,
        `${Math.max(0, length - 1)}`,
        '0',
        '',
        ' ',
        `${length}.0`,
        '18446744073709551616',
        '9'.repeat(30),
        ...values,
      ].map((value) => `Content-Length: ${value}`),
      ...[
        `content-length:${length}`,
        `Content-Length: ${length}\r\nContent-Length: ${length}`,
        `Content-Length: ${length}\r\ncontent-length: 0`,
      ],
      ...[
        `Content-Length: ${length} `,
        `Content-Length:\t${length}`,
        `Content-Length: ${length}\r\n `,
        `Content_Length: ${length}`,
        '',
      ],
    ];
  }

  #header(length: number): string {
    const random = this.#random;
    return random.of([
      ...[
        'Connection: keep-alive',
        'connection: Keep-Alive',
        'Connection: close',
        'Connection: keep-alive, close',
        'Connection: upgrade',
        'Connection:',
        'Connection: te',
      ],
      ...[
        'Transfer-Encoding: chunked',
        'Transfer-Encoding: identity',
        'Transfer-Encoding:',
        'TRANSFER-ENCODING: Chunked',
        'Transfer_Encoding: chunked',
      ],
      ...[
        'Expect: 100-continue',
        'Expect: x',
        'Upgrade: websocket',
        'Upgrade: h2c',
        'TE: trailers',
        'Trailer: X',
        'Proxy-Connection: close',
      ],
      ...[
        'Content-Encoding: gzip',
        'Content-Encoding: identity',
        'Accept-Encoding: gzip',
        'Keep-Alive: timeout=1',
        'HTTP2-Settings: a',
      ],
      ...[
        'X-Request-Id: given',
        'x-request-id: a\r\nX-Request-ID: b',
        'X-Request-Id: a b',
        'X-Request-Id:',
        `X-Request-Id: ${'x'.repeat(200)}`,
      ],
      ...[
        'Host: localhost',
        'Host: b',
        `Content-Length: ${length}`,
        'Content-Type: application/json',
        'Authorization: Bearer cached',
        'Origin: http://a.test',
      ],
      ...[
        'X-A: a\r\n folded',
        'X-A: a\r\n\tfolded',
        ' X-A: a',
        'X-A : a',
        'X-A',
        ':',
        ': a',
        'X-A:',
        'X-A: ',
        'X-A: \t',
        'X-A:a ',
        'X A: a',
        'X-A: a\0',
        'X-A: \x7f',
        'X-A: é',
        'X-A: \x80',
      ],
      ...[
        `${random.of([...token, '"', '(', '/', '@', '[', '{', '\x80', 'é'])}: a`,
        `X-${random.of([...token])}: ${random.of([...token, '"', '(', '\\'])}`,
      ],
      ...[
        `X-Long: ${'a'.repeat(random.below(4000))}`,
        'a:b\r\n'.repeat(random.below(20) ? 5 : 1005).slice(0, -2),
        `X-Long: ${'a'.repeat(random.below(20) ? 10 : 17_000)}`,
      ],
    ]);
  }

  /** Some bytes more, less, or others. */
  #changed(bytes: Buffer): Buffer {
    const random = this.#random;
    let changed = bytes;
    for (let count = 1 + random.below(2); count > 0; count--) {
      const at = random.below(changed.length + 1);
      const kind = random.below(4);
      const added =
        kind === 0
          ? random.bytes(1)
          : kind === 1
            ? Buffer.from(random.of(['\r\n', ' ', ':', '\0', '\n', ',', '\t']))
            : Buffer.alloc(0);
      const removed = kind === 1 ? 0 : 1 + (kind === 3 ? random.below(20) : 0);
      changed = Buffer.concat([
        changed.subarray(0, at),
        added,
        changed.subarray(Math.min(at + removed, changed.length)),
      ]);
    }
    return changed;
  }
}

/** What each server answers to these pieces, one after the other. */
export async function compareScript(pieces: readonly string[], tls?: Tls) {
  const script = { pieces: pieces.map((piece) => Buffer.from(piece, 'latin1')), starts: [0] };
  return withServers(tls, (servers) => compare(servers, script));
}

/** Throws with the bytes of the first connection on which the servers differ. */
export async function fuzzHeads({ heads, seed, tls }: { heads: number; seed: number; tls?: Tls }): Promise<void> {
  const maker = new HeadMaker(new Random(seed));
  await withServers(tls, async (servers) => {
    let sent = 0;
    const runOne = async () => {
      while (sent < heads) {
        const script = maker.script();
        const { direct, byNode } = await compare(servers, script);
        // Not those for which the connection was closed before.
        sent += script.starts.filter((at) => at < byNode.sentBytes).length;
        if (isDeepStrictEqual(direct, byNode)) continue;
        const pieces = JSON.stringify(script.pieces.map((piece) => piece.toString('latin1')));
        deepStrictEqual({ direct, pieces, seed }, { direct: byNode, pieces, seed });
      }
    };
    await Promise.all(Array.from({ length: atOnce }, runOne));
    // Else it would be node:http that is compared with itself.
    ok(servers[0].requests < servers[1].requests * 0.8, 'few heads were read directly');
  });
}

type Servers = readonly [FuzzServer, FuzzServer];

async function compare([direct, byNode]: Servers, { pieces }: Script) {
  const ask = async (server: FuzzServer) => {
    const client = await server.open();
    for (const piece of pieces) await client.send(piece);
    return client.end();
  };
  const [one, other] = await Promise.all([ask(direct), ask(byNode)]);
  return { direct: one, byNode: other };
}

async function withServers<Result>(tls: Tls | undefined, use: (servers: Servers) => Promise<Result>): Promise<Result> {
  const accepted = new Map<string, Socket>();
  const onAccepted = (message: unknown) => {
    const { socket } = message as { socket: Socket };
    const ports = `${socket.localPort} ${socket.remotePort}`;
    accepted.set(ports, socket);
    socket.once('close', () => accepted.get(ports) === socket && accepted.delete(ports));
  };
  subscribe('net.server.socket', onAccepted);
  const servers = [new FuzzServer('on', tls, accepted), new FuzzServer('off', tls, accepted)] as const;
  for (const server of servers) await server.start();
  try {
    return await use(servers);
  } finally {
    unsubscribe('net.server.socket', onAccepted);
    await Promise.all(servers.map((server) => server.stop()));
  }
}
