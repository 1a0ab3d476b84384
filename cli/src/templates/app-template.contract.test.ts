// What `weft new app` creates: it keeps the coverage and does not oscillate.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Cell, Fleet } from '../../../sdk/src/index.ts';
import { FakeWeft } from '../../../sdk/src/testing.ts';
import { startWeft } from '../../../test/weft.ts';
import { appTemplate } from './app-template.ts';

type Decide = (cells: Cell[], nowMs: number) => { ap_id: string; name: 'sleep' | 'wake' } | undefined;

let folder: string;
let decide: Decide;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'weft-new-'));
  mkdirSync(join(folder, 'node_modules', '@weft'), { recursive: true });
  symlinkSync(resolve(import.meta.dirname, '../../../sdk'), join(folder, 'node_modules', '@weft', 'sdk'));
  for (const [name, text = ''] of Object.entries(appTemplate({ name: 'saver', url: 'http://127.0.0.1:8000' }))) {
    writeFileSync(join(folder, name), text);
  }
  ({ decide } = await import(pathToFileURL(join(folder, 'decide.mjs')).href));
});
afterAll(() => rmSync(folder, { recursive: true }));

const place = { access_point_type: 'WiFi', geolocation: { latitude: 51.45, longitude: -2.59 } };
const served = { connected_devices: 2, served_devices: 2 };

/** What it sends to two access points in one room, ten seconds a step. */
async function changesOf(measure: (step: number) => Record<string, number>, steps = 360): Promise<string[]> {
  const weft = new FakeWeft({ agents: { 'ap-1': place, 'ap-2': place } });
  const app = weft.app();
  const fleet = new Fleet();
  fleet.learn(await app.agents());
  const active = new Map(['ap-1', 'ap-2'].map((ap_id) => [ap_id, 1]));
  for (let step = 0; step < steps; step++) {
    const ts = new Date(step * 10_000).toISOString();
    for (const [ap_id, on] of active) fleet.hear({ ap_id, ts, metrics: { active: on, ...measure(step) } });
    const change = decide(fleet.cells(), fleet.nowMs);
    if (!change) continue;
    await (await app.command(change.ap_id, change.name)).settled();
    active.set(change.ap_id, change.name === 'wake' ? 1 : 0);
  }
  return weft.commands.map(({ ap_id, name }) => `${name} ${ap_id}`);
}

test('one of two idle access points sleeps, and its neighbour stays awake', async () => {
  expect(await changesOf(() => ({ channel_utilisation_pct: 5, ...served }))).toEqual(['sleep ap-1']);
});

test('it wakes when its neighbour has too much to do', async () => {
  const changes = await changesOf((step) => ({ channel_utilisation_pct: step < 60 ? 5 : 90, ...served }));
  expect(changes).toEqual(['sleep ap-1', 'wake ap-1']);
});

test('it wakes when a device is not served', async () => {
  const lost = (step: number) => ({ ...served, channel_utilisation_pct: 5, served_devices: step === 60 ? 1 : 2 });
  expect(await changesOf(lost, 65)).toEqual(['sleep ap-1', 'wake ap-1']);
});

test('a load that goes up and down around a limit does not switch anything on and off', async () => {
  const changes = await changesOf((step) => ({ channel_utilisation_pct: step % 2 === 0 ? 5 : 30, ...served }));
  expect(changes.length).toBeLessThanOrEqual(1);
});

test('the program says at once that it is at work, and on how many access points', async () => {
  const weft = await startWeft();
  onTestFinished(() => weft.stop());
  const token = await weft.admin();
  await weft.agent('ap-1');
  const json = { app_name: 'saver', api_key: 'the key of the saver', permissions: {} };
  expect((await weft.request('POST', '/api/v1/third_party_apps/', { token, json })).status).toBe(200);
  const env = { ...process.env, WEFT_URL: weft.url, WEFT_APP_NAME: 'saver', WEFT_APP_KEY: json.api_key };
  const program = spawn(process.execPath, ['app.mjs'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void program.kill('SIGKILL'));
  const [said] = await once(program.stdout.setEncoding('utf8'), 'data');
  expect(said).toBe(`saver watches 1 access points of ${weft.url}, and says here what it changes\n`);
});
