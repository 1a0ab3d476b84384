// Weft with the embedded stores, or some controllers with PostgreSQL and RabbitMQ, under the reports of a fleet: what each of
// their processes uses.
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { Client } from 'pg';
import { startPostgres, type TestPostgres } from '../../test/postgres.ts';
import { startRabbit, type TestRabbit } from '../../test/rabbitmq.ts';
import { prepareFleet, Radio, type StoredAgent } from './fleet.ts';
import { requestBytes, saturate } from './load.ts';
import { cpuSecondsOfFamily, createDataDir, type Measured, parentOf, startWeft } from './processes.ts';
import { type Posted, whilePosting } from './steady-posts.ts';

export const admin = 'bench@example.org';
export const password = randomBytes(24).toString('base64');

export interface Setup {
  name: string;
  nodes: Measured[];
  fleet: StoredAgent[];
  /** Processor time so far, by what used it. */
  used(): Promise<Record<string, number>>;
  stop(): Promise<void>;
}

export async function embedded(count: number): Promise<Setup> {
  const dataDir = createDataDir();
  const fleet = await prepareFleet(dataDir, count);
  const weft = await startWeft({ WEFT_MAX_AGENTS: '100000', WEFT_LOG_LEVEL: 'error' }, dataDir);
  return {
    name: 'embedded',
    nodes: [weft],
    fleet,
    used: async () => ({ Weft: await weft.cpuSeconds() }),
    stop: () => weft.stop(),
  };
}

export async function cluster(count: number, controllers: number): Promise<Setup> {
  const postgres = await startPostgres({ isDurable: true });
  const rabbit = await startRabbit();
  const secret = randomBytes(48).toString('base64');
  const unused = createDataDir();
  const fleet = await prepareFleet(unused, count, { databaseUrl: postgres.url, secret });
  rmSync(unused, { recursive: true, force: true });
  const env = {
    WEFT_DATABASE_URL: postgres.url,
    WEFT_TELEMETRY_URL: postgres.url,
    WEFT_AMQP_URL: rabbit.url,
    WEFT_SECRET: secret,
    WEFT_MAX_AGENTS: '100000',
    WEFT_LOG_LEVEL: 'error',
    WEFT_ADMIN_USERNAME: admin,
    WEFT_ADMIN_PASSWORD: password,
  };
  const nodes: Measured[] = [];
  for (let node = 0; node < controllers; node++) nodes.push(await startWeft(env));
  const server = await pidOf(postgres);
  return {
    name: `PostgreSQL and RabbitMQ, ${controllers === 1 ? 'one controller' : `${controllers} controllers`}`,
    nodes,
    fleet,
    used: async () => ({
      Weft: (await Promise.all(nodes.map((node) => node.cpuSeconds()))).reduce((sum, each) => sum + each),
      PostgreSQL: await cpuSecondsOfFamily(server),
      RabbitMQ: await cpuSecondsOfFamily(rabbit.pid()),
    }),
    stop: () => stopAll(nodes, postgres, rabbit),
  };
}

async function stopAll(nodes: Measured[], postgres: TestPostgres, rabbit: TestRabbit): Promise<void> {
  for (const node of nodes) await node.stop();
  await rabbit.stop();
  await postgres.stop();
}

async function pidOf({ url }: TestPostgres): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
  const pid = await parentOf(rows[0].pid);
  await client.end();
  return pid;
}

/** Under so many reports a second: what was used, and how they were answered. */
export async function during({ nodes, fleet, used }: Setup, perSecond: number, runFor: number) {
  const [first, ...others] = nodes.map(({ url }) => url) as [string, ...string[]];
  const posts = { to: 'weft' as const, url: first, otherUrls: others, perSecond, fleet };
  // The first reports of all agents cost more, and are not what a day costs.
  const firstPosts = fleet.map((agent, index) => post(agent, nodes[index % nodes.length]!.url, 1));
  for (const [at, node] of nodes.entries()) {
    const ready = firstPosts.filter((_, index) => index % nodes.length === at);
    for (let asked = 0; asked < ready.length; ) await saturate(node.url, () => ready[asked++ % ready.length]!, 5, 64);
  }
  await whilePosting(posts, () => pause(10));
  let posted: Posted | undefined;
  const before = await used();
  await whilePosting(
    posts,
    () => pause(runFor),
    (result) => {
      posted = result;
    },
  );
  return { used: difference(await used(), before), posted: posted! };
}

export function describe({ used, posted }: { used: Record<string, number>; posted: Posted }, runFor: number): string {
  const shares = Object.entries(used).map(([name, spent]) => `${name} ${Math.round((spent / runFor) * 100)} %`);
  const { perSecond, p50Ms, p99Ms, failures } = posted;
  return `${Math.round(perSecond)} posts/s, p50 ${p50Ms.toFixed(0)}, p99 ${p99Ms.toFixed(0)} ms, ${failures} refused; of a core: ${shares.join(', ')}`;
}

export function difference(after: Record<string, number>, before: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(after).map(([name, spent]) => [name, spent - before[name]!]));
}

export function post({ token }: StoredAgent, url: string, samples: number): Buffer {
  const radio = new Radio();
  const start = Date.now() - 86_400_000;
  const body =
    samples === 1
      ? radio.fields()
      : { samples: Array.from({ length: samples }, (_, at) => ({ ts: start + at * 1000, ...radio.fields() })) };
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return requestBytes('POST', `${url}/api/v1/agent_update/update`, headers, JSON.stringify(body));
}

export function pause(forSeconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, forSeconds * 1000));
}
