// A client of a WebSocket that remembers what it is told, and can be made to misbehave.
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type ClientOptions, WebSocket } from 'ws';

export interface Closed {
  code: number;
  reason: string;
}

export interface Refusal {
  status: number;
  headers: IncomingMessage['headers'];
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any;
}

export class SocketClient {
  readonly socket: WebSocket;
  readonly texts: string[] = [];
  readonly closed: Promise<Closed>;
  readonly #read: unknown[] = [];

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (bytes) => this.texts.push(String(bytes)));
    socket.on('error', () => {});
    this.closed = new Promise((resolve) => {
      socket.on('close', (code, reason) => resolve({ code, reason: String(reason) }));
    });
  }

  /** What has come so far, read as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape
  get messages(): any[] {
    // Tests look again and again, and some messages are long.
    for (const text of this.texts.slice(this.#read.length)) this.#read.push(JSON.parse(text));
    return [...this.#read];
  }

  get seqs(): number[] {
    return this.messages.map(({ seq }) => seq);
  }

  /** Bytes that no client would send. */
  sendRaw(bytes: Uint8Array): void {
    this.connection.write(bytes);
  }

  get connection(): Socket {
    return (this.socket as unknown as { _socket: Socket })._socket;
  }
}

function start(url: string, path: string, options: ClientOptions, protocols: string[]): WebSocket {
  return new WebSocket(url.replace('http', 'ws') + path, protocols, options);
}

export function bearer(token: string): ClientOptions {
  return { headers: { authorization: `Bearer ${token}` } };
}

/** Throws if it is refused. */
export async function connect(
  url: string,
  path: string,
  options: ClientOptions,
  protocols: string[] = [],
): Promise<SocketClient> {
  const socket = start(url, path, options, protocols);
  const client = new SocketClient(socket);
  await once(socket, 'open');
  return client;
}

/** Throws if it is let in. */
export async function refusal(
  url: string,
  path: string,
  options: ClientOptions = {},
  protocols: string[] = [],
): Promise<Refusal> {
  const socket = start(url, path, options, protocols);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    socket.on('unexpected-response', (_request, answer) => resolve(answer));
    socket.on('open', () => reject(new Error(`${path} was opened`)));
    socket.on('error', reject);
  });
  const pieces: Buffer[] = [];
  for await (const piece of response) pieces.push(piece);
  return {
    status: response.statusCode!,
    headers: response.headers,
    body: JSON.parse(Buffer.concat(pieces).toString()),
  };
}
