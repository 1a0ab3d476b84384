import { randomUUID } from 'node:crypto';
import { connect } from 'amqplib';
import { describe, inject } from 'vitest';
import { openAmqpBroker } from './broker.amqp.ts';
import { type BrokerFixture, DELIVERY_LIMIT, describeBroker, QUEUES } from './broker.contract.ts';
import { openMemoryBroker } from './broker.memory.ts';
import type { Broker } from './broker.ts';

const basics = { queues: QUEUES, deliveryLimit: DELIVERY_LIMIT };
const amqpUrl = inject('amqpUrl');

describe('in memory', () => {
  describeBroker(async (): Promise<BrokerFixture> => {
    const opened: Broker[] = [];
    return {
      isDurable: false,
      open: (options) => {
        const broker = openMemoryBroker({ ...basics, ...options });
        opened.push(broker);
        return broker;
      },
      remove: async () => {
        await Promise.all(opened.map((broker) => broker.close()));
      },
    };
  });
});

describe.skipIf(amqpUrl === undefined)('on amqp', () => {
  describeBroker(async (): Promise<BrokerFixture> => {
    const namespace = `test-${randomUUID()}`;
    const opened: Broker[] = [];
    return {
      isDurable: true,
      open: (options) => {
        const broker = openAmqpBroker({ url: amqpUrl!, namespace, ...basics, ...options });
        opened.push(broker);
        return broker;
      },
      remove: async () => {
        await Promise.all(opened.map((broker) => broker.close()));
        const model = await connect(amqpUrl!);
        const channel = await model.createChannel();
        for (const queue of QUEUES) await channel.deleteQueue(`${namespace}.${queue}`);
        await channel.deleteQueue(`${namespace}.dead`);
        for (const name of ['', '.dead', '.news']) await channel.deleteExchange(`${namespace}${name}`);
        await model.close();
      },
    };
  });
});
