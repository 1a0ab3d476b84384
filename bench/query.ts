// How fast does telemetry come out while it keeps coming in? Ten million points of a thousand agents and one agent with
// thirty days at 1 Hz are stored; a thousand posts a second run beside every query. `--points 100` repeats it with a
// hundred million, to see how the answers grow.
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openSqliteTelemetry } from '../controller/src/telemetry/telemetry-store.sqlite.ts';
import { type FleetAgent, prepareFleet, Radio } from './harness/fleet.ts';
import { light, openLoop, percentile } from './harness/load.ts';
import { createDataDir, startWeft } from './harness/processes.ts';
import { type Figure, keep } from './harness/results.ts';

const millions = Number(process.argv[process.argv.indexOf('--points') + 1]) || 10;
const agentCount = 1000;
const longAgent = agentCount;
const day = 86_400_000;

const dataDir = createDataDir();
const fleet = await prepareFleet(dataDir, agentCount + 1);
const bytesPerPoint = await fill();
const weft = await startWeft(
  { WEFT_ADMIN_USERNAME: 'admin@weft.test', WEFT_ADMIN_PASSWORD: 'correct horse battery' },
  dataDir,
);
try {
  const token = await login();
  const stopPosting = keepPosting();
  const figures = await ask(token);
  figures.push(await pollers(token), bytesPerPoint);
  await stopPosting();
  keep(`query-${millions}m`, figures);
} finally {
  await weft.stop();
}

/** Written through the store itself, in batches; sealed and closed before Weft opens it. */
async function fill(): Promise<Figure> {
  const folder = join(dataDir, 'telemetry');
  mkdirSync(folder, { recursive: true });
  const quiet = () => {};
  const store = await openSqliteTelemetry({
    folder,
    rawRetentionMs: 31 * day,
    rollupRetentionMs: 400 * day,
    onDamage: quiet,
    onFatal: quiet,
  });
  const rowsPerAgent = (millions * 1_000_000) / agentCount / Radio.names.length;
  const end = Date.now() - 1000;
  const write = async (index: number, rows: number) => {
    const radio = new Radio();
    for (let row = 0; row < rows; row += 500) {
      const samples = Array.from({ length: Math.min(500, rows - row) }, (_, at) => ({
        ts: end - (rows - row - at) * 1000 + Math.floor(Math.random() * 5),
        names: Radio.names,
        values: radio.next(),
        texts: [],
      }));
      await store.append(fleet[index]!.ap_id, samples);
    }
  };
  for (let index = 0; index < agentCount; index += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, offset) => write(index + offset, rowsPerAgent)));
    process.stderr.write(
      `\rstored ${Math.round(((index + 50) / agentCount) * millions)} of ${millions} million points`,
    );
  }
  await store.sealAll();
  await store.close();
  const bytes = sealedBytes(folder);
  process.stderr.write('; and thirty days of one agent\n');
  const again = await openSqliteTelemetry({
    folder,
    rawRetentionMs: 31 * day,
    rollupRetentionMs: 400 * day,
    onDamage: quiet,
    onFatal: quiet,
  });
  const radio = new Radio();
  const rows = 30 * 86_400;
  for (let row = 0; row < rows; row += 5000) {
    const samples = Array.from({ length: Math.min(5000, rows - row) }, (_, at) => ({
      ts: end - (rows - row - at) * 1000,
      names: Radio.names.slice(0, 5),
      values: radio.next().slice(0, 5),
      texts: [],
    }));
    await again.append(fleet[longAgent]!.ap_id, samples);
  }
  await again.sealAll();
  await again.close();
  const perPoint = bytes.blocks / (millions * 1_000_000);
  return {
    question: 'Bytes a point on disk, sealed, roll-ups apart',
    value: perPoint.toFixed(2),
    against: `roll-ups ${(bytes.rollups / (millions * 1_000_000)).toFixed(2)} more; the whole file ${(bytes.file / (millions * 1_000_000)).toFixed(2)}`,
    goal: '≤ 2',
    ok: perPoint <= 2,
  };
}

function sealedBytes(folder: string): { blocks: number; rollups: number; file: number } {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const file = join(folder, 'telemetry.db');
  const database = new DatabaseSync(file, { readOnly: true });
  const sum = (table: string) =>
    (database.prepare(`SELECT sum(pgsize) AS bytes FROM dbstat WHERE name = '${table}'`).get() as { bytes: number })
      .bytes;
  try {
    return {
      blocks: sum('blocks') + sum('blocks_by_time') + sum('blocks_by_age'),
      rollups: sum('rollups') + sum('rollups_by_time') + sum('rollups_by_age'),
      file: statSync(file).size,
    };
  } finally {
    database.close();
  }
}

/** A thousand posts a second until told to stop. */
function keepPosting(): () => Promise<void> {
  let isOver = false;
  let next = 0;
  const radios = fleet.map(() => new Radio());
  const send = async () => {
    const index = next++ % agentCount;
    const { token } = fleet[index] as FleetAgent;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = JSON.stringify(radios[index]!.fields());
    return (await light(`${weft.url}/api/v1/agent_update/update`, { method: 'POST', headers }, body)).status === 200;
  };
  const running = (async () => {
    while (!isOver) await openLoop(send, 1000, 1);
  })();
  return async () => {
    isOver = true;
    await running;
  };
}

async function ask(token: string): Promise<Figure[]> {
  const headers = { authorization: `Bearer ${token}` };
  const measure = async (
    question: string,
    path: () => string,
    goals: { p50?: number; p99: number },
  ): Promise<Figure> => {
    const get = () => light(weft.url + path(), { headers });
    for (let count = 0; count < 20; count++) await get();
    const latencies: number[] = [];
    for (let count = 0; count < 300; count++) {
      const start = performance.now();
      const { status } = await get();
      if (status !== 200) throw new Error(`${path()} answered ${status}`);
      latencies.push(performance.now() - start);
    }
    latencies.sort((a, b) => a - b);
    const [p50, p99] = [percentile(latencies, 0.5), percentile(latencies, 0.99)];
    return {
      question,
      value: `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`,
      goal: `${goals.p50 ? `p50 ≤ ${goals.p50}, ` : ''}p99 ≤ ${goals.p99} ms`,
      ok: p99 <= goals.p99 && (goals.p50 === undefined || p50 <= goals.p50),
    };
  };
  const anyAgent = () => `ap-${Math.floor(Math.random() * agentCount)}`;
  // Never the same twice: an answer that is shared between identical requests would be measured instead.
  const anyMoment = () => new Date(Date.now() - Math.floor(Math.random() * 60_000)).toISOString();
  const five = Radio.names.slice(0, 5).join(',');
  const one = Radio.names[0];
  const long = `/api/v1/metrics/agent_multi_metric_data?agent=ap-${longAgent}&metrics=${one}&max_points=300`;
  return [
    await measure(
      '#28, five metrics, 5 minutes',
      () => `/api/v1/metrics/agent_multi_metric_data?agent=${anyAgent()}&metrics=${five}&window=5`,
      { p50: 2, p99: 20 },
    ),
    await measure('#28, one metric, 24 hours at 1 Hz in 300 buckets', () => `${long}&window=24h&end=${anyMoment()}`, {
      p99: 20,
    }),
    await measure('#28, one metric, 30 days at 1 Hz in 300 buckets', () => `${long}&window=30d&end=${anyMoment()}`, {
      p99: 50,
    }),
    await measure('#29, 5 minutes', () => `/api/v1/metrics/agent_metrics?agent=${anyAgent()}&window=5`, { p99: 5 }),
    await measure('Latest values of 1,000 agents', () => '/api/v1/metrics/latest', { p99: 30 }),
  ];
}

async function pollers(token: string): Promise<Figure> {
  const headers = { authorization: `Bearer ${token}` };
  const five = Radio.names.slice(0, 5).join(',');
  let next = 0;
  const poll = async () => {
    const path = `/api/v1/metrics/agent_multi_metric_data?agent=ap-${next++ % 500}&metrics=${five}&window=5`;
    return (await light(weft.url + path, { headers })).status === 200;
  };
  const seconds = 10;
  const before = await weft.cpuSeconds();
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const between = await weft.cpuSeconds();
  const { latencies, failures } = await openLoop(poll, 500, seconds);
  const cost = ((await weft.cpuSeconds()) - between - (between - before)) / seconds;
  return {
    question: '500 charts that poll #28 at 1 Hz, each another agent',
    value: `${(cost * 100).toFixed(0)} % of a core, p95 ${percentile(latencies, 0.95).toFixed(1)} ms (${failures} failures)`,
    against: `posts alone ${(((between - before) / seconds) * 100).toFixed(0)} %`,
    goal: '< 50 %',
    ok: cost < 0.5 && failures === 0,
  };
}

async function login(): Promise<string> {
  const body = new URLSearchParams({ username: 'admin@weft.test', password: 'correct horse battery' }).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const { text } = await light(`${weft.url}/api/v1/token/?login_type=user`, { method: 'POST', headers }, body);
  return JSON.parse(text).access_token;
}
