// What does it cost that a stream shows the access points of all controllers, and does it? 1,000 of them report to two
// controllers once a second, without a stream and with one of all of them on each. And how far is each controller behind in what it
// says of all of them?
import { parseArgs } from 'node:util';
import { admin, cluster, describe, during, password, pause } from './harness/cluster-setup.ts';
import { keep } from './harness/results.ts';

const seconds = Number(parseArgs({ options: { seconds: { type: 'string', default: '15' } } }).values.seconds);
/** So late a value may come to the other node. */
const lateSeconds = 2;
/** During the first reports of all agents nothing is looked at. */
const settleSeconds = 15;

const setup = await cluster(1_000, 2);
try {
  const without = await during(setup, setup.fleet.length, seconds);
  const seen = await Promise.all(setup.nodes.map(({ url }) => watchAll(url)));
  // By then each node has heard of the stream on the other.
  const bothOpen = Date.now() + lateSeconds * 1000;
  const open = await during(setup, setup.fleet.length, seconds);
  await pause(lateSeconds);
  const [first, second] = seen.map(({ end }) => end(bothOpen)) as [Set<string>, Set<string>];
  const behind: Record<string, number> = {};
  const asking = new AbortController();
  const asked = Promise.all(setup.nodes.map(({ url }) => noteAges(url, behind, asking.signal)));
  const used = await during(setup, setup.fleet.length, seconds);
  asking.abort();
  await asked;
  const only = first.size + second.size - 2 * [...first].filter((sample) => second.has(sample)).length;
  const question = '1,000 agents at 1 Hz on two controllers';
  keep('streams', [
    { question, value: `no stream: ${describe(without, seconds)}` },
    {
      question,
      value: `a stream of all on each: ${describe(open, seconds)}; ${first.size} and ${second.size} samples`,
      against: `${only} of them on one only`,
      goal: 'the same on both',
      ok: only === 0 && first.size > 0,
    },
    {
      question,
      value: `everything asked of both four times a second: ${describe(used, seconds)}; the oldest of 1,000, p99: ${Object.entries(
        behind,
      )
        .map(([what, age]) => `${what} ${age.toFixed(1)} s`)
        .join(', ')}`,
      goal: 'at most 3 s: a second between reports, and two',
      ok: Object.values(behind).every((age) => age <= 1 + lateSeconds),
    },
  ]);
} finally {
  await setup.stop();
}

/** How old what it says of the agent that it knows least of is, by its own time: the p99 of all looks. */
async function noteAges(url: string, worst: Record<string, number>, signal: AbortSignal): Promise<void> {
  const headers = { authorization: `Bearer ${await logIn(url)}` };
  const ages: Record<string, number[]> = { presence: [], 'newest values': [] };
  const ask = async (path: string) => {
    const response = await fetch(`${url}/api/v1${path}`, { headers });
    return { nowMs: Date.now(), body: (await response.json()) as { agents: Record<string, unknown>[] } };
  };
  const note = (what: string, nowMs: number, times: string[]) => {
    if (times.length > 0) ages[what]!.push(Math.max(...times.map((time) => nowMs - Date.parse(time))) / 1000);
  };
  await pause(settleSeconds);
  for (; !signal.aborted; await pause(0.25)) {
    const { nowMs, body } = await ask('/metrics/presence');
    note(
      'presence',
      nowMs,
      body.agents.map(({ last_seen }) => last_seen as string),
    );
    const latest = await ask('/metrics/latest');
    const times = latest.body.agents.map(({ metrics }) =>
      Object.values(metrics as { ts: string }[]).map(({ ts }) => ts),
    );
    note(
      'newest values',
      latest.nowMs,
      times.map((all) => all.sort().at(-1)!),
    );
  }
  for (const [what, all] of Object.entries(ages)) {
    const p99 = all.sort((a, b) => a - b)[Math.floor(all.length * 0.99)] ?? Number.POSITIVE_INFINITY;
    worst[what] = Math.max(worst[what] ?? 0, p99);
  }
}

async function logIn(url: string): Promise<string> {
  const body = new URLSearchParams({ username: admin, password });
  const login = await fetch(`${url}/api/v1/token/?login_type=user`, { method: 'POST', body });
  return ((await login.json()) as { access_token: string }).access_token;
}

/** What a stream of all agents shows: agent, time and values of each sample. */
async function watchAll(url: string): Promise<{ end(fromMs: number): Set<string> }> {
  const over = new AbortController();
  const headers = { authorization: `Bearer ${await logIn(url)}` };
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
