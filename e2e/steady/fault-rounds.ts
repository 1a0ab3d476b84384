// A round: a cluster as docs/operations.md advises it (controllers behind HAProxy, RabbitMQ, PostgreSQL under Patroni with a
// synchronous standby), load of every kind, one fault, and the ledger in the end: nothing lost, nothing twice, no command
// expired unseen.
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { canMount, smallDisk } from '../../test/mounts.ts';
import { startPatroni, type TestPatroni } from '../../test/patroni.ts';
import type { TestRabbit } from '../../test/rabbitmq.ts';
import { startTcpProxy, type TcpProxy } from '../../test/tcp-proxy.ts';
import { type Cluster, startOwnCluster } from '../cluster.ts';
import { report } from '../outage.ts';
import {
  type Answer,
  adminUsername,
  eventually,
  password,
  temporaryFolder,
  Weft,
  type WeftServer,
} from '../weft-process.ts';
import { FaultLoad } from './fault-load.ts';
import type { Row } from './fault-table.ts';

/** Half of them post, half of them hold channels. */
const agents = Number(process.env.WEFT_FAULT_AGENTS ?? 100);
const diskMegabytes = 1_500;
const watchEveryMs = 500;
const firstReports = 3;
/** In which state a command may end: it was done, or its caller is told why not. */
const told = ['succeeded', 'failed', 'superseded', 'cancelled', 'rolled_back'];

export interface Round {
  cluster: Cluster<TestPatroni, TestRabbit>;
  load: FaultLoad;
  /** Between the first node and each server of the database, if the fault asks for it. */
  toDatabase: TcpProxy[];
  /** Where the data of PostgreSQL is; undefined if it may not be mounted. */
  disk: string | undefined;
  restart(index: number, signal: NodeJS.Signals): Promise<void>;
}

export interface Fault {
  name: string;
  /** False where the machine does not permit it. */
  isPossible?: boolean;
  nodes?: number;
  /** The first node reaches the database by proxies. */
  isProxied?: boolean;
  /** Of the first node, from the start. */
  firstEnv?: () => Record<string, string>;
  run(round: Round): Promise<void>;
  /** Seconds that somebody may have to do without a service, on a machine that never stands still. */
  limits?: { channels?: number; deliveries?: number };
}

export interface Losses {
  samples: number;
  commands: number;
  jobs: number;
  users: number;
  /** Samples that are there twice, or that nobody sent. */
  twice: number;
  commandsTwice: number;
  /** Commands that ended without having been done, and nobody was told. */
  expired: number;
}

export const noLosses: Losses = { samples: 0, commands: 0, jobs: 0, users: 0, twice: 0, commandsTwice: 0, expired: 0 };

/** `before` may change what is stored before it is judged. */
export async function faultRound(
  fault: Fault,
  before?: (round: Round) => Promise<void>,
): Promise<Row & { losses: Losses }> {
  const round = await assemble(fault);
  const { load, cluster } = round;
  await load.more(firstReports);
  const watch = new Watch(cluster);
  load.forget();
  await fault.run(round);
  await load.more(firstReports);
  const figures = {
    fault: fault.name,
    refused: load.refused,
    posts: load.posts.seconds,
    commands: load.commands.seconds,
    deliveries: load.deliveries.seconds,
    channels: load.channels.seconds,
    streams: load.streams.seconds,
  };
  const alarmed = await watch.end();
  await load.stop();
  await before?.(round);
  const { token } = round;
  const losses = await judge(load, cluster, token);
  const acknowledged = {
    samples: [...load.posting, ...load.channelling].reduce((sum, each) => sum + each.acknowledged.size, 0),
    commands: load.commandIds.size,
    jobs: load.jobs.jobs.length,
    users: load.users.length,
  };
  const stalledSeconds = watch.stalledMs / 1000;
  const alarms = await alarmsOf(cluster, token);
  const row = { ...figures, agents, acknowledged, losses, alarmed: [...alarmed, ...alarms], stalledSeconds };
  report(JSON.stringify(row));
  for (const [service, limit] of Object.entries(fault.limits ?? {}) as ['channels' | 'deliveries', number][]) {
    // A machine that stood still itself is no fault of Weft.
    expect(row[service], service).toBeLessThanOrEqual(limit + stalledSeconds);
  }
  return row;
}

async function assemble(fault: Fault): Promise<Round & { token: string }> {
  const folder = temporaryFolder();
  // PostgreSQL runs as another user.
  chmodSync(folder, 0o711);
  const disk = canMount ? smallDisk(join(folder, 'disk'), diskMegabytes) : undefined;
  const toDatabase: TcpProxy[] = [];
  const firstEnv: Record<string, string> = { ...fault.firstEnv?.() };
  const startPostgres = async () => {
    const patroni = await startPatroni(disk);
    for (const { port } of fault.isProxied ? patroni.members : []) toDatabase.push(await startTcpProxy(port));
    onTestFinished(async () => {
      for (const proxy of toDatabase) await proxy.close();
    });
    if (toDatabase.length === 0) return patroni;
    const places = toDatabase.map(({ port }) => `127.0.0.1:${port}`).join(',');
    const through = `postgres://weft:weft@${places}/postgres`;
    Object.assign(firstEnv, { WEFT_DATABASE_URL: through, WEFT_TELEMETRY_URL: through });
    return patroni;
  };
  const cluster = await startOwnCluster({
    startPostgres,
    controllers: fault.nodes ?? 2,
    workers: 0,
    roles: 'api,worker',
    isDeployed: true,
    env: { WEFT_LOG_LEVEL: 'warn' },
    envOf: (index) => (index === 0 ? firstEnv : {}),
  });
  const proxy = new Weft();
  proxy.url = cluster.url;
  const token = (await proxy.login(adminUsername, password)).body.access_token as string;
  const load = await FaultLoad.start(proxy, token, agents);
  const restart = async (index: number, signal: NodeJS.Signals) => {
    const { port } = new URL(cluster.controllers[index]!.url);
    await cluster.controllers[index]!.end(signal);
    const env = { WEFT_ROLES: 'api,worker', ...(index === 0 ? firstEnv : {}) };
    cluster.controllers[index] = await cluster.startController(Number(port), env);
  };
  return { cluster, load, toDatabase, disk, restart, token };
}

/** What the nodes say of themselves while it lasts, and for how long this process stood still. */
class Watch {
  stalledMs = 0;
  readonly #said = new Set<string>();
  readonly #work: Promise<unknown>;
  #isOver = false;

  constructor(cluster: Cluster) {
    this.#work = Promise.all([this.#stalls(), ...cluster.controllers.map((_, index) => this.#look(cluster, index))]);
  }

  async end(): Promise<string[]> {
    this.#isOver = true;
    await this.#work;
    return [...this.#said].sort();
  }

  async #stalls(): Promise<void> {
    while (!this.#isOver) {
      const dueMs = performance.now() + 100;
      await pause(100);
      this.stalledMs = Math.max(this.stalledMs, performance.now() - dueMs);
    }
  }

  async #look(cluster: Cluster, index: number): Promise<void> {
    while (!this.#isOver) {
      // Asked for anew each time: a node may have been started again.
      const { url } = cluster.controllers[index]!;
      const answers = ['/readyz', '/readyz?for=traffic'].map((path) =>
        fetch(url + path, { signal: AbortSignal.timeout(3_000) })
          .then((answer) => answer.json() as Promise<{ reasons?: Record<string, string> }>)
          .catch(() => ({ reasons: { node: 'no answer' } })),
      );
      for (const { reasons = {} } of await Promise.all(answers)) {
        for (const [part, reason] of Object.entries(reasons)) this.#said.add(`${part}: ${reason}`);
      }
      await pause(watchEveryMs);
    }
  }
}

/** All that were acknowledged, looked for. */
export async function judge(load: FaultLoad, { controllers }: Cluster, token: string): Promise<Losses> {
  const weft = controllers.at(-1)!;
  const losses = { ...noLosses };
  for (const agent of load.posting) {
    const { lost, foreign } = await agent.compareExport(weft);
    losses.samples += lost;
    losses.twice += foreign;
    if (lost + foreign > 0) report(`${agent.ap_id}: ${lost} lost, ${foreign} twice or foreign`);
  }
  for (const { ap_id, acknowledged } of load.channelling) {
    const path = `/api/v1/metrics/export?agent=${ap_id}&format=ndjson`;
    const { body } = await look(weft, path, token);
    const rows = String(body).split('\n').filter(Boolean);
    const loads = rows.map((line) => JSON.parse(line).load as number);
    const there = new Set(loads);
    losses.twice += loads.length - there.size;
    for (const value of acknowledged) if (!there.has(value)) losses.samples++;
    const again = loads.filter((value, index) => loads.indexOf(value) < index);
    if (again.length > 0)
      report(`${ap_id}: twice ${again}, ${rows.filter((line) => again.includes(JSON.parse(line).load))}`);
  }
  for (const name of load.users) {
    if ((await look(weft, `/api/v1/users/${name}`, token)).status !== 200) losses.users++;
  }
  const failed = load.jobs.jobs.filter(({ end, violations }) => end !== 'succeeded' || violations.length > 0);
  losses.jobs = failed.length;
  for (const { job_number, end, violations } of failed) report(`job ${job_number}: ${end}, ${violations.join()}`);
  for (const [id, value] of load.commandIds) {
    const state = await endOf(weft, id, token);
    const count = load.applied.get(value) ?? 0;
    if (state === 'expired') losses.expired++;
    else if (!told.includes(state) || (state === 'succeeded' && count === 0)) losses.commands++;
    if (count > 1) losses.commandsTwice++;
    if (count > 1 || state !== 'succeeded') report(`command ${id}: ${state}, done ${count} times`);
  }
  for (const { id, seconds, acceptedAfter } of load.slow) {
    const { body } = await look(weft, `/api/v1/commands/${id}`, token);
    report(
      `slow, ${seconds.toFixed(1)} s, accepted after ${acceptedAfter.toFixed(1)} s: ${body.state}, ${body.ap_id}, ${body.created_at}, ${body.sent_at}, ${body.ended_at}`,
    );
  }
  return losses;
}

/** A connection that the node has just closed, because nothing came over it, is no finding. */
async function look(weft: WeftServer, path: string, token: string): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await weft.request('GET', path, { token });
    } catch (error) {
      if (attempt === 5) throw error;
    }
  }
}

async function endOf(weft: WeftServer, id: string, token: string): Promise<string> {
  const isOpen = (state: string) => state !== 'missing' && state !== 'expired' && !told.includes(state);
  return await eventually(
    async () => {
      const { status, body } = await look(weft, `/api/v1/commands/${id}`, token);
      return status === 404 ? 'missing' : String(body.state);
    },
    (state) => !isOpen(state),
  );
}

/** How many alarms of each rule there were. */
async function alarmsOf({ controllers }: Cluster, token: string): Promise<string[]> {
  const { body } = await look(controllers.at(-1)!, '/api/v1/alarms?limit=500', token);
  const rules = new Map<string, number>();
  for (const { rule } of body.items as { rule: string }[]) rules.set(rule, (rules.get(rule) ?? 0) + 1);
  return [...rules].map(([rule, count]) => `alarm "${rule}" (${count})`);
}
