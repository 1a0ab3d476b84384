// What a socket sends arrives whole and in order, whatever its size and however it is mixed.
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { shownBy } from '../../../../../test/pure/shown.ts';
import { rounds } from '../../../../../test/rounds.ts';
import type { Caller } from '../../base/caller.ts';
import { OpenSocket } from './open-socket.ts';

const never = 1e9;
const times = { sweepMs: never, pingMs: never, pongMs: never, stallMs: never, closeTimeoutMs: never };
const caller = { kind: 'user', id: 1, name: 'ada@weft.test', isAdmin: false } as unknown as Caller;

async function connectPair(unlimitedMessages = false) {
  const faults: unknown[] = [];
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const sockets = new WebSocketServer({ noServer: true });
  const opened = Promise.withResolvers<OpenSocket>();
  server.on('upgrade', (request, connection, head) =>
    sockets.handleUpgrade(request, connection, head, (socket) =>
      opened.resolve(
        new OpenSocket(
          {
            socket,
            connection: request.socket,
            onFault: (error) => {
              faults.push(error);
              connection.destroy();
            },
          },
          { caller, shown: shownBy(caller) },
          { times, unlimitedMessages },
          () => performance.now(),
        ),
      ),
    ),
  );
  const { port } = server.address() as AddressInfo;
  const client = new WebSocket(`ws://127.0.0.1:${port}`);
  onTestFinished(() => client.terminate());
  return { socket: await opened.promise, client, faults };
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
      const send = (text: string, index: number) => (index % 3 === 0 ? socket.send(text) : socket.sendSoon(text));
      for (const [index, text] of texts.slice(0, first.length).entries()) send(text, index);
      for (const [index, text] of texts.slice(first.length).entries()) {
        await new Promise((resolve) => (text.length % 2 === 0 ? process.nextTick(resolve) : setImmediate(resolve)));
        send(text, index + 1);
      }
      socket.close(1000, '');
      expect(await closed).toBe(1000);
      expect(received).toEqual(texts);
    }),
    { numRuns: rounds(30) },
  );
});

it('what is sent soon leaves in one piece with the turn', async () => {
  const { socket, client } = await connectPair();
  const texts = ['a', '€'.repeat(50), 'b'.repeat(125), 'c'.repeat(126), 'd'.repeat(5000), ''];
  const received: string[] = [];
  client.on('message', (bytes) => received.push(String(bytes)));
  await new Promise((resolve) => client.once('open', resolve));
  const drained = new Promise<void>((resolve) => {
    socket.listener = { onDrain: resolve, onClose: () => {} };
  });
  for (const text of texts) socket.sendSoon(text);
  expect(socket.bufferedBytes).toBeGreaterThan(5000);
  await drained;
  expect(socket.bufferedBytes).toBe(0);
  socket.sendSoon('last');
  socket.forceClose(1000, '');
  await new Promise((resolve) => client.once('close', resolve));
  expect(received).toEqual([...texts, 'last']);
});

it('texts of a client without a limit come whole and in order, between pings and long ones', async () => {
  const { socket, client } = await connectPair(true);
  const received: string[] = [];
  const closed = new Promise<void>((resolve) => {
    socket.listener = {
      onMessage: (text) => received.push(String(text)),
      onDrain: () => {},
      onClose: resolve,
    };
  });
  await new Promise((resolve) => client.once('open', resolve));
  const texts = [0, 1, 125, 126, 1000, 16_384, 16_385, 65_535, 65_536, 300_000, 3, 4].map((size) =>
    '€'.repeat(size / 3),
  );
  client.on('error', () => {});
  const connection = (client as unknown as { _socket: Socket })._socket;
  connection.cork();
  for (const text of ['one', 'two', 'three']) client.send(text);
  connection.uncork();
  for (const [index, text] of texts.entries()) {
    client.send(text);
    if (index % 4 === 0) client.ping();
  }
  client.close();
  await closed;
  expect(received).toEqual(['one', 'two', 'three', ...texts]);
});

it.each(['onMessage', 'onDrain', 'onPong', 'onSweep', 'onClose'] as const)(
  'what %s throws ends the connection, and nothing else',
  async (method) => {
    const { socket, client, faults } = await connectPair(true);
    const thrown = new Error(method);
    socket.listener = {
      onDrain: () => {},
      onClose: () => {},
      [method]: () => {
        throw thrown;
      },
    };
    client.on('error', () => {});
    const closed = new Promise((resolve) => client.once('close', resolve));
    await new Promise((resolve) => client.once('open', resolve));
    if (method === 'onMessage') client.send('text');
    else if (method === 'onDrain') socket.sendSoon('text');
    else if (method === 'onPong') socket.ping('1');
    else if (method === 'onSweep') socket.sweep();
    else client.close();
    await closed;
    await expect.poll(() => faults).toEqual([thrown]);
  },
);
