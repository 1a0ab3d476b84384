import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'amqplib';
import { describe, inject } from 'vitest';
import { openAmqpBroker } from './broker.amqp.ts';
import { type BrokerFixture, DELIVERY_LIMIT, describeBroker, QUEUES } from './broker.contract.ts';
import { openSqliteBroker } from './broker.sqlite.ts';
import type { Broker } from './broker.ts';

const basics = { queues: QUEUES, deliveryLimit: DELIVERY_LIMIT };
const amqpUrl = inject('amqpUrl');

describe('on sqlite', () => {
  describeBroker(async (): Promise<BrokerFixture> => {
    const folder = mkdtempSync(join(tmpdir(), 'weft-broker-'));
    const opened: Broker[] = [];
    return {
      open: (options) => {
        const broker = openSqliteBroker({ file: join(folder, 'broker.db'), ...basics, ...options });
        opened.push(broker);
        return broker;
      },
      remove: async () => {
        await Promise.all(opened.map((broker) => broker.close()));
        rmSync(folder, { recursive: true, force: true });
      },
    };
  });
});

describe.skipIf(amqpUrl === undefined)('on amqp', () => {
  describeBroker(async (): Promise<BrokerFixture> => {
    const namespace = `test-${randomUUID()}`;
    const opened: Broker[] = [];
    return {
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
