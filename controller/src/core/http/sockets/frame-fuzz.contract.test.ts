// Frames of all kinds, cut anywhere, on raw connections: an OpenSocket answers, refuses and closes as the WebSocket library alone.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { draw } from '../../../../../test/draw.ts';
import type { Random } from '../../../../../test/pure/random.ts';
import { shownBy } from '../../../../../test/pure/shown.ts';
import { turn } from '../../../../../test/raw-connection.ts';
import { rounds } from '../../../../../test/rounds.ts';
import type { Caller } from '../../base/caller.ts';
import { closeCodes, OpenSocket } from './open-socket.ts';

const never = 1e9;
const times = { sweepMs: never, pingMs: never, pongMs: never, stallMs: never, closeTimeoutMs: never };
const maxPayload = 70_000;
const frames = rounds(200_000, 2_500);

function echoByOpenSocket(socket: WebSocket, connection: Socket): void {
  const onFault = (error: unknown) => {
    throw error;
  };
  const client = { caller: {} as Caller, shown: shownBy({} as Caller) };
  const open = new OpenSocket({ socket, connection, onFault }, client, { times, unlimitedMessages: true }, () =>
    performance.now(),
  );
  open.listener = { onMessage: (text) => open.send(String(text)), onDrain() {}, onClose() {} };
}

function echoByLibrary(socket: WebSocket): void {
  socket.on('error', () => {});
  socket.on('message', (bytes, isBinary) => {
    if (socket.readyState !== socket.OPEN) return;
    if (isBinary) socket.close(closeCodes.unsupported, 'text only');
    else socket.send(String(bytes));
  });
}

function frame(random: Random): Buffer {
  const first = random.below(4)
    ? 0x81
    : random.of([0x01, 0x00, 0x80, 0x82, 0x89, 0x8a, 0x88, 0xc1, 0x91, 0x83, 0x8b, 0x09, random.below(256)]);
  // The long ones are most of the work, and three lengths of them are all there is to see.
  const special = random.below(6) ? [0, 1, 125, 126, 127] : [65_535, 65_536, 70_001];
  const size = random.below(5) ? random.below(300) : random.of(special);
  const payload = random.below(8) ? Buffer.alloc(size, random.of(['a', 'é', '€'])) : random.bytes(Math.min(size, 300));
  const { length } = payload;
  const long = Buffer.alloc(8);
  long.writeBigUInt64BE(BigInt(length));
  const lengths = length < 126 ? [length] : length < 0x10000 ? [126, length >> 8, length & 0xff] : [127, ...long];
  const isMasked = random.below(40) > 0;
  const mask = isMasked ? random.bytes(4) : Buffer.alloc(0);
  const masked = isMasked ? payload.map((byte, index) => byte ^ mask[index % 4]!) : payload;
  return Buffer.concat([Buffer.from([first, lengths[0]! | (isMasked ? 0x80 : 0), ...lengths.slice(1)]), mask, masked]);
}

it(`${frames} frames have the same answers and the same close codes`, async () => {
  const server = createServer();
  const sockets = new WebSocketServer({ noServer: true, maxPayload, perMessageDeflate: false });
  const accepted = new Map<number, Socket>();
  server.on('upgrade', (request, connection, head) => {
    accepted.set(request.socket.remotePort!, request.socket);
    sockets.handleUpgrade(request, connection, head, (socket) => {
      if (request.url === '/open') echoByOpenSocket(socket, request.socket);
      else echoByLibrary(socket);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  const ask = async (path: string, pieces: readonly Buffer[]): Promise<string> => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', () => {});
    const key = randomBytes(16).toString('base64');
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
    );
    await once(socket, 'data');
    const received: Buffer[] = [];
    socket.on('data', (bytes: Buffer) => received.push(bytes));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const peer = accepted.get(socket.localPort!)!;
    for (const piece of pieces) {
      if (peer.destroyed || peer.writableEnded) break;
      await new Promise((resolve) => socket.write(piece, resolve));
      while (!peer.destroyed && !peer.writableEnded && peer.bytesRead < socket.bytesWritten) await turn();
      for (let count = 0; count < 5; count++) await turn();
    }
    socket.end();
    await closed;
    return Buffer.concat(received).toString('latin1');
  };

  const random = draw('frames');
  let sent = 0;
  const runOne = async () => {
    while (sent < frames) {
      const all = Array.from({ length: 1 + random.below(16) }, () => frame(random));
      sent += all.length;
      const bytes = Buffer.concat(all);
      const cuts = Array.from({ length: random.below(5) }, () => random.below(bytes.length + 1)).sort((a, b) => a - b);
      const pieces = [...cuts, bytes.length].map((to, index) => bytes.subarray(index === 0 ? 0 : cuts[index - 1], to));
      const given = pieces.filter(({ length }) => length > 0);
      const [open, library] = await Promise.all([ask('/open', given), ask('/library', given)]);
      if (open === library) continue;
      const told = { bytes: bytes.toString('hex', 0, 1000) };
      expect({ open, ...told }).toEqual({ open: library, ...told });
    }
  };
  try {
    await Promise.all(Array.from({ length: 32 }, runOne));
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
