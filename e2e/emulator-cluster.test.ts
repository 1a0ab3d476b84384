// Emulators as processes of their own, on PostgreSQL and RabbitMQ: one takes a run over from another that was
// killed, and what is asked of the network finds it from any node.
import { expect, inject, test } from 'vitest';
import { startCluster } from './cluster.ts';
import type { WeftHere } from './weft-here.ts';
import { adminUsername, eventually, password } from './weft-process.ts';

const isMissing = [inject('postgresUrl'), inject('amqpUrl')].includes(undefined);

test.skipIf(isMissing)('a run goes on when its emulator is killed, and answers from every node', async () => {
  const cluster = await startCluster({ controllers: 0, here: 2, workers: 0 });
  const [a, b] = cluster.here as [WeftHere, WeftHere];
  const first = await cluster.startEmulator();
  const token = (await a.login(adminUsername, password)).body.access_token as string;
  const json = {
    emulators: [
      { access_point_type: 'WiFi', num_access_points: 4, locations: ['Bristol'], num_devices: 5, duration: 900 },
    ],
    report_interval_seconds: 5,
  };
  // A busy machine may not have it ready at once.
  const { body: accepted } = await eventually(
    () => a.request('POST', '/api/v1/emulator/spinup', { token, json }),
    ({ status }) => status !== 503,
  );
  const { job_number, agents } = accepted as { job_number: string; agents: { ap_id: string }[] };
  const newest = async (node: WeftHere) => {
    const path = `/api/v1/metrics/agent_multi_metric_data?agent=${agents[0]!.ap_id}&metrics=power_w`;
    const { body } = await node.request('GET', path, { token });
    const ts: string | undefined = body.series?.[0]?.points.at(-1)?.ts;
    return ts === undefined ? 0 : Date.parse(ts);
  };
  await eventually(
    () => newest(b),
    (ts) => ts > 0,
  );
  const ask = (node: WeftHere, command: string) =>
    node.request('POST', '/api/v1/emulator/what_if', {
      token,
      json: { job_number, commands: [{ agent_id: agents[1]!.ap_id, command }], minutes: 1 },
    });
  /** It is refused where it would take too long, or while nobody runs the network: a busy machine may need more than one question. */
  const askUntilAnswered = (node: WeftHere) =>
    eventually(
      () => ask(node, 'sleep'),
      ({ status }) => status === 200,
    );
  for (const node of [a, b]) {
    const { body } = await askUntilAnswered(node);
    expect(body.totals.power_w.with).toBeLessThan(body.totals.power_w.without);
    const query = 'layer=best_server&technology=WiFi&columns=8&rows=8';
    const map = await eventually(
      () => node.request('GET', `/api/v1/emulator/${job_number}/coverage?${query}`, { token }),
      ({ status }) => status === 200,
    );
    expect(map.body.access_points).toHaveLength(4);
  }
  await first.end('SIGKILL');
  const killedAt = Date.now();
  await cluster.startHere('emulator');
  // The lease of the dead one has to run out first.
  await expect
    .poll(() => newest(b).catch(() => 0), { interval: 1000, timeout: 600_000 })
    .toBeGreaterThan(killedAt + 10_000);
  await askUntilAnswered(b);
  const stopped = await b.request('POST', `/api/v1/emulator/${job_number}/stop`, { token });
  expect(stopped.body).toMatchObject({ state: 'cancelled', is_over: true });
  const online = async () => {
    const { body } = await a.request('GET', '/api/v1/metrics/presence', { token });
    return body.agents.filter(({ channel }: { channel: boolean }) => channel).length as number;
  };
  expect(await eventually(online, (count) => count === 0)).toBe(0);
});
