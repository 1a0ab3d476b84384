// What does it cost to store telemetry, and how fast does it come out, in each store that Weft can use? The same samples and
// questions for all of them, through the interface that Weft uses, one store after the other. `--only PostgreSQL` asks one.
import type { Sample, SeriesQuery } from '../controller/src/core/telemetry/store/telemetry-store.ts';
import { Radio } from './harness/fleet.ts';
import { percentile } from './harness/load.ts';
import { type Figure, keep } from './harness/results.ts';
import { type StoreUnderLoad, stores } from './harness/store-table.ts';

const agentCount = 1_000;
/** Ten minutes at 1 Hz for each, and a day for one more agent. */
const rowsEach = 600;
const longRows = 86_400;
const longAgent = 'ap-long';
const batchRows = 100;
const seconds = 8;
const rounds = 300;
const warmUpRounds = 100;
/** For each question. */
const patienceMs = 12_000;
const agents = Array.from({ length: agentCount }, (_, index) => `ap-${index}`);
const five = Radio.names.slice(0, 5);
const endMs = Math.floor(Date.now() / 1000) * 1000;

type Answers = Record<string, string>;

const wanted = process.argv.includes('--only')
  ? [process.argv[process.argv.indexOf('--only') + 1]!]
  : Object.keys(stores);
const all: Record<string, Answers> = {};
for (const name of wanted) {
  const open = stores[name];
  if (!open) throw new Error(`there is no store ${name}; there are ${Object.keys(stores).join(', ')}`);
  process.stderr.write(`${name}\n`);
  const store = await open();
  try {
    all[name] = await measure(store);
    process.stderr.write(`${JSON.stringify(all[name], null, 1)}\n`);
  } finally {
    await store.stop();
  }
}
const [first, ...others] = wanted as [string, ...string[]];
const figures: Figure[] = Object.keys(all[first]!).map((question) => ({
  question,
  value: `${first} ${all[first]![question]}`,
  ...(others.length > 0 && { against: others.map((name) => `${name} ${all[name]![question]}`).join('; ') }),
}));
keep('stores', figures);

async function measure(under: StoreUnderLoad): Promise<Answers> {
  const answers: Answers = {};
  const { store } = under;
  const batches = history();
  const points = agentCount * rowsEach * Radio.names.length;
  const written = await cost(under, async () => {
    await manyAtOnce(128, batches.length, (index) => store.append(batches[index]!.ap_id, batches[index]!.samples));
    return points;
  });
  answers['batches of 100 samples of ten metrics, 128 at once'] = inWords(written);
  const settled = await cost(under, async () => {
    await under.settle();
    return points;
  });
  answers['processor time a point until it is sealed or packed'] =
    `${(written.own + written.server + settled.own + settled.server).toFixed(2)} µs`;
  const bytes = await under.bytes();
  answers['bytes a point on disk'] = (bytes.samples / points).toFixed(2);
  answers['roll-ups of the same'] = (bytes.rollups / points).toFixed(2);
  for (const samples of longHistory()) await store.append(longAgent, samples);
  await under.settle();
  const window = { endMs, aggregate: 'mean' as const };
  const questions: Record<string, () => Promise<unknown>> = {
    'five metrics, 5 minutes': () =>
      store.query(asked(anyAgent(), { ...window, startMs: endMs - 300_000, metrics: five, maxPoints: 5_000 })),
    'one metric, 24 hours in 300 buckets': () =>
      store.query(
        asked(longAgent, { ...window, startMs: endMs - 86_400_000, metrics: five.slice(0, 1), maxPoints: 300 }),
      ),
    'newest of 1,000 agents, ten metrics each': () => store.latest(agents),
  };
  for (const [question, ask] of Object.entries(questions)) answers[question] = await timed(ask);
  answers['single samples of ten metrics, 512 at once'] = inWords(await singles(under));
  return answers;
}

function asked(ap_id: string, query: Omit<SeriesQuery, 'ap_id'>): SeriesQuery {
  return { ap_id, ...query };
}

/** As reports come: one sample of one agent after the other, each answered before the next of the same caller. */
async function singles(under: StoreUnderLoad) {
  const radio = new Radio();
  const ready = Array.from({ length: 20_000 }, (_, index): { ap_id: string; samples: Sample[] } => ({
    ap_id: agents[index % agentCount]!,
    samples: [
      { ts: endMs + 1 + Math.floor(index / agentCount) * 1000, names: Radio.names, values: radio.next(), texts: [] },
    ],
  }));
  let next = 0;
  const post = async (untilMs: number) => {
    let count = 0;
    const caller = async () => {
      while (performance.now() < untilMs) {
        const { ap_id, samples } = ready[next++ % ready.length]!;
        await under.store.append(ap_id, samples);
        count++;
      }
    };
    await Promise.all(Array.from({ length: 512 }, caller));
    return count * Radio.names.length;
  };
  await post(performance.now() + 2_000);
  return cost(under, () => post(performance.now() + seconds * 1000));
}

interface Cost {
  pointsPerSecond: number;
  /** Microseconds of processor time a point: in this process, and of the server. */
  own: number;
  server: number;
}

async function cost(under: StoreUnderLoad, work: () => Promise<number>): Promise<Cost> {
  const [start, own, server] = [performance.now(), process.cpuUsage(), await under.serverCpuSeconds()];
  const points = await work();
  const elapsed = (performance.now() - start) / 1000;
  const used = process.cpuUsage(own);
  return {
    pointsPerSecond: points / elapsed,
    own: (used.user + used.system) / points,
    server: (((await under.serverCpuSeconds()) - server) * 1e6) / points,
  };
}

function inWords({ pointsPerSecond, own, server }: Cost): string {
  const where = server > 0 ? ` (${own.toFixed(2)} of Weft, ${server.toFixed(2)} of the server)` : '';
  return `${Math.round(pointsPerSecond / 1000)},000 points/s, ${(own + server).toFixed(2)} µs a point${where}`;
}

async function timed(ask: () => Promise<unknown>): Promise<string> {
  const latencies: number[] = [];
  const begin = performance.now();
  for (let round = 0; round < warmUpRounds + rounds; round++) {
    const start = performance.now();
    await ask();
    const end = performance.now();
    // A store that takes half a second for a question is not asked hundreds of times.
    const isWarm = round >= warmUpRounds || start - begin > patienceMs / 3;
    if (isWarm) latencies.push(end - start);
    if (end - begin > patienceMs && latencies.length >= 10) break;
  }
  latencies.sort((a, b) => a - b);
  return `p50 ${percentile(latencies, 0.5).toFixed(1)}, p99 ${percentile(latencies, 0.99).toFixed(1)} ms`;
}

function anyAgent(): string {
  return agents[Math.floor(Math.random() * agentCount)]!;
}

/** Made before it is measured. In the order of time, as if all agents had been out of reach together. */
function history(): { ap_id: string; samples: Sample[] }[] {
  const batches: { ap_id: string; samples: Sample[] }[] = [];
  const radios = agents.map(() => new Radio());
  for (let row = 0; row < rowsEach; row += batchRows) {
    for (const [index, ap_id] of agents.entries()) {
      batches.push({
        ap_id,
        samples: samplesOf(radios[index]!, endMs - (rowsEach - row) * 1000, batchRows, Radio.names),
      });
    }
  }
  return batches;
}

function* longHistory(): Generator<Sample[]> {
  const radio = new Radio();
  const size = 2_400;
  for (let row = 0; row < longRows; row += size) yield samplesOf(radio, endMs - (longRows - row) * 1000, size, five);
}

function samplesOf(radio: Radio, firstMs: number, count: number, names: string[]): Sample[] {
  return Array.from({ length: count }, (_, at) => ({
    ts: firstMs + at * 1000,
    names,
    values: radio.next().slice(0, names.length),
    texts: [],
  }));
}

async function manyAtOnce(callers: number, count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const caller = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: callers }, caller));
}
