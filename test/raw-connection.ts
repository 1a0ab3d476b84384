// A connection on which a test writes bytes of its own choice, for requests that no HTTP client would send.
import { EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';

let nextTurn: Promise<void> | undefined;

/** The next turn of the event loop: one for all who wait for it, of whom a fuzz has hundreds. */
export function turn(): Promise<void> {
  nextTurn ??= new Promise((resolve) => {
    setImmediate(() => {
      nextTurn = undefined;
      resolve();
    });
  });
  return nextTurn;
}

export interface RawAnswer {
  status: number;
  /** Names in lower case. */
  headers: Map<string, string>;
  text: string;
}

const defaultDeadlineMs = 10_000;

export class RawConnection {
  readonly socket: Socket;
  #received = Buffer.alloc(0);
  #isClosed = false;
  readonly #changes = new EventEmitter();

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (bytes) => {
      this.#received = Buffer.concat([this.#received, bytes]);
      this.#changes.emit('change');
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#isClosed = true;
      this.#changes.emit('change');
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  send(bytes: string | Uint8Array): void {
    if (this.socket.writable) this.socket.write(bytes);
  }

  /** The next answer, once it is complete; it must have a Content-Length. */
  async answer(deadlineMs = defaultDeadlineMs): Promise<RawAnswer> {
    let taken: { answer: RawAnswer; end: number } | undefined;
    const isSo = () => {
      taken ??= parseAnswer(this.#received);
      return taken !== undefined || this.#isClosed;
    };
    await this.#until('an answer', isSo, deadlineMs);
    if (!taken) throw new Error(`closed before an answer came; received ${JSON.stringify(String(this.#received))}`);
    this.#received = this.#received.subarray(taken.end);
    return taken.answer;
  }

  /** Resolves once the server has closed the connection. */
  closed(): Promise<void> {
    return this.#until('the end of the connection', () => this.#isClosed);
  }

  destroy(): void {
    this.socket.destroy();
  }

  async #until(what: string, isSo: () => boolean, deadlineMs = defaultDeadlineMs): Promise<void> {
    const deadline = AbortSignal.timeout(deadlineMs);
    while (!isSo()) {
      await once(this.#changes, 'change', { signal: deadline }).catch(() => {
        throw new Error(`${what} did not come in ${deadlineMs} ms`);
      });
    }
  }
}

/** `localAddress`: where it comes from; this machine has all of 127.0.0.0/8. */
export async function openRawConnection(url: string, localAddress = '127.0.0.1'): Promise<RawConnection> {
  const { hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, localAddress });
  await once(socket, 'connect');
  return new RawConnection(socket);
}

/** The answer to these bytes, on a connection of their own. */
export async function askRaw(url: string, bytes: string | Uint8Array): Promise<RawAnswer> {
  const connection = await openRawConnection(url);
  try {
    connection.send(bytes);
    return await connection.answer();
  } finally {
    connection.destroy();
  }
}

function parseAnswer(received: Buffer): { answer: RawAnswer; end: number } | undefined {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const [statusLine = '', ...lines] = received.toString('latin1', 0, headEnd).split('\r\n');
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const start = headEnd + 4;
  const end = start + Number(headers.get('content-length') ?? 0);
  if (received.length < end) return undefined;
  const status = Number(statusLine.split(' ')[1]);
  return { answer: { status, headers, text: received.toString('utf8', start, end) }, end };
}
