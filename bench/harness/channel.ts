// An agent's channel with as little cost on the client's side as node allows, so that the server is what is measured: frames
// that are ready, and of what comes the text and nothing else.
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import type { StoredAgent } from './fleet.ts';

/** A text as a client sends it: in one frame, masked. */
export function clientFrame(text: string): Buffer {
  const body = Buffer.from(text);
  const mask = randomBytes(4);
  const { length } = body;
  if (length > 0xffff) throw new Error('longer than the length in two bytes');
  const head = length < 126 ? [0x81, 0x80 | length] : [0x81, 0x80 | 126, length >> 8, length & 0xff];
  for (let index = 0; index < length; index++) body[index]! ^= mask[index & 3]!;
  return Buffer.concat([Buffer.from(head), mask, body]);
}

export class RawChannel {
  readonly #socket: Socket;
  #rest: Buffer | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  static open(url: string, { ap_id, token }: StoredAgent): Promise<RawChannel> {
    const { hostname, port, host } = new URL(url);
    const headers = [
      `GET /api/v1/agents/${ap_id}/channel HTTP/1.1`,
      `host: ${host}`,
      `authorization: Bearer ${token}`,
      'connection: Upgrade',
      'upgrade: websocket',
      'sec-websocket-version: 13',
      `sec-websocket-key: ${randomBytes(16).toString('base64')}`,
    ];
    return new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      socket.once('error', reject);
      socket.once('connect', () => socket.write(`${headers.join('\r\n')}\r\n\r\n`));
      socket.once('data', (answer) => {
        const text = answer.toString('latin1');
        if (text.startsWith('HTTP/1.1 101') && text.endsWith('\r\n\r\n')) resolve(new RawChannel(socket));
        else reject(new Error(`no channel: ${text.slice(0, 200)}`));
      });
    });
  }

  /** Calls back with each text, in the bytes that hold it, and once after all that came together. */
  onTexts(onText: (bytes: Buffer, from: number, to: number) => void, onEnd: () => void = () => {}): void {
    this.#socket.on('data', (chunk: Buffer) => {
      const bytes = this.#rest ? Buffer.concat([this.#rest, chunk]) : chunk;
      let at = 0;
      for (let end = frameEnd(bytes, at); end <= bytes.length; end = frameEnd(bytes, at)) {
        if (bytes[at] === 0x81) onText(bytes, at + (bytes[at + 1] === 126 ? 4 : 2), end);
        at = end;
      }
      this.#rest = at < bytes.length ? bytes.subarray(at) : undefined;
      onEnd();
    });
  }

  /** In one piece. */
  write(frames: readonly Buffer[]): void {
    this.#socket.cork();
    for (const frame of frames) this.#socket.write(frame);
    this.#socket.uncork();
  }

  end(): void {
    this.#socket.destroy();
  }
}

/** Beyond the bytes if the frame has not come as a whole. */
function frameEnd(bytes: Buffer, at: number): number {
  const length = bytes[at + 1];
  if (length === undefined || (length === 126 && at + 4 > bytes.length)) return Number.POSITIVE_INFINITY;
  if (length > 126) throw new Error('a longer frame than a channel sends');
  return length === 126 ? at + 4 + bytes.readUInt16BE(at + 2) : at + 2 + length;
}
