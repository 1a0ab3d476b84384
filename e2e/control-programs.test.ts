// The control programs of examples/ as people start them, against emulated networks: each beside a twin of the network, on the
// same seed, that nobody touches.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { App, type EmulatedNetwork, type EmulationRequest } from '@weft/sdk';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isLong } from '../test/rounds.ts';
import { serve } from './weft-here.ts';
import { adminUsername, password, root, type Weft } from './weft-process.ts';

/** Beside the models of examples/, and the pages of the documents that run each program, one of the three is enough every time. */
const place = ['51.4545,-2.5879'];
/** For a machine with much else to do: what is waited for comes within seconds on an idle one. */
const patience = { timeout: 600_000, interval: 500 };
const key = 'a key that is long enough for an app of ours';

/** A program in a process of its own, which may see one network only; ends with the test. */
async function start(weft: Weft, token: string, program: string, { job_number }: EmulatedNetwork): Promise<void> {
  const json = { app_name: program, api_key: key, permissions: { agents: [`emu-*-${job_number.slice(0, 8)}-*`] } };
  const created = await weft.request('POST', '/api/v1/third_party_apps', { token, json });
  expect(created.status, JSON.stringify(created.body)).toBe(200);
  const credentials = { WEFT_URL: weft.url, WEFT_APP_NAME: program, WEFT_APP_KEY: key };
  const child = spawn(process.execPath, [join(root, 'examples', program, 'main.ts')], {
    env: { PATH: process.env.PATH, ...credentials },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  onTestFinished(async () => {
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });
}

/** Rules by the network's time, which goes faster than the clock. */
async function hurryRules(weft: Weft, token: string): Promise<void> {
  const { body } = await weft.request('GET', '/api/v1/conflicts/rules', { token });
  const json = { ...body, groups: body.groups.map((group: object) => ({ ...group, min_interval_ms: 0 })) };
  json.blast_radius = { fraction: 1, minimum: 100, window_s: 1 };
  expect((await weft.request('PUT', '/api/v1/conflicts/rules', { token, json })).status).toBe(200);
}

/** Two networks that are the same, one of them with the program. */
async function besideTwin(program: string, request: EmulationRequest) {
  const weft = await serve();
  const token = await weft.createAdmin();
  await hurryRules(weft, token);
  const app = new App({ url: weft.url, username: adminUsername, password });
  const [network, twin] = [await app.emulate(request), await app.emulate(request)];
  await start(weft, token, program, network);
  /** The mean of a metric over the seconds before a moment, of all access points. */
  const meansOf = async ({ agents }: EmulatedNetwork, metric: string, seconds: number, end: number) => {
    const all = await Promise.all(
      agents.map(({ ap_id }) => app.series(ap_id, [metric], { window: `${seconds}s`, end })),
    );
    return all.map(({ series }) => mean((series[0]?.points ?? []).map(({ value }) => value)));
  };
  return { weft, token, app, network, twin, meansOf };
}

/** This hour of a Thursday within the last week. */
function thursday(hour: number): string {
  const day = new Date();
  day.setUTCHours(0, 0, 0, 0);
  do day.setUTCDate(day.getUTCDate() - 1);
  while (day.getUTCDay() !== 4);
  return new Date(day.setUTCHours(hour)).toISOString();
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]) => (values.length === 0 ? 0 : sum(values) / values.length);

test('the energy saver saves energy at night, and almost nobody is left without service', async () => {
  const entry = { locations: place, duration: 28_800 };
  const { app, network, twin, meansOf } = await besideTwin('energy-saver', {
    emulators: [
      { access_point_type: '5G', num_access_points: 7, num_devices: 4, ...entry },
      { access_point_type: 'WiFi', num_access_points: 4, num_devices: 2, ...entry },
    ],
    seed: 5,
    speed: 200,
    report_interval_seconds: 30,
    start_time: thursday(0),
  });
  const agents = [network, twin].flatMap((each) => each.agents.map(({ ap_id }) => ap_id));
  // How soon the program has begun depends on the machine: the last ten minutes are compared until it shows.
  await vi.waitFor(async () => {
    const newest = await app.latest({ agents, metrics: ['power_w'] });
    expect(newest.length).toBe(agents.length);
    const end = Math.min(...newest.map(({ metrics }) => Date.parse(metrics.power_w?.ts ?? '')));
    expect(end).toBeGreaterThan(Date.parse(thursday(0)) + 600_000);
    const recent = async (of: EmulatedNetwork, metric: string) => sum(await meansOf(of, metric, 600, end));
    const [saved, usual] = [await recent(network, 'power_w'), await recent(twin, 'power_w')];
    expect(saved).toBeLessThan(0.99 * usual);
    const served = [await recent(network, 'served_devices'), await recent(twin, 'served_devices')] as const;
    expect(served[1]).toBeGreaterThan(20);
    expect(served[0]).toBeGreaterThan(0.93 * served[1]);
  }, patience);
  await Promise.all([network.stop(), twin.stop()]);
});

/** In an office beside the others: devices that Weft lists are told to leave the light, and one was seen where it was sent. */
async function steerInOffice(weft: Weft, token: string, app: App): Promise<void> {
  const entry = { locations: place, duration: 14_400 };
  const office = await app.emulate({
    emulators: [
      { access_point_type: 'LiFi', num_access_points: 4, num_devices: 6, ...entry },
      { access_point_type: 'WiFi', num_access_points: 1, num_devices: 2, ...entry },
    ],
    seed: 5,
    speed: 20,
    start_time: thursday(10),
  });
  await start(weft, token, 'steering', office);
  await vi.waitFor(async () => {
    const { body } = await weft.request('GET', '/api/v1/commands?limit=200', { token });
    const orders = (body as Record<string, string>[]).filter(({ caller_name }) => caller_name === 'steering');
    const result = expect.objectContaining({ outcome: 'moved' });
    expect(orders).toContainEqual(expect.objectContaining({ name: 'steer_device', state: 'succeeded', result }));
  }, patience);
  await office.stop();
}

test.runIf(isLong)(
  'the load balancer relieves a full WiFi access point and a full lamp; devices are steered in an office',
  async () => {
    // Few devices that ask for much: each move counts.
    const entry = { num_access_points: 1, locations: place, duration: 14_400, mbps_per_device: 2.5 };
    const { weft, token, app, network, twin, meansOf } = await besideTwin('load-balancer', {
      emulators: [
        { access_point_type: 'WiFi', num_devices: 120, ...entry },
        { access_point_type: 'LiFi', num_devices: 30, ...entry },
        { access_point_type: '5G', num_devices: 2, ...entry },
      ],
      seed: 5,
      speed: 20,
      report_interval_seconds: 5,
      start_time: thursday(10),
    });
    const steered = steerInOffice(weft, token, app);
    // Both stay full, but less traffic waits. They follow one seed: untouched, they would be the same to the last digit. How
    // soon the program has begun depends on the machine, so that they are compared until it shows.
    const agents = [network, twin].flatMap((each) => each.agents.map(({ ap_id }) => ap_id));
    await vi.waitFor(async () => {
      const newest = await app.latest({ agents, metrics: ['backlog_mbit'] });
      const end = Math.min(...newest.map(({ metrics }) => Date.parse(metrics.backlog_mbit?.ts ?? '')));
      expect(end).toBeGreaterThan(Date.parse(thursday(10)) + 120_000);
      const means = (of: EmulatedNetwork, metric: string) => meansOf(of, metric, 60, end);
      expect((await means(twin, 'channel_utilisation_pct'))[0]).toBeGreaterThan(80);
      expect((await means(twin, 'airtime_pct'))[1]).toBeGreaterThan(70);
      const [balanced, usual] = [await means(network, 'backlog_mbit'), await means(twin, 'backlog_mbit')];
      expect(balanced[0]).toBeLessThan(0.8 * usual[0]!);
      expect(balanced[1]).toBeLessThan(0.8 * usual[1]!);
    }, patience);
    await Promise.all([steered, network.stop(), twin.stop()]);
  },
);
