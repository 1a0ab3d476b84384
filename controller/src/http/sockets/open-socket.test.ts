// What a socket sends arrives whole and in order, whatever its size and however it is mixed.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import type { Caller } from '../../caller.ts';
import { OpenSocket } from './open-socket.ts';

const never = 1e9;
const times = { sweepMs: never, pingMs: never, pongMs: never, stallMs: never, closeTimeoutMs: never };
const caller = { kind: 'user', id: 1, name: 'ada@weft.test', isAdmin: false } as unknown as Caller;

async function connectPair(): Promise<{ socket: OpenSocket; client: WebSocket }> {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const sockets = new WebSocketServer({ noServer: true });
  const opened = Promise.withResolvers<OpenSocket>();
  server.on('upgrade', (request, connection, head) =>
    sockets.handleUpgrade(request, connection, head, (socket) =>
      opened.resolve(
        new OpenSocket(
          { socket, connection: request.socket },
          { caller, token: 'token' },
          { times, unlimitedMessages: false },
          () => performance.now(),
        ),
      ),
    ),
  );
  const { port } = server.address() as AddressInfo;
  const client = new WebSocket(`ws://127.0.0.1:${port}`);
  onTestFinished(() => client.terminate());
  return { socket: await opened.promise, client };
}

it('messages of all sizes arrive whole and in order, also those sent while others are leaving', async () => {
  const sizes = fc.array(fc.constantFrom(0, 1, 1000, 65_535, 65_536, 65_546, 131_083, 700_000), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(sizes, sizes, async (first, second) => {
      const { socket, client } = await connectPair();
      const received: string[] = [];
      client.on('message', (bytes) => received.push(String(bytes)));
      const closed = new Promise((resolve) => client.on('close', resolve));
      const texts = [...first, ...second].map((size, index) => `${index} ${'€'.repeat(size / 3)}`);
      socket.listener = { onDrain: () => {}, onClose: () => {} };
      for (const text of texts.slice(0, first.length)) socket.send(text);
      for (const text of texts.slice(first.length)) {
        await new Promise((resolve) => (text.length % 2 === 0 ? process.nextTick(resolve) : setImmediate(resolve)));
        socket.send(text);
      }
      socket.close(1000, '');
      expect(await closed).toBe(1000);
      expect(received).toEqual(texts);
    }),
    { numRuns: 30 },
  );
});
