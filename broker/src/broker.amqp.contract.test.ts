// What only a server somewhere else can do: be away, refuse, fall silent, lose a queue, run out of memory.
import { randomUUID } from 'node:crypto';
import { type Channel, type ChannelModel, connect } from 'amqplib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { findRabbit, startRabbit, type TestRabbit } from '../../test/rabbitmq.ts';
import { startTcpProxy, type TcpProxy } from '../../test/tcp-proxy.ts';
import { type AmqpBrokerOptions, openAmqpBroker } from './broker.amqp.ts';
import { textOf } from './broker.contract.ts';
import type { Broker, BrokerEvent, Delivery } from './broker.ts';

const UNAVAILABLE = { name: 'BrokerUnavailable' };
const soon = { timeout: 180_000, interval: 10 };

test('an address that cannot be read is refused without repeating it', () => {
  for (const url of ['amqp://weft:s3cret@[bad/x', 'http://weft:s3cret@host', 's3cret']) {
    const open = () => openAmqpBroker({ url, queues: ['work'], deliveryLimit: 3 });
    expect(open).toThrow('form amqp://');
    expect(open).not.toThrow('s3cret');
  }
});

describe.skipIf(findRabbit() === undefined)('with a server of its own', () => {
  let server: TestRabbit;
  let proxy: TcpProxy;
  let namespace: string;
  let opened: Broker[];
  let events: BrokerEvent[];
  /** A connection past the proxy, for looking and for doing damage. */
  let admin: { model: ChannelModel; channel: Channel };

  const addressOf = (change: (url: URL) => void = () => undefined) => {
    const url = new URL(server.url);
    url.port = String(proxy.port);
    change(url);
    return url.href;
  };
  const open = (options: Partial<AmqpBrokerOptions> = {}) => {
    const broker = openAmqpBroker({
      url: addressOf(),
      namespace,
      queues: ['work', 'other'],
      deliveryLimit: 3,
      onEvent: (event) => events.push(event),
      ...options,
    });
    opened.push(broker);
    return broker;
  };
  const publish = (broker: Broker, id: string) => broker.publish('work', Buffer.from(`body of ${id}`), { id });
  const collect = async (broker: Broker) => {
    const ids: string[] = [];
    await broker.consume('work', { prefetch: 10 }, async ({ id }) => void ids.push(id));
    return ids;
  };
  const kinds = () => events.map(({ kind }) => kind);
  const connectAdmin = async () => {
    const model = await connect(server.url);
    model.on('error', () => undefined);
    const channel = await model.createChannel();
    channel.on('error', () => undefined);
    admin = { model, channel };
  };

  beforeAll(async () => {
    server = await startRabbit();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    namespace = `test-${randomUUID()}`;
    opened = [];
    events = [];
    proxy = await startTcpProxy(Number(new URL(server.url).port));
    await connectAdmin();
  });
  afterEach(async () => {
    await Promise.all(opened.map((broker) => broker.close()));
    await proxy.close();
    await admin.model.close().catch(() => undefined);
  });

  test('a connection cut between publishing and confirmation is no success; publishing again is', async () => {
    const broker = open();
    await broker.check();
    let hasSeen = false;
    proxy.onClientBytes = (bytes, cut) => {
      if (!bytes.includes('body of a')) return;
      hasSeen = true;
      cut();
    };
    await expect(publish(broker, 'a')).rejects.toMatchObject(UNAVAILABLE);
    expect(hasSeen).toBe(true);
    proxy.onClientBytes = undefined;
    await vi.waitFor(() => publish(broker, 'a'), soon);
    expect(await broker.depth('work')).toMatchObject({ ready: 1 });
  });

  test('a confirmation that does not come in time is no success', async () => {
    const broker = open({ publishTimeoutMs: 2000 });
    await broker.check();
    proxy.freeze();
    await expect(publish(broker, 'a')).rejects.toThrow('no confirmation in 2000 ms');
  });

  test('a consumer whose connection is cut gets the message again, and its late success does no harm', async () => {
    const broker = open();
    const seen: Delivery[] = [];
    const gate = Promise.withResolvers<void>();
    await broker.consume('work', { prefetch: 1 }, async (delivery) => {
      seen.push(delivery);
      if (seen.length === 1) await gate.promise;
    });
    await publish(broker, 'a');
    await vi.waitFor(() => expect(seen.length).toBe(1), soon);
    proxy.cutAll();
    await vi.waitFor(() => expect(seen.length).toBe(2), soon);
    expect(seen.map(({ redeliveries }) => redeliveries)).toEqual([0, 1]);
    gate.resolve();
    await vi.waitFor(() => publish(broker, 'b'), soon);
    await vi.waitFor(() => expect(seen.map(({ id }) => id)).toEqual(['a', 'a', 'b']), soon);
  });

  test('a queue deleted under its consumer is made anew, which is told, and the consumer goes on', async () => {
    const broker = open();
    const ids = await collect(broker);
    await publish(broker, 'a');
    await vi.waitFor(() => expect(ids).toEqual(['a']), soon);
    events = [];
    await admin.channel.deleteQueue(`${namespace}.work`);
    await vi.waitFor(() => expect(kinds()).toContain('queue_lost'), soon);
    await publish(broker, 'b');
    await vi.waitFor(() => expect(ids).toEqual(['a', 'b']), soon);
    expect(events).toContainEqual(expect.objectContaining({ kind: 'queue_lost', queue: 'work' }));
  });

  test('a queue deleted before publishing is made anew, and has the message', async () => {
    const broker = open();
    await publish(broker, 'a');
    await admin.channel.deleteQueue(`${namespace}.work`);
    events.length = 0;
    await publish(broker, 'b');
    expect(await broker.depth('work')).toMatchObject({ ready: 1 });
    expect(kinds()).toEqual(['queue_lost']);
    expect(await collect(broker)).toEqual([]);
  });

  test('a queue that `depth` finds deleted is made anew, which is told with the time', async () => {
    const broker = open();
    await publish(broker, 'a');
    await admin.channel.deleteQueue(`${namespace}.work`);
    events.length = 0;
    await vi.waitFor(async () => expect(await broker.depth('work')).toEqual({ ready: 0, consumers: 0 }), soon);
    expect(events).toMatchObject([{ kind: 'queue_lost', queue: 'work', agoMs: expect.any(Number) }]);
  });

  test('an exchange deleted is made anew', async () => {
    const broker = open();
    await publish(broker, 'a');
    await admin.channel.deleteExchange(namespace);
    await vi.waitFor(() => publish(broker, 'b'), soon);
    expect(await broker.depth('work')).toMatchObject({ ready: 2 });
  });

  test('of several addresses, one that answers is enough; if it goes, another one is used', async () => {
    const other = await startTcpProxy(Number(new URL(server.url).port));
    const dead = await startTcpProxy(1);
    await dead.close();
    const hosts = [dead, proxy, other].map(({ port }) => `127.0.0.1:${port}`).join(',');
    const broker = open({ url: `amqp://guest:guest@${hosts}` });
    const ids = await collect(broker);
    await publish(broker, 'a');
    await vi.waitFor(() => expect(ids).toEqual(['a']), soon);
    await proxy.close();
    await vi.waitFor(() => publish(broker, 'b'), soon);
    await vi.waitFor(() => expect(ids).toContain('b'), soon);
    await other.close();
    await vi.waitFor(() => expect(broker.check()).rejects.toThrow(`RabbitMQ at ${hosts}/ is unavailable: `), soon);
  });

  test('a server that is killed is an outage; when it is back all goes on, and nothing is lost', async () => {
    const broker = open();
    const onGap = vi.fn();
    broker.listen(() => undefined, onGap);
    await publish(broker, 'before');
    await vi.waitFor(() => expect(onGap).toHaveBeenCalledTimes(1), soon);
    await server.crash();
    await vi.waitFor(() => expect(kinds()).toContain('lost'), soon);
    await expect(publish(broker, 'during')).rejects.toMatchObject(UNAVAILABLE);
    await expect(broker.check()).rejects.toThrow(`RabbitMQ at 127.0.0.1:${proxy.port}/ is unavailable: `);
    expect(await broker.depth('work')).toBeUndefined();
    broker.broadcast('nobody hears this');
    const ids = await collect(broker);
    await server.start();
    await connectAdmin();
    await vi.waitFor(() => expect(ids).toEqual(['before']), soon);
    await vi.waitFor(() => publish(broker, 'after'), soon);
    await vi.waitFor(() => expect(ids).toEqual(['before', 'after']), soon);
    await vi.waitFor(() => expect(onGap).toHaveBeenCalledTimes(2), soon);
  });

  test('a server short of memory takes no messages and says so at once; consumers go on working', async () => {
    const before = open();
    for (const id of ['a', 'b']) await publish(before, id);
    await before.close();
    const broker = open({ publishTimeoutMs: 1_000 });
    await server.evaluate('vm_memory_monitor:set_vm_memory_high_watermark(0.0001)');
    try {
      await vi.waitFor(async () => {
        await publish(broker, 'c').catch(() => undefined);
        expect(kinds()).toContain('blocked');
      }, soon);
      await expect(publish(broker, 'd')).rejects.toThrow('it takes no messages now');
      await expect(broker.check()).rejects.toThrow('it takes no messages now');
      const ids = await collect(broker);
      await vi.waitFor(() => expect(ids.slice(0, 2)).toEqual(['a', 'b']), soon);
    } finally {
      await server.evaluate('vm_memory_monitor:set_vm_memory_high_watermark(0.4)');
    }
    await vi.waitFor(() => expect(kinds()).toContain('unblocked'), soon);
    await vi.waitFor(() => publish(broker, 'e'), soon);
    await broker.check();
  });

  test('a server that falls silent is given up, and found again', async () => {
    // Closed while it connects: nobody must be left behind to miss its heartbeats, and throw out of nowhere.
    await open({ heartbeatSeconds: 1 }).close();
    const broker = open({ heartbeatSeconds: 1, publishTimeoutMs: 200 });
    const ids = await collect(broker);
    await vi.waitFor(() => expect(kinds().filter((kind) => kind === 'connected').length).toBe(2), soon);
    proxy.freeze();
    await expect(publish(broker, 'a')).rejects.toMatchObject(UNAVAILABLE);
    await expect(broker.check()).rejects.toMatchObject(UNAVAILABLE);
    await vi.waitFor(() => expect(kinds().filter((kind) => kind === 'lost').length).toBe(2), soon);
    await vi.waitFor(() => publish(broker, 'b'), soon);
    await vi.waitFor(() => expect(ids).toContain('b'), soon);
  });

  test('a server that accepts and never answers does not hinder anybody, nor the end', async () => {
    proxy.isSilent = true;
    const broker = open({ connectTimeoutMs: 100 });
    const ids = await collect(broker);
    await expect(publish(broker, 'a')).rejects.toMatchObject(UNAVAILABLE);
    await expect(broker.check()).rejects.toMatchObject(UNAVAILABLE);
    proxy.isSilent = false;
    await vi.waitFor(() => publish(broker, 'b'), soon);
    await vi.waitFor(() => expect(ids).toEqual(['b']), soon);
    proxy.freeze();
    await broker.close();
  });

  test('wrong credentials and a virtual host that is not there are told by check, without secrets', async () => {
    const wrong = open({ url: addressOf((url) => Object.assign(url, { password: 's3cret' })) });
    const lost = open({ url: addressOf((url) => Object.assign(url, { pathname: '/nowhere' })) });
    const failure = await wrong.check().catch((error: unknown) => error);
    expect(failure).toMatchObject({ ...UNAVAILABLE, message: expect.stringContaining('ACCESS_REFUSED') });
    expect(String(failure) + JSON.stringify(failure) + JSON.stringify(events)).not.toContain('s3cret');
    await expect(lost.check()).rejects.toThrow('/nowhere is unavailable: the virtual host is not there');
    await expect(publish(wrong, 'a')).rejects.toMatchObject(UNAVAILABLE);
  });

  test('credentials may hold any characters; a user without rights is told so until it has them', async () => {
    const [name, password] = ['wéft/%', 'p@ss: wörd#?%41'];
    const text = (value: string) => `<<${[...Buffer.from(value)].join()}>>`;
    const users = 'ok = rabbit_auth_backend_internal';
    await server.evaluate(`${users}:add_user(${text(name)}, ${text(password)}, <<"tests">>)`);
    const url = addressOf((each) => {
      each.username = encodeURIComponent(name);
      each.password = encodeURIComponent(password);
    });
    const broker = open({ url });
    await expect(broker.check()).rejects.toThrow('this user may not use it');
    const all = Array(3).fill('<<".*">>').join();
    await server.evaluate(`${users}:set_permissions(${text(name)}, <<"/">>, ${all}, <<"tests">>)`);
    await vi.waitFor(() => publish(broker, 'a'), soon);
  });

  test('a queue that is there with other arguments is told by check; once it is gone all is well', async () => {
    await admin.channel.assertQueue(`${namespace}.other`, { durable: true });
    const broker = open();
    const ids = await collect(broker);
    await expect(broker.check()).rejects.toMatchObject({
      code: 'foreign_queue',
      message: expect.stringMatching(/other arguments; delete it.*PRECONDITION_FAILED/),
    });
    // Said at the first attempt, once for each connection, with its name; not when those who wait give up.
    await expect(broker.check()).rejects.toThrow();
    const said = events.filter(({ detail }) => detail.includes(`the queue ${namespace}.other is there`));
    expect(said.length).toBeGreaterThan(0);
    expect(said.length).toBeLessThanOrEqual(2);
    await expect(publish(broker, 'a')).rejects.toMatchObject(UNAVAILABLE);
    await admin.channel.deleteQueue(`${namespace}.other`);
    await vi.waitFor(() => publish(broker, 'a'), soon);
    await vi.waitFor(() => expect(ids).toEqual(['a']), soon);
  });

  test('a message of 10 MB arrives as it was', async () => {
    const broker = open();
    const body = Buffer.alloc(10_000_000, 'weft ');
    const seen: Delivery[] = [];
    await broker.consume('work', { prefetch: 1 }, async (delivery) => void seen.push(delivery));
    await broker.publish('work', body, { id: 'big' });
    await vi.waitFor(() => expect(seen.length).toBe(1), soon);
    expect(Buffer.compare(seen[0]!.body, body)).toBe(0);
  });

  test('messages of others, without an id, are handed out under a name of their own', async () => {
    const broker = open();
    const seen: Delivery[] = [];
    await broker.consume('work', { prefetch: 1 }, async (delivery) => void seen.push(delivery));
    await broker.check();
    admin.channel.publish(namespace, 'work', Buffer.from('hello'));
    await vi.waitFor(() => expect(seen.map(textOf)).toEqual(['hello']), soon);
    expect(seen[0]!.id).toMatch(/^unnamed-/);
  });

  test('news reach every other node; what one could not tell, the others notice', async () => {
    const [teller, ...listeners] = [open(), open({ url: server.url }), open({ url: server.url })];
    const heard = listeners.map((listener) => {
      const news: string[] = [];
      listener.listen(
        (text) => news.push(text),
        () => news.push('(gap)'),
      );
      return news;
    });
    await vi.waitFor(() => expect(heard).toEqual([['(gap)'], ['(gap)']]), soon);
    await teller!.check();
    // Told as soon as the channel is open; before that it may go unheard.
    await vi.waitFor(() => {
      teller!.broadcast('one');
      expect(heard[0]).toContain('one');
    }, soon);
    proxy.cutAll();
    await vi.waitFor(() => expect(kinds()).toContain('lost'), soon);
    teller!.broadcast('lost');
    for (const news of heard) news.length = 0;
    await vi.waitFor(() => {
      teller!.broadcast('two');
      for (const news of heard) expect(news.slice(0, 2)).toEqual(['(gap)', 'two']);
    }, soon);
  });
});
