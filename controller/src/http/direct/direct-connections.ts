// Reads the commonest posts straight from their connections: for a post of a few hundred bytes, node:http costs more than all
// that is done with it. A connection stays here as long as each of its requests is a plain post that arrives whole; one that
// nobody handles here is lent to node:http. The first request that is anything else, and all that follow on the connection,
// are node:http's (ADR 23).
import type http from 'node:http';
import type { Socket } from 'node:net';
import { DirectAnswer } from './direct-answer.ts';
import { LentConnection } from './lent-connection.ts';
import { readPostHead } from './post-head.ts';

/** What the fast lane needs to know of a request; node:http's have it all. */
export interface DirectRequest {
  method: string;
  url: string;
  headers: http.IncomingHttpHeaders;
  socket: Socket;
}

export interface DirectConnectionsOptions {
  isTls: boolean;
  /** Without a byte either way, before the first request; and between two of them. */
  idleMs: number;
  keepAliveMs: number;
  /** Handles a post, or returns false: then node:http does. A promise if that is not known yet. */
  handle: (request: DirectRequest, answer: DirectAnswer, body: Buffer) => boolean | Promise<boolean>;
}

/** Node closes a connection this long after the time that it promises to keep it. */
const keepAliveGraceMs = 1_000;

/** From now on the server's new connections begin here. */
export function readDirectly(server: http.Server, options: DirectConnectionsOptions): void {
  const event = options.isTls ? 'secureConnection' : 'connection';
  const open = new Set<DirectConnection>();
  const handOver = takeListener(server, event);
  server.on(event, (socket: Socket) => {
    if (!socket.destroyed) open.add(new DirectConnection(socket, options, open, (it) => handOver.call(server, it)));
  });
  server.prependListener('request', ({ socket }: http.IncomingMessage, response) => {
    if (socket instanceof LentConnection) socket.giveBackAfter(response);
  });
  // Node knows only those connections that were handed over.
  const { closeIdleConnections, closeAllConnections } = server;
  server.closeIdleConnections = () => {
    closeIdleConnections.call(server);
    for (const connection of open) connection.closeIfIdle();
  };
  server.closeAllConnections = () => {
    closeAllConnections.call(server);
    for (const connection of open) connection.close();
  };
}

/** The function by which node:http takes a connection. */
function takeListener(server: http.Server, event: string): (socket: Socket | LentConnection) => void {
  const listeners = server.listeners(event);
  const [own] = listeners;
  if (!own || listeners.length > 1) throw new Error(`expected one listener for ${event}, found ${listeners.length}`);
  server.removeListener(event, own as (socket: Socket) => void);
  return own as (socket: Socket | LentConnection) => void;
}

class DirectConnection {
  readonly #socket: Socket;
  readonly #options: DirectConnectionsOptions;
  readonly #open: Set<DirectConnection>;
  readonly #handOver: (socket: Socket | LentConnection) => void;
  readonly #answer: DirectAnswer;
  /** A request is being answered, or its answer waits for the peer to read. */
  #isBusy = false;
  /** What has come behind that request. */
  #rest: Buffer | undefined;
  #hasEnded = false;
  #isKept = false;

  constructor(
    socket: Socket,
    options: DirectConnectionsOptions,
    open: Set<DirectConnection>,
    handOver: (socket: Socket | LentConnection) => void,
  ) {
    this.#socket = socket;
    this.#options = options;
    this.#open = open;
    this.#handOver = handOver;
    this.#answer = new DirectAnswer(socket, {
      keepAliveMs: options.keepAliveMs,
      onSent: (isOpen, takesMore) => this.#onSent(isOpen, takesMore),
    });
    socket.setTimeout(options.idleMs);
    socket.on('data', this.#onData);
    socket.on('end', this.#onEnd);
    socket.on('timeout', this.#onTimeout);
    socket.on('error', this.#onError);
    socket.on('close', this.#onClose);
  }

  close(): void {
    this.#socket.destroy();
  }

  closeIfIdle(): void {
    if (!this.#isBusy) this.close();
  }

  readonly #onData = (chunk: Buffer): void => {
    if (!this.#isBusy) {
      this.#read(chunk);
      return;
    }
    // No more than has been read already: the peer has to wait for its answer.
    this.#rest = this.#rest ? Buffer.concat([this.#rest, chunk]) : chunk;
    this.#socket.pause();
  };

  readonly #onEnd = (): void => {
    this.#hasEnded = true;
    if (!this.#isBusy) this.#socket.end();
  };

  readonly #onTimeout = (): void => {
    const { timeout = 0 } = this.#socket;
    // A request under way may take as long as on a connection that is new.
    if (this.#isBusy && timeout < this.#options.idleMs) {
      this.#isKept = false;
      this.#socket.setTimeout(this.#options.idleMs);
    } else this.close();
  };

  /** The peer is gone; 'close' follows. */
  readonly #onError = (): void => {};

  readonly #onClose = (): void => {
    this.#open.delete(this);
  };

  #read(chunk: Buffer): void {
    const head = readPostHead(chunk);
    if (!head || head.bodyEnd > chunk.length) {
      this.#leave(chunk);
      return;
    }
    const { path: url, headers, bodyAt, bodyEnd } = head;
    this.#isBusy = true;
    this.#rest = bodyEnd < chunk.length ? chunk.subarray(bodyEnd) : undefined;
    this.#answer.begin();
    const request = { method: 'POST', url, headers, socket: this.#socket };
    const isHandled = this.#options.handle(request, this.#answer, chunk.subarray(bodyAt, bodyEnd));
    if (isHandled === true) return;
    const bytes = chunk.subarray(0, bodyEnd);
    if (isHandled === false) this.#lend(bytes);
    else void isHandled.then((isSo) => isSo || this.#lend(bytes));
  }

  /** For this request. */
  #lend(bytes: Buffer): void {
    if (this.#socket.destroyed) return;
    const lent = new LentConnection(this.#socket, () => this.#onSent(true, !this.#socket.writableNeedDrain));
    this.#handOver(lent);
    lent.push(bytes);
  }

  #onSent(isOpen: boolean, takesMore: boolean): void {
    if (!isOpen) {
      // Nothing that follows is read any more.
      this.#socket.off('data', this.#onData).resume();
      return;
    }
    if (!this.#isKept) {
      this.#isKept = true;
      this.#socket.setTimeout(this.#options.keepAliveMs + keepAliveGraceMs);
    }
    if (!takesMore) {
      this.#socket.pause();
      this.#socket.once('drain', this.#next);
    } else if (this.#rest || this.#hasEnded) setImmediate(this.#next);
    else {
      this.#isBusy = false;
      // It was paused if something came while another request was answered.
      if (this.#socket.isPaused()) this.#socket.resume();
    }
  }

  /** What has come meanwhile. */
  readonly #next = (): void => {
    this.#isBusy = false;
    if (this.#socket.destroyed) return;
    const rest = this.#rest;
    this.#rest = undefined;
    if (rest) this.#read(rest);
    else if (this.#hasEnded) this.#socket.end();
    else this.#socket.resume();
  };

  /** Gives the connection to node:http, with what it has not answered yet. */
  #leave(chunk: Buffer): void {
    const socket = this.#socket;
    socket.off('data', this.#onData);
    socket.off('end', this.#onEnd);
    socket.off('timeout', this.#onTimeout);
    socket.off('error', this.#onError);
    socket.off('close', this.#onClose);
    this.#open.delete(this);
    if (socket.isPaused()) socket.resume();
    this.#handOver(socket);
    socket.emit('data', chunk);
    if (this.#hasEnded) socket.emit('end');
  }
}
