// A WebSocket as an App uses it: what browsers and the library for Node have in common. What arrives waits in a bounded
// queue; a reader that is too slow loses the connection, not messages, because it can come back for them.
import { onAbort } from '@weft/contract/pause';

export interface WebSocketLike {
  readonly readyState: number;
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
  close(code?: number): void;
}

export type WebSocketClass = new (url: string, protocols: string[]) => WebSocketLike;

const openMs = 15_000;
const maxQueuedBytes = 8 * 1024 * 1024;

/** Resolves once it is open; throws if it cannot be had, for whatever reason: browsers do not tell. */
export async function openSocket(
  WebSocketOfChoice: WebSocketClass,
  url: string,
  token: string,
  signal: AbortSignal,
): Promise<SocketReader> {
  signal.throwIfAborted();
  const reader = new SocketReader(new WebSocketOfChoice(url, ['weft.v1', `bearer.${token}`]));
  const timer = setTimeout(() => reader.close(), openMs);
  const release = onAbort(signal, () => reader.close());
  try {
    await reader.opened;
    return reader;
  } finally {
    clearTimeout(timer);
    release();
    signal.throwIfAborted();
  }
}

export class SocketReader {
  readonly #socket: WebSocketLike;
  readonly opened: Promise<void>;
  #texts: string[] = [];
  #queuedBytes = 0;
  #isClosed = false;
  #wake: () => void = () => {};
  closeCode: number | undefined;

  constructor(socket: WebSocketLike) {
    this.#socket = socket;
    this.opened = new Promise((resolve, reject) => {
      socket.onopen = () => resolve();
      // The close that follows says all there is to say.
      socket.onerror = () => {};
      socket.onclose = ({ code }: { code: number }) => {
        this.#isClosed = true;
        this.closeCode = code;
        reject(new Error('the socket could not be opened'));
        this.#wake();
      };
    });
    this.opened.catch(() => {});
    socket.onmessage = ({ data }: { data: unknown }) => this.#take(String(data));
  }

  /** The next text; null after `quietMs` without one, undefined once the socket is closed and all was taken. */
  async next(quietMs: number, signal: AbortSignal): Promise<string | null | undefined> {
    if (this.#texts.length === 0 && !this.#isClosed) await this.#change(quietMs, signal);
    signal.throwIfAborted();
    const text = this.#texts.shift();
    if (text === undefined) return this.#isClosed ? undefined : null;
    this.#queuedBytes -= text.length;
    return text;
  }

  close(): void {
    this.#socket.close(1000);
  }

  #take(text: string): void {
    if (this.#isClosed) return;
    this.#texts.push(text);
    this.#queuedBytes += text.length;
    if (this.#queuedBytes > maxQueuedBytes) {
      this.#isClosed = true;
      this.close();
    }
    this.#wake();
  }

  #change(quietMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        release();
        resolve();
      };
      const timer = setTimeout(done, quietMs);
      const release = onAbort(signal, done);
      this.#wake = done;
    });
  }
}
