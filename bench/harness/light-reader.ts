// A client for long answers, as cheap as it can be: bytes are read into a buffer that is used again, and only the beginning of
// an answer is kept. One that makes objects and text of hundreds of kilobytes collects its own garbage every few answers,
// on the two cores of what is measured.
import { connect, type Socket } from 'node:net';

const bufferBytes = 1024 * 1024;
const keptBytes = 2000;
const lastChunk = '0\r\n\r\n';

export interface ReadAnswer {
  status: number;
  /** The beginning of the answer, headers included. */
  start: string;
}

export class LightReader {
  readonly #url: URL;
  readonly #idle: Connection[] = [];
  readonly #all: Connection[] = [];

  constructor(url: string) {
    this.#url = new URL(url);
  }

  /** Resolves once the whole answer has come. As many connections are opened as there are questions at the same time. */
  async get(path: string, headers: Record<string, string> = {}): Promise<ReadAnswer> {
    const connection = this.#idle.pop() ?? this.#open();
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const answer = await connection.ask(`GET ${path} HTTP/1.1\r\nhost: ${this.#url.host}\r\n${lines.join('')}\r\n`);
    this.#idle.push(connection);
    return answer;
  }

  close(): void {
    for (const connection of this.#all) connection.close();
  }

  #open(): Connection {
    const connection = new Connection(this.#url);
    this.#all.push(connection);
    return connection;
  }
}

/** One question at a time. */
class Connection {
  readonly #socket: Socket;
  #start = '';
  #received = 0;
  /** Bytes of the answer with its headers; undefined: it comes in chunks. */
  #size: number | undefined;
  #end = '';
  #resolve: (answer: ReadAnswer) => void = () => {};
  #reject: (error: Error) => void = () => {};

  constructor({ hostname, port }: URL) {
    const buffer = Buffer.allocUnsafe(bufferBytes);
    const callback = (count: number) => this.#take(buffer.subarray(0, count));
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true, onread: { buffer, callback } });
    this.#socket.on('error', (error) => this.#reject(error));
    this.#socket.on('close', () => this.#reject(new Error('the connection was closed')));
  }

  ask(request: string): Promise<ReadAnswer> {
    this.#start = '';
    this.#received = 0;
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(bytes: Buffer): boolean {
    const isFirst = this.#received === 0;
    if (this.#start.length < keptBytes) this.#start += bytes.toString('latin1', 0, keptBytes - this.#start.length);
    if (isFirst) this.#begin();
    this.#received += bytes.length;
    this.#end = (this.#end + bytes.toString('latin1', Math.max(0, bytes.length - lastChunk.length))).slice(
      -lastChunk.length,
    );
    const isWhole = this.#size === undefined ? this.#end === lastChunk : this.#received >= this.#size;
    if (isWhole) this.#resolve({ status: Number(this.#start.slice(9, 12)), start: this.#start });
    return true;
  }

  /** The headers are short: they come whole with the first bytes. */
  #begin(): void {
    this.#end = '';
    const length = /^content-length: *(\d+)\r$/im.exec(this.#start)?.[1];
    this.#size = length === undefined ? undefined : this.#start.indexOf('\r\n\r\n') + 4 + Number(length);
  }
}
