// Two controllers behind a proxy, of which one is cut off from the database, and which are restarted one after the other.
// Agents hold channels, report and take commands all the time.
import { setTimeout as pause } from 'node:timers/promises';
import { expect, inject, onTestFinished, test } from 'vitest';
import { Agent } from '../sdk/src/index.ts';
import { startTcpProxy, type TcpProxy } from '../test/tcp-proxy.ts';
import { type Cluster, startOwnCluster } from './cluster.ts';
import { report } from './outage.ts';
import { adminUsername, eventually, password, type WeftServer } from './weft-process.ts';

const isMissing = [inject('postgresUrl'), inject('amqpUrl')].includes(undefined);
const agents = 20;

/** An access point that reports by its channel, and remembers what became of it. */
class WatchedAgent {
  readonly ap_id: string;
  readonly agent: Agent;
  accepted = 0;
  failedAttempts = 0;
  /** How long it had no channel, each time. */
  readonly gapsMs: number[] = [];
  #lostAtMs: number | undefined;

  constructor(url: string, ap_id: string) {
    this.ap_id = ap_id;
    this.agent = new Agent({
      url,
      ap_id,
      password,
      onError: () => {
        this.failedAttempts++;
      },
      onConnected: () => {
        if (this.#lostAtMs !== undefined) this.gapsMs.push(performance.now() - this.#lostAtMs);
        this.#lostAtMs = undefined;
      },
      onDisconnected: () => {
        this.#lostAtMs ??= performance.now();
      },
    }).command('set_tx_power', (args) => ({ applied: { dbm: Number(args.dbm) } }));
  }

  get isConnected(): boolean {
    return this.#lostAtMs === undefined;
  }

  async reportUntil(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await this.agent.post({ load: this.accepted });
      this.accepted++;
      await pause(200);
    }
  }
}

async function startAgents(cluster: Cluster, token: string): Promise<WatchedAgent[]> {
  const watched: WatchedAgent[] = [];
  for (let index = 0; index < agents; index++) {
    const json = { ap_id: `ap-${index}`, password, configuration: {} };
    expect((await cluster.controllers[0]!.request('POST', '/api/v1/agents/', { token, json })).status).toBe(200);
    const each = new WatchedAgent(cluster.url, json.ap_id);
    onTestFinished(() => each.agent.stop());
    await each.agent.start();
    watched.push(each);
  }
  return watched;
}

const channelsOf = async (weft: WeftServer) =>
  Number(/weft_agent_channels (\d+)/.exec((await weft.request('GET', '/metrics')).body)?.[1]);

/** Of all that was answered to these agents nothing may be missing. */
async function judge(cluster: Cluster, token: string, watched: readonly WatchedAgent[]): Promise<void> {
  const [weft] = cluster.controllers;
  for (const { ap_id, accepted } of watched) {
    const query = `agent=${ap_id}&metrics=load&window=60m&max_points=50000`;
    const { body } = await weft!.request('GET', `/api/v1/metrics/agent_multi_metric_data?${query}`, { token });
    const values = new Set(body.series[0].points.map(({ value }: { value: number }) => value));
    expect(Array.from({ length: accepted }, (_, load) => load).filter((load) => !values.has(load))).toEqual([]);
  }
  const query = new URLSearchParams({ agent_id: 'ap-0', command: '{"name":"set_tx_power","dbm":20}' });
  const sent = await weft!.request('POST', `/api/v1/send_command?${query}`, { token });
  await eventually(
    () => weft!.request('GET', `/api/v1/commands/${sent.body.command_id}`, { token }),
    ({ body }) => body.state === 'succeeded',
  );
}

function summary(watched: readonly WatchedAgent[]): string {
  const gaps = watched.flatMap(({ gapsMs }) => gapsMs);
  const longest = (Math.max(0, ...gaps) / 1000).toFixed(1);
  const failed = watched.reduce((sum, { failedAttempts }) => sum + failedAttempts, 0);
  return `${gaps.length} channels closed, ${failed} attempts to open them failed, the longest time without one ${longest} s, ${watched.reduce((sum, { accepted }) => sum + accepted, 0)} reports acknowledged, none lost`;
}

test.skipIf(isMissing)(
  'two nodes restarted one after the other, twice: every agent is back at once, none is offline, nothing is lost',
  { timeout: 600_000 },
  async () => {
    const cluster = await startOwnCluster({ workers: 0, isDeployed: true });
    const token = (await cluster.controllers[0]!.login(adminUsername, password)).body.access_token as string;
    const watched = await startAgents(cluster, token);
    let isOver = false;
    const reporting = Promise.all(watched.map((each) => each.reportUntil(() => isOver)));
    for (const index of [0, 1, 0, 1]) {
      const before = watched.map(({ accepted }) => accepted);
      const { port } = new URL(cluster.controllers[index]!.url);
      expect(await cluster.controllers[index]!.end('SIGTERM')).toBe(0);
      cluster.controllers[index] = await cluster.startController(Number(port));
      await eventually(
        async () => watched.every(({ accepted, isConnected }, each) => isConnected && accepted > before[each]! + 5),
        Boolean,
      );
    }
    isOver = true;
    await reporting;
    report(`two nodes restarted twice: ${summary(watched)}`);
    await judge(cluster, token, watched);
    await guessOnBoth(cluster);
    const { body } = await cluster.controllers[0]!.request('GET', '/api/v1/events?kinds=agent.offline', { token });
    expect(body.items).toEqual([]);
  },
);

test.skipIf(isMissing)(
  'a node that alone does not reach the database answers nothing, says so, and its agents go to the other one',
  { timeout: 600_000 },
  async () => {
    const cluster = await startOwnCluster({ workers: 0, isDeployed: true });
    const proxy = await cutOffByProxy(cluster, 0);
    const [lost, other] = cluster.controllers as [WeftServer, WeftServer];
    const token = (await other.login(adminUsername, password)).body.access_token as string;
    const watched = await startAgents(cluster, token);
    expect(await channelsOf(lost)).toBeGreaterThan(0);
    let isOver = false;
    const reporting = Promise.all(watched.map((each) => each.reportUntil(() => isOver)));

    const startedMs = performance.now();
    proxy.isSilent = true;
    proxy.freeze();
    await eventually(
      () => channelsOf(other),
      (count) => count === agents,
    );
    const movedMs = performance.now() - startedMs;
    const before = watched.map(({ accepted }) => accepted);
    await eventually(async () => watched.every(({ accepted }, each) => accepted > before[each]!), Boolean);
    const ready = await lost.request('GET', '/readyz');
    expect([ready.status, ready.body.parts.database]).toEqual([503, 'failing']);
    for (const path of ['/api/v1/agents', '/api/v1/devices', '/api/v1/alarms', '/api/v1/health', '/api/v1/events']) {
      expect([path, (await lost.request('GET', path, { token })).status]).toEqual([path, 503]);
      expect([path, (await other.request('GET', path, { token })).status]).toEqual([path, 200]);
    }

    proxy.isSilent = false;
    proxy.cutAll();
    await eventually(
      () => lost.request('GET', '/readyz'),
      ({ status }) => status === 200,
    );
    isOver = true;
    await reporting;
    report(
      `a node cut off from the database: all agents on the other one after ${(movedMs / 1000).toFixed(1)} s; ${summary(watched)}`,
    );
    await judge(cluster, token, watched);
  },
);

/** Whoever has used up its guesses on one node has none left on the other. */
async function guessOnBoth({ controllers }: Cluster): Promise<void> {
  const [first, second] = controllers as [WeftServer, WeftServer];
  const guess = (weft: WeftServer) => weft.login('nobody@example.org', 'a wrong password').then(({ status }) => status);
  const limit = 10;
  for (let count = 0; count < limit; count++) expect(await guess(first)).toBe(401);
  expect(await guess(first)).toBe(429);
  let guesses = 0;
  await eventually(
    async () => {
      guesses++;
      return await guess(second);
    },
    (status) => status === 429,
  );
  expect(guesses).toBeLessThanOrEqual(limit);
}

/** Starts this controller again, with a proxy between it and PostgreSQL. */
async function cutOffByProxy(cluster: Cluster, index: number): Promise<TcpProxy> {
  const proxy = await startTcpProxy(Number(new URL(cluster.postgres.url).port));
  onTestFinished(() => proxy.close());
  const { port } = new URL(cluster.controllers[index]!.url);
  await cluster.controllers[index]!.end('SIGTERM');
  const direct = cluster.env.WEFT_DATABASE_URL!;
  const through = new URL(direct);
  through.port = String(proxy.port);
  cluster.env.WEFT_DATABASE_URL = through.href;
  cluster.controllers[index] = await cluster.startController(Number(port));
  cluster.env.WEFT_DATABASE_URL = direct;
  return proxy;
}
