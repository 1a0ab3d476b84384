// How long does a job take, from the request to the last message on its socket? Embedded, and with PostgreSQL and
// RabbitMQ beside a floor that does the same steps bare. How fast do a million records come, and what do idle sockets cost?
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { WebSocket } from 'ws';
import { startPostgres } from '../test/postgres.ts';
import { startRabbit } from '../test/rabbitmq.ts';
import { prepareFleet, Radio } from './harness/fleet.ts';
import { light, openLoop, percentile } from './harness/load.ts';
import { createDataDir, type Measured, startFloor, startWeft } from './harness/processes.ts';
import { type Figure, keep } from './harness/results.ts';

const username = 'admin@weft.test';
const password = 'correct horse battery';
const admin = { WEFT_ADMIN_USERNAME: username, WEFT_ADMIN_PASSWORD: password };
const perSecond = 50;
const seconds = 20;
const idleSockets = Number(process.env.BENCH_SOCKETS ?? 10_000);
const records = 1_000_000;

const only = process.argv[2];
const questions: Record<string, () => Promise<Figure[]>> = { embedded, clustered, million, idle };
const figures: Figure[] = [];
for (const [name, ask] of Object.entries(questions))
  if (only === undefined || only === name) figures.push(...(await ask()));
if (only === undefined) keep('jobs', figures);
else process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`);

async function embedded(): Promise<Figure[]> {
  const dataDir = createDataDir();
  await prepareFleet(dataDir, 100);
  const weft = await startWeft(admin, dataDir);
  try {
    const { p50, p99, failures } = await jobs(weft.url, await login(weft.url));
    return [
      {
        question: `#22 with 100 agents, embedded, ${perSecond} jobs a second, to the last message on the socket`,
        value: `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms (${failures} failures)`,
        goal: 'p50 ≤ 10, p99 ≤ 50 ms',
        ok: p50 <= 10 && p99 <= 50 && failures === 0,
      },
    ];
  } finally {
    await weft.stop();
  }
}

async function clustered(): Promise<Figure[]> {
  const [postgres, rabbit] = await Promise.all([startPostgres(), startRabbit()]);
  const weft = await startWeft({
    ...admin,
    WEFT_DATABASE_URL: postgres.url,
    WEFT_SECRET: randomBytes(48).toString('base64'),
    WEFT_AMQP_URL: rabbit.url,
  });
  const floor = await startFloor('floor-jobs.ts', [postgres.url, rabbit.url]);
  try {
    const token = await login(weft.url);
    await insertAgents(postgres.url, 100);
    const bare: Awaited<ReturnType<typeof jobs>>[] = [];
    const ours: Awaited<ReturnType<typeof jobs>>[] = [];
    for (let round = 0; round < 2; round++) {
      bare.push(await jobs(floor.url, ''));
      ours.push(await jobs(weft.url, token));
    }
    const best = (runs: typeof bare) => runs.reduce((a, b) => (a.p50 <= b.p50 ? a : b));
    const [floorRun, weftRun] = [best(bare), best(ours)];
    const failures = ours.reduce((sum, run) => sum + run.failures, 0);
    const ratio = weftRun.p50 / floorRun.p50;
    return [
      {
        question: `the same with PostgreSQL and RabbitMQ`,
        value: `p50 ${weftRun.p50.toFixed(1)} ms, p99 ${weftRun.p99.toFixed(1)} ms (${failures} failures)`,
        against: `the bare steps p50 ${floorRun.p50.toFixed(1)} ms, p99 ${floorRun.p99.toFixed(1)} ms, ratio ${ratio.toFixed(2)}`,
        goal: 'ratio ≤ 2',
        ok: ratio <= 2 && failures === 0,
      },
    ];
  } finally {
    await weft.stop();
    await floor.stop();
    await Promise.all([postgres.stop(), rabbit.stop()]);
  }
}

async function million(): Promise<Figure[]> {
  const dataDir = createDataDir();
  const [agent] = await prepareFleet(dataDir, 1);
  const weft = await startWeft(admin, dataDir);
  try {
    const token = await login(weft.url);
    const start = Date.now() - 3_600_000 * 6;
    const radio = new Radio();
    const batch = 1000;
    for (let done = 0; done < records / Radio.names.length; done += batch) {
      const samples = Array.from({ length: batch }, (_, n) => ({ ts: start + (done + n) * 100, ...radio.fields() }));
      const headers = { authorization: `Bearer ${agent!.token}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ samples });
      const { status } = await light(`${weft.url}/api/v1/agent_update/update`, { method: 'POST', headers }, body);
      if (status !== 200) throw new Error(`a batch was answered ${status}`);
    }
    // Once to warm up, once to measure.
    await history(weft, token, agent!.ap_id, start, 0.05);
    const { count, elapsedMs, growthMiB } = await history(weft, token, agent!.ap_id, start, 1);
    const rate = (count * 1000) / elapsedMs;
    return [
      {
        question: `#23 of ${count.toLocaleString('en')} records over the socket`,
        value: `${Math.round(rate).toLocaleString('en')} records/s, memory +${growthMiB.toFixed(0)} MiB`,
        goal: '≥ 200,000 records/s, < 100 MiB',
        ok: rate >= 200_000 && growthMiB < 100 && count === records,
      },
    ];
  } finally {
    await weft.stop();
  }
}

/** Asks for that share of what is stored, and counts what comes; the largest growth of the server's memory meanwhile. */
async function history(weft: Measured, token: string, ap_id: string, startMs: number, share: number) {
  const endMs = startMs + (records / Radio.names.length) * 100 * share - 1;
  const before = await weft.memoryMiB();
  let growthMiB = 0;
  const watch = setInterval(async () => {
    growthMiB = Math.max(growthMiB, (await weft.memoryMiB()) - before);
  }, 100);
  const query = `agent_id=${ap_id}&start_time=${new Date(startMs).toISOString()}&end_time=${new Date(endMs).toISOString()}`;
  const startedAt = performance.now();
  let count = 0;
  await run(weft.url, token, `/api/v1/agent_data/request_agent_data?${query}`, (text) => {
    // Counting records must not cost what parsing them would.
    for (let at = text.indexOf('"field":'); at >= 0; at = text.indexOf('"field":', at + 8)) count++;
  });
  clearInterval(watch);
  return { count, elapsedMs: performance.now() - startedAt, growthMiB };
}

async function idle(): Promise<Figure[]> {
  const dataDir = createDataDir();
  const [agent] = await prepareFleet(dataDir, 1);
  const weft = await startWeft({ ...admin, WEFT_MAX_SOCKETS_PER_CALLER: String(idleSockets + 10) }, dataDir);
  const sockets: WebSocket[] = [];
  try {
    const token = await login(weft.url);
    const query = `agent_id=${agent!.ap_id}&start_time=${new Date().toISOString()}&end_time=${new Date(Date.now() + 3_600_000).toISOString()}`;
    const { websocket } = await ask(weft.url, token, `/api/v1/agent_data/request_agent_data?${query}`);
    const before = await weft.memoryMiB();
    while (sockets.length < idleSockets) {
      const more = Array.from({ length: Math.min(200, idleSockets - sockets.length) }, () =>
        connect(weft.url, token, websocket),
      );
      sockets.push(...(await Promise.all(more)));
    }
    await pause(5_000);
    const eachKiB = (((await weft.memoryMiB()) - before) * 1024) / idleSockets;
    const cpu = await weft.cpuSeconds();
    await pause(20_000);
    const load = ((await weft.cpuSeconds()) - cpu) / 20;
    const open = sockets.filter(({ readyState }) => readyState === WebSocket.OPEN).length;
    return [
      {
        question: `${idleSockets.toLocaleString('en')} idle sockets`,
        value: `${eachKiB.toFixed(1)} KiB each, ${(load * 100).toFixed(1)} % of a core at rest, ${open} still open`,
      },
    ];
  } finally {
    for (const socket of sockets) socket.terminate();
    await weft.stop();
  }
}

async function jobs(url: string, token: string) {
  const path = '/api/v1/agent_details/request_all_agents_details';
  const one = () => run(url, token, path, () => {}).then(() => true);
  await openLoop(one, perSecond, 3);
  const { latencies, failures } = await openLoop(one, perSecond, seconds);
  return { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99), failures };
}

/** A job from its request to its last message. */
async function run(url: string, token: string, path: string, onMessage: (text: string) => void): Promise<void> {
  const { job_number } = await ask(url, token, path);
  const socket = open(url, token, `/api/v1/ws/${job_number}`);
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject);
    socket.on('message', (message: Buffer) => {
      const text = message.toString('latin1');
      onMessage(text);
      // Behind the data in every message of Weft and of the floor.
      if (text.includes('"final":true', text.length - 80)) resolve();
    });
    socket.on('close', () => reject(new Error('the socket closed before the last message')));
  });
  socket.close();
}

async function ask(url: string, token: string, path: string): Promise<{ job_number: string; websocket: string }> {
  const { status, text } = await light(url + path, { method: 'POST', headers: { authorization: `Bearer ${token}` } });
  if (status !== 200) throw new Error(`POST ${path} was answered ${status}: ${text}`);
  return JSON.parse(text);
}

function open(url: string, token: string, path: string): WebSocket {
  return new WebSocket(url.replace('http', 'ws') + path, {
    headers: { authorization: `Bearer ${token}` },
    perMessageDeflate: false,
    maxPayload: 8 * 1024 * 1024,
  });
}

function connect(url: string, token: string, path: string): Promise<WebSocket> {
  const socket = open(url, token, path);
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.once('open', () => resolve(socket));
  });
}

async function login(url: string): Promise<string> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = new URLSearchParams({ username, password }).toString();
  const { text } = await light(`${url}/api/v1/token/?login_type=user`, { method: 'POST', headers }, body);
  return JSON.parse(text).access_token;
}

async function insertAgents(databaseUrl: string, count: number): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  for (let n = 0; n < count; n++) {
    await client.query(
      `INSERT INTO agents (id, ap_id, password_hash, configuration, onboard, emulated_for, ver, created_at)
       VALUES ($1, $2, '-', '{}', 1, NULL, '-', 0)`,
      [`00000000-0000-4000-8000-${String(n).padStart(12, '0')}`, `ap-${n}`],
    );
  }
  await client.end();
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
