// An emulated network from outside: one request, and there is a network that reports, obeys, survives and ends. The embedded
// default, and a real process of it where it is killed.
import { join } from 'node:path';
import { App } from '@weft/sdk';
import { expect, test } from 'vitest';
import { isLong } from '../test/rounds.ts';
import { bearer, connect } from '../test/socket-client.ts';
import { serve as serveHere } from './weft-here.ts';
import { adminUsername, eventually, password, serve, type Weft } from './weft-process.ts';

interface Point {
  ts: string;
  value: number;
}

const town = (more: object = {}) => ({
  emulators: [
    { access_point_type: '5G', num_access_points: 3, locations: ['Bristol'], num_devices: 10, duration: 900 },
    { access_point_type: 'WiFi', num_access_points: 2, locations: ['Bristol'], num_devices: 10, duration: 900 },
    { access_point_type: 'LiFi', num_access_points: 1, locations: ['Bristol'], num_devices: 4, duration: 900 },
  ],
  seed: 11,
  ...more,
});

async function spinUp(weft: Weft, token: string, json: object) {
  const answer = await weft.request('POST', '/api/v1/emulator/spinup', { token, json });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body as { job_number: string; agents: { ap_id: string }[] };
}

async function series(weft: Weft, token: string, agent: string, metric: string, more = ''): Promise<Point[]> {
  const path = `/api/v1/metrics/agent_multi_metric_data?agent=${agent}&metrics=${metric}${more}`;
  const { body } = await weft.request('GET', path, { token });
  return body.series[0].points;
}

const latestOf = async (weft: Weft, token: string, agents: readonly string[], metric: string) =>
  Promise.all(agents.map(async (agent) => (await series(weft, token, agent, metric)).at(-1)?.value ?? Number.NaN));

const online = (weft: Weft, token: string, expected: number) =>
  eventually(
    async () => {
      const { body } = await weft.request('GET', '/api/v1/metrics/presence', { token });
      return body.agents.filter(({ presence }: { presence: string }) => presence === 'online').length as number;
    },
    (count) => count === expected,
  );

test('a network of six reports within seconds, and a cell that sleeps hands its devices over', async () => {
  const weft = await serveHere();
  const token = await weft.createAdmin();
  const { job_number, agents } = await spinUp(weft, token, town());
  expect(await online(weft, token, 6)).toBe(6);
  const cells = agents.map(({ ap_id }) => ap_id).filter((ap_id) => ap_id.startsWith('emu-5g'));
  const [sleeper] = cells as [string, ...string[]];
  // Its devices may go to a lamp or to WiFi as well.
  const neighbours = agents.map(({ ap_id }) => ap_id).filter((ap_id) => ap_id !== sleeper);
  const attached = (who: readonly string[]) => latestOf(weft, token, who, 'connected_devices');
  await eventually(
    () => attached([sleeper]),
    ([count]) => count! > 0,
  );
  const [powerBefore] = await latestOf(weft, token, [sleeper], 'power_w');
  const askedAt = Date.now();
  const command = await weft.request('POST', `/api/v1/send_command?agent_id=${sleeper}&command=sleep`, { token });
  expect(command.status).toBe(200);
  const state = async () =>
    (await weft.request('GET', `/api/v1/commands/${command.body.command_id}`, { token })).body.state as string;
  expect(await eventually(state, (word) => word === 'succeeded')).toBe('succeeded');
  const left = await eventually(
    () => attached([sleeper]),
    ([count]) => count === 0,
  );
  expect(left).toEqual([0]);
  // Only who was served elsewhere before is handed over.
  const taken = await eventually(
    async () => {
      const all = await Promise.all(neighbours.map((ap_id) => series(weft, token, ap_id, 'handovers_in')));
      return all.flat().reduce((sum, { ts, value }) => sum + (Date.parse(ts) >= askedAt ? value : 0), 0);
    },
    (count) => count > 0,
  );
  expect(taken).toBeGreaterThan(0);
  const [powerAfter] = await eventually(
    () => latestOf(weft, token, [sleeper], 'power_w'),
    ([watts]) => watts! < powerBefore! * 0.8,
  );
  expect(powerAfter).toBeLessThan(powerBefore! * 0.8);

  const question = { job_number, commands: [{ agent_id: sleeper, command: 'wake' }], minutes: 2 };
  const { status, body } = await weft.request('POST', '/api/v1/emulator/what_if', { token, json: question });
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body.totals.power_w.with).toBeGreaterThan(body.totals.power_w.without);
  expect(body.timeline).toHaveLength(2);
  const woken = body.agents.find((agent: { agent_id: string }) => agent.agent_id === sleeper);
  expect(woken.metrics.connected_devices.with).toBeGreaterThan(woken.metrics.connected_devices.without);
  expect(await attached([sleeper])).toEqual([0]);

  const stopped = await weft.request('POST', `/api/v1/emulator/${job_number}/stop`, { token });
  expect(stopped.body).toMatchObject({ state: 'cancelled', is_over: true });
  expect(await online(weft, token, 0)).toBe(0);
});

test('a run survives kill -9, ends on time, and says so on its socket; live samples come once and in order', async () => {
  const first = await serve();
  const { folder } = first;
  const token = await first.createAdmin();
  // Few access points, for long enough that a busy machine has started it, and Weft again, before it is over.
  const durationMs = 25_000;
  const brief = town();
  for (const spec of brief.emulators) Object.assign(spec, { num_access_points: 1, duration: durationMs / 1000 });
  const startedAt = Date.now();
  const { job_number, agents } = await spinUp(first, token, brief);
  const probe = agents[1]!.ap_id;
  const live = new App({ url: first.url, username: adminUsername, password }).live({ metrics: ['power_w'] });
  const seen = new Map<string, number[]>(agents.map(({ ap_id }) => [ap_id, []]));
  const reading = (async () => {
    for await (const { ap_id, ts } of live) seen.get(ap_id)!.push(Date.parse(ts));
  })();
  await eventually(
    async () => seen.get(probe)!.length,
    (count) => count >= 3,
  );
  await first.end('SIGKILL');
  const killedAt = Date.now();
  const second = await serveHere({
    env: { WEFT_DATA_DIR: join(folder, 'data'), WEFT_PORT: new URL(first.url).port },
  });
  const socket = await connect(second.url, `/api/v1/ws/${job_number}`, bearer(token));
  await eventually(
    async () => socket.messages.at(-1)?.final,
    (isFinal) => isFinal === true,
  );
  expect(socket.messages.at(-1)).toMatchObject({ type: 'emulator', final: true, data: [{ event: 'ended' }] });
  expect(Date.now() - startedAt).toBeGreaterThanOrEqual(durationMs - 1000);
  const { body } = await second.request('GET', `/api/v1/emulator/${job_number}`, { token });
  expect(body).toMatchObject({ state: 'succeeded', progress: 1 });
  const points = await series(second, token, probe, 'power_w');
  const seconds = new Set(points.map(({ ts }) => ts));
  expect(seconds.size).toBe(points.length);
  // From before the kill to its end.
  expect(Date.parse(points[0]!.ts)).toBeLessThan(killedAt);
  const lastSecond = Date.parse(body.model_start) + durationMs - 2000;
  expect(Date.parse(points.at(-1)!.ts)).toBeGreaterThanOrEqual(lastSecond);
  // What the network does again from its last checkpoint is stored again, and was read before.
  await expect.poll(() => seen.get(probe)!.at(-1)).toBe(Date.parse(points.at(-1)!.ts));
  await live.return();
  await reading;
  for (const times of seen.values()) expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
});

/** For each agent, its values by time. */
type Stored = Map<string, number>[];

// With a server in the process of the test: emulator-worker.contract.test.ts.
test.runIf(isLong)('the same seed gives the same stored values, at speed 1 and at speed 60', async () => {
  const weft = await serve();
  const token = await weft.createAdmin();
  const start_time = new Date(Math.floor(Date.now() / 1000) * 1000 - 3_600_000).toISOString();
  const stored = async (speed: number) => {
    const network = town({ speed, start_time });
    for (const spec of network.emulators) spec.duration = 12;
    const { job_number, agents } = await spinUp(weft, token, network);
    const state = async () =>
      (await weft.request('GET', `/api/v1/emulator/${job_number}`, { token })).body.state as string;
    expect(await eventually(state, (word) => word === 'succeeded')).toBe('succeeded');
    return Promise.all(
      agents.map(async ({ ap_id }) => {
        const points = await series(weft, token, ap_id, 'power_w', '&window=2h');
        return new Map(points.map(({ ts, value }) => [ts, value]));
      }),
    );
  };
  const [slow, fast] = (await Promise.all([stored(1), stored(60)])) as [Stored, Stored];
  let compared = 0;
  for (const [index, values] of slow.entries()) {
    for (const [ts, value] of values) {
      const other = fast[index]!.get(ts);
      if (other === undefined) continue;
      expect(other).toBe(value);
      compared++;
    }
  }
  // Those that came before the agents were on line are in neither.
  expect(compared).toBeGreaterThan(50);
});
