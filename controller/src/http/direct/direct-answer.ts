// The answer to a post that was read from its connection directly: the same bytes that node:http would send, in one write.
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

export interface DirectAnswerOptions {
  keepAliveMs: number;
  /** Called once an answer was handed to the socket, with whether the socket takes more. */
  onSent: (isOpen: boolean, takesMore: boolean) => void;
}

/** One for each connection: there is never more than one request under way. */
export class DirectAnswer {
  #isSent = true;
  readonly #socket: Socket;
  readonly #keepAlive: string;
  readonly #onSent: DirectAnswerOptions['onSent'];

  constructor(socket: Socket, { keepAliveMs, onSent }: DirectAnswerOptions) {
    this.#socket = socket;
    this.#keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / 1000)}\r\n\r\n`;
    this.#onSent = onSent;
  }

  /** A request has come. */
  begin(): void {
    this.#isSent = false;
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

  /** `fixed` are header lines; `more` are names and values in turn, of which `connection` ends the connection. */
  send(status: number, fixed: string, id: string, body: string | Uint8Array, more: readonly string[]): void {
    const length = Buffer.byteLength(body);
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${fixed}x-request-id: ${id}\r\ncontent-length: ${length}\r\n`;
    let isLast = false;
    for (let index = 0; index < more.length; index += 2) {
      if (more[index] === 'connection') isLast = true;
      else head += `${more[index]}: ${more[index + 1]}\r\n`;
    }
    head += `Date: ${dateText()}\r\n${isLast ? 'Connection: close\r\n\r\n' : this.#keepAlive}`;
    this.#isSent = true;
    if (this.#socket.destroyed) return;
    const takesMore = this.#write(head, body, length);
    if (isLast) this.#socket.destroySoon();
    this.#onSent(!isLast, takesMore);
  }

  #write(head: string, body: string | Uint8Array, length: number): boolean {
    // As many bytes as characters: then all of it is ASCII, and needs no encoder.
    if (typeof body === 'string') return this.#socket.write(head + body, length === body.length ? 'latin1' : 'utf8');
    this.#socket.cork();
    this.#socket.write(head, 'latin1');
    const takesMore = this.#socket.write(body);
    this.#socket.uncork();
    return takesMore;
  }
}

let dateUntil = 0;
let date = '';

function dateText(): string {
  const now = Date.now();
  // The clock may also be set back.
  if (now >= dateUntil || now < dateUntil - 1000) {
    date = new Date(now).toUTCString();
    dateUntil = now - (now % 1000) + 1000;
  }
  return date;
}
