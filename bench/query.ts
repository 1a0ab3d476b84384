// How fast does telemetry come out while it keeps coming in? Ten million points of a thousand agents and one agent with
// thirty days at 1 Hz are stored; a thousand posts a second run beside every query. The same samples lie in InfluxDB, which
// is asked the same under the same load. `--points 100` repeats it with a hundred million, to see how the answers grow;
// `--without-influx` leaves the peer out; `--days 2` makes the long history shorter, for a quick look.
import { prepareFleet, Radio } from './harness/fleet.ts';
import { writeHistory } from './harness/history.ts';
import { LightReader } from './harness/light-reader.ts';
import { light, openLoop, percentile } from './harness/load.ts';
import { measurement, startPeerInflux } from './harness/peer-influx.ts';
import { createDataDir, startWeft } from './harness/processes.ts';
import { type Figure, keep } from './harness/results.ts';
import { whilePosting } from './harness/steady-posts.ts';

const millions = option('--points', 10);
const longDays = option('--days', 30);
const agentCount = 1000;
const longAgent = `ap-${agentCount}`;
const rounds = 300;
/** A process that has just started is slower, and charts are open for hours. Agents that are measured are others. */
const warmUpRounds = 1000;
/** A question of which each takes half a second is asked less often. */
const maxSeconds = 15;
const warmUpAgents = agentCount / 2;
const five = Radio.names.slice(0, 5);
const one = Radio.names[0]!;

let firstAgent = 0;

interface Question {
  question: string;
  path: () => string;
  influxql: () => string;
  goals: { p50?: number; p99: number };
  /** At most this share of the peer's p50 and p99. */
  ofPeer?: number;
}

const dataDir = createDataDir();
const fleet = await prepareFleet(dataDir, agentCount + 1);
const posting = fleet.slice(0, -1);
const influx = process.argv.includes('--without-influx') ? undefined : await startPeerInflux();
try {
  const points = millions * 1_000_000;
  const bytes = await writeHistory({ dataDir, fleet, points, longDays, peer: influx });
  const weft = await startWeft(
    { WEFT_ADMIN_USERNAME: 'admin@weft.test', WEFT_ADMIN_PASSWORD: 'correct horse battery' },
    dataDir,
  );
  const reader = new LightReader(weft.url);
  try {
    const headers = { authorization: `Bearer ${await login(weft.url)}` };
    const ask = async (path: string) => {
      const { status } = await reader.get(path, headers);
      if (status !== 200) throw new Error(`${path} answered ${status}`);
    };
    const latencies = await whilePosting({ to: 'weft', url: weft.url, fleet: posting }, async () => ({
      weft: await measureAll((question) => ask(question.path())),
      pollers: await pollers(ask, weft),
    }));
    const peer =
      influx &&
      (await whilePosting({ to: 'influx', url: influx.url, fleet: posting }, () =>
        measureAll((question) => influx.query(question.influxql())),
      ));
    const figures = questions().map((question, index) =>
      toFigure(question, latencies.weft[index]!, peer && peer[index]!),
    );
    const perPoint = bytes.blocks / points;
    figures.push(latencies.pollers, {
      question: 'Bytes a point on disk, sealed, roll-ups apart',
      value: perPoint.toFixed(2),
      against: `roll-ups ${(bytes.rollups / points).toFixed(2)} more; the whole file ${(bytes.file / points).toFixed(2)}`,
      goal: '≤ 2',
      ok: perPoint <= 2,
    });
    keep(`query-${millions}m`, figures);
  } finally {
    reader.close();
    await weft.stop();
  }
} finally {
  await influx?.stop();
}

function questions(): Question[] {
  const anyAgent = () => `ap-${firstAgent + Math.floor(Math.random() * warmUpAgents)}`;
  // Never the same twice: an answer that is shared between identical requests would be measured instead.
  const anyMoment = () => Date.now() - Math.floor(Math.random() * 60_000);
  const api = '/api/v1/metrics';
  const inBuckets = (window: string, days: number, seconds: number) => ({
    path: () => {
      const end = new Date(anyMoment()).toISOString();
      return `${api}/agent_multi_metric_data?agent=${longAgent}&metrics=${one}&max_points=300&window=${window}&end=${end}`;
    },
    influxql: () => {
      const end = anyMoment();
      const range = `time > ${end - days * 86_400_000}ms and time <= ${end}ms`;
      return `select mean("${one}") from "${measurement(longAgent)}" where ${range} group by time(${seconds}s) fill(none)`;
    },
  });
  return [
    {
      question: '#28, five metrics, 5 minutes',
      path: () => `${api}/agent_multi_metric_data?agent=${anyAgent()}&metrics=${five}&window=5`,
      influxql: () => `select ${quoted(five)} from "${measurement(anyAgent())}" where time > now() - 5m`,
      goals: { p50: 2, p99: 20 },
      ofPeer: 0.5,
    },
    {
      question: '#28, one metric, 24 hours at 1 Hz in 300 buckets',
      ...inBuckets('24h', 1, 300),
      goals: { p99: 20 },
    },
    {
      question: '#28, one metric, 30 days at 1 Hz in 300 buckets',
      ...inBuckets('30d', 30, 9000),
      goals: { p99: 50 },
    },
    {
      question: '#29, 5 minutes',
      path: () => `${api}/agent_metrics?agent=${anyAgent()}&window=5`,
      influxql: () => `show field keys from "${measurement(anyAgent())}"`,
      goals: { p99: 5 },
    },
    {
      question: 'Newest values of 1,000 agents',
      path: () => `${api}/latest`,
      influxql: () => 'select * from /^agent\\/.*\\/data$/ order by time desc limit 1',
      goals: { p99: 15 },
    },
  ];
}

/** For each question the sorted latencies, one request after the other, once everything has been asked for a while. */
async function measureAll(ask: (question: Question) => Promise<void>): Promise<number[][]> {
  firstAgent = 0;
  await measure(ask, warmUpRounds);
  firstAgent = warmUpAgents;
  return measure(ask, rounds);
}

async function measure(ask: (question: Question) => Promise<void>, count: number): Promise<number[][]> {
  const all: number[][] = [];
  for (const question of questions()) {
    const latencies: number[] = [];
    const end = performance.now() + maxSeconds * 1000;
    for (let round = 0; round < count && performance.now() < end; round++) {
      const start = performance.now();
      await ask(question);
      latencies.push(performance.now() - start);
    }
    all.push(latencies.sort((a, b) => a - b));
  }
  return all;
}

function toFigure({ question, goals, ofPeer }: Question, latencies: number[], peer: number[] | undefined): Figure {
  const [p50, p99] = [percentile(latencies, 0.5), percentile(latencies, 0.99)];
  const limitOf = (share: number, own = Number.POSITIVE_INFINITY) =>
    peer && ofPeer !== undefined ? Math.min(own, ofPeer * percentile(peer, share)) : own;
  return {
    question,
    value: inWords(latencies),
    ...(peer && { against: `InfluxDB 1.x ${inWords(peer)}` }),
    goal: `${goals.p50 ? `p50 ≤ ${goals.p50}, ` : ''}p99 ≤ ${goals.p99} ms${ofPeer ? `, both ≤ ${ofPeer} of InfluxDB's` : ''}`,
    ok: p99 <= limitOf(0.99, goals.p99) && p50 <= limitOf(0.5, goals.p50),
  };
}

function inWords(latencies: number[]): string {
  return `p50 ${percentile(latencies, 0.5).toFixed(1)} ms, p99 ${percentile(latencies, 0.99).toFixed(1)} ms`;
}

async function pollers(
  ask: (path: string) => Promise<void>,
  { cpuSeconds }: { cpuSeconds: () => Promise<number> },
): Promise<Figure> {
  let next = 0;
  const poll = async () => {
    await ask(`/api/v1/metrics/agent_multi_metric_data?agent=ap-${next++ % 500}&metrics=${five}&window=5`);
    return true;
  };
  const seconds = 10;
  const before = await cpuSeconds();
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const between = await cpuSeconds();
  const { latencies, failures } = await openLoop(poll, 500, seconds);
  const cost = ((await cpuSeconds()) - between - (between - before)) / seconds;
  return {
    question: '500 charts that poll #28 at 1 Hz, each another agent',
    value: `${(cost * 100).toFixed(0)} % of a core, p95 ${percentile(latencies, 0.95).toFixed(1)} ms (${failures} failures)`,
    against: `posts alone ${(((between - before) / seconds) * 100).toFixed(0)} %`,
    goal: '< 50 %',
    ok: cost < 0.5 && failures === 0,
  };
}

async function login(url: string): Promise<string> {
  const body = new URLSearchParams({ username: 'admin@weft.test', password: 'correct horse battery' }).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const { text } = await light(`${url}/api/v1/token/?login_type=user`, { method: 'POST', headers }, body);
  return JSON.parse(text).access_token;
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join();
}

function option(name: string, otherwise: number): number {
  const at = process.argv.indexOf(name);
  return at < 0 ? otherwise : Number(process.argv[at + 1]);
}
