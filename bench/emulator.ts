// How soon is an emulated network there, what does its model cost, and how many access points does a machine bear together
// with Weft? `npm run bench -- emulator`, or one question of it: model, spinup, crowd. BENCH_ACCESS_POINTS makes the crowd smaller.
import { randomBytes } from 'node:crypto';
import type { EmulatorSpec } from '@weft/contract';
import { startPostgres } from '../test/postgres.ts';
import { startRabbit } from '../test/rabbitmq.ts';
import { admin, EmulatedNetwork, loopDelayMs, pause } from './harness/emulated-network.ts';
import { modelFigures } from './harness/emulator-cost.ts';
import { createDataDir, type Measured, startWeft } from './harness/processes.ts';
import { type Figure, keep } from './harness/results.ts';

const crowdSize = Number(process.env.BENCH_ACCESS_POINTS ?? 10_000);
const perSpec = 1000;
const settleMs = 10_000;
const watchSeconds = 60;
const watchEveryMs = 5_000;
/** Access points whose samples are counted in Weft. */
const counted = 20;

const only = process.argv[2];
const questions: Record<string, () => Promise<Figure[]>> = { model: async () => modelFigures(), spinup, crowd };
const figures: Figure[] = [];
for (const [name, ask] of Object.entries(questions))
  if (only === undefined || only === name) figures.push(...(await ask()));
if (only === undefined) keep('emulator', figures);
else process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`);

/** A thousand on Weft as npm start runs it: embedded, all in one process. */
async function spinup(): Promise<Figure[]> {
  const weft = await startWeft(admin);
  try {
    const network = await EmulatedNetwork.connect(weft.url);
    const specs = [specOf('5G', 334, 10), specOf('WiFi', 333, 10), specOf('LiFi', 333, 10)];
    const { ap_ids, answerMs, reportedMs, reported } = await network.spinUp(specs);
    const watched = await watch(network, ap_ids, { 'all in one': weft });
    return [
      {
        question: '#25 with 1,000 access points, embedded: time to the answer',
        value: `${answerMs.toFixed(0)} ms`,
        goal: '≤ 1 s',
        ok: answerMs <= 1000,
      },
      {
        question: 'until all of them have logged in, opened their channel and reported',
        value: Number.isFinite(reportedMs) ? `${(reportedMs / 1000).toFixed(1)} s` : `${reported} in time`,
        goal: '≤ 15 s',
        ok: reportedMs <= 15_000,
      },
      {
        question: `the next ${watchSeconds} s, 1 Hz, 10 devices each`,
        value: describe(watched),
        goal: '≥ 990 samples/s, late by ≤ 2 s',
        ok: watched.samplesPerSecond >= 990 && watched.lateBySeconds <= 2,
      },
    ];
  } finally {
    await weft.stop();
  }
}

/**
 * Ten thousand, with the emulator in a process of its own: each holds one end of ten thousand channels, and one process would
 * need more open files than most machines allow.
 */
async function crowd(): Promise<Figure[]> {
  const servers = await Promise.all([startPostgres(), startRabbit()]);
  const [postgres, rabbit] = servers;
  const shared = {
    ...admin,
    WEFT_DATABASE_URL: postgres.url,
    WEFT_TELEMETRY_URL: postgres.url,
    WEFT_AMQP_URL: rabbit.url,
    WEFT_SECRET: randomBytes(48).toString('base64'),
  };
  const weft = await startWeft({ ...shared, WEFT_ROLES: 'api,worker' });
  const emulator = await startWeft({ ...shared, WEFT_ROLES: 'emulator', WEFT_CALLBACK_URL: weft.url }, createDataDir());
  try {
    const network = await EmulatedNetwork.connect(weft.url);
    const kinds = ['5G', 'WiFi', 'LiFi'] as const;
    const specs = Array.from({ length: Math.ceil(crowdSize / perSpec) }, (_, n) =>
      specOf(kinds[n % kinds.length]!, Math.min(perSpec, crowdSize - n * perSpec), 5),
    );
    const { ap_ids, answerMs, reportedMs, reported } = await network.spinUp(specs);
    const watched = await watch(network, ap_ids, { Weft: weft, emulator });
    const seconds = Number.isFinite(reportedMs)
      ? `all after ${(reportedMs / 1000).toFixed(1)} s`
      : `${reported} in time`;
    return [
      {
        question: `#25 with ${crowdSize.toLocaleString('en')} access points, PostgreSQL and RabbitMQ on the same machine`,
        value: `answered after ${(answerMs / 1000).toFixed(1)} s, reported: ${seconds}`,
      },
      {
        question: `the next ${watchSeconds} s, 1 Hz, 5 devices each`,
        value: describe(watched),
        against: `${crowdSize.toLocaleString('en')} samples/s are measured`,
      },
    ];
  } finally {
    await emulator.stop();
    await weft.stop();
    await Promise.all(servers.map((server) => server.stop()));
  }
}

interface Watched {
  /** As the emulator has them confirmed, and as they are found in Weft. */
  samplesPerSecond: number;
  foundPerSecond: number;
  online: number;
  lateBySeconds: number;
  /** By process: shares of a core, and how late the event loop was at worst. */
  processes: Record<string, { cores: number; loopDelayMs: number; memoryMiB: number }>;
}

async function watch(
  network: EmulatedNetwork,
  ap_ids: readonly string[],
  processes: Record<string, Measured>,
): Promise<Watched> {
  await pause(settleMs);
  const entries = Object.entries(processes);
  const worstDelay = new Map<string, number>();
  const look = async (isFirst: boolean) => {
    for (const [name, { url }] of entries) {
      const delay = await loopDelayMs(url);
      if (!isFirst) worstDelay.set(name, Math.max(worstDelay.get(name) ?? 0, delay));
    }
  };
  await look(true);
  const cpuBefore = await Promise.all(entries.map(([, { cpuSeconds }]) => cpuSeconds()));
  const before = await network.nextWord();
  const startedAt = performance.now();
  let lateBySeconds = 0;
  while (performance.now() - startedAt < watchSeconds * 1000) {
    await pause(watchEveryMs);
    await look(false);
    lateBySeconds = Math.max(lateBySeconds, (await network.latest()).late_by_seconds ?? 0);
  }
  const after = await network.nextWord();
  const elapsed = (performance.now() - startedAt) / 1000;
  const cpuAfter = await Promise.all(entries.map(([, { cpuSeconds }]) => cpuSeconds()));
  const memory = await Promise.all(entries.map(([, { memoryMiB }]) => memoryMiB()));
  const some = ap_ids.filter((_, n) => n % Math.ceil(ap_ids.length / counted) === 0);
  const found = await Promise.all(some.map((ap_id) => network.stored(ap_id, watchSeconds)));
  return {
    samplesPerSecond: ((after.samples ?? 0) - (before.samples ?? 0)) / elapsed,
    foundPerSecond: (found.reduce((sum, n) => sum + n, 0) / some.length / watchSeconds) * ap_ids.length,
    online: after.agents_online ?? 0,
    lateBySeconds,
    processes: Object.fromEntries(
      entries.map(([name], n) => [
        name,
        {
          cores: (cpuAfter[n]! - cpuBefore[n]!) / elapsed,
          loopDelayMs: worstDelay.get(name) ?? Number.NaN,
          memoryMiB: memory[n]!,
        },
      ]),
    ),
  };
}

function describe({ samplesPerSecond, foundPerSecond, online, lateBySeconds, processes }: Watched): string {
  const each = Object.entries(processes).map(
    ([name, { cores, loopDelayMs, memoryMiB }]) =>
      `${name}: ${(cores * 100).toFixed(0)} % of a core, event loop late by ${loopDelayMs.toFixed(0)} ms (p99), ${memoryMiB.toFixed(0)} MiB`,
  );
  const rates = `${samplesPerSecond.toFixed(0)} samples/s (found in Weft: ${foundPerSecond.toFixed(0)}/s), ${online} on line`;
  return [rates, `model late by ${lateBySeconds.toFixed(1)} s`, ...each].join('; ');
}

function specOf(access_point_type: string, num_access_points: number, num_devices: number): EmulatorSpec {
  return { access_point_type, num_access_points, locations: ['Bristol, GB'], num_devices, duration: 3600 };
}
