// HAProxy with deploy/cluster/haproxy.cfg, in front of nodes that freeze, are killed, or are all of no use. A node that is cut
// off alone is in nodes.long.test.ts.
import { performance } from 'node:perf_hooks';
import { expect, inject, onTestFinished, test } from 'vitest';
import { Agent } from '../sdk/src/index.ts';
import { type Cluster, startOwnCluster } from './cluster.ts';
import { report } from './outage.ts';
import { adminUsername, eventually, password, serve, type Weft, type WeftServer } from './weft-process.ts';

const isMissing = [inject('postgresUrl'), inject('amqpUrl')].includes(undefined);
const names = Array.from({ length: 8 }, (_, index) => `ap-${index}`);

async function metricOf(weft: Weft, start: string): Promise<number> {
  const { body } = await weft.request('GET', '/metrics');
  const line = String(body)
    .split('\n')
    .find((each) => each.startsWith(`${start} `));
  return Number(line?.split(' ').at(-1) ?? 0);
}

const channelsOf = (weft: Weft) => metricOf(weft, 'weft_agent_channels');

/** What a client behind the proxy is answered. Whoever refuses, the client is told why and when to come again. */
async function ask({ url }: Cluster, token: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${url}/api/v1/users/me`, { headers }).catch(() => undefined);
  // HAProxy leaves it to the client to try again if a node has closed a connection that was kept alive.
  if (!response) return 'closed';
  if (response.status === 200) {
    await response.text();
    return '200';
  }
  const { detail, code } = (await response.json()) as { detail: string; code: string };
  expect([typeof detail, Number(response.headers.get('retry-after')) > 0]).toEqual(['string', true]);
  return `${response.status} ${code}`;
}

/** Until ten clients in a row are answered so: on a busy machine a node may fail its checks for a moment. */
async function untilAnswered(cluster: Cluster, token: string, expected: string): Promise<void> {
  let inARow = 0;
  await eventually(
    async () => {
      inARow = (await ask(cluster, token)) === expected ? inARow + 1 : 0;
      return inARow;
    },
    (count) => count === 10,
  );
}

test.skipIf(isMissing)(
  'a frozen node loses its sessions, a killed one is left out, and while no node serves clients are told why and when to come again',
  { timeout: 600_000 },
  async () => {
    const cluster = await startOwnCluster({ workers: 0, isDeployed: true });
    const [a, b] = cluster.controllers as [WeftServer, WeftServer];
    const token = (await a.login(adminUsername, password)).body.access_token as string;
    const closedAtMs: number[] = [];
    for (const ap_id of names) {
      await a.request('POST', '/api/v1/agents/', { token, json: { ap_id, password, configuration: {} } });
      const onDisconnected = () => closedAtMs.push(performance.now());
      const agent = new Agent({ url: cluster.url, ap_id, password, onError: () => {}, onDisconnected });
      onTestFinished(() => agent.stop());
      await agent.start();
    }
    const frozenChannels = await channelsOf(a);
    expect(frozenChannels).toBeGreaterThan(0);

    a.child.kill('SIGSTOP');
    onTestFinished(() => void a.child.kill('SIGCONT'));
    const frozenAtMs = performance.now();
    // Some of them reach the frozen node.
    const asked = Array.from({ length: 10 }, () => ask(cluster, token));
    await eventually(
      () => channelsOf(b),
      (count) => count === names.length,
    );
    const backAfterMs = performance.now() - frozenAtMs;
    const closedAfterMs = Math.max(...closedAtMs) - frozenAtMs;
    expect(closedAtMs.length).toBeGreaterThanOrEqual(frozenChannels);
    for (const answer of await Promise.all(asked)) expect(answer).toMatch(/^(200|closed|50[234] (node_lost|no_node))$/);
    await untilAnswered(cluster, token, '200');
    report(
      `a frozen node: its ${frozenChannels} channels closed after ${(closedAfterMs / 1000).toFixed(1)} s, all open on the other one after ${(backAfterMs / 1000).toFixed(1)} s`,
    );
    // 4.5 by the file, which deploy-files.test.ts looks at; more if the machine is busy. Agents themselves need 45.
    expect(closedAfterMs).toBeLessThan(15_000);

    a.child.kill('SIGCONT');
    const served = 'weft_http_requests_total{operation="get_me",status="200"}';
    const before = await metricOf(a, served);
    await eventually(
      async () => {
        await ask(cluster, token);
        return await metricOf(a, served);
      },
      (count) => count > before,
    );
    await b.end('SIGKILL');
    await untilAnswered(cluster, token, '200');

    await Promise.all([cluster.postgres.stop(), cluster.rabbit.stop()]);
    const answers = new Set<string>();
    await eventually(
      async () => {
        const answer = await ask(cluster, token);
        answers.add(answer);
        return answer;
      },
      (answer) => answer === '503 cut_off',
    );
    // HAProxy has noticed it by now, or does.
    await eventually(
      () => a.request('GET', '/readyz?for=traffic'),
      ({ status }) => status === 503,
    );
    await untilAnswered(cluster, token, '503 cut_off');
    expect([...answers].filter((answer) => !/^(200|closed|503 (database_unavailable|cut_off))$/.test(answer))).toEqual(
      [],
    );

    await a.end('SIGKILL');
    await eventually(
      () => ask(cluster, token),
      (answer) => answer === '503 no_node',
    );
    await serve({ env: { ...cluster.env, WEFT_PORT: new URL(a.url).port } });
    await eventually(
      () => ask(cluster, token),
      (answer) => answer === '503 starting',
    );
  },
);
