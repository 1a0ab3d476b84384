// Raw connections with heads of every kind to two servers in this process: one reads plain posts directly, the other leaves all
// to node:http. Whatever differs in what they answer, or in which connections stay open, is a failure.
import { deepStrictEqual, ok } from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';
import { AuthenticationError, TryLaterError } from '../../controller/src/core/base/errors.ts';
import { agent, createBareServer, echo } from '../bare-server.ts';
import { Random } from '../pure/random.ts';
import { turn } from '../raw-connection.ts';
import { HeadMaker, type Script } from './head-maker.ts';

/** How many connections to each server are open at once. */
const atOnce = 64;

/** Until what was read is answered, and the answer has arrived: the handler takes one, and all is in one process. */
const turnsToAnswer = 4;

export interface Tls {
  certFile: string;
  keyFile: string;
}

/** The servers' ends of connections, by both ports. */
class Accepted {
  readonly #ends = new Map<string, PromiseWithResolvers<Socket>>();

  note(socket: Socket): void {
    this.#of(`${socket.localPort} ${socket.remotePort}`).resolve(socket);
  }

  /** Once. */
  async take(ports: string): Promise<Socket> {
    const socket = await this.#of(ports).promise;
    this.#ends.delete(ports);
    return socket;
  }

  #of(ports: string): PromiseWithResolvers<Socket> {
    const end = this.#ends.get(ports) ?? Promise.withResolvers<Socket>();
    this.#ends.set(ports, end);
    return end;
  }
}

class FuzzServer {
  readonly #app: ReturnType<typeof createBareServer>;
  readonly #tls: boolean;
  readonly #accepted: Accepted;
  port = 0;
  /** Those that node:http has read. */
  requests = 0;

  constructor(directPosts: 'on' | 'off', tls: Tls | undefined, accepted: Accepted) {
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
    return new FuzzClient(raw, socket, await this.#accepted.take(`${port} ${raw.localPort}`));
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
  const accepted = new Accepted();
  const onAccepted = (message: unknown) => accepted.note((message as { socket: Socket }).socket);
  subscribe('net.server.socket', onAccepted);
  const servers = [new FuzzServer('on', tls, accepted), new FuzzServer('off', tls, accepted)] as const;
  for (const server of servers) await server.start();
  // Every refusal is an error, whose stack nobody looks at.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return await use(servers);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    unsubscribe('net.server.socket', onAccepted);
    await Promise.all(servers.map((server) => server.stop()));
  }
}
