// Work in hand is not lost work: two nodes on PostgreSQL, a real RabbitMQ, and workers of others that hold their messages for
// long. Time is what the test says it is.
import { randomUUID } from 'node:crypto';
import { openAmqpBroker } from '@weft/broker';
import { TaskType } from '@weft/contract';
import { type Channel, type ChannelModel, connect } from 'amqplib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { databaseKinds, openTwoNodes } from '../../../../../test/databases.ts';
import { newJob } from '../../../../../test/pure/stored-records.ts';
import { untilSo } from '../../../../../test/pure/until-so.ts';
import { findRabbit, startRabbit, type TestRabbit } from '../../../../../test/rabbitmq.ts';
import { generateSecret, Keyring } from '../../base/secrets.ts';
import { MailboxService } from '../mailbox/mailbox-service.ts';
import { MailboxStore } from '../mailbox/mailbox-store.ts';
import { JobStore } from '../store/job-store.ts';
import { QueueConsumers } from '../store/queue-consumers.ts';
import { CallbackTokens } from './callback-tokens.ts';
import { JobOutbox } from './job-outbox.ts';
import { QueueWatch } from './queue-watch.ts';

const minute = 60_000;
const kinds = { agent_details: 'agent_details', agent_data: 'agent_data', emulator_spinup: 'emulator' } as const;
type Kind = keyof typeof kinds;

describe.skipIf(inject('postgresUrl') === undefined || findRabbit() === undefined)('on RabbitMQ', () => {
  let rabbit: TestRabbit;
  let nodes: Awaited<ReturnType<typeof openNode>>[];
  let databases: Awaited<ReturnType<typeof openTwoNodes>>;
  let namespace: string;
  let aheadMs: number;
  /** Of what consumers of Weft hold. */
  let over: PromiseWithResolvers<void>;
  let admin: { model: ChannelModel; channel: Channel };
  const closing: (() => Promise<unknown>)[] = [];
  const now = () => Date.now() + aheadMs;

  beforeAll(async () => {
    rabbit = await startRabbit();
  });
  afterAll(() => rabbit.stop());
  beforeEach(async () => {
    aheadMs = 0;
    over = Promise.withResolvers();
    namespace = `test-${randomUUID()}`;
    databases = await openTwoNodes(databaseKinds.postgres);
    nodes = [await openNode(0), await openNode(1)];
    admin = await connectTo();
  });
  afterEach(async () => {
    over.resolve();
    for (const close of closing.splice(0).reverse()) await close().catch(() => {});
    await databases.remove();
  });

  async function connectTo() {
    const model = await connect(rabbit.url);
    model.on('error', () => undefined);
    const channel = await model.createChannel();
    channel.on('error', () => undefined);
    closing.push(() => model.close());
    return { model, channel };
  }

  async function openNode(index: 0 | 1) {
    const db = databases.nodes[index];
    const keyring = new Keyring(generateSecret());
    const sent: string[] = [];
    const broker = openAmqpBroker({
      url: rabbit.url,
      namespace,
      queues: TaskType.enum,
      deliveryLimit: 4,
      onEvent: ({ kind, queue, agoMs }) => {
        if (kind === 'queue_lost') outbox.queueLost(queue!, agoMs);
      },
    });
    const jobs = new JobStore(db);
    const outbox = new JobOutbox({
      jobs,
      broker: {
        publish: async (queue, body, options) => {
          await broker.publish(queue, body, options);
          sent.push(options.id);
        },
      },
      tokens: new CallbackTokens(keyring),
      keyring,
      onUnreadable: () => {},
      onChange: () => {},
      now,
    });
    const problems: unknown[] = [];
    const watch = new QueueWatch({
      jobs,
      broker,
      consumers: new QueueConsumers(db),
      retakeMs: 60 * minute,
      onLost: () => {},
      onError: (error) => problems.push(error),
      now,
    });
    closing.push(async () => {
      await outbox.stop();
      await watch.stop();
      await broker.close();
    });
    await untilSo(() => broker.check());
    const mailbox = new MailboxService({ mailbox: new MailboxStore(db), retentionMs: minute, now });
    return { broker, jobs, outbox, watch, mailbox, sent, problems };
  }

  /** So much time passes on all nodes, with all that they do by themselves. */
  async function later(ms: number, stepMs = 5_000): Promise<void> {
    for (let passed = 0; passed < ms; passed += stepMs) {
      aheadMs += stepMs;
      for (const { watch, outbox } of nodes) {
        await watch.look();
        await outbox.sweep();
      }
    }
    expect(nodes.flatMap(({ problems }) => problems)).toEqual([]);
  }

  const sent = () => nodes.flatMap((node) => node.sent).toSorted();
  const nameOf = (kind: Kind) => `${namespace}.${kind}`;
  async function publish(kind: Kind, ...numbers: string[]): Promise<void> {
    for (const job_number of numbers) {
      const given = {
        task_type: kind,
        published_at: null,
        created_at: now(),
        publish_after: now(),
        expires_at: now() + 1e9,
      };
      await nodes[0]!.jobs.create(newJob(job_number, given));
    }
    await nodes[0]!.outbox.sweep();
  }
  const post = (kind: Kind, job_number: string, elements: unknown[], more = {}) =>
    nodes[1]!.mailbox.post(
      { job_number, task_type: kind, owner_id: 'ada' },
      {
        ...{ kind: kinds[kind], data: JSON.stringify(elements), isEmpty: elements.length === 0, isByWorker: true },
        ...{ final: false, chunk: null, error: undefined, progress: undefined, ...more },
      },
    );

  /** A worker of somebody else: it takes all messages, and acknowledges them when the test says so. */
  async function stranger(kind: Kind) {
    const { model, channel } = await connectTo();
    const taken: string[] = [];
    const { consumerTag } = await channel.consume(nameOf(kind), (message) => {
      if (message) taken.push(message.properties.messageId);
    });
    return {
      taken,
      acknowledge: async () => channel.ackAll(),
      leave: async () => {
        await channel.cancel(consumerTag);
        await model.close();
      },
    };
  }

  test('20 jobs in the hands of a slow worker of others stay 20 messages', async () => {
    const worker = await stranger('agent_data');
    const jobs = Array.from({ length: 20 }, (_, n) => `job-${n + 10}`);
    await publish('agent_data', ...jobs);
    await untilSo(() => expect(worker.taken).toEqual(jobs));
    await later(20 * minute, 15_000);
    expect(worker.taken).toEqual(jobs);
    expect(sent()).toEqual(jobs);
    for (const { watch } of nodes) expect(watch.isStill).toBe(false);
    await post('agent_data', 'job-10', [1], { final: true });
    expect((await nodes[0]!.jobs.get('job-10'))?.state).toBe('succeeded');
  });

  test('two nodes and a purge: the jobs are sent again once, those of a kind that waits elsewhere are not', async () => {
    await publish('agent_data', 'a', 'b');
    await publish('agent_details', 'c');
    await admin.channel.purgeQueue(nameOf('agent_data'));
    await later(2 * minute);
    expect(sent()).toEqual(['a', 'a', 'b', 'b', 'c']);
    expect(await nodes[0]!.broker.depth('agent_data')).toEqual({ ready: 2, consumers: 0 });
    for (const { watch } of nodes) expect(watch.isStill).toBe(true);
  });

  test('a purge under a consumer of Weft: it is known as one of Weft on every node', async () => {
    await nodes[1]!.broker.consume('agent_data', { prefetch: 1 }, () => over.promise);
    await untilSo(() => expect(nodes[1]!.broker.consuming('agent_data')).toBe(1));
    await publish('agent_data', 'held', 'lost');
    await untilSo(async () => expect(await nodes[0]!.broker.depth('agent_data')).toEqual({ ready: 1, consumers: 1 }));
    await nodes[0]!.jobs.claim('held', 'worker', now(), 60 * minute);
    await admin.channel.purgeQueue(nameOf('agent_data'));
    await later(2 * minute);
    expect(sent()).toEqual(['held', 'lost', 'lost']);
  });

  test('a consumer of a node that was killed counts as somebody else’s, until the broker knows', async () => {
    await nodes[1]!.broker.consume('agent_data', { prefetch: 1 }, () => over.promise);
    await untilSo(() => expect(nodes[1]!.broker.consuming('agent_data')).toBe(1));
    await publish('agent_data', 'held');
    await untilSo(async () => expect(await nodes[0]!.broker.depth('agent_data')).toEqual({ ready: 0, consumers: 1 }));
    await nodes[1]!.watch.look();
    nodes = [nodes[0]!];
    await later(5 * minute);
    expect(sent()).toEqual(['held']);
  });

  test('a younger job of another kind is sent again while the oldest of all is in hand', async () => {
    const worker = await stranger('agent_details');
    await publish('agent_details', 'old');
    await untilSo(() => expect(worker.taken).toEqual(['old']));
    await publish('agent_data', 'young');
    await admin.channel.purgeQueue(nameOf('agent_data'));
    await later(minute);
    expect(sent()).toEqual(['old', 'young', 'young']);
  });

  test('a run is sent again that was purged, also one that an emulator of Weft had begun', async () => {
    await publish('emulator_spinup', 'begun', 'new');
    await nodes[0]!.jobs.claim('begun', 'emulator', now(), 30_000);
    await post('emulator_spinup', 'begun', [{ event: 'started' }], { chunk: 1 });
    await later(minute);
    await nodes[0]!.jobs.republishAbandoned('emulator_spinup', now());
    await later(5_000);
    expect(sent()).toEqual(['begun', 'begun', 'new']);
    await admin.channel.purgeQueue(nameOf('emulator_spinup'));
    await later(minute);
    expect(sent()).toEqual(['begun', 'begun', 'begun', 'new', 'new']);
    expect(await nodes[0]!.jobs.claim('begun', 'emulator-2', now(), 30_000)).toBeDefined();
  });

  test('what is in hand is sent again after an hour without a word; an empty or repeated part is one', async () => {
    const worker = await stranger('agent_data');
    await publish('agent_data', 'alive', 'repeats', 'silent');
    await untilSo(() => expect(worker.taken).toHaveLength(3));
    // The rest of the work is stored: its messages are done with.
    await worker.acknowledge();
    await worker.leave();
    const other = await stranger('agent_data');
    const repeated = { chunk: 1 };
    await post('agent_data', 'repeats', [1], repeated);
    for (let round = 0; round < 5; round++) {
      await post('agent_data', 'alive', []);
      await post('agent_data', 'repeats', [1], repeated);
      // None of Weft's workers takes it from the one who has it, whatever message comes.
      expect(await nodes[0]!.jobs.claim('alive', 'worker', now(), 1000)).toBeUndefined();
      await later(30 * minute, 5 * minute);
    }
    expect(sent().filter((job) => job !== 'silent')).toEqual(['alive', 'repeats']);
    await later(35 * minute, 5 * minute);
    expect(sent().filter((job) => job !== 'silent')).toEqual(['alive', 'alive', 'repeats', 'repeats']);
    await untilSo(() => expect(new Set(other.taken)).toEqual(new Set(['alive', 'repeats', 'silent'])));
  });

  test('messages that wait for hours because nobody works are not doubled', async () => {
    await publish('agent_data', 'a');
    await later(3 * 60 * minute, 5 * minute);
    expect(sent()).toEqual(['a']);
    expect(await nodes[1]!.broker.depth('agent_data')).toMatchObject({ ready: 1 });
  });

  test('a queue deleted and created again: all that was in it is sent again, once', async () => {
    await publish('agent_data', 'a', 'b');
    await admin.channel.deleteQueue(nameOf('agent_data'));
    await later(20_000);
    expect(sent()).toEqual(['a', 'a', 'b', 'b']);
    // Under the consumers of both.
    const taken: string[] = [];
    for (const { broker } of nodes) {
      await broker.consume('agent_details', { prefetch: 9 }, async ({ id }) => void taken.push(id));
    }
    await untilSo(() => expect(nodes.map(({ broker }) => broker.consuming('agent_details'))).toEqual([1, 1]));
    await publish('agent_details', 'c');
    await untilSo(() => expect(taken).toEqual(['c']));
    await admin.channel.deleteQueue(nameOf('agent_details'));
    await untilSo(async () => expect(await nodes[0]!.broker.depth('agent_details')).toMatchObject({ consumers: 2 }));
    await later(20_000);
    expect(sent().filter((job) => job === 'c')).toEqual(['c', 'c']);
  });

  test('a restart of RabbitMQ with a job in somebody else’s hand: nothing is sent again, one result', async () => {
    const worker = await stranger('agent_data');
    await publish('agent_data', 'held');
    await untilSo(() => expect(worker.taken).toEqual(['held']));
    await rabbit.pause();
    await later(minute);
    await rabbit.start();
    await untilSo(async () => {
      for (const { broker } of nodes) expect(await broker.depth('agent_data')).toMatchObject({ ready: 1 });
    });
    const again = await stranger('agent_data');
    await untilSo(() => expect(again.taken).toEqual(['held']));
    await later(5 * minute);
    await post('agent_data', 'held', [1], { chunk: 1, final: true });
    await again.acknowledge();
    await later(2 * minute);
    expect(sent()).toEqual(['held']);
    expect(await nodes[0]!.mailbox.list('held', 0, 1e6)).toMatchObject([{ seq: 1, data: '[1]', final: true }]);
    expect(await nodes[0]!.broker.depth('agent_data')).toMatchObject({ ready: 0 });
  });
});
