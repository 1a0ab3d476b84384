// Is a fleet of 100,000 access points listed fast? Pages by selector, search and order, also by the newest value of a metric,
// while 1,000 reports a second come in, on SQLite and on PostgreSQL. The agents are seeded as rows: Weft hears of all of them
// for the first time, and what it writes once because of that is waited for. `--agents 10000`, `--rounds 50`, `--settle 5`,
// `--database sqlite` and `--quiet` (no reports meanwhile) for a quick look.
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { SignJWT } from 'jose';
import { type AgentRecord, noLabels } from '../controller/src/core/accounts/agents/agent-record.ts';
import { AgentStore } from '../controller/src/core/accounts/agents/agent-store.ts';
import { SiteStore } from '../controller/src/core/accounts/sites/site-store.ts';
import { readOrCreateSecret } from '../controller/src/core/base/secret-file.ts';
import { Keyring } from '../controller/src/core/base/secrets.ts';
import { openPostgres } from '../controller/src/core/base/storage/sql-database.postgres.ts';
import { openSqlite } from '../controller/src/core/base/storage/sql-database.sqlite.ts';
import type { SqlDatabase } from '../controller/src/core/base/storage/sql-database.ts';
import { openEmbeddedTelemetry } from '../controller/src/core/telemetry/store/telemetry-store.embedded.ts';
import { startPostgres } from '../test/postgres.ts';
import { admin } from './harness/emulated-network.ts';
import type { StoredAgent } from './harness/fleet.ts';
import { percentile } from './harness/load.ts';
import { cpuSecondsOfFamily, createDataDir, parentOf, startWeft } from './harness/processes.ts';
import { type Figure, keep } from './harness/results.ts';
import { whilePosting } from './harness/steady-posts.ts';

const options = parseArgs({
  options: {
    agents: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '200' },
    settle: { type: 'string', default: '30' },
    database: { type: 'string', default: 'both' },
    quiet: { type: 'boolean', default: false },
  },
}).values;
const agents = Number(options.agents);
const rounds = Number(options.rounds);
const settleMs = Number(options.settle) * 1000;
const goalMs = 50;
const posting = 1000;
const sites = Array.from({ length: 100 }, (_, n) => `uk/town-${n % 10}/hall-${n}`);

const questions: [question: string, query: Record<string, string>][] = [
  ['first page, 100 of all', {}],
  ['the next pages', { walk: 'yes' }],
  ['by display name, descending', { sort: '-display_name' }],
  ['selector of site, type and tag', { selector: 'site:uk/town-3/** type:WiFi -tag:t1' }],
  ['selector of state', { selector: 'state:online' }],
  ['search', { search: 'hall-42' }],
  ['with the number of matches', { selector: 'type:5G', count: 'true' }],
  ['with configuration and newest values', { fields: 'configuration,latest' }],
  ['worst first by a metric', { sort: '-latency_ms' }],
  ['the next pages of it', { sort: '-latency_ms', walk: 'yes' }],
  ['selector of a metric', { selector: 'latency_ms>90 type:5G' }],
];

const figures: Figure[] = [];
if (options.database !== 'postgres') await measure('SQLite', {}, (dataDir) => openSqlite(join(dataDir, 'weft.db')));
if (options.database !== 'sqlite') {
  const postgres = await startPostgres();
  try {
    const env = { WEFT_DATABASE_URL: postgres.url, WEFT_SECRET: randomUUID() + randomUUID() };
    const database = openPostgres(postgres.url);
    const [backend] = await database.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const server = await parentOf(backend!.pid);
    await database.close();
    await measure('PostgreSQL', env, () => openPostgres(postgres.url), server);
  } finally {
    await postgres.stop();
  }
}
keep('fleet', figures);

async function measure(
  name: string,
  env: Record<string, string>,
  open: (dataDir: string) => SqlDatabase,
  server?: number,
): Promise<void> {
  const dataDir = createDataDir();
  const fleet = await seed(dataDir, open(dataDir), new Keyring(env.WEFT_SECRET ?? readOrCreateSecret(dataDir)));
  const weft = await startWeft({ ...admin, ...env, WEFT_MAX_AGENTS: '1000000' }, dataDir);
  try {
    const token = await login(weft.url);
    // Once each, so that what is loaded at first use is there: as for everybody but the very first.
    for (const [, query] of questions) await page(weft.url, token, query);
    const askAll = async () => {
      for (const end = performance.now() + settleMs; performance.now() < end; ) {
        for (const [, query] of questions) await page(weft.url, token, query);
      }
      const since = await used();
      for (const [question, query] of questions) {
        const times = await ask(weft.url, token, query);
        times.sort((a, b) => a - b);
        const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)];
        process.stderr.write(`${name}: ${question}: p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)} ms\n`);
        figures.push({
          question: `${name}: ${question}`,
          value: `p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)} ms`,
          goal: `p99 ≤ ${goalMs} ms`,
          ok: p99 <= goalMs,
        });
      }
      const [now, seconds] = [await used(), (performance.now() - since.at) / 1000];
      const share = (of: 'weft' | 'bench' | 'server') => `${Math.round(((now[of] - since[of]) / seconds) * 100)} %`;
      const ofServer = server === undefined ? '' : `, ${name} ${share('server')}`;
      figures.push({
        question: `${name}: processor time meanwhile, of two cores`,
        value: `Weft ${share('weft')} of a core, reports and questions ${share('bench')}${ofServer}`,
      });
    };
    const used = async () => ({
      at: performance.now(),
      weft: await weft.cpuSeconds(),
      bench: (process.cpuUsage().user + process.cpuUsage().system) / 1e6,
      server: server === undefined ? 0 : await cpuSecondsOfFamily(server),
    });
    await (options.quiet ? askAll() : whilePosting({ to: 'weft', url: weft.url, fleet }, askAll));
    figures.push({ question: `${name}: memory of the process`, value: `${(await weft.memoryMiB()).toFixed(0)} MiB` });
  } finally {
    await weft.stop();
  }
}

async function ask(url: string, token: string, { walk, ...query }: Record<string, string>): Promise<number[]> {
  const times: number[] = [];
  let cursor: string | null = null;
  for (let round = 0; round < rounds; round++) {
    const started = performance.now();
    const answer = await page(url, token, { ...query, ...(walk && cursor !== null && { cursor }) });
    times.push(performance.now() - started);
    cursor = answer.next;
  }
  return times.slice(walk ? 1 : 0);
}

async function page(url: string, token: string, { walk: _walk, ...query }: Record<string, string>) {
  const response = await fetch(`${url}/api/v1/agents?${new URLSearchParams(query)}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const body = (await response.json()) as { items: unknown[]; next: string | null };
  if (response.status !== 200) throw new Error(JSON.stringify(body));
  return body;
}

async function login(url: string): Promise<string> {
  const body = new URLSearchParams({ username: admin.WEFT_ADMIN_USERNAME, password: admin.WEFT_ADMIN_PASSWORD });
  const response = await fetch(`${url}/api/v1/token/?login_type=user`, { method: 'POST', body });
  return ((await response.json()) as { access_token: string }).access_token;
}

/** Rows of agents, sites, labels and one sample each; the first thousand get tokens. */
async function seed(dataDir: string, database: SqlDatabase, keyring: Keyring): Promise<StoredAgent[]> {
  await database.migrate();
  const siteStore = new SiteStore(database);
  for (const path of sites) {
    const rest = { geolocation: null, time_zone: null, notes: '', created_at: Date.now() };
    await siteStore.create({ id: randomUUID(), path, name: path, ...rest });
  }
  const store = new AgentStore(database);
  const records = Array.from({ length: agents }, (_, n) => toRecord(n));
  for (let start = 0; start < records.length; start += 5000) {
    await database.transaction((tx) => store.createAll(tx, records.slice(start, start + 5000)));
  }
  await database.close();
  const folder = join(dataDir, 'telemetry');
  const dayMs = 86_400_000;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const telemetry = await openEmbeddedTelemetry({
    folder,
    rawRetentionMs: 7 * dayMs,
    rollupRetentionMs: 90 * dayMs,
    onDamage: () => {},
    onFatal: (error) => {
      throw error;
    },
  });
  const names = ['latency_ms', 'throughput_mbps', 'active'];
  for (let start = 0; start < records.length; start += 2000) {
    const part = records.slice(start, start + 2000);
    await Promise.all(
      part.map(({ ap_id }, n) =>
        telemetry.append(ap_id, [{ ts: Date.now(), names, values: [(start + n * 7) % 100, n, 1], texts: [] }]),
      ),
    );
  }
  await telemetry.close();
  return Promise.all(records.slice(0, posting).map((record) => withToken(record, keyring)));
}

function toRecord(n: number): AgentRecord {
  return {
    id: randomUUID(),
    ap_id: `ap-${String(n).padStart(6, '0')}`,
    password_hash: '-',
    configuration: {
      access_point_type: ['5G', 'WiFi', 'LiFi'][n % 3],
      geolocation: { latitude: 51.4 + n / 1e6, longitude: -2.5 },
      // All stay online, although most of them report once only.
      report_interval_seconds: 86_400,
    },
    onboard: true,
    emulated_for: null,
    ver: 'seeded',
    created_at: Date.now() - n,
    ...noLabels,
    display_name: `Access point ${(n * 7919) % agents}`,
    site: sites[n % sites.length]!,
    tags: [`t${n % 5}`, `floor-${n % 9}`].sort(),
  };
}

async function withToken({ ap_id, ver }: AgentRecord, keyring: Keyring): Promise<StoredAgent> {
  const now = Math.floor(Date.now() / 1000);
  const token = await new SignJWT({ scope: 'agent', ver })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuer('weft')
    .setSubject(ap_id)
    .setJti(randomUUID())
    .setIssuedAt(now)
    .setExpirationTime(now + 6 * 3600)
    .sign(keyring.tokenKeys[0]!);
  return { ap_id, token };
}
