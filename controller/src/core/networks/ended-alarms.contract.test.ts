// Alarms and incidents of an emulated network end with it, and say so; what an older version has left ends at the start.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { untilSo } from '../../../../test/pure/until-so.ts';
import { startWeft, type TestWeft } from '../../../../test/weft.ts';
import { revokedHash } from '../base/storage/ended-agents.ts';

let dataDir: string;
let weft: TestWeft;
const start = async () => {
  weft = await startWeft({ WEFT_DATA_DIR: dataDir, WEFT_EMULATOR_MAX_RUNS: '0' });
  await untilSo(() => expect(weft.parts.alarms.lease.isHeld).toBe(true));
  // What they find of these alarms by themselves is no part of the story; each test looks when it wants to.
  await weft.parts.alarms.rounds.stop();
};
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'weft-ended-alarms-'));
  await start();
  onTestFinished(async () => {
    await weft.stop();
    await rm(dataDir, { recursive: true, force: true });
  });
});

async function send(method: string, path: string, json?: unknown) {
  const token = await weft.admin();
  const answer = await weft.request(method, `/api/v1${path}`, { token, ...(json !== undefined && { json }) });
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}
async function spinUp(): Promise<{ job_number: string; names: string[] }> {
  const wifi = {
    access_point_type: 'WiFi',
    num_access_points: 3,
    locations: ['Bristol'],
    num_devices: 1,
    duration: 600,
  };
  const { job_number, agents } = await send('POST', '/emulator/spinup', { emulators: [wifi], sites: true });
  await weft.parts.alarms.refresh();
  return { job_number, names: agents.map(({ ap_id }: { ap_id: string }) => ap_id) };
}
async function fire(product: string, subject_kind: 'agent' | 'site', subject: string): Promise<void> {
  const { activeAlarms, writer } = weft.parts.alarms;
  const rule = activeAlarms.rules.find(({ record }) => record.product === product)!;
  const of = { subject_kind, subject, ap_id: subject_kind === 'agent' ? subject : null, site: 'bristol' };
  await writer.write({ fire: { rule, ...of, sinceMs: Date.now() - 1000, value: 1, message: `${subject} ${product}` } });
}
const open = async () => ({
  alarms: (await send('GET', '/alarms?state=firing,acknowledged')).items.length,
  incidents: (await send('GET', '/incidents?state=open,acknowledged')).items.length,
});
const because = 'its emulated network has ended';

test('they clear in the transaction that ends it, with events that say why; a late one is refused', async () => {
  const { job_number, names } = await spinUp();
  for (const name of names) await fire('wifi_utilisation', 'agent', name);
  await fire('site_away', 'site', 'bristol');
  await weft.parts.incidents.keeper.once();
  expect((await open()).alarms).toBe(4);
  await send('POST', `/emulator/${job_number}/stop`);
  expect(await open()).toEqual({ alarms: 0, incidents: 0 });
  const { items } = await send('GET', '/events?kinds=alarm.cleared,incident.ended&limit=50');
  const cleared = items.filter(({ kind }: { kind: string }) => kind === 'alarm.cleared');
  expect(cleared).not.toEqual([]);
  expect(items.length).toBeGreaterThan(cleared.length);
  for (const { data, text, kind } of items) {
    expect(data.because).toBe(because);
    if (kind === 'alarm.cleared') expect(text).toContain(because);
  }

  for (const name of names) await fire('offline', 'agent', name);
  await fire('site_away', 'site', 'bristol');
  await weft.parts.alarms.rounds.once();
  await weft.parts.incidents.keeper.once();
  expect(await open()).toEqual({ alarms: 0, incidents: 0 });
  const { items: all } = await send('GET', '/alarms?limit=100');
  expect(
    all.every(({ state, rule }: { state: string; rule: string }) => state === 'cleared' && rule !== 'Offline'),
  ).toBe(true);
});

test('a site with 50 that have ended and one that is offline has no alarm', async () => {
  const wifi = {
    access_point_type: 'WiFi',
    num_access_points: 50,
    locations: ['Bristol'],
    num_devices: 1,
    duration: 600,
  };
  const { job_number, agents } = await send('POST', '/emulator/spinup', { emulators: [wifi], sites: true });
  await weft.agent('real-1');
  await send('PATCH', '/agents/real-1/labels', { site: 'bristol' });
  const longAgo = Date.now() - 3_600_000;
  for (const { ap_id } of [...agents, { ap_id: 'real-1' }]) {
    await weft.record(ap_id, [{ ts: longAgo, names: ['m'], values: [1], texts: [] }], longAgo);
  }
  await send('POST', `/emulator/${job_number}/stop`);
  await weft.parts.alarms.refresh();
  await weft.parts.alarms.rounds.once();
  expect([...weft.parts.alarms.activeAlarms.active].filter(({ subject_kind }) => subject_kind === 'site')).toEqual([]);
  const { items } = await send('GET', '/sites');
  expect(items).toMatchObject([{ path: 'bristol', access_points: 1 }]);
});

test('what an older version left is cleared once, at the start', async () => {
  const { names } = await spinUp();
  for (const name of names) await fire('wifi_utilisation', 'agent', name);
  await weft.parts.incidents.keeper.once();
  await weft.platform.database.query('UPDATE agents SET password_hash = ? WHERE emulated_for IS NOT NULL', [
    revokedHash,
  ]);
  await weft.stop();
  await start();
  expect(await open()).toEqual({ alarms: 0, incidents: 0 });
  const { items } = await send('GET', '/events?kinds=alarm.cleared&limit=50');
  expect(items.length).toBeGreaterThan(0);
  for (const { data } of items) expect(data.because).toBe(because);
});

test('a site can be deleted, and display names are free again', async () => {
  const { job_number } = await spinUp();
  const called = async (state: string) =>
    (await send('GET', `/agents?selector=${encodeURIComponent(`name:bristol-* ${state}`)}`)).items.map(
      ({ display_name }: { display_name: string }) => display_name,
    );
  const first = await called('');
  await send('POST', `/emulator/${job_number}/stop`);
  const [site] = (await send('GET', '/sites')).items;
  expect(site.access_points).toBe(0);
  await send('DELETE', `/sites/${site.id}`);
  await spinUp();
  expect(await called('')).toEqual(first);
  expect(await called('state:ended')).toEqual(first);
});
