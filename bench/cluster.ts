// What does a cluster cost, and how much does it hold? The same posts to Weft with the embedded stores, and with PostgreSQL
// (accounts, telemetry) and RabbitMQ, by one and by two controllers: processor time of everything together, a post and a point.
// Then as many agents as hold, at 1 Hz with ten metrics each, all on this machine. `--minutes 10` is how long they are
// held, `--agents 10000` how many are tried first, `--controllers 1` by how many controllers; `--only cost`, `--only streams` and `--only hold`
// leave out the others. Streams: 1,000 agents that report to two controllers, without a stream and with one of all agents on each.
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { startPostgres, type TestPostgres } from '../test/postgres.ts';
import { startRabbit, type TestRabbit } from '../test/rabbitmq.ts';
import { type FleetAgent, prepareFleet, Radio } from './harness/fleet.ts';
import { requestBytes, saturate } from './harness/load.ts';
import { cpuSecondsOfFamily, createDataDir, type Measured, parentOf, startWeft } from './harness/processes.ts';
import { type Figure, keep } from './harness/results.ts';
import { type Posted, whilePosting } from './harness/steady-posts.ts';

const options = parseArgs({
  options: {
    agents: { type: 'string', default: '10000' },
    minutes: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '15' },
    controllers: { type: 'string', default: '1,2' },
    only: { type: 'string' },
  },
}).values;
const seconds = Number(options.seconds);
const minutes = Number(options.minutes);
const most = Number(options.agents);
const batchSize = 100;
const metrics = Radio.names.length;
/** What is tried, of `most`, until one holds. */
const shares = [1, 0.8, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1];
const screeningSeconds = 30;
const heldP99Ms = 1_000;
const admin = 'bench@example.org';
const password = randomBytes(24).toString('base64');
/** So late a value may come to the other node. */
const lateSeconds = 2;

interface Setup {
  name: string;
  nodes: Measured[];
  fleet: FleetAgent[];
  /** Processor time so far, by what used it. */
  used(): Promise<Record<string, number>>;
  stop(): Promise<void>;
}

const figures: Figure[] = [];
const isAsked = (part: string) => options.only === undefined || options.only === part;
if (isAsked('cost')) await compareCost();
if (isAsked('streams')) await compareStreams();
if (isAsked('hold')) await hold();
keep(options.only === 'streams' ? 'streams' : 'cluster', figures);

async function embedded(count: number): Promise<Setup> {
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

async function cluster(count: number, controllers: number): Promise<Setup> {
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

async function compareCost(): Promise<void> {
  let floor: Record<string, number> | undefined;
  for (const start of [() => embedded(1_000), () => cluster(1_000, 1), () => cluster(1_000, 2)]) {
    const setup = await start();
    try {
      const costs = {
        ...(await steady(setup)),
        ...(await saturated(setup, '64 connections, saturated', 64, (agent, url) => post(agent, url, 1), 1)),
        ...(await saturated(
          setup,
          `batches of ${batchSize}`,
          16,
          (agent, url) => post(agent, url, batchSize),
          batchSize,
        )),
      };
      for (const [question, { cost, value }] of Object.entries(costs)) {
        const ratio = floor && cost / floor[question]!;
        figures.push({
          question: `${setup.name}: ${question}`,
          value,
          ...(ratio && { against: `${ratio.toFixed(2)} times the embedded stores`, goal: '≤ 2 times', ok: ratio <= 2 }),
        });
      }
      floor ??= Object.fromEntries(Object.entries(costs).map(([question, { cost }]) => [question, cost]));
    } finally {
      await setup.stop();
    }
  }
}

type Costs = Record<string, { cost: number; value: string }>;

/** What a rate that many have costs: 1,000 posts a second. */
async function steady(setup: Setup): Promise<Costs> {
  const { used, posted } = await during(setup, setup.fleet.length, seconds);
  const posts = posted.perSecond * seconds;
  const cost = (total(used) / posts) * 1e6;
  const late = `p50 ${posted.p50Ms.toFixed(1)}, p99 ${posted.p99Ms.toFixed(1)} ms`;
  return { '1,000 posts a second': { cost, value: `${inWords(cost, used, posts)}; ${late}` } };
}

async function saturated(
  { nodes, fleet, used }: Setup,
  question: string,
  connections: number,
  bytes: (agent: FleetAgent, url: string) => Buffer,
  samples: number,
): Promise<Costs> {
  const run = async (runFor: number) => {
    const each = nodes.map((node, at) => {
      const ready = fleet.filter((_, index) => index % nodes.length === at).map((agent) => bytes(agent, node.url));
      return saturate(node.url, (count) => ready[count % ready.length]!, runFor, connections / nodes.length);
    });
    return Promise.all(each);
  };
  await run(3);
  const [before, start] = [await used(), performance.now()];
  const results = await run(seconds);
  const spent = difference(await used(), before);
  const perSecond = results.reduce((sum, { requestsPerSecond }) => sum + requestsPerSecond, 0);
  const posts = (perSecond * (performance.now() - start)) / 1000;
  const failures = results.reduce((sum, each) => sum + each.failures, 0);
  const cost = (total(spent) / posts) * 1e6;
  const points = Math.round((perSecond * samples * metrics) / 1000);
  const value = `${Math.round(perSecond)} posts/s, ${points},000 points/s (${failures} refused), ${inWords(cost, spent, posts)}, ${(cost / samples / metrics).toFixed(2)} µs a point`;
  return { [question]: { cost, value } };
}

/** What it costs that a stream shows the agents of all nodes, and whether it does. */
async function compareStreams(): Promise<void> {
  const setup = await cluster(1_000, 2);
  try {
    const without = await during(setup, setup.fleet.length, seconds);
    const seen = await Promise.all(setup.nodes.map(({ url }) => watchAll(url)));
    // By then each node has heard of the stream on the other.
    const bothOpen = Date.now() + lateSeconds * 1000;
    const open = await during(setup, setup.fleet.length, seconds);
    await pause(lateSeconds);
    const [first, second] = seen.map(({ end }) => end(bothOpen)) as [Set<string>, Set<string>];
    const only = first.size + second.size - 2 * [...first].filter((sample) => second.has(sample)).length;
    const asked = { question: '1,000 agents at 1 Hz on two controllers' };
    figures.push({ ...asked, value: `no stream: ${describe(without, seconds)}` });
    figures.push({
      ...asked,
      value: `a stream of all on each: ${describe(open, seconds)}; ${first.size} and ${second.size} samples`,
      against: `${only} of them on one only`,
      goal: 'the same on both',
      ok: only === 0 && first.size > 0,
    });
  } finally {
    await setup.stop();
  }
}

/** What a stream of all agents shows: agent, time and values of each sample. */
async function watchAll(url: string): Promise<{ end(fromMs: number): Set<string> }> {
  const body = new URLSearchParams({ username: admin, password });
  const login = await fetch(`${url}/api/v1/token/?login_type=user`, { method: 'POST', body });
  const { access_token } = (await login.json()) as { access_token: string };
  const over = new AbortController();
  const headers = { authorization: `Bearer ${access_token}` };
  const response = await fetch(`${url}/api/v1/metrics/stream`, { headers, signal: over.signal });
  const seen = new Set<string>();
  void (async () => {
    let text = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const lines = (text + chunk).split('\n');
      text = lines.pop()!;
      for (const line of lines) if (line.startsWith('data: {"')) seen.add(line);
    }
  })().catch(() => {});
  return {
    end: (fromMs) => {
      over.abort();
      return new Set([...seen].filter((line) => Date.parse(JSON.parse(line.slice('data: '.length)).ts) >= fromMs));
    },
  };
}

/** The largest number that holds for a short time, held for long. */
async function hold(): Promise<void> {
  for (const controllers of options.controllers.split(',').map(Number)) {
    for (const share of shares) {
      const count = Math.round(most * share);
      const setup = await cluster(count, controllers);
      try {
        const trial = await during(setup, count, screeningSeconds);
        process.stderr.write(`${count} agents, ${controllers} controllers: ${describe(trial, screeningSeconds)}\n`);
        if (!isHeld(trial.posted, count)) {
          figures.push({
            question: `${count} agents at 1 Hz, ten metrics, ${setup.name}, ${screeningSeconds} s`,
            value: `not held: ${describe(trial, screeningSeconds)}`,
          });
          continue;
        }
        const long = minutes > 0 ? await during(setup, count, minutes * 60) : trial;
        figures.push({
          question: `${count} agents at 1 Hz, ten metrics, ${setup.name}, ${minutes} minutes`,
          value: `${isHeld(long.posted, count) ? 'held' : 'not held'}: ${describe(long, minutes > 0 ? minutes * 60 : screeningSeconds)}`,
          goal: `${most} agents, p99 < ${heldP99Ms} ms, none refused`,
          ok: count >= most && isHeld(long.posted, count),
        });
        break;
      } finally {
        await setup.stop();
      }
    }
  }
}

function isHeld({ perSecond, p99Ms, failures }: Posted, count: number): boolean {
  return perSecond >= count * 0.97 && p99Ms < heldP99Ms && failures === 0;
}

async function during({ nodes, fleet, used }: Setup, perSecond: number, runFor: number) {
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

function describe({ used, posted }: { used: Record<string, number>; posted: Posted }, runFor: number): string {
  const shares = Object.entries(used).map(([name, spent]) => `${name} ${Math.round((spent / runFor) * 100)} %`);
  const { perSecond, p50Ms, p99Ms, failures } = posted;
  return `${Math.round(perSecond)} posts/s, p50 ${p50Ms.toFixed(0)}, p99 ${p99Ms.toFixed(0)} ms, ${failures} refused; of a core: ${shares.join(', ')}`;
}

function inWords(cost: number, used: Record<string, number>, posts: number): string {
  const parts = Object.entries(used).map(([name, spent]) => `${name} ${Math.round((spent / posts) * 1e6)}`);
  return `${Math.round(cost)} µs a post${parts.length > 1 ? ` (${parts.join(', ')})` : ''}`;
}

function total(used: Record<string, number>): number {
  return Object.values(used).reduce((sum, each) => sum + each, 0);
}

function difference(after: Record<string, number>, before: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(after).map(([name, spent]) => [name, spent - before[name]!]));
}

function post({ token }: FleetAgent, url: string, samples: number): Buffer {
  const radio = new Radio();
  const start = Date.now() - 86_400_000;
  const body =
    samples === 1
      ? radio.fields()
      : { samples: Array.from({ length: samples }, (_, at) => ({ ts: start + at * 1000, ...radio.fields() })) };
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return requestBytes('POST', `${url}/api/v1/agent_update/update`, headers, JSON.stringify(body));
}

function pause(forSeconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, forSeconds * 1000));
}
