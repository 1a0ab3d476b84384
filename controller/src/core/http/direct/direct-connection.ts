// A connection whose posts are read without node:http: for a post of a few hundred bytes, node:http costs more than all that is
// done with it. It stays here as long as each request is a plain post of the fast lane that arrives whole and alone. The
// first one that is anything else goes to node:http, and the connection with it, for good (ADR 25).
import { type IncomingHttpHeaders, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { readPostHead } from './post-head.ts';

/** What the fast lane needs to know of a request; node:http's have it all. */
export interface DirectRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  socket: Socket;
}

export interface DirectOptions {
  /** Without a byte either way, before the first request; and between two of them. */
  idleMs: number;
  keepAliveMs: number;
  /** Handles a post, or returns false: then node:http does. A promise if that is not known yet. */
  handle: (request: DirectRequest, answer: DirectConnection, body: Buffer) => boolean | Promise<boolean>;
  /** Gives the connection to node:http. */
  handOver: (socket: Socket) => void;
  /** What time answers say it is. */
  clock: () => number;
  /** Ends a connection on which something was thrown. */
  onFault: (error: unknown, socket?: Socket) => void;
}

/** Node closes a connection this long after the time that it promises to keep it. */
const keepAliveGraceMs = 1_000;

/** At most one request is under way, and this is its answer as well. */
export class DirectConnection {
  readonly #socket: Socket;
  readonly #options: DirectOptions;
  /** All that are read directly. */
  readonly #open: Set<DirectConnection>;
  readonly #keepAlive: string;
  /** A request is being answered, or its answer waits for the peer to read. */
  #isBusy = false;
  #isSent = true;
  #isKept = false;

  constructor(socket: Socket, options: DirectOptions, open: Set<DirectConnection>) {
    this.#socket = socket;
    this.#options = options;
    this.#open = open.add(this);
    const { idleMs, keepAliveMs } = options;
    this.#keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / 1000)}\r\n\r\n`;
    socket.setTimeout(idleMs);
    socket.on('data', this.#onData).on('end', this.#onEnd).on('timeout', this.#onTimeout);
    socket.on('error', this.#onError).on('close', this.#onClose);
  }

  /** Both as node:http's answers have it. */
  get headersSent(): boolean {
    return this.#isSent;
  }

  get writableFinished(): boolean {
    return this.#isSent;
  }

  destroy(): void {
    this.#socket.destroy();
  }

  closeIfIdle(): void {
    if (!this.#isBusy) this.destroy();
  }

  /** The bytes that node:http would send, in one write. `more` are names and values in turn; `connection` ends the connection. */
  send(status: number, fixed: string, id: string, body: string | Uint8Array, more: readonly string[]): void {
    const length = Buffer.byteLength(body);
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${fixed}x-request-id: ${id}\r\ncontent-length: ${length}\r\n`;
    let isLast = false;
    for (let index = 0; index < more.length; index += 2) {
      if (more[index] === 'connection') isLast = true;
      else head += `${more[index]}: ${more[index + 1]}\r\n`;
    }
    head += `Date: ${dateText(this.#options.clock())}\r\n${isLast ? 'Connection: close\r\n\r\n' : this.#keepAlive}`;
    this.#isSent = true;
    const socket = this.#socket;
    if (!socket.writable) return;
    // As many bytes as characters: then all of it is ASCII, and needs no encoder.
    if (typeof body === 'string') socket.write(head + body, length === body.length ? 'latin1' : 'utf8');
    else socket.write(Buffer.concat([Buffer.from(head, 'latin1'), body]));
    if (isLast) {
      // Nothing that follows is read any more.
      socket.off('data', this.#onData).resume();
      socket.destroySoon();
    } else this.#sent();
  }

  #sent(): void {
    const socket = this.#socket;
    if (!this.#isKept) {
      this.#isKept = true;
      socket.setTimeout(this.#options.keepAliveMs + keepAliveGraceMs);
    }
    if (socket.writableNeedDrain) socket.pause().once('drain', this.#next);
    else this.#next();
  }

  readonly #next = (): void => {
    this.#isBusy = false;
    if (this.#socket.isPaused()) this.#socket.resume();
  };

  readonly #onData = (chunk: Buffer): void => {
    if (this.#isBusy) {
      // It is read once the request before it is answered, and nothing more until then.
      this.#socket.pause().unshift(chunk);
      return;
    }
    try {
      this.#read(chunk);
    } catch (error) {
      this.#options.onFault(error, this.#socket);
    }
  };

  #read(chunk: Buffer): void {
    const head = readPostHead(chunk);
    // With a second request behind it, node:http would begin both.
    if (head?.bodyEnd !== chunk.length) {
      this.#leave(chunk);
      return;
    }
    this.#isBusy = true;
    this.#isSent = false;
    const { path: url, headers, bodyAt } = head;
    const request = { method: 'POST', url, headers, socket: this.#socket };
    const isHandled = this.#options.handle(request, this, chunk.subarray(bodyAt));
    if (isHandled === false) this.#leave(chunk);
    else if (isHandled !== true) {
      isHandled.then((isSo) => isSo || this.#leave(chunk)).catch((error) => this.#options.onFault(error, this.#socket));
    }
  }

  /** Gives the connection to node:http, with what nobody has answered. */
  #leave(chunk: Buffer): void {
    const socket = this.#socket;
    if (socket.destroyed || socket.readableEnded) return;
    socket.off('data', this.#onData).off('end', this.#onEnd).off('timeout', this.#onTimeout);
    socket.off('error', this.#onError).off('close', this.#onClose);
    this.#open.delete(this);
    socket.unshift(chunk);
    this.#options.handOver(socket);
    socket.resume();
  }

  /** As node:http has it: whoever sends no more gets no more. */
  readonly #onEnd = (): void => {
    this.#socket.end();
  };

  readonly #onTimeout = (): void => {
    const { timeout = 0 } = this.#socket;
    // A request under way may take as long as on a connection that is new.
    if (this.#isBusy && timeout < this.#options.idleMs) {
      this.#isKept = false;
      this.#socket.setTimeout(this.#options.idleMs);
    } else this.destroy();
  };

  /** The peer is gone; 'close' follows. */
  readonly #onError = (): void => {};

  readonly #onClose = (): void => {
    this.#open.delete(this);
  };
}

let date = { second: 0, text: '' };

/** As `Date` has it. */
export function dateText(nowMs: number): string {
  const second = Math.floor(nowMs / 1000);
  if (second !== date.second) date = { second, text: new Date(second * 1000).toUTCString() };
  return date.text;
}
