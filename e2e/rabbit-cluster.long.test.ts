// Jobs over a RabbitMQ of three nodes with quorum queues, one of which is killed in the middle of a thousand jobs.
import { expect, inject, test } from 'vitest';
import { startRabbitCluster, type TestRabbitCluster } from '../test/rabbitmq.ts';
import { startOwnCluster } from './cluster.ts';
import { JobLedger, type LedgerJob } from './job-ledger.ts';
import { report } from './outage.ts';
import { adminUsername, eventually, password } from './weft-process.ts';

const isMissing = [inject('postgresUrl'), inject('amqpUrl')].includes(undefined);
const details = '/api/v1/agent_details/request_all_agents_details';
const jobs = 1_000;
const atOnce = 20;

test.skipIf(isMissing)(
  'the node that leads the queue is killed in the middle of 1,000 jobs: none is lost, none comes twice',
  { timeout: 900_000 },
  async () => {
    let rabbits: TestRabbitCluster | undefined;
    const cluster = await startOwnCluster({
      startRabbit: async () => {
        rabbits = await startRabbitCluster(3);
        return { ...rabbits.nodes[0]!, stop: rabbits.stop };
      },
      amqpUrl: () => rabbits!.url,
    });
    const [weft] = cluster.controllers;
    const token = (await weft!.login(adminUsername, password)).body.access_token as string;
    for (const ap_id of ['ap-1', 'ap-2']) {
      const json = { ap_id, password, configuration: {} };
      expect((await weft!.request('POST', '/api/v1/agents/', { token, json })).status).toBe(200);
    }
    const { leader, members } = await queueOf(rabbits!);
    expect(members).toHaveLength(3);

    const ledger = new JobLedger(() => cluster.url, token);
    let ended = 0;
    let longestMs = 0;
    const asking = Array.from({ length: atOnce }, async () => {
      while (ledger.jobs.length < jobs) {
        const startedMs = performance.now();
        const job = await ledger.ask(details);
        if (!job) continue;
        await ledger.follow(job, 120_000);
        longestMs = Math.max(longestMs, performance.now() - startedMs);
        ended++;
      }
    });
    const untilEnded = (count: number) =>
      eventually(
        async () => ended,
        (done) => done >= count,
      );
    await untilEnded(jobs / 4);
    const first = rabbits!.nodes.find(({ name }) => name === leader)!;
    await first.crash();
    await untilEnded(jobs / 2);
    // It comes back and catches up, while the others go on.
    await first.start();
    await Promise.all(asking);

    const wrong = ledger.jobs.filter(({ end, data }) => end !== 'succeeded' || !isWhole(data));
    report(
      `one of three nodes of RabbitMQ killed: ${ledger.jobs.length} jobs accepted, ${wrong.length} lost or wrong, ` +
        `${ledger.violations.length} messages missing or twice, requests refused: ${[...ledger.refusals].map(([reason, count]) => `${count} x ${reason}`).join(', ') || 'none'}, the longest job took ${(longestMs / 1000).toFixed(1)} s`,
    );
    expect(ledger.violations).toEqual([]);
    expect(wrong).toEqual([]);
  },
);

function isWhole(data: LedgerJob['data']): boolean {
  return JSON.stringify(data.map(({ ap_id }) => ap_id)) === '["ap-1","ap-2"]';
}

async function queueOf({ nodes }: TestRabbitCluster): Promise<{ leader: string; members: string[] }> {
  const text = await nodes[0]!.control('-q', 'list_queues', '--formatter', 'json', 'name', 'leader', 'members');
  const queues = JSON.parse(text) as { name: string; leader: string; members: string[] }[];
  return queues.find(({ name }) => name === 'agent_details')!;
}
