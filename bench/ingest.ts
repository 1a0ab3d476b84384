// How fast does telemetry come in, durable before it is answered? Beside a bare node:http server that only reads the
// body, and beside InfluxDB fed with the same samples. `--soak 10` asks instead what ten minutes of a thousand posts a
// second do to memory and to the event loop.
import { prepareFleet, Radio } from './harness/fleet.ts';
import { light, median, oneByOne, openLoop, percentile, saturate } from './harness/load.ts';
import { influxPost, measurement, startPeerInflux } from './harness/peer-influx.ts';
import { jsonPost, readyPosts } from './harness/posts.ts';
import { createDataDir, type Measured, startFloor, startWeft } from './harness/processes.ts';
import { type Figure, keep } from './harness/results.ts';

const agentCount = 1000;
const rounds = 3;
const seconds = 8;
const batchSize = 100;
let next = 0;

const dataDir = createDataDir();
const fleet = await prepareFleet(dataDir, agentCount);
const radios = fleet.map(() => new Radio());
const weft = await startWeft({}, dataDir);
const soakAt = process.argv.indexOf('--soak');
try {
  if (soakAt < 0) await compare();
  else keep('ingest-soak', await soak(Number(process.argv[soakAt + 1])));
} finally {
  await weft.stop();
}

async function compare(): Promise<void> {
  const floor = await startFloor('floor-http.ts');
  const influx = await startPeerInflux();
  try {
    keep('ingest', [...(await singleSamples(floor, influx.url)), await steadyRate(), ...(await batches(influx.url))]);
  } finally {
    await floor.stop();
    await influx.stop();
  }
}

async function singleSamples(floor: Measured, influxUrl: string): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const connections of [64, 512]) figures.push(...(await saturated(floor, connections)));
  return [...figures, await oneByOneIntoInflux(influxUrl), await atRest()];
}

async function saturated(floor: Measured, connections: number): Promise<Figure[]> {
  const rates: Record<'floor' | 'weft', number[]> = { floor: [], weft: [] };
  const costs: Record<'floor' | 'weft', number[]> = { floor: [], weft: [] };
  let failures = 0;
  for (let round = 0; round <= rounds; round++) {
    const isWarmUp = round === 0;
    const runFor = isWarmUp ? 3 : seconds;
    const onFloor = await saturateAndCost(floor, readyPosts(floor.url, fleet), runFor, connections);
    const onWeft = await saturateAndCost(weft, readyPosts(weft.url, fleet), runFor, connections);
    if (isWarmUp) continue;
    rates.floor.push(onFloor.requestsPerSecond);
    rates.weft.push(onWeft.requestsPerSecond);
    costs.floor.push(onFloor.cpuMicroseconds);
    costs.weft.push(onWeft.cpuMicroseconds);
    failures += onWeft.failures;
  }
  const ratio = median(rates.weft) / median(rates.floor);
  return [
    {
      question: `#21, ten metrics a post, 1,000 agents, ${connections} connections, saturated`,
      value: `${Math.round(median(rates.weft))} posts/s (${failures} refused)`,
      against: `bare node:http that reads the body ${Math.round(median(rates.floor))}/s, ratio ${ratio.toFixed(2)}`,
      goal: 'ratio ≥ 0.7, none refused',
      ok: ratio >= 0.7 && failures === 0,
    },
    {
      question: `Processor time a post, all threads, ${connections} connections`,
      value: `${Math.round(median(costs.weft))} µs`,
      against: `bare node:http ${Math.round(median(costs.floor))} µs, ratio ${(median(costs.floor) / median(costs.weft)).toFixed(2)}`,
    },
  ];
}

async function oneByOneIntoInflux(influxUrl: string): Promise<Figure> {
  const ready = fleet.map(({ ap_id }, index) =>
    influxPost(influxUrl, `${measurement(ap_id)} ${lineFields(radios[index]!)}`),
  );
  const { requestsPerSecond } = await saturate(influxUrl, (count) => ready[count % ready.length]!, seconds);
  return {
    question: 'The same samples, one a request, straight into InfluxDB 1.x, 64 connections',
    value: `${Math.round(requestsPerSecond)} writes/s`,
  };
}

/** One post at a time, with pauses, on one connection: what nobody else delays. */
async function atRest(): Promise<Figure> {
  const next = readyPosts(weft.url, fleet);
  const { latencies } = await oneByOne(weft.url, next, { count: 300, pauseMs: 20 });
  const p50 = percentile(latencies, 0.5);
  return {
    question: '50 posts a second, one at a time',
    value: `p50 ${p50.toFixed(2)} ms, p99 ${percentile(latencies, 0.99).toFixed(2)} ms`,
    goal: 'p50 < 1 ms',
    ok: p50 < 1,
  };
}

async function saturateAndCost(
  server: Measured,
  request: (count: number) => Buffer,
  runFor: number,
  connections: number,
) {
  const [before, start] = [await server.cpuSeconds(), performance.now()];
  const saturation = await saturate(server.url, request, runFor, connections);
  const requests = (saturation.requestsPerSecond * (performance.now() - start)) / 1000;
  return { ...saturation, cpuMicroseconds: (((await server.cpuSeconds()) - before) / requests) * 1e6 };
}

async function send(): Promise<boolean> {
  const index = next++ % fleet.length;
  const { token } = fleet[index]!;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ payload: radios[index]!.fields() });
  return (await light(`${weft.url}/api/v1/agent_update/update`, { method: 'POST', headers }, body)).status === 200;
}

/** What is meant by flat: garbage comes and goes. */
const maxGrowthMiB = 30;

/** Minute by minute: memory, and how late the server's event loop runs. */
async function soak(minutes: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  const memories: number[] = [];
  const lags: number[] = [];
  await openLoop(send, 1000, 5);
  await eventLoopLagMs();
  for (let minute = 1; minute <= minutes; minute++) {
    const { latencies, failures } = await openLoop(send, 1000, 60);
    const [memory, lag] = [await weft.memoryMiB(), await eventLoopLagMs()];
    memories.push(memory);
    lags.push(lag);
    const value = `${memory.toFixed(0)} MiB, event loop p99 ${lag.toFixed(1)} ms, answers p99 ${percentile(latencies, 0.99).toFixed(1)} ms (${failures} failures)`;
    figures.push({ question: `Minute ${minute} of 1,000 posts a second`, value });
    process.stderr.write(`minute ${minute} of ${minutes}: ${value}\n`);
  }
  // Compared with the second half only: the first fills what is meant to be filled.
  const half = memories.slice(Math.floor(memories.length / 2));
  const growth = half.at(-1)! - half[0]!;
  const worst = Math.max(...lags);
  figures.push({
    question: `${minutes} minutes of 1,000 posts a second`,
    value: `${growth.toFixed(0)} MiB more at the end than half-way, at most ${Math.max(...memories).toFixed(0)} MiB; event loop p99 at most ${worst.toFixed(1)} ms`,
    goal: `at most ${maxGrowthMiB} MiB more, event loop p99 < 30 ms`,
    ok: worst < 30 && growth <= maxGrowthMiB,
  });
  return figures;
}

/** The p99 since the last time, as the service itself counts it: its timer is due every 10 ms, which is not lag. */
async function eventLoopLagMs(): Promise<number> {
  const { text } = await light(`${weft.url}/metrics`);
  const seconds = /^nodejs_eventloop_lag_p99_seconds ([\d.e+-]+)/m.exec(text)?.[1];
  if (seconds === undefined) throw new Error('the service does not tell how late its event loop runs');
  return Math.max(0, Number(seconds) * 1000 - 10);
}

async function steadyRate(): Promise<Figure> {
  await openLoop(send, 1000, 3);
  const cpuBefore = await weft.cpuSeconds();
  const { latencies, failures } = await openLoop(send, 1000, 15);
  const cpu = ((await weft.cpuSeconds()) - cpuBefore) / 15;
  const p99 = percentile(latencies, 0.99);
  return {
    question: '1,000 posts a second, open loop',
    value: `p50 ${percentile(latencies, 0.5).toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${(cpu * 100).toFixed(0)} % of a core (${failures} failures)`,
    goal: 'p99 < 20 ms',
    ok: p99 < 20 && failures === 0,
  };
}

async function batches(influxUrl: string): Promise<Figure[]> {
  const pointsPerRequest = batchSize * Radio.names.length;
  let clock = Date.now() - 20 * 86_400_000;
  const weftBatch = (count: number) => {
    const index = count % fleet.length;
    clock += 1000;
    const samples = Array.from({ length: batchSize }, (_, at) => ({ ts: clock + at * 10, ...radios[index]!.fields() }));
    return jsonPost(weft.url, fleet[index]!, JSON.stringify({ samples }));
  };
  const ready = Array.from({ length: 2000 }, (_, count) => weftBatch(count));
  const influxReady = Array.from({ length: 2000 }, (_, count) => {
    const index = count % fleet.length;
    clock += 1000;
    const lines = Array.from(
      { length: batchSize },
      (_, at) => `${measurement(fleet[index]!.ap_id)} ${lineFields(radios[index]!)} ${clock + at * 10}`,
    );
    return influxPost(influxUrl, lines.join('\n'));
  });
  const onWeft = await saturate(weft.url, (count) => ready[count % ready.length]!, seconds, 16);
  const onInflux = await saturate(influxUrl, (count) => influxReady[count % influxReady.length]!, seconds, 16);
  const pointsPerSecond = onWeft.requestsPerSecond * pointsPerRequest;
  const influxPoints = onInflux.requestsPerSecond * pointsPerRequest;
  return [
    {
      question: `Batches of ${batchSize} samples of ten metrics`,
      value: `${Math.round(pointsPerSecond / 1000)},000 points/s (${onWeft.failures} refused)`,
      against: `InfluxDB 1.x, the same batches, ${Math.round(influxPoints / 1000)},000 points/s, ratio ${(pointsPerSecond / influxPoints).toFixed(1)}`,
      goal: '≥ 3 times InfluxDB',
      ok: pointsPerSecond >= 3 * influxPoints && onWeft.failures === 0,
    },
  ];
}

function lineFields(radio: Radio): string {
  return Object.entries(radio.fields())
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
}
