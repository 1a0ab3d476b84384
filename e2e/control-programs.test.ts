// The control programs of examples/ as people start them, against emulated networks: each beside a twin of the network, on the
// same seed, that nobody touches.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { App, type EmulatedNetwork, type EmulationRequest } from '@weft/sdk';
import { expect, onTestFinished, test } from 'vitest';
import { adminUsername, password, root, serve, type WeftServer } from './weft-process.ts';

const place = ['51.4545,-2.5879'];
const key = 'a key that is long enough for an app of ours';

/** A program in a process of its own, which may see one network only; ends with the test. */
async function start(weft: WeftServer, token: string, program: string, { job_number }: EmulatedNetwork): Promise<void> {
  const json = { app_name: program, api_key: key, permissions: { agents: [`emu-*-${job_number}-*`] } };
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
async function hurryRules(weft: WeftServer, token: string): Promise<void> {
  const { body } = await weft.request('GET', '/api/v1/conflicts/rules', { token });
  const json = { ...body, groups: body.groups.map((group: object) => ({ ...group, min_interval_ms: 0 })) };
  json.blast_radius = { fraction: 1, minimum: 100, window_s: 1 };
  expect((await weft.request('PUT', '/api/v1/conflicts/rules', { token, json })).status).toBe(200);
}

/** The network with the program, and its twin, both at their end. */
async function besideTwin(program: string, request: EmulationRequest) {
  const weft = await serve();
  const token = await weft.createAdmin();
  await hurryRules(weft, token);
  const app = new App({ url: weft.url, username: adminUsername, password });
  const [network, twin] = [await app.emulate(request), await app.emulate(request)];
  await start(weft, token, program, network);
  await Promise.all([network, twin].map((each) => each.progress().toArray()));
  /** Every value of a metric in the second half, when the program has settled, of all access points. */
  const settled = async ({ agents }: EmulatedNetwork, metric: string) => {
    const seconds = Math.max(...request.emulators.map(({ duration }) => duration));
    const end = Date.parse(request.start_time!) + seconds * 1000;
    const all = await Promise.all(
      agents.map(({ ap_id }) => app.series(ap_id, [metric], { window: `${seconds / 2}s`, end })),
    );
    return all.map(({ series }) => mean(series[0]!.points.map(({ value }) => value)));
  };
  return { network, twin, settled };
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

test('the energy saver saves energy at night, and hardly anybody is left without service', async () => {
  const entry = { locations: place, duration: 2400 };
  const { network, twin, settled } = await besideTwin('energy-saver', {
    emulators: [
      { access_point_type: '5G', num_access_points: 7, num_devices: 4, ...entry },
      { access_point_type: 'WiFi', num_access_points: 4, num_devices: 2, ...entry },
    ],
    seed: 5,
    speed: 200,
    report_interval_seconds: 30,
    start_time: thursday(2),
  });
  const [saved, usual] = [sum(await settled(network, 'power_w')), sum(await settled(twin, 'power_w'))];
  expect(saved).toBeLessThan(0.99 * usual);
  const served = [sum(await settled(network, 'served_devices')), sum(await settled(twin, 'served_devices'))] as const;
  expect(served[1]).toBeGreaterThan(20);
  expect(served[0]).toBeGreaterThan(0.93 * served[1]);
});

test('the load balancer relieves a full WiFi access point and a full lamp', async () => {
  // Few devices that ask for much, and time at 20 times the clock: each move counts, and on a busy machine enough are made.
  const entry = { num_access_points: 1, locations: place, duration: 400, mbps_per_device: 1.7 };
  const { network, twin, settled } = await besideTwin('load-balancer', {
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
  const [wifiLoad] = await settled(twin, 'channel_utilisation_pct');
  const [, lampLoad] = await settled(twin, 'airtime_pct');
  expect(wifiLoad).toBeGreaterThan(80);
  expect(lampLoad).toBeGreaterThan(70);
  // Both stay full, but less traffic waits. They follow one seed: untouched, they would be the same to the last digit;
  // with the program half of it waits (0.42 and 0.42 on an idle machine, 0.48 and 0.20 on one with five busy processes).
  const [balanced, usual] = [await settled(network, 'backlog_mbit'), await settled(twin, 'backlog_mbit')];
  expect(balanced[0]).toBeLessThan(0.9 * usual[0]!);
  expect(balanced[1]).toBeLessThan(0.9 * usual[1]!);
});
