// What nodes tell each other arrives once, whichever of them reaches the broker.
import { randomUUID } from 'node:crypto';
import { openAmqpBroker } from '@weft/broker';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { Agent } from '../../../../sdk/src/index.ts';
import { databaseKinds } from '../../../../test/databases.ts';
import { startTcpProxy } from '../../../../test/tcp-proxy.ts';
import { password, startWeft } from '../../../../test/weft.ts';
import { NodeNews } from './node-news.ts';
import { generateSecret } from './secrets.ts';

const [postgresUrl, amqpUrl] = [inject('postgresUrl'), inject('amqpUrl')];

async function createDatabase(): Promise<string> {
  const namespace = await databaseKinds.postgres.createNamespace();
  onTestFinished(() => namespace.remove());
  return namespace.address;
}

/** A node whose way to RabbitMQ can be cut. */
async function openNode(databaseUrl: string, namespace: string) {
  const url = new URL(amqpUrl!);
  const proxy = await startTcpProxy(Number(url.port));
  url.port = String(proxy.port);
  const broker = openAmqpBroker({ url: url.href, namespace, queues: ['work'], deliveryLimit: 3 });
  const news = new NodeNews({ broker, databaseUrl });
  const node = { broker, news, proxy, heard: [] as string[], gaps: 0 };
  news.listen(
    (text) => node.heard.push(text),
    () => void node.gaps++,
  );
  onTestFinished(async () => {
    await news.close();
    await broker.close();
    await proxy.close();
  });
  return node;
}

describe.skipIf(postgresUrl === undefined || amqpUrl === undefined)('news between nodes', () => {
  test('arrive once while one of them, and while both, do not reach the broker, and afterwards', async () => {
    const [databaseUrl, namespace] = [await createDatabase(), randomUUID()];
    const nodes = [await openNode(databaseUrl, namespace), await openNode(databaseUrl, namespace)] as const;
    const reach = async (...expected: boolean[]) => {
      for (const [index, isReached] of expected.entries()) {
        const { proxy, broker } = nodes[index]!;
        proxy.isSilent = !isReached;
        if (!isReached) proxy.cutAll();
        await expect.poll(() => broker.tells).toBe(isReached);
      }
    };
    // Until the other one has said that it does not hear the broker, news are lost, which its gap tells it.
    const tellBoth = async (what: string) => {
      for (const [index, { news }] of nodes.entries()) {
        const other = nodes[1 - index]!;
        let count = 0;
        const isHeard = () => {
          news.broadcast(`${what} ${count++}`);
          return other.heard.some((text) => text.startsWith(what));
        };
        await expect.poll(isHeard).toBe(true);
      }
    };
    await reach(true, true);
    await tellBoth('both');
    const gaps = nodes[0].gaps;
    await reach(false, true);
    await tellBoth('one');
    await expect.poll(() => nodes[0].gaps).toBeGreaterThan(gaps);
    await reach(false, false);
    await tellBoth('none');
    await reach(true, true);
    await tellBoth('again');
    for (const { heard } of nodes) {
      expect(new Set(heard).size).toBe(heard.length);
    }
  });

  test('what comes over the broker just before that is gone, and over the database just after, arrives once', async () => {
    const databaseUrl = await createDatabase();
    const heard: string[] = [];
    let overBroker: (text: string) => void = () => {};
    const lost = { tells: false, broadcast: () => {}, listen: (onNews: typeof overBroker) => (overBroker = onNews) };
    const there = new NodeNews({ broker: lost, databaseUrl });
    there.listen(
      (text) => heard.push(text),
      () => {},
    );
    const here = new NodeNews({
      broker: { tells: true, broadcast: (text) => overBroker(text), listen: () => {} },
      databaseUrl,
    });
    onTestFinished(async () => {
      await here.close();
      await there.close();
    });
    // Until that node has heard over the database, too: the last ones then came both ways.
    const onlyThere: string[] = [];
    let count = 0;
    await expect
      .poll(() => {
        const way = overBroker;
        if (count % 2 === 0) overBroker = () => {};
        here.broadcast(String(count++));
        overBroker = way;
        onlyThere.push(...heard.filter((text) => Number(text) % 2 === 0));
        return onlyThere.length;
      })
      .toBeGreaterThan(3);
    expect(heard.length).toBe(new Set(heard).size);
  });

  test.each([
    ['without a broker', { WEFT_AMQP_URL: 'amqp://guest:guest@127.0.0.1:1' }],
    // Each has a broker of its own that says that all is well.
    ['though all news between them are lost', {}],
  ])('a command crosses nodes %s', async (_, settings) => {
    const shared = { WEFT_DATABASE_URL: await createDatabase(), WEFT_SECRET: generateSecret(), ...settings };
    const [here, there] = [await startWeft(shared), await startWeft(shared)];
    onTestFinished(async () => {
      await here.stop();
      await there.stop();
    });
    const token = await here.admin();
    await here.agent('ap-1');
    const obeyed: unknown[] = [];
    const agent = new Agent({ url: there.url, ap_id: 'ap-1', password, onError: () => {} }).command('identify', () => {
      obeyed.push(Date.now());
      return {};
    });
    onTestFinished(() => agent.stop());
    await agent.start();
    for (let count = 1; count <= 3; count++) {
      const query = new URLSearchParams({ agent_id: 'ap-1', command: 'identify', hold_seconds: '0' });
      const sent = await here.request('POST', `/api/v1/send_command?${query}`, { token });
      expect(sent.status).toBe(200);
      await expect.poll(() => obeyed.length).toBe(count);
    }
  });
});
