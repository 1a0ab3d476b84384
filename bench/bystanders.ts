// What do others notice of one caller that asks for as much as it may? `/healthz` and a small query of others beside each kind of
// reading that takes long, and beside an agent that reports 2,000 new devices twice a second. Who asks, who watches and Weft are
// processes of their own; idle and busy times take turns, so that what else the machine does falls on both. The same is asked of a
// second Weft, too: what is noticed of that is not the server's doing, but that they share the machine.
// `npm run bench -- bystanders --seconds 1 --rounds 2 --only export` for a quick look at some.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Attack, attacksOn, fill } from './harness/attacks.ts';
import { admin, EmulatedNetwork } from './harness/emulated-network.ts';
import { prepareFleet, type StoredAgent } from './harness/fleet.ts';
import { LightReader } from './harness/light-reader.ts';
import { light, percentile } from './harness/load.ts';
import { createDataDir, startWeft } from './harness/processes.ts';
import { type Figure, keep } from './harness/results.ts';

const goalRatio = 2;
const agentCount = 500;

type Latencies = Record<'health' | 'query', number[]>;

if (process.argv[2] === 'attacker') attackFrom(process.argv[3]!);
else if (process.argv[2] === 'bystander') watchFrom(process.argv[3]!, process.argv[4]!, process.argv[5]!);
else await measure();

async function measure(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '2' },
      rounds: { type: 'string', default: '4' },
      only: { type: 'string', default: '' },
    },
  });
  const lookMs = Number(values.seconds) * 1000;
  const ends: (() => unknown)[] = [];
  try {
    const start = (role: string, ...args: string[]): ChildProcess => {
      const child = fork(import.meta.filename, [role, ...args], { execArgv: [] });
      ends.unshift(() => child.kill());
      return child;
    };
    const here = await prepare(values.only, ends);
    const elsewhere = await prepare(values.only, ends);
    const attackers = { here: start('attacker', here.url), elsewhere: start('attacker', elsewhere.url) };
    const bystander = start('bystander', here.url, here.other.ap_id, here.other.token);
    const look = async (): Promise<Latencies> => {
      bystander.send(lookMs);
      return (await once(bystander, 'message'))[0];
    };
    await look();
    const figures: Figure[] = [];
    for (const [at, attack] of here.attacks.entries()) {
      if (!attack.what.includes(values.only)) continue;
      const took = { idle: nothing(), here: nothing(), elsewhere: nothing() };
      let answers = '';
      for (let round = 0; round < Number(values.rounds); round++) {
        add(took.idle, await look());
        for (const place of ['elsewhere', 'here'] as const) {
          const attacker = attackers[place];
          attacker.send(place === 'here' ? attack : elsewhere.attacks[at]!);
          // Until it has begun.
          await pause(200);
          add(took[place], await look());
          attacker.send('stop');
          answers = (await once(attacker, 'message'))[0];
          await pause(200);
        }
      }
      const ratios = (['health', 'query'] as const).map((kind) => p(took.here[kind], 0.95) / p(took.idle[kind], 0.95));
      const against = `idle ${said(took.idle)}; on another Weft ${said(took.elsewhere)}`;
      figures.push({
        question: `beside ${attack.what} (${answers})`,
        value: said(took.here),
        against,
        goal: `at most ${goalRatio} times: ${ratios.map((ratio) => ratio.toFixed(1)).join(' and ')}`,
        ok: Math.max(...ratios) <= goalRatio,
      });
      process.stderr.write(`${attack.what}: ${said(took.here)}; ${against} (${answers})\n`);
    }
    const load = loadavg()
      .map((each) => each.toFixed(1))
      .join(' ');
    const said50 = 'p50/p95 of /healthz and of a small query of others';
    keep('bystanders', [{ question: said50, value: 'beside it', against: 'idle', goal: `load ${load}` }, ...figures]);
  } finally {
    for (const end of ends) await end();
  }
}

/** A Weft with much to read. There are two: what is asked of the one and noticed at the other is the machine's doing alone. */
async function prepare(only: string, ends: (() => unknown)[]) {
  const dataDir = createDataDir();
  const fleet = await prepareFleet(dataDir, agentCount);
  const { url, stop } = await startWeft({ ...admin, WEFT_LIMIT_POINTS_PER_SECOND: '1000000000' }, dataDir);
  ends.push(stop);
  const [wide, long, flooding, other] = fleet as [StoredAgent, StoredAgent, StoredAgent, StoredAgent];
  const token = await logIn(url);
  await fill(url, token, fleet);
  const attacks = attacksOn({ wide, long, flooding, token, job: await network(url, only) });
  return { url, other, attacks };
}

/** A small emulated network for radio maps, if they are asked for. */
async function network(url: string, only: string): Promise<string | undefined> {
  if (!'radio maps'.includes(only)) return undefined;
  const spec = { access_point_type: 'WiFi', num_access_points: 10, locations: ['Bristol'], num_devices: 5 };
  return (await (await EmulatedNetwork.connect(url)).spinUp([{ ...spec, duration: 3600 }])).job_number;
}

async function logIn(url: string): Promise<string> {
  const { WEFT_ADMIN_USERNAME: username, WEFT_ADMIN_PASSWORD: password } = admin;
  const form = new URLSearchParams({ username, password }).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const { text } = await light(`${url}/api/v1/token/?login_type=user`, { method: 'POST', headers }, form);
  return JSON.parse(text).access_token;
}

function attackFrom(url: string): void {
  let reader = new LightReader(url);
  let count = 0;
  let isOver = true;
  let asking: Promise<unknown>[] = [];
  const answers = new Map<number, number>();
  const numbered = (text: string) => {
    count++;
    return text.replaceAll(/#+/g, (signs) => String(count % 10 ** signs.length).padStart(signs.length, '0'));
  };
  const ask = async ({ path, body, token, readsBytes }: Attack): Promise<number> => {
    const headers = { authorization: `Bearer ${token}` };
    if (readsBytes !== undefined) return readSome(url + path, headers, readsBytes);
    if (body === undefined) return (await reader.get(numbered(path), headers)).status;
    const json = { ...headers, 'content-type': 'application/json' };
    return (await light(url + path, { method: 'POST', headers: json }, numbered(JSON.stringify(body)))).status;
  };
  process.on('message', async (attack: Attack | 'stop') => {
    if (attack === 'stop') {
      isOver = true;
      // What is under way is given up, as by a caller that leaves.
      reader.close();
      await Promise.all(asking);
      reader = new LightReader(url);
      process.send!([...answers].map(([status, times]) => `${times} × ${status}`).join(', '));
      return;
    }
    isOver = false;
    answers.clear();
    asking = Array.from({ length: attack.atOnce ?? 10 }, async () => {
      while (!isOver) {
        const status = await ask(attack).catch(() => 0);
        if (isOver) break;
        answers.set(status, (answers.get(status) ?? 0) + 1);
        if (status === 429) await pause(50);
        await pause(attack.pauseMs ?? 0);
      }
    });
  });
}

async function readSome(url: string, headers: Record<string, string>, bytes: number): Promise<number> {
  const leave = new AbortController();
  const { status, body } = await fetch(url, { headers, signal: leave.signal });
  let read = 0;
  for await (const chunk of body!) {
    read += chunk.length;
    if (read >= bytes) break;
  }
  leave.abort();
  return status;
}

function watchFrom(url: string, ap_id: string, token: string): void {
  const reader = new LightReader(url);
  const headers = { authorization: `Bearer ${token}` };
  const paths = { health: '/healthz', query: `/api/v1/metrics/agent_data?agent=${ap_id}&window=5m` };
  process.on('message', async (lookMs: number) => {
    const took = nothing();
    for (const end = performance.now() + lookMs; performance.now() < end; await pause(10)) {
      for (const kind of ['health', 'query'] as const) {
        const beganMs = performance.now();
        const { status } = await reader.get(paths[kind], headers);
        took[kind].push(performance.now() - beganMs);
        if (status !== 200) throw new Error(`${paths[kind]}: ${status}`);
      }
    }
    process.send!(took);
  });
}

function nothing(): Latencies {
  return { health: [], query: [] };
}

function add(to: Latencies, more: Latencies): void {
  for (const kind of ['health', 'query'] as const) to[kind].push(...more[kind]);
}

function p(values: readonly number[], share: number): number {
  return percentile(
    values.toSorted((a, b) => a - b),
    share,
  );
}

function said({ health, query }: Latencies): string {
  const both = (values: number[]) => `${p(values, 0.5).toFixed(1)}/${p(values, 0.95).toFixed(1)}`;
  return `${both(health)} and ${both(query)} ms`;
}
