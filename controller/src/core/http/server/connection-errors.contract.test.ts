// Whatever a callback of a connection throws ends that connection, is counted, and never ends the process.
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import WebSocket from 'ws';
import { agent, agentsOnly, createBareServer } from '../../../../../test/bare-server.ts';
import { askRaw, openRawConnection } from '../../../../../test/raw-connection.ts';

import { ServiceMetrics } from '../pages/service-metrics.ts';
import { SocketRegistry } from '../sockets/socket-registry.ts';

const post = (token: string) =>
  `POST /api/v1/agent_update/update HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer ${token}\r\nContent-Length: 2\r\n\r\n{}`;
const get = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';

let app: ReturnType<typeof createBareServer>;
let metrics: ServiceMetrics;
let url: string;

async function start(directPosts: 'on' | 'off'): Promise<void> {
  metrics = new ServiceMetrics();
  const registry = new SocketRegistry({ authorize: () => agent, maxPerCaller: 10, unlimitedMessages: true });
  app = createBareServer({
    directPosts,
    metrics,
    remembered(token: string) {
      if (token === 'throws') throw new Error('thrown on purpose');
      return agent;
    },
    sockets: [
      {
        operation: 'job_socket',
        permission: agentsOnly,
        url: '/socket',
        maxMessageBytes: 1000,
        async handle({ upgrade, caller, shown }) {
          const upgraded = upgrade();
          if (!upgraded) return;
          registry.add(upgraded, { caller, shown }).listener = {
            onMessage() {
              throw new Error('thrown on purpose');
            },
            onDrain() {},
            onClose() {},
          };
        },
      },
    ],
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
}

beforeEach(() => start('on'));
afterEach(async () => {
  app.closeAllConnections();
  await app.close();
});

const faults = async () => Number(/^weft_connection_faults_total (\d+)$/m.exec(await metrics.text())?.[1]);

it.each(['on', 'off'] as const)('a request (direct posts: %s)', async (directPosts) => {
  if (directPosts === 'off') {
    await app.close();
    await start('off');
  }
  const [connection, other] = [await openRawConnection(url), await openRawConnection(url)];
  connection.send(post('throws'));
  await connection.closed();
  await expect(connection.answer()).rejects.toThrow('closed before');
  expect(await faults()).toBe(1);
  other.send(post('good'));
  expect((await other.answer()).status).toBe(200);
  other.send(post('throws'));
  await other.closed();
  expect(await faults()).toBe(2);
  expect((await askRaw(url, get)).status).toBe(200);
});

it('a message on a WebSocket', async () => {
  const socket = new WebSocket(url.replace('http', 'ws') + '/socket', { headers: { authorization: 'Bearer good' } });
  await new Promise((resolve) => socket.once('open', resolve));
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.send('text');
  await closed;
  expect(await faults()).toBe(1);
  expect((await askRaw(url, get)).status).toBe(200);
});

it('a broken request behind a good one is answered after it, and the good one’s answer is not lost', async () => {
  const connection = await openRawConnection(url);
  connection.send(`${post('good')}garbage\r\n\r\n`);
  expect((await connection.answer()).status).toBe(200);
  expect((await connection.answer()).status).toBe(400);
  await connection.closed();
});

it.each(['on', 'off'] as const)(
  'nothing comes after an answer that closes the connection (direct posts: %s)',
  async (directPosts) => {
    await app.close();
    await start(directPosts);
    const connection = await openRawConnection(url);
    const refused = post('good').replace('\r\n', '\r\nHost: two\r\n');
    connection.send(`${refused}${get.replace('\r\n', '\r\nTransfer-Encoding: identity\r\n')}`);
    expect((await connection.answer()).text).toContain('one Host header');
    await expect(connection.answer()).rejects.toThrow('closed before');
  },
);
