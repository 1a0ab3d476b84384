// The job path while its parts die, for as many rounds as are asked for. Jobs are asked for all the time; in the end every
// accepted one must have ended well, with every message seen in order and once. A run that did too little proves nothing
// and fails.
import { setTimeout as pause } from 'node:timers/promises';
import { connect } from 'amqplib';
import { expect } from 'vitest';
import { draw } from '../test/draw.ts';
import { startPostgres, type TestPostgres } from '../test/postgres.ts';
import { shareRabbit, type TestRabbit } from '../test/rabbitmq.ts';
import { findFreePort } from '../test/server-process.ts';
import { startTcpProxy } from '../test/tcp-proxy.ts';
import { assemble, type Cluster, startCluster, startOwnCluster } from './cluster.ts';
import { JobLedger, type LedgerJob, obey } from './job-ledger.ts';
import { serve as serveHere } from './weft-here.ts';
import { adminUsername, eventually, password, serve, temporaryFolder, type Weft } from './weft-process.ts';

const details = '/api/v1/agent_details/request_all_agents_details';
const command = '/api/v1/send_command';
const spinUp = '/api/v1/emulator/spinup';
const isLong = process.env.WEFT_TEST_LONG === 'only';
/** Jobs that are asked for between one fault and the next. */
const few = isLong ? 10 : 5;
const fields = 6;
/** With their fields, messages of two chunks, and of three over many rounds. */
const samples = isLong ? 2_000 : 1_000;
const start = Date.now() - 3_600_000;

/** Three agents, one of them with a history of several chunks. */
async function prepare(weft: Weft): Promise<{ token: string; history: string }> {
  const token = (await weft.login(adminUsername, password)).body.access_token as string;
  for (const ap_id of ['ap-1', 'ap-2', 'ap-3']) {
    const json = { ap_id, password, configuration: {} };
    expect((await weft.request('POST', '/api/v1/agents/', { token, json })).status).toBe(200);
  }
  const agent = (await weft.login('ap-1', password, 'agent')).body.access_token as string;
  for (let done = 0; done < samples; done += 500) {
    const batch = Array.from({ length: 500 }, (_, n) => ({
      ts: start + (done + n) * 1000,
      ...Object.fromEntries(Array.from({ length: fields }, (_, field) => [`m${field}`, done + n])),
    }));
    const { status } = await weft.request('POST', '/api/v1/agent_update/update', {
      token: agent,
      json: { samples: batch },
    });
    expect(status).toBe(200);
  }
  return { token, history: dataPath('ap-1', start + samples * 1000) };
}

function dataPath(agent_id: string, endMs: number): string {
  const [start_time, end_time] = [start, endMs].map((ms) => new Date(ms).toISOString()) as [string, string];
  return `/api/v1/agent_data/request_agent_data?${new URLSearchParams({ agent_id, start_time, end_time })}`;
}

type Ask = (count: number) => Promise<LedgerJob | undefined>;

/** Asks for jobs while `fault` happens; then waits for all to end. */
async function underLoad(ledger: JobLedger, ask: Ask, fault: (more: More) => Promise<void>): Promise<void> {
  const following: Promise<LedgerJob>[] = [];
  const more = async (count: number) => {
    const asked = ledger.jobs.length;
    await eventually(
      async () => ledger.jobs.length,
      (length) => length >= asked + count,
    );
  };
  let isOver = false;
  const asking = (async () => {
    for (let count = 0; !isOver; count++) {
      const job = await ask(count);
      if (job) following.push(ledger.follow(job));
      // Not as many as there is time for: a server takes seconds to come back, and each job is work for all that is left.
      await pause(isLong ? 100 : 250);
    }
  })();
  await fault(more).finally(() => {
    isOver = true;
  });
  await asking;
  await Promise.all(following);
}

/** A network that ended a minute ago without its emulator is given up: a busy machine takes that long for a start. */
const isOverdue = ({ path, end }: LedgerJob) => path === spinUp && end === 'expired';

function judge(ledger: JobLedger, atLeast: number): void {
  expect(ledger.violations).toEqual([]);
  const ill = ledger.jobs.filter((job) => job.end !== 'succeeded' && !isOverdue(job));
  expect(ill.map(({ path, end }) => `${path} ${end}`)).toEqual([]);
  expect(ledger.jobs.length).toBeGreaterThanOrEqual(atLeast);
  const long = ledger.jobs.filter(({ path }) => path.startsWith('/api/v1/agent_data/'));
  expect(long.length).toBeGreaterThanOrEqual(atLeast / 10);
  for (const { data } of long) {
    expect(data.length).toBe(samples * fields);
    expect(data.every(({ value }, index) => value === Math.floor(index / fields))).toBe(true);
  }
  for (const { path, data } of ledger.jobs) {
    const found = data.map(({ ap_id }) => ap_id).filter((ap_id) => !ap_id?.startsWith('emu-'));
    if (path === details) expect(found).toEqual(['ap-1', 'ap-2', 'ap-3']);
  }
}

/** Waits until so many more jobs have been accepted. */
type More = (count: number) => Promise<void>;

interface FaultRounds {
  workerKills: number;
  /** Before it is killed. */
  isRabbitStopped: boolean;
  databaseKills: number;
}

/** Workers killed; RabbitMQ stopped if asked for, killed (in the long run) or gone, its queues deleted; PostgreSQL killed. */
export async function killParts({ workerKills, isRabbitStopped, databaseKills }: FaultRounds): Promise<void> {
  // What is not killed itself needs no process.
  const cluster: Cluster<TestPostgres, Breakable> = isLong
    ? await startOwnCluster({ workers: 2 })
    : await assemble(await Promise.all([startPostgres(), shareBehindProxy()]), { controllers: 0, here: 1, workers: 1 });
  const nodes = [...cluster.controllers, ...cluster.here];
  const { token, history } = await prepare(nodes[0]!);
  const stage = async (atLeast: number, fault: (more: More) => Promise<void>) => {
    const ledger = new JobLedger(() => cluster.url, token);
    await underLoad(ledger, (count) => ledger.ask(count % 5 === 0 ? history : details), fault);
    judge(ledger, atLeast);
  };
  await stage(few * workerKills, async (more) => {
    for (let kill = 0; kill < workerKills; kill++) {
      await more(few);
      if (isLong) await cluster.replaceWorker(kill % cluster.workers.length);
      else {
        await cluster.workers[kill]!.end('SIGKILL');
        await cluster.startHere('worker');
      }
    }
  });
  if (isRabbitStopped) {
    await stage(2 * few, async (more) => {
      await more(few);
      await cluster.rabbit.pause();
      await more(few);
      await cluster.rabbit.start();
    });
  }
  await stage(4 * few, (more) => breakRabbit(cluster.rabbit, nodes, more));
  await stage(few * databaseKills, async (more) => {
    for (let round = 0; round < databaseKills; round++) {
      await more(few);
      await cluster.postgres.crash();
      await cluster.postgres.start();
    }
    await more(5);
  });
}

type Breakable = Pick<TestRabbit, 'url' | 'pause' | 'crash' | 'start' | 'stop'>;

/** The RabbitMQ of the run, which is gone for Weft when nothing passes: to start one is more work than all else here. */
async function shareBehindProxy(): Promise<Breakable> {
  const rabbit = await shareRabbit();
  const url = new URL(rabbit.url);
  const proxy = await startTcpProxy(Number(url.port));
  url.port = String(proxy.port);
  const leave = async () => {
    proxy.isGone = true;
    proxy.cutAll();
  };
  return {
    url: url.href,
    pause: leave,
    crash: leave,
    start: async () => {
      proxy.isGone = false;
    },
    stop: async () => {
      await proxy.close();
      await rabbit.stop();
    },
  };
}

async function breakRabbit(rabbit: Breakable, nodes: readonly Weft[], more: More): Promise<void> {
  const letters = async () => {
    const pages = await Promise.all(nodes.map((weft) => weft.request('GET', '/metrics')));
    const counts = pages.map(({ body }) => Number(/weft_dead_letters_total (\d+)/.exec(body)?.[1]));
    return counts.reduce((a, b) => a + b);
  };
  await more(few);
  await rabbit.crash();
  await more(few);
  await rabbit.start();
  await more(few);
  const connection = await connect(rabbit.url);
  const channel = await connection.createChannel();
  // What nobody can read must not stand in the way of the rest.
  channel.sendToQueue('agent_details', Buffer.from('{"not a job'));
  channel.sendToQueue('agent_details', Buffer.from('{"job_number":"nobody","task_type":"agent_details"}'));
  await more(few);
  await eventually(letters, (count) => count >= 2);
  await channel.deleteQueue('agent_details');
  await channel.deleteQueue('agent_data');
  await more(few);
  await connection.close();
}

/** A controller is killed each time it has published a job and RabbitMQ has not confirmed it. */
export async function killBeforeConfirm(rounds: number): Promise<void> {
  const cluster = await startCluster({ controllers: 0, workers: 0 });
  const proxy = await startTcpProxy(Number(new URL(cluster.rabbit.url).port));
  const through = new URL(cluster.env.WEFT_AMQP_URL!);
  through.port = String(proxy.port);
  cluster.env.WEFT_AMQP_URL = through.href;
  let killed = await cluster.startController(0);
  let url = killed.url;
  const { token } = await prepare(killed);
  const ledger = new JobLedger(() => url, token);
  for (let round = 0; round < rounds; round++) {
    let killing: Promise<unknown> | undefined;
    proxy.onClientBytes = (bytes, cut) => {
      if (!bytes.includes('"agent_details"')) return;
      killing ??= killed.end('SIGKILL');
      cut();
    };
    const accepted = await ledger.ask(details);
    await eventually(async () => killing !== undefined, Boolean);
    await killing;
    proxy.onClientBytes = undefined;
    // The last one is not killed, and needs no process.
    const isLast = round === rounds - 1;
    if (!isLast) killed = await cluster.startController(0);
    url = isLast ? (await cluster.startHere('api')).url : killed.url;
    expect(accepted === undefined || accepted.end === undefined).toBe(true);
  }
  await cluster.startHere('worker');
  await Promise.all(ledger.jobs.map((job) => ledger.follow(job)));
  expect(ledger.violations).toEqual([]);
  expect(ledger.jobs.map(({ end }) => end)).toEqual(ledger.jobs.map(() => 'succeeded'));
  expect(ledger.jobs.length).toBeGreaterThanOrEqual(rounds / 2);
  await proxy.close();
}

/**
 * The embedded default: one process that is killed at random moments while jobs of every kind are asked for and run. In the long
 * run one of them never posts anything and is there at every kill: it must be given up. Resolves how many of each kind there were.
 */
export async function killProcess(rounds: number): Promise<Record<string, number>> {
  const env = {
    WEFT_DATA_DIR: temporaryFolder(),
    WEFT_PORT: String(await findFreePort()),
    // So few that others wait in the queue when it is lost.
    WEFT_EMULATOR_MAX_RUNS: '1',
    WEFT_ADMIN_USERNAME: adminUsername,
    WEFT_ADMIN_PASSWORD: password,
  };
  const beganMs = performance.now();
  let killed = await serve({ env });
  /** On a busy machine networks last longer, so that not all of them are over before their emulator has started again. */
  const duration = Math.ceil(3 + (performance.now() - beganMs) / 1000);
  let weft: Weft = killed;
  /** The last one is not killed, and needs no process. */
  const restart = async (isLast = false) => {
    await killed.end('SIGKILL');
    if (!isLast) killed = await serve({ env });
    weft = isLast ? await serveHere({ env }) : killed;
  };
  const { token, history } = await prepare(weft);
  const applied = await obey(weft.url, 'ap-2');
  const poisons = new JobLedger(() => weft.url, token);
  const poison = isLong ? await poisons.ask(dataPath('ap-3', Date.now() + 3_600_000)) : undefined;
  const poisoned = poison && poisons.follow(poison);
  const ledger = new JobLedger(() => weft.url, token);
  const emulators = [
    { access_point_type: 'WiFi', num_access_points: 1, locations: ['Bristol'], num_devices: 1, duration },
  ];
  let commanded: LedgerJob | undefined;
  let lastDbm = 0;
  // By the count of those that were accepted: so there are some of each kind however long nobody answers.
  const ask = async () => {
    const count = ledger.jobs.length;
    if (count % 100 < 4) return ledger.ask(spinUp, { emulators });
    // One at a time: a newer one would supersede it.
    if (count % 5 === 1 && (commanded === undefined || commanded.end !== undefined)) {
      const text = JSON.stringify({ name: 'set_tx_power', dbm: ++lastDbm });
      const query = new URLSearchParams({ agent_id: 'ap-2', command: text, hold_seconds: '0' });
      commanded = await ledger.ask(`${command}?${query}`);
      return commanded;
    }
    return ledger.ask(count % 5 === 0 ? history : details);
  };
  const atOnce: Promise<unknown>[] = [];
  const moments = draw('moments of kills');
  await underLoad(ledger, ask, async (more) => {
    for (let kills = 0; kills < rounds; kills++) {
      await more(10);
      // More than the workers take at once, and some accepted without an answer.
      const askAndFollow = () => ledger.ask(details).then((job) => job && ledger.follow(job));
      atOnce.push(...Array.from({ length: 30 }, askAndFollow));
      await pause(moments.below(300));
      await restart(!isLong && kills === rounds - 1);
    }
  });
  await Promise.all(atOnce);
  judge(ledger, 10 * rounds);
  // Until the one that posts nothing is given up: nothing else runs now, so it is there at each of these kills.
  for (let kills = 0; poison !== undefined && kills < 6; kills++) {
    const running = async () => /weft_jobs_running (\d+)/.exec((await weft.request('GET', '/metrics')).body)?.[1];
    await eventually(running, (count) => count !== '0' || poison.end !== undefined);
    if (poison.end !== undefined) break;
    await restart();
  }
  await poisoned;
  if (poison !== undefined) {
    const { detail } = (await weft.request('GET', `/api/v1/jobs/${poison.job_number}`, { token })).body;
    expect([detail, poisons.violations]).toEqual(['Given up after 5 attempts', []]);
  }
  return judgeProcess(weft, token, ledger, applied);
}

async function judgeProcess(weft: Weft, token: string, ledger: JobLedger, applied: readonly number[]) {
  const get = async (path: string) => (await weft.request('GET', `/api/v1/jobs${path}`, { token })).body;
  // Nothing was added after the end, and nothing is left open, also of what was accepted without an answer.
  for (const { job_number, messages, end } of ledger.jobs) {
    expect(await get(`/${job_number}?after=${messages}`)).toMatchObject({ state: end, messages: [] });
  }
  await eventually(
    async () => [...(await get('?state=queued')), ...(await get('?state=running'))],
    ({ length }) => length === 0,
  );
  const of = (path: string) => ledger.jobs.filter((job) => job.path.startsWith(path) && !isOverdue(job));
  const commands = of(command).map(({ data }) => data.at(-1).applied.dbm as number);
  expect(new Set(applied).size).toBe(applied.length);
  expect(commands.filter((dbm) => !applied.includes(dbm))).toEqual([]);
  for (const { data } of of(spinUp)) {
    const events = data.map(({ event }) => event).filter((event) => event !== 'progress');
    expect(events).toEqual(['started', 'ended']);
  }
  const counts = { jobs: ledger.jobs.length, commands: commands.length, spinUps: of(spinUp).length };
  expect(Math.min(counts.commands, counts.spinUps)).toBeGreaterThan(0);
  return counts;
}
