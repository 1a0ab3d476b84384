// How fast does telemetry come in, durable before it is answered? Beside a bare node:http server that only reads the
// body, and beside InfluxDB fed with the same samples.

import { startInflux } from '../test/influx.ts';
import { type FleetAgent, prepareFleet, Radio } from './harness/fleet.ts';
import { light, median, openLoop, percentile, requestBytes, saturate } from './harness/load.ts';
import { createDataDir, startFloor, startWeft } from './harness/processes.ts';
import { type Figure, keep } from './harness/results.ts';

const agentCount = 1000;
const rounds = 3;
const seconds = 8;
const batchSize = 100;

const dataDir = createDataDir();
const fleet = await prepareFleet(dataDir, agentCount);
const radios = fleet.map(() => new Radio());
const weft = await startWeft({}, dataDir);
const floor = await startFloor('floor-http.ts');
const influx = await startInflux();
try {
  await light(`${influx.url}/query?q=${encodeURIComponent('create database bench')}`, { method: 'POST' });
  keep('ingest', [...(await singleSamples()), await steadyRate(), ...(await batches())]);
} finally {
  await weft.stop();
  await floor.stop();
  await influx.stop();
}

async function singleSamples(): Promise<Figure[]> {
  const post = (base: string) => {
    const ready = fleet.map((agent, index) =>
      jsonPost(base, agent, JSON.stringify({ ap_id: agent.ap_id, payload: radios[index]!.fields() })),
    );
    return (count: number) => ready[count % ready.length]!;
  };
  const influxWrite = () => {
    const ready = fleet.map(({ ap_id }, index) => linePost(`${measurement(ap_id)} ${lineFields(radios[index]!)}`));
    return (count: number) => ready[count % ready.length]!;
  };
  const rates: Record<string, number[]> = { floor: [], weft: [], influx: [] };
  let failures = 0;
  for (let round = 0; round <= rounds; round++) {
    const isWarmUp = round === 0;
    const runFor = isWarmUp ? 3 : seconds;
    const onFloor = await saturate(floor.url, post(floor.url), runFor);
    const onWeft = await saturate(weft.url, post(weft.url), runFor);
    const onInflux = await saturate(influx.url, influxWrite(), runFor);
    if (isWarmUp) continue;
    rates.floor!.push(onFloor.requestsPerSecond);
    rates.weft!.push(onWeft.requestsPerSecond);
    rates.influx!.push(onInflux.requestsPerSecond);
    failures += onWeft.failures;
  }
  const ratio = median(rates.weft!) / median(rates.floor!);
  return [
    {
      question: '#21, ten metrics a post, 1,000 agents, 64 connections, saturated',
      value: `${Math.round(median(rates.weft!))} posts/s (${failures} refused)`,
      against: `bare node:http that reads the body ${Math.round(median(rates.floor!))}/s, ratio ${ratio.toFixed(2)}`,
      goal: 'ratio ≥ 0.7, none refused',
      ok: ratio >= 0.7 && failures === 0,
    },
    {
      question: 'The same samples, one a request, straight into InfluxDB 1.x',
      value: `${Math.round(median(rates.influx!))} writes/s`,
      against: `Weft ${(median(rates.weft!) / median(rates.influx!)).toFixed(1)} times as many`,
    },
  ];
}

async function steadyRate(): Promise<Figure> {
  let next = 0;
  const send = async () => {
    const index = next++ % fleet.length;
    const { token } = fleet[index]!;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ payload: radios[index]!.fields() });
    return (await light(`${weft.url}/api/v1/agent_update/update`, { method: 'POST', headers }, body)).status === 200;
  };
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

async function batches(): Promise<Figure[]> {
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
    return linePost(lines.join('\n'));
  });
  const onWeft = await saturate(weft.url, (count) => ready[count % ready.length]!, seconds, 16);
  const onInflux = await saturate(influx.url, (count) => influxReady[count % influxReady.length]!, seconds, 16);
  const pointsPerSecond = onWeft.requestsPerSecond * pointsPerRequest;
  const influxPoints = onInflux.requestsPerSecond * pointsPerRequest;
  return [
    {
      question: `Batches of ${batchSize} samples of ten metrics`,
      value: `${Math.round(pointsPerSecond / 1000)},000 points/s (${onWeft.failures} refused)`,
      against: `InfluxDB 1.x, the same batches, ${Math.round(influxPoints / 1000)},000 points/s`,
      goal: '≥ 300,000 points/s',
      ok: pointsPerSecond >= 300_000 && onWeft.failures === 0,
    },
  ];
}

function jsonPost(base: string, { token }: FleetAgent, body: string): Buffer {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return requestBytes('POST', `${base}/api/v1/agent_update/update`, headers, body);
}

function linePost(body: string): Buffer {
  return requestBytes('POST', `${influx.url}/write?db=bench&precision=ms`, { 'content-type': 'text/plain' }, body);
}

function measurement(ap_id: string): string {
  return `agent/${ap_id}/data`;
}

function lineFields(radio: Radio): string {
  return Object.entries(radio.fields())
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
}
