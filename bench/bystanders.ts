// What do others notice of one caller that asks for as much as it may? `/healthz` and a small query of others, idle and beside each
// kind of reading that takes long, and beside an agent that reports 2,000 new devices twice a second. `--seconds 5` for a quick look.
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { admin } from './harness/emulated-network.ts';
import { prepareFleet } from './harness/fleet.ts';
import { light, percentile } from './harness/load.ts';
import { createDataDir, startWeft } from './harness/processes.ts';
import { type Figure, keep } from './harness/results.ts';

const { seconds } = parseArgs({ options: { seconds: { type: 'string', default: '10' } } }).values;
const lookMs = Number(seconds) * 1000;
const goalRatio = 2;
const names = 1_000;
const rows = 2_000;
const dataDir = createDataDir();
const [wide, flooding, other] = await prepareFleet(dataDir, 3);
const weft = await startWeft({ ...admin, WEFT_REPORT_POINTS_PER_SECOND: '1000000' }, dataDir);
try {
  const { WEFT_ADMIN_USERNAME: username, WEFT_ADMIN_PASSWORD: password } = admin;
  const form = new URLSearchParams({ username, password }).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const login = await light(`${weft.url}/api/v1/token/?login_type=user`, { method: 'POST', headers }, form);
  const token: string = JSON.parse(login.text).access_token;
  const get = (path: string) => light(`${weft.url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } });
  const report = (agent: { token: string }, body: unknown) =>
    light(
      `${weft.url}/api/v1/agent_update/update`,
      { method: 'POST', headers: { authorization: `Bearer ${agent.token}`, 'content-type': 'application/json' } },
      JSON.stringify(body),
    );
  const start = Date.now() - rows * 60_000;
  for (let row = 0; row < rows; row += 50) {
    const samples = Array.from({ length: 50 }, (_, n) => ({
      ts: start + (row + n) * 60_000,
      ...Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`m${(row + n + at * 50) % names}`, row + at])),
    }));
    await report(wide!, { samples });
  }
  let flooded = 0;
  const busy: Record<string, () => Promise<unknown>> = {
    'ten exports of 1,000 names (csv)': () => get(`/metrics/export?agent=${wide!.ap_id}&format=csv&start=${start}`),
    'ten exports of 1,000 names (ndjson)': () =>
      get(`/metrics/export?agent=${wide!.ap_id}&format=ndjson&start=${start}`),
    '60 queries of 30 days, 10,000 points': () =>
      get(
        `/metrics/agent_multi_metric_data?agent=${wide!.ap_id}&metrics=m1,m2,m3&window=30d&max_points=${9_000 + Math.floor(Math.random() * 1_000)}`,
      ),
    'pages of 1,000 events': () => get('/events?limit=1000'),
    'pages of the audit log': () => get('/audit?limit=500'),
    'previews of alarm rules': () =>
      light(
        `${weft.url}/api/v1/alarm_rules/preview`,
        { method: 'POST', headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' } },
        JSON.stringify({ rule: { name: 'x', condition: { metric: 'm1', op: '>', value: 5 }, severity: 'minor' } }),
      ),
    '2,000 new devices twice a second': async () => {
      const from = flooded++ * 2_000;
      await report(flooding!, { devices: Array.from({ length: 2_000 }, (_, n) => ({ device: `d-${from + n}` })) });
      await pause(500);
    },
  };
  const atOnce: Record<string, number> = {
    '60 queries of 30 days, 10,000 points': 60,
    '2,000 new devices twice a second': 1,
  };
  const look = async (): Promise<Record<'health' | 'query', number>> => {
    const took = { health: [] as number[], query: [] as number[] };
    for (const end = performance.now() + lookMs; performance.now() < end; await pause(20)) {
      for (const [kind, path] of [
        ['health', '/healthz'],
        ['query', `/api/v1/metrics/agent_data?agent=${other!.ap_id}&window=5m`],
      ] as const) {
        const beganMs = performance.now();
        await light(weft.url + path, { headers: { authorization: `Bearer ${other!.token}` } });
        took[kind].push(performance.now() - beganMs);
      }
    }
    const p95 = (values: number[]) =>
      percentile(
        values.sort((a, b) => a - b),
        0.95,
      );
    return { health: p95(took.health), query: p95(took.query) };
  };
  await report(other!, { value: 1 });
  await look();
  const figures: Figure[] = [];
  for (const [question, ask] of Object.entries(busy)) {
    const idle = await look();
    let isOver = false;
    const asking = Array.from({ length: atOnce[question] ?? 10 }, async () => {
      while (!isOver) await ask();
    });
    const beside = await look();
    isOver = true;
    await Promise.all(asking);
    const say = ({ health, query }: typeof idle) =>
      `healthz ${health.toFixed(1)} ms, small query ${query.toFixed(1)} ms`;
    const ratio = Math.max(beside.health / idle.health, beside.query / idle.query);
    figures.push({
      question: `p95 of others beside ${question}`,
      value: say(beside),
      against: `${say(idle)} (idle)`,
      goal: `at most ${goalRatio} times: ${ratio.toFixed(1)}`,
      ok: ratio <= goalRatio,
    });
  }
  keep('bystanders', figures);
} finally {
  await weft.stop();
}
