// The job path while its parts die, for as many rounds as are asked for. Jobs are asked for all the time; in the end every
// accepted one must have ended well, with every message seen in order and once. A run that did too little proves nothing
// and fails.
import { connect } from 'amqplib';
import { expect } from 'vitest';
import { startTcpProxy } from '../test/tcp-proxy.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { JobLedger, type LedgerJob } from './job-ledger.ts';
import { adminUsername, eventually, password } from './weft-process.ts';

const details = '/api/v1/agent_details/request_all_agents_details';
const samples = 2_000;
const fields = 6;
const start = Date.now() - 3_600_000;

/** Three agents, one of them with a history of several chunks. */
async function prepare(cluster: Cluster): Promise<{ token: string; history: string }> {
  const [weft] = cluster.controllers;
  const token = (await weft!.login(adminUsername, password)).body.access_token as string;
  for (const ap_id of ['ap-1', 'ap-2', 'ap-3']) {
    const json = { ap_id, password, configuration: {} };
    expect((await weft!.request('POST', '/api/v1/agents/', { token, json })).status).toBe(200);
  }
  const agent = (await weft!.login('ap-1', password, 'agent')).body.access_token as string;
  for (let done = 0; done < samples; done += 500) {
    const batch = Array.from({ length: 500 }, (_, n) => ({
      ts: start + (done + n) * 1000,
      ...Object.fromEntries(Array.from({ length: fields }, (_, field) => [`m${field}`, done + n])),
    }));
    const { status } = await weft!.request('POST', '/api/v1/agent_update/update', {
      token: agent,
      json: { samples: batch },
    });
    expect(status).toBe(200);
  }
  const query = new URLSearchParams({
    agent_id: 'ap-1',
    start_time: new Date(start).toISOString(),
    end_time: new Date(start + samples * 1000).toISOString(),
  });
  const history = `/api/v1/agent_data/request_agent_data?${query}`;
  return { token, history };
}

/** Asks for jobs, about one in five a long one, while `fault` happens; then waits for all to end. */
async function underLoad(ledger: JobLedger, history: string, fault: () => Promise<void>): Promise<void> {
  const following: Promise<LedgerJob>[] = [];
  let isOver = false;
  const asking = (async () => {
    for (let count = 0; !isOver; count++) {
      const job = await ledger.ask(count % 5 === 0 ? history : details);
      if (job) following.push(ledger.follow(job, 90_000));
      await new Promise((next) => setTimeout(next, 40));
    }
  })();
  await fault().finally(() => {
    isOver = true;
  });
  await asking;
  await Promise.all(following);
}

function judge(ledger: JobLedger, atLeast: number): void {
  expect(ledger.violations).toEqual([]);
  expect(ledger.jobs.filter(({ end }) => end !== 'succeeded').map(({ path, end }) => `${path} ${end}`)).toEqual([]);
  expect(ledger.jobs.length).toBeGreaterThanOrEqual(atLeast);
  const long = ledger.jobs.filter(({ path }) => path !== details);
  expect(long.length).toBeGreaterThanOrEqual(atLeast / 10);
  for (const { data } of long) {
    expect(data.length).toBe(samples * fields);
    expect(data.every(({ value }, index) => value === Math.floor(index / fields))).toBe(true);
  }
  for (const { path, data } of ledger.jobs) {
    if (path === details) expect(data.map(({ ap_id }) => ap_id)).toEqual(['ap-1', 'ap-2', 'ap-3']);
  }
}

/** Waits until so many more jobs have been accepted. */
type More = (count: number) => Promise<void>;

interface FaultRounds {
  workerKills: number;
  databaseKills: number;
}

/** Workers killed; RabbitMQ stopped, killed, its queues deleted; PostgreSQL killed. */
export async function killParts({ workerKills, databaseKills }: FaultRounds): Promise<void> {
  const cluster = await startCluster({ controllers: 2, workers: 2 });
  const { token, history } = await prepare(cluster);
  const stage = async (atLeast: number, fault: (more: More) => Promise<void>) => {
    const ledger = new JobLedger(() => cluster.url, token);
    const more = async (count: number) => {
      const asked = ledger.jobs.length;
      await eventually(
        async () => ledger.jobs.length,
        (length) => length >= asked + count,
      );
    };
    await underLoad(ledger, history, () => fault(more));
    judge(ledger, atLeast);
  };
  await stage(10 * workerKills, async (more) => {
    for (let kill = 0; kill < workerKills; kill++) {
      await more(10);
      await cluster.replaceWorker(kill % 2);
    }
  });
  await stage(60, (more) => breakRabbit(cluster, more));
  await stage(10 * databaseKills, async (more) => {
    for (let round = 0; round < databaseKills; round++) {
      await more(10);
      await cluster.postgres.crash();
      await cluster.postgres.start();
    }
    await more(5);
  });
}

async function breakRabbit(cluster: Cluster, more: More): Promise<void> {
  const letters = async () => {
    const pages = await Promise.all(cluster.controllers.map((weft) => weft.request('GET', '/metrics')));
    const counts = pages.map(({ body }) => Number(/weft_dead_letters_total (\d+)/.exec(body)?.[1]));
    return counts.reduce((a, b) => a + b);
  };
  await more(10);
  await cluster.rabbit.pause();
  await more(10);
  await cluster.rabbit.start();
  await more(10);
  await cluster.rabbit.crash();
  await more(10);
  await cluster.rabbit.start();
  await more(10);
  const connection = await connect(cluster.rabbit.url);
  const channel = await connection.createChannel();
  // What nobody can read must not stand in the way of the rest.
  channel.sendToQueue('agent_details', Buffer.from('{"not a job'));
  channel.sendToQueue('agent_details', Buffer.from('{"job_number":"nobody","task_type":"agent_details"}'));
  await more(10);
  await eventually(letters, (count) => count >= 2);
  await channel.deleteQueue('agent_details');
  await channel.deleteQueue('agent_data');
  await more(10);
  await connection.close();
}

/** A controller is killed each time it has published a job and RabbitMQ has not confirmed it. */
export async function killBeforeConfirm(rounds: number): Promise<void> {
  const cluster = await startCluster({ controllers: 0, workers: 0 });
  const proxy = await startTcpProxy(Number(new URL(cluster.rabbit.url).port));
  const through = new URL(cluster.env.WEFT_AMQP_URL!);
  through.port = String(proxy.port);
  cluster.env.WEFT_AMQP_URL = through.href;
  let controller = await cluster.startController(0);
  cluster.controllers = [controller];
  const { token } = await prepare(cluster);
  const ledger = new JobLedger(() => controller.url, token);
  for (let round = 0; round < rounds; round++) {
    let killed: Promise<unknown> | undefined;
    proxy.onClientBytes = (bytes, cut) => {
      if (!bytes.includes('"agent_details"')) return;
      killed ??= controller.end('SIGKILL');
      cut();
    };
    const accepted = await ledger.ask(details);
    await eventually(async () => killed !== undefined, Boolean);
    await killed;
    proxy.onClientBytes = undefined;
    controller = await cluster.startController(0);
    cluster.controllers = [controller];
    cluster.url = controller.url;
    expect(accepted === undefined || accepted.end === undefined).toBe(true);
  }
  cluster.workers = [await cluster.startWorker()];
  await Promise.all(ledger.jobs.map((job) => ledger.follow(job)));
  expect(ledger.violations).toEqual([]);
  expect(ledger.jobs.map(({ end }) => end)).toEqual(ledger.jobs.map(() => 'succeeded'));
  expect(ledger.jobs.length).toBeGreaterThanOrEqual(rounds / 2);
  await proxy.close();
}
