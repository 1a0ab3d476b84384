// What does a cluster cost, and how much does it hold? The same posts to Weft with the embedded stores, and with PostgreSQL
// (accounts, telemetry) and RabbitMQ, by one and by two controllers: processor time of everything together, a post and a point.
// Then as many agents as hold, at 1 Hz with ten metrics each, all on this machine. `--minutes 10` is how long they are
// held, `--agents 10000` how many are tried first, `--controllers 1` by how many controllers; `--only cost` and `--only hold` leave
// out the other.
import { parseArgs } from 'node:util';
import { cluster, describe, difference, during, embedded, post, type Setup } from './harness/cluster-setup.ts';
import { Radio, type StoredAgent } from './harness/fleet.ts';
import { saturate } from './harness/load.ts';
import { type Figure, keep } from './harness/results.ts';
import type { Posted } from './harness/steady-posts.ts';

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

const figures: Figure[] = [];
const isAsked = (part: string) => options.only === undefined || options.only === part;
if (isAsked('cost')) await compareCost();
if (isAsked('hold')) await hold();
keep('cluster', figures);

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
  bytes: (agent: StoredAgent, url: string) => Buffer,
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

function inWords(cost: number, used: Record<string, number>, posts: number): string {
  const parts = Object.entries(used).map(([name, spent]) => `${name} ${Math.round((spent / posts) * 1e6)}`);
  return `${Math.round(cost)} µs a post${parts.length > 1 ? ` (${parts.join(', ')})` : ''}`;
}

function total(used: Record<string, number>): number {
  return Object.values(used).reduce((sum, each) => sum + each, 0);
}
