// What do devices cost? 1,000 access points with 50 devices each report every second: the cost of a report with its devices beside
// one without, the list of 50,000 devices meanwhile, and the memory that a device takes. `--seconds 5` for a quick look.
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Pseudonyms } from '../controller/src/core/devices/privacy/pseudonyms.ts';
import { DeviceRegistry } from '../controller/src/core/devices/registry/device-registry.ts';
import { admin } from './harness/emulated-network.ts';
import { prepareFleet, Radio, type StoredAgent } from './harness/fleet.ts';
import { light, median, percentile, requestBytes, saturate } from './harness/load.ts';
import { createDataDir, startWeft } from './harness/processes.ts';
import { type Figure, keep } from './harness/results.ts';
import { type Posted, whilePosting } from './harness/steady-posts.ts';

const options = parseArgs({ options: { seconds: { type: 'string', default: '6' } } }).values;
const seconds = Number(options.seconds);
const rounds = 3;
const agentCount = 1000;
const devicesEach = 50;
const heardEach = 3;
const settleSeconds = 10;
const goals = { ratio: 3, listMs: 50, bytes: 400 };

const figures: Figure[] = [await memoryFigure()];
const dataDir = createDataDir();
/** Access points of their own for each kind of report: an agent's reports have one shape. */
const all = await prepareFleet(dataDir, agentCount * 3);
const fleetOf: Record<Kind, StoredAgent[]> = {
  none: all.slice(0, agentCount),
  plain: all.slice(agentCount, 2 * agentCount),
  heard: all.slice(2 * agentCount),
};
const weft = await startWeft(admin, dataDir);
try {
  const token = await login();
  figures.push(...(await costFigures()), ...(await listFigures(token)));
} finally {
  await weft.stop();
}
keep('devices', figures);

type Kind = 'none' | 'plain' | 'heard';

/** As an agent would write it: ten metrics, and the list at the end. */
function bodyOf(index: number, kind: Kind): string {
  const fields = new Radio().fields();
  if (kind === 'none') return JSON.stringify(fields);
  const devices = Array.from({ length: devicesEach }, (_, n) => ({
    device: addressOf(index * devicesEach + n),
    rssi_dbm: -40 - ((n * 7) % 45),
    snr_db: 10 + ((n * 3) % 30),
    rx_mbps: Math.round(Math.random() * 10_000) / 100,
    tx_mbps: Math.round(Math.random() * 20_000) / 100,
    connected_seconds: 60 + n,
    ...(kind === 'heard' && {
      heard: Array.from({ length: heardEach }, (_, other) => ({
        ap_id: `ap-${(index + 1 + other) % agentCount}`,
        rssi_dbm: -60 - other,
      })),
    }),
  }));
  return JSON.stringify({ ...fields, devices });
}

function addressOf(n: number): string {
  const digits = (0x02_5e_00_00_00_00 + n).toString(16).padStart(12, '0');
  return digits.replace(/(..)(?!$)/g, '$1:');
}

function postOf({ token }: StoredAgent, body: string): Buffer {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return requestBytes('POST', `${weft.url}/api/v1/agent_update/update`, headers, body);
}

async function costFigures(): Promise<Figure[]> {
  const kinds: Kind[] = ['none', 'plain', 'heard'];
  const costs: Record<Kind, number[]> = { none: [], plain: [], heard: [] };
  const rates: Record<Kind, number[]> = { none: [], plain: [], heard: [] };
  let failures = 0;
  for (let round = 0; round <= rounds; round++) {
    for (const kind of kinds) {
      const ready = fleetOf[kind].map((agent, index) => postOf(agent, bodyOf(index, kind)));
      const [before, start] = [await weft.cpuSeconds(), performance.now()];
      const { requestsPerSecond, failures: failed } = await saturate(
        weft.url,
        (count) => ready[count % ready.length]!,
        round === 0 ? 3 : seconds,
      );
      const posts = (requestsPerSecond * (performance.now() - start)) / 1000;
      if (round === 0) continue;
      costs[kind].push((((await weft.cpuSeconds()) - before) / posts) * 1e6);
      rates[kind].push(requestsPerSecond);
      failures += failed;
    }
  }
  const base = median(costs.none);
  const figure = (kind: Kind, what: string): Figure => {
    const ratio = median(costs[kind]) / base;
    return {
      question: `Processor time of a report with ${devicesEach} devices, ${what}; saturated`,
      value: `${Math.round(median(costs[kind]))} µs, ${Math.round(median(rates[kind]))} reports/s (${failures} refused)`,
      against: `the same report without devices ${Math.round(base)} µs, ${Math.round(median(rates.none))} reports/s: ${ratio.toFixed(2)} times`,
      goal: `≤ ${goals.ratio} times`,
      ok: ratio <= goals.ratio && failures === 0,
    };
  };
  return [
    figure('plain', 'five values each'),
    figure('heard', `five values and ${heardEach} heard access points each`),
  ];
}

async function listFigures(token: string): Promise<Figure[]> {
  const fleet = fleetOf.heard;
  const bodies = fleet.map((_, index) => bodyOf(index, 'heard'));
  const latencies: Record<string, number[]> = {};
  const ask = async (question: string, query: string): Promise<string | null> => {
    const start = performance.now();
    const { status, text } = await light(`${weft.url}/api/v1/devices?limit=100${query}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    if (status !== 200) throw new Error(`the list was answered ${status}: ${text.slice(0, 300)}`);
    latencies[question] ??= [];
    latencies[question].push(performance.now() - start);
    return JSON.parse(text).next;
  };
  const askFor = async (forSeconds: number) => {
    let cursor: string | null = null;
    for (const end = performance.now() + forSeconds * 1000; performance.now() < end; ) {
      await ask('first page', '');
      cursor = await ask('next pages', cursor === null ? '' : `&cursor=${cursor}`);
      await ask('search', '&search=ap-77');
      await ask('search without a match', '&search=nobody');
      await ask('selector', '&selector=name:ap-5*');
      await ask('with the number of matches', '&count=true');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const runFor = Math.max(20, seconds * 4);
  let posted: Posted | undefined;
  const asking = async () => {
    // What is compiled or saved at first is no cost of every page.
    await askFor(settleSeconds);
    for (const list of Object.values(latencies)) list.length = 0;
    const before = await weft.cpuSeconds();
    await askFor(runFor);
    return ((await weft.cpuSeconds()) - before) / runFor;
  };
  const cpu = await whilePosting({ to: 'weft', url: weft.url, fleet, bodies }, asking, (result) => {
    posted = result;
  });
  for (const list of Object.values(latencies)) list.sort((a, b) => a - b);
  const { p50Ms, p99Ms, failures } = posted!;
  return [
    ...Object.entries(latencies).map(([question, all]) => ({
      question: `List of ${agentCount * devicesEach} devices: ${question}, 100 of them, while all report every second`,
      value: `p50 ${percentile(all, 0.5).toFixed(1)} ms, p99 ${percentile(all, 0.99).toFixed(1)} ms (${all.length} pages)`,
      goal: `p99 ≤ ${goals.listMs} ms`,
      ok: percentile(all, 0.99) <= goals.listMs,
    })),
    {
      question: `${agentCount} reports a second with ${devicesEach} devices each, with the lists above`,
      value: `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, ${(cpu * 100).toFixed(0)} % of a core, ${(await weft.memoryMiB()).toFixed(0)} MiB (${failures} failures)`,
    },
  ];
}

async function login(): Promise<string> {
  const body = new URLSearchParams({ username: admin.WEFT_ADMIN_USERNAME, password: admin.WEFT_ADMIN_PASSWORD });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const { text } = await light(
    `${weft.url}/api/v1/token/?login_type=user`,
    { method: 'POST', headers },
    body.toString(),
  );
  return JSON.parse(text).access_token;
}

/** In this process: heap and columns of a registry with 100,000 devices that each hear eight access points. */
async function memoryFigure(): Promise<Figure> {
  const count = 100_000;
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const used = () => {
    collectGarbage();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const before = used();
  const registry = new DeviceRegistry({
    pseudonyms: new Pseudonyms(Buffer.alloc(32, 1)),
    maxDevices: count,
    onChanges: () => 0,
  });
  for (let index = 0; index < count / devicesEach; index++) {
    const devices = Array.from({ length: devicesEach }, (_, n) => ({
      identity: addressOf(index * devicesEach + n),
      rssi_dbm: -50,
      snr_db: 20,
      rx_mbps: 10.5,
      tx_mbps: 20.5,
      connected_seconds: 5,
      heard: Array.from({ length: 8 }, (_, other) => ({
        name: `ap-${index + other}`,
        isBssid: false,
        rssi_dbm: -60 - other,
      })),
    }));
    registry.apply(`ap-${index}`, { ts: 1, devices });
  }
  registry.table.order.slots();
  const withAddresses = (used() - before) / count;
  for (const agent of registry.agents()) agent.identities.clear();
  const without = (used() - before) / count;
  return {
    question: `Memory of a device, ${count} with a link and eight heard access points each`,
    value: `${Math.round(without)} bytes, ${Math.round(withAddresses)} with the addresses`,
    goal: `≤ ${goals.bytes} bytes in addition to the addresses`,
    ok: without <= goals.bytes && registry.table.deviceCount === count,
  };
}
