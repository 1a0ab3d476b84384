// What does it cost that a stream shows the access points of all controllers, and does it? 1,000 of them report to two
// controllers once a second, without a stream and with one of all of them on each.
import { parseArgs } from 'node:util';
import { admin, cluster, describe, during, password, pause } from './harness/cluster-setup.ts';
import { keep } from './harness/results.ts';

const seconds = Number(parseArgs({ options: { seconds: { type: 'string', default: '15' } } }).values.seconds);
/** So late a value may come to the other node. */
const lateSeconds = 2;

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
  keep('streams', [
    { ...asked, value: `no stream: ${describe(without, seconds)}` },
    {
      ...asked,
      value: `a stream of all on each: ${describe(open, seconds)}; ${first.size} and ${second.size} samples`,
      against: `${only} of them on one only`,
      goal: 'the same on both',
      ok: only === 0 && first.size > 0,
    },
  ]);
} finally {
  await setup.stop();
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
