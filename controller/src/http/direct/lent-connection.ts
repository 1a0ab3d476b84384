// A connection as node:http sees it for one request: a plain post that is not of the fast lane, such as a login. Its bytes go to
// node:http, the answer goes to the connection, which is read directly again afterwards.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

export class LentConnection extends Duplex {
  /** Of TLS, as its sockets have it. */
  readonly encrypted: boolean;
  readonly remoteAddress: string | undefined;
  readonly remotePort: number | undefined;
  readonly #socket: Socket;
  readonly #onAnswered: () => void;
  #isLent = true;

  constructor(socket: Socket, onAnswered: () => void) {
    super();
    this.#socket = socket;
    this.#onAnswered = onAnswered;
    this.encrypted = 'encrypted' in socket;
    this.remoteAddress = socket.remoteAddress;
    this.remotePort = socket.remotePort;
    socket.once('close', this.#onClose);
  }

  /** The connection itself. */
  static ownerOf(socket: Socket | LentConnection): Socket {
    return socket instanceof LentConnection ? socket.#socket : socket;
  }

  /** Gives the connection back once this answer is sent, unless the answer ends it. */
  giveBackAfter(response: ServerResponse): void {
    response.once('close', () => {
      if (!response.writableFinished || !response.shouldKeepAlive || !this.#isLent) return;
      this.#isLent = false;
      this.#socket.off('close', this.#onClose);
      this.destroy();
      this.#onAnswered();
    });
  }

  readonly #onClose = (): void => {
    this.destroy();
  };

  override _read(): void {}

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, encoding, done);
  }

  override _final(done: () => void): void {
    if (this.#isLent) this.#socket.destroySoon();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (this.#isLent) this.#socket.destroySoon();
    done(error);
  }
}
