// What bounds the channels: back-pressure, slow and silent clients, and one channel an agent on all nodes.
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  type ChannelServer,
  type ChannelServerOptions,
  startChannelServer,
} from '../../../../../../test/channel-server.ts';
import { untilSo } from '../../../../../../test/pure/until-so.ts';
import { bearer, connect } from '../../../../../../test/socket-client.ts';
import { startTcpProxy } from '../../../../../../test/tcp-proxy.ts';
import { ChannelFlow, SharedFlow } from './channel-flow.ts';
import type { ChannelNews } from './remote-channels.ts';

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const each of cleanUp.splice(0).reverse()) await each();
});

async function start(options: ChannelServerOptions = {}): Promise<ChannelServer> {
  const server = await startChannelServer(options);
  cleanUp.push(() => server.stop());
  return server;
}

const pathOf = (ap_id: string) => `/api/v1/agents/${ap_id}/channel`;

describe('back-pressure', () => {
  test('a channel with too much on its way is not read from; what it sent is stored once there is room', async () => {
    const gate = Promise.withResolvers<void>();
    let asked = 0;
    const server = await start({
      flowLimits: { messages: 20 },
      onAppend: async () => {
        asked++;
        await gate.promise;
      },
    });
    const { ap_id, token } = await server.agent('ap-1');
    const client = await connect(server.url, pathOf(ap_id), bearer(token));
    const count = 3000;
    const time = Date.now() - count;
    // Large ones, so that not all of them fit into what was read before the pause.
    const note = 'x'.repeat(4000);
    for (let n = 0; n < count; n++) {
      client.socket.send(`{"type":"telemetry","id":${n},"ts":${time + n},"load":${n},"note":"${note}"}`);
    }
    await untilSo(() => expect(asked).toBeGreaterThanOrEqual(20));
    // Whatever came in with the same read is taken; the megabytes behind it are not.
    await untilSo(() => expect(client.socket.bufferedAmount).toBeGreaterThan(500_000));
    expect(asked).toBeLessThan(200);
    gate.resolve();
    await untilSo(() => expect(client.texts.length).toBe(count));
    expect((await server.rowsOf(ap_id)).map(({ load }) => load)).toEqual(Array.from({ length: count }, (_, n) => n));
  });

  test('all channels together have a bound too; those that are held go on together', () => {
    const shared = new SharedFlow({ messages: 10, bytes: 1000, sharedBytes: 1500 });
    const events: string[] = [];
    const flowOf = (name: string) =>
      new ChannelFlow(shared, { pause: () => events.push(`${name} stops`), resume: () => events.push(`${name} goes`) });
    const [a, b] = [flowOf('a'), flowOf('b')];
    a.begin(900);
    b.begin(700);
    expect(events).toEqual(['b stops']);
    a.begin(10);
    expect(events).toEqual(['b stops', 'a stops']);
    a.end(900);
    expect(events).toEqual(['b stops', 'a stops', 'a goes']);
    b.end(700);
    expect(events).toEqual(['b stops', 'a stops', 'a goes', 'b goes']);
    expect(shared.bytes).toBe(10);
    a.peerNotReading = true;
    a.end(10);
    expect(events.at(-1)).toBe('a stops');
    a.peerNotReading = false;
    expect(events.at(-1)).toBe('a goes');
  });

  test('a command that is cancelled before a slow agent has room for it is never sent', async () => {
    const server = await start();
    const agent = await server.agent('ap-slow');
    const client = await connect(server.url, pathOf(agent.ap_id), bearer(agent.token));
    client.connection.pause();
    server.ledger.handsOver = false;
    // Far more than the connection and the channel hold together.
    const filler = 'x'.repeat(200_000);
    const ids = Array.from({ length: 60 }, (_, n) => server.ledger.send(agent, `c${n}`, { filler }));
    await untilSo(() => expect(server.ledger.of('ap-slow').some(({ state }) => state === 'sent')).toBe(true));
    const last = ids.at(-1)!;
    expect(server.ledger.commands.get(last)!.state).toBe('queued');
    server.ledger.cancel(last);
    client.connection.resume();
    const received = () => client.messages.filter(({ type }) => type === 'command').map(({ command_id }) => command_id);
    await untilSo(() => expect(received()).toEqual(ids.slice(0, -1)));
    const next = server.ledger.send(agent, 'next');
    await untilSo(() => expect(received()).toEqual([...ids.slice(0, -1), next]));
  });

  test('an agent that does not take its commands is given no more than it can hold, and cut off with 4408', async () => {
    const server = await start({ times: { sweepMs: 20, stallMs: 300 } });
    const agent = await server.agent('ap-1');
    const client = await connect(server.url, pathOf(agent.ap_id), bearer(agent.token));
    client.connection.pause();
    const text = 'x'.repeat(60_000);
    for (let n = 0; n < 500; n++) server.ledger.send(agent, 'say', { text });
    await untilSo(() => expect(server.hub.cutOff).toBe(1));
    const sent = server.ledger.of(agent.ap_id).filter(({ state }) => state === 'sent').length;
    expect(sent).toBeGreaterThan(0);
    expect(sent).toBeLessThan(300);
    await untilSo(() => expect(server.hub.openChannels).toBe(0));
    client.connection.resume();
  });
});

test('J17 a peer that has vanished is forgotten', async () => {
  const server = await start({ times: { sweepMs: 20, pingMs: 50, pongMs: 200 } });
  const proxy = await startTcpProxy(server.port);
  cleanUp.push(() => proxy.close());
  const { ap_id, token } = await server.agent('ap-1');
  await connect(`http://127.0.0.1:${proxy.port}`, pathOf(ap_id), bearer(token));
  expect(server.hub.isConnected(ap_id)).toBe(true);
  proxy.freeze();
  await untilSo(() => expect(server.hub.openChannels).toBe(0));
});

describe('on several nodes', () => {
  /** Nodes that hear of each other's news; agents of the same name and id on both stand for shared accounts. */
  async function startTwo() {
    const nodes: ChannelServer[] = [];
    const broadcastFrom = (index: number) => (news: ChannelNews) => {
      for (const [other, node] of nodes.entries())
        if (other !== index) queueMicrotask(() => node.hub.heard(JSON.stringify(news)));
    };
    for (const index of [0, 1]) nodes.push(await start({ broadcast: broadcastFrom(index) }));
    const [first, second] = nodes as [ChannelServer, ChannelServer];
    const tokens = [(await first.agent('ap-1')).token, (await second.agent('ap-1')).token];
    const openOn = (index: 0 | 1) => connect(nodes[index]!.url, pathOf('ap-1'), bearer(tokens[index]!));
    return { first, second, openOn };
  }

  test('the newest channel wins, wherever it is, and every node knows that there is one', async () => {
    const { first, second, openOn } = await startTwo();
    const older = await openOn(0);
    expect([first.hub.isConnected('ap-1'), second.hub.isConnected('ap-1')]).toEqual([true, true]);
    expect([first.hub.isHere('ap-1'), second.hub.isHere('ap-1')]).toEqual([true, false]);
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
    try {
      const newer = await openOn(1);
      expect((await older.closed).code).toBe(4409);
      expect(newer.socket.readyState).toBe(newer.socket.OPEN);
      newer.socket.close();
      await newer.closed;
    } finally {
      vi.restoreAllMocks();
    }
    await untilSo(() => expect([first, second].some(({ hub }) => hub.isConnected('ap-1'))).toBe(false));
  });

  test('of two that were opened at the same time exactly one is left', async () => {
    const { openOn } = await startTwo();
    const both = await Promise.all([openOn(0), openOn(1)]);
    const loser = await Promise.race(both.map((client) => client.closed.then(() => client)));
    expect((await loser.closed).code).toBe(4409);
    const winner = both.find((client) => client !== loser)!;
    winner.socket.send('{"type":"telemetry","id":1,"load":1}');
    await untilSo(() => expect(winner.messages).toEqual([{ type: 'telemetry_ack', id: 1, accepted: 1 }]));
  });

  test('an agent that is deleted on one node loses its channel on the other', async () => {
    const { first, openOn } = await startTwo();
    const client = await openOn(1);
    await first.agents.remove('ap-1', first.admin);
    expect((await client.closed).code).toBe(4401);
  });
});
