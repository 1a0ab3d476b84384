// A Weft under steady mixed load for hours: what it holds is written down every ten seconds, and must not grow. What was
// measured stays in a folder, so that a run can be stopped and continued: the data folder is used again.
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent } from '../../sdk/src/index.ts';
import { Radio } from './fleet.ts';
import { light, median } from './load.ts';
import { startWeft } from './processes.ts';

const everyMs = 10_000;
const reportEveryMs = 1_000;
/** Half of them report over posts, half over channels. */
const agents = 40;
/** What is meant by growth, from the first third of what is looked at to the last: garbage comes and goes. */
const growth = { memoryMiB: 30, descriptors: 10, lagMs: 20 };
/** Of the data folder, for each point that was stored: far more than the store needs. */
const maxBytesPerPoint = 20;
/** What the first minutes fill is meant to be filled. */
const warmUpMinutes = 3;
const admin = 'soak@example.org';
const password = 'wfs_59f1ca858435af0d0440bb4ec16a220fed7fdaeec22554c479239e32a3f20389d5b75d53';

export interface SoakSample {
  /** Which start of Weft it belongs to. */
  start: number;
  /** Of this and all earlier starts. */
  minutes: number;
  memoryMiB: number;
  descriptors: number;
  diskMiB: number;
  /** The 99th percentile since the sample before, as Weft counts it. */
  lagMs: number;
  /** The same of this process: what keeps both waiting is the machine. */
  ownLagMs: number;
  points: number;
  failures: number;
}

export interface SoakResult {
  minutes: number;
  samples: SoakSample[];
  /** What grew, or failed; empty if all is well. */
  problems: string[];
}

/** Until so many minutes are reached, those of earlier runs in the same folder included, or until it is told to stop. */
export async function soak(folder: string, minutes: number, stop: AbortSignal): Promise<SoakResult> {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'samples.ndjson');
  const samples = readSamples(file);
  const start = (samples.at(-1)?.start ?? 0) + 1;
  const before = samples.at(-1)?.minutes ?? 0;
  const dataDir = join(folder, 'data');
  const env = {
    WEFT_ADMIN_USERNAME: admin,
    WEFT_ADMIN_PASSWORD: password,
    WEFT_LOG_LEVEL: 'error',
    // Whoever logs in does it once.
    WEFT_TOKEN_TTL_SECONDS: '86400',
  };
  const weft = await startWeft(env, dataDir, { isKept: true });
  const load = new SoakLoad(weft.url);
  const ownLag = monitorEventLoopDelay();
  ownLag.enable();
  try {
    await load.begin();
    const startedMs = performance.now();
    const passed = () => before + (performance.now() - startedMs) / 60_000;
    while (passed() < minutes && !stop.aborted) {
      await pause(everyMs, undefined, { signal: stop }).catch(() => {});
      const sample = {
        start,
        minutes: passed(),
        memoryMiB: await weft.memoryMiB(),
        descriptors: (await readdir(`/proc/${weft.pid}/fd`)).length,
        diskMiB: (await bytesOf(dataDir)) / 2 ** 20,
        lagMs: await lagOf(weft.url),
        ownLagMs: ownLag.percentile(99) / 1e6,
        points: load.points,
        failures: load.failures,
      };
      ownLag.reset();
      samples.push(sample);
      appendFileSync(file, `${JSON.stringify(sample)}\n`);
    }
  } finally {
    ownLag.disable();
    await load.end();
    await weft.stop();
  }
  return { minutes: samples.at(-1)?.minutes ?? 0, samples, problems: problemsOf(samples) };
}

function growing(sample: SoakSample, name: keyof typeof growth): number {
  return name === 'lagMs' ? sample.lagMs - sample.ownLagMs : sample[name];
}

/** Compares the beginning of each start with its end, if it was long enough to say something. */
export function problemsOf(samples: readonly SoakSample[]): string[] {
  const problems: string[] = [];
  for (const [start, own] of Map.groupBy(samples, (sample) => sample.start)) {
    const say = (text: string) => problems.push(`start ${start}: ${text}`);
    const failures = own.at(-1)!.failures;
    if (failures > 0) say(`${failures} requests failed`);
    const warm = own.filter(({ minutes }) => minutes - own[0]!.minutes >= warmUpMinutes);
    if (warm.length < 9) continue;
    const third = Math.floor(warm.length / 3);
    const [early, late] = [warm.slice(0, third), warm.slice(-third)];
    for (const [name, limit] of Object.entries(growth) as [keyof typeof growth, number][]) {
      const [first, last] = [early, late].map((part) => median(part.map((sample) => growing(sample, name)))) as [
        number,
        number,
      ];
      if (last - first > limit) say(`${name} grew from ${first.toFixed(0)} to ${last.toFixed(0)}`);
    }
    const [points, bytes] = [
      late.at(-1)!.points - early[0]!.points,
      (late.at(-1)!.diskMiB - early[0]!.diskMiB) * 2 ** 20,
    ];
    if (bytes > points * maxBytesPerPoint) say(`${(bytes / points).toFixed(1)} bytes on disk a point`);
  }
  return problems;
}

/** Posts, channels, commands, reads and a stream, at a rate that leaves most of a small machine to others. */
class SoakLoad {
  points = 0;
  failures = 0;
  readonly #url: string;
  readonly #over = new AbortController();
  readonly #work: Promise<unknown>[] = [];
  #token = '';

  constructor(url: string) {
    this.#url = url;
  }

  async begin(): Promise<void> {
    this.#token = await this.#logIn(admin, 'user');
    const half = agents / 2;
    const tokens: string[] = [];
    const told: Agent[] = [];
    for (let index = 0; index < half; index++) {
      const [posting, channelling] = [`post-${index}`, `channel-${index}`];
      for (const ap_id of [posting, channelling]) {
        // There already, if the run is continued.
        await this.#ask('POST', '/api/v1/agents/', JSON.stringify({ ap_id, password, configuration: {} })).catch(
          () => {},
        );
      }
      tokens.push(await this.#logIn(posting, 'agent'));
      const agent = new Agent({ url: this.#url, ap_id: channelling, password });
      await agent.command('set_tx_power', ({ dbm }) => ({ applied: { dbm } })).start();
      told.push(agent);
    }
    this.#over.signal.addEventListener('abort', () => {
      for (const agent of told) void agent.stop({ graceMs: 0 });
    });
    const every = (ms: number, ask: (turn: number) => Promise<unknown>) => this.#work.push(this.#repeat(ms, ask));
    for (const token of tokens) {
      const radio = new Radio();
      every(reportEveryMs, async () => {
        await this.#ask('POST', '/api/v1/agent_update/update', JSON.stringify(radio.fields()), undefined, token);
        this.points += Radio.names.length;
      });
    }
    for (const agent of told) {
      const radio = new Radio();
      every(reportEveryMs, async () => {
        await agent.post(radio.fields());
        this.points += Radio.names.length;
      });
    }
    every(2_000, (turn) => {
      const command = JSON.stringify({ name: 'set_tx_power', dbm: turn % 20 });
      const query = new URLSearchParams({ agent_id: `channel-${turn % half}`, command });
      return this.#ask('POST', `/api/v1/send_command?${query}`);
    });
    every(5_000, () => this.#ask('POST', '/api/v1/agent_details/request_all_agents_details'));
    const reads = ['/api/v1/agents', '/api/v1/metrics/latest', '/api/v1/alarms', '/api/v1/events', '/api/v1/jobs'];
    every(1_000, (turn) => this.#ask('GET', reads[turn % reads.length]!));
    every(60_000, () => this.#stream());
  }

  async #logIn(username: string, kind: string): Promise<string> {
    const form = new URLSearchParams({ username, password }).toString();
    const path = `/api/v1/token/?login_type=${kind}`;
    return JSON.parse(await this.#ask('POST', path, form, 'application/x-www-form-urlencoded')).access_token;
  }

  async end(): Promise<void> {
    this.#over.abort();
    await Promise.all(this.#work);
  }

  async #repeat(ms: number, ask: (turn: number) => Promise<unknown>): Promise<void> {
    const { signal } = this.#over;
    await pause(Math.random() * ms);
    for (let turn = 0; !signal.aborted; turn++) {
      await ask(turn).catch((error: Error) => {
        if (signal.aborted) return;
        if (this.failures++ < 5) process.stderr.write(`${error.message}\n`);
      });
      await pause(ms, undefined, { signal }).catch(() => {});
    }
  }

  /** Open for a minute. */
  async #stream(): Promise<void> {
    const signal = AbortSignal.any([this.#over.signal, AbortSignal.timeout(60_000)]);
    const headers = { authorization: `Bearer ${this.#token}` };
    const response = await fetch(`${this.#url}/api/v1/metrics/stream`, { headers, signal });
    try {
      const reader = response.body!.getReader();
      while (!(await reader.read()).done);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async #ask(method: string, path: string, body?: string, type = 'application/json', token = this.#token) {
    const headers = { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': type }) };
    const { status, text } = await light(this.#url + path, { method, headers }, body);
    if (status >= 400) throw new Error(`${method} ${path}: ${status} ${text.slice(0, 200)}`);
    return text;
  }
}

function readSamples(file: string): SoakSample[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

async function lagOf(url: string): Promise<number> {
  const { text } = await light(`${url}/metrics`);
  return Number(/^nodejs_eventloop_lag_p99_seconds ([\d.e+-]+)/m.exec(text)?.[1] ?? Number.NaN) * 1000;
}

async function bytesOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) =>
      stat(join(parentPath, name)).then(
        ({ blocks }) => blocks * 512,
        () => 0,
      ),
    );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
