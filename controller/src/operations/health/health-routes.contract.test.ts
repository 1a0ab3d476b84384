// Health of a running server: what is wrong, why, and only of what the caller may see.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { productLine } from '@weft/contract/product';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { untilSo } from '../../../../test/pure/until-so.ts';
import { startWeft, type TestWeft } from '../../../../test/weft.ts';

let weft: TestWeft;
let admin: string;
const tokens = new Map<string, string>();

beforeAll(async () => {
  weft = await startWeft();
  admin = await weft.admin();
  for (const path of ['uk/hall', 'uk/york']) await send('POST', '/api/v1/sites', { path });
  for (const [ap_id, site] of [
    ['good', 'uk/hall'],
    ['slow', 'uk/hall'],
    ['far', 'uk/york'],
  ] as const) {
    tokens.set(ap_id, await weft.agent(ap_id, { report_interval_seconds: 60 }));
    await send('PATCH', `/api/v1/agents/${ap_id}/labels`, { site });
  }
  const rule = { name: 'too slow', condition: { metric: 'lag', op: '>', value: 100 }, severity: 'major' };
  await send('POST', '/api/v1/alarm_rules', { ...rule, message: '{name} lags by {value}' });
});
afterAll(() => weft.stop());

async function send(method: string, path: string, json?: unknown, token = admin) {
  const answer = await weft.request(method, path, { token, ...(json !== undefined && { json }) });
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(200);
  return answer.body;
}

const report = (ap_id: string, body: unknown) => send('POST', '/api/v1/agent_update/update', body, tokens.get(ap_id));

test('a network without reports is unknown; then it is as good as its worst alarm, with the cause', async () => {
  expect(await send('GET', '/api/v1/health')).toMatchObject({ health: 'unknown', access_points: { unknown: 3 } });
  for (const ap_id of tokens.keys()) await report(ap_id, { lag: 1 });
  await untilSo(async () => {
    expect(await send('GET', '/api/v1/health')).toMatchObject({ health: 'good', causes: [], worst: [] });
  });
  await report('slow', { lag: 250 });
  await untilSo(async () => {
    expect(await send('GET', '/api/v1/health')).toMatchObject({
      health: 'bad',
      access_points: { good: 2, bad: 1 },
      alarms: { major: 1 },
      unacknowledged: 1,
      worst: [{ ap_id: 'slow', health: 'bad', causes: ['slow lags by 250'], severity: 'major' }],
    });
  });
  const listed = async (query: string) =>
    (await send('GET', `/api/v1/agents?${query}`)).items.map((item: { ap_id: string; health: string }) => [
      item.ap_id,
      item.health,
    ]);
  expect((await listed('sort=-health'))[0]).toEqual(['slow', 'bad']);
  expect(await listed('selector=health:bad')).toEqual([['slow', 'bad']]);
  expect(await listed('selector=health:good')).toEqual([
    ['far', 'good'],
    ['good', 'good'],
  ]);
  const { sites } = await send('GET', '/api/v1/health');
  expect(sites.map(({ path, health }: { path: string; health: string }) => [path, health])).toEqual([
    ['uk', 'bad'],
    ['uk/hall', 'bad'],
    ['uk/york', 'good'],
  ]);
});

test('who sees one site knows nothing of the other; a shelved alarm does not count', async () => {
  const name = 'york@weft.test';
  const token = await weft.user(name);
  await send('PUT', `/api/v1/users/${name}/grants`, [{ role: 'viewer', selector: 'site:uk/york' }]);
  const seen = await send('GET', '/api/v1/health', undefined, token);
  expect(seen).toMatchObject({ health: 'good', access_points: { good: 1, bad: 0 }, alarms: { major: 0 }, worst: [] });
  expect((await weft.request('GET', '/api/v1/health/agents/slow', { token })).status).toBe(404);
  const { items } = await send('GET', '/api/v1/alarms');
  await send('POST', `/api/v1/alarms/${items[0].id}/shelve`, { seconds: 600 });
  await untilSo(async () => expect(await send('GET', '/api/v1/health')).toMatchObject({ health: 'good' }));
});

test('an access point has the minutes of its last day, and what is below its goal is a cause', async () => {
  const nowMs = Date.now();
  const samples = Array.from({ length: 60 }, (_, n) => ({
    ts: nowMs - (60 - n) * 60_000,
    latency_ms: n < 30 ? 400 : 20,
    prb_load_pct: 10,
    active: 1,
  }));
  await report('far', { samples });
  await untilSo(async () => {
    const health = await send('GET', '/api/v1/health/agents/far');
    const byLevel = Object.fromEntries(health.service.map((each: { level: string }) => [each.level, each]));
    expect(byLevel.capacity.good_minutes).toBe(byLevel.capacity.minutes);
    expect(byLevel.latency.good_minutes / byLevel.latency.minutes).toBeCloseTo(0.5, 1);
    expect(health.causes.join()).toMatch(/Data waited less than 100 ms in \d+ % of the time/);
    expect(health.health).not.toBe('good');
  });
});

test('the figures are sums over what the caller may see, now and yesterday at this time', async () => {
  // In the first half hour, or in the second if one begins meanwhile.
  const ts = Date.now() - 86_400_000 + 600_000;
  const first = ({ day }: { day: (number | null)[] }) => day.slice(0, 2).find((value) => value !== null);
  const old = { connected_devices: 4, qos_met_pct: 50, throughput_mbps: 8, power_w: 10 };
  for (const ap_id of ['good', 'far']) await report(ap_id, { samples: [{ ts, ...old }] });
  const young = { served_devices: 3, connected_devices: 9, qos_met_pct: 100, throughput_mbps: 2, power_w: 5 };
  for (const ap_id of ['good', 'far']) await report(ap_id, young);
  const figures = (query = '', token = admin) => send('GET', `/api/v1/health/figures${query}`, undefined, token);
  expect(await figures()).toMatchObject({
    ...{ access_points: 3, read: 3, step_seconds: 1800, availability_pct: { now: 100 } },
    ...{ served_devices: { now: 6 }, within_budget_pct: { now: 100 }, power_w: { now: 10 } },
  });
  const { served_devices, within_budget_pct, throughput_mbps } = await figures();
  expect(served_devices.day).toHaveLength(49);
  expect([served_devices, within_budget_pct, throughput_mbps].map(first)).toEqual([8, 50, 16]);
  const name = 'figures@weft.test';
  const token = await weft.user(name);
  await send('PUT', `/api/v1/users/${name}/grants`, [{ role: 'viewer', selector: 'site:uk/york' }]);
  for (const seen of [await figures('', token), await figures('?selector=site:uk/york')]) {
    expect(seen).toMatchObject({ access_points: 1, served_devices: { now: 3 }, throughput_mbps: { now: 2 } });
    expect(first(seen.served_devices)).toBe(4);
  }
  expect((await weft.request('GET', '/api/v1/health/figures?selector=site:(', { token: admin })).status).toBe(422);
});

test('whoever asks is told which version answers; from sources there is no commit', async () => {
  const { version } = JSON.parse(await readFile(join(import.meta.dirname, '../../../package.json'), 'utf8'));
  const { status, body } = await weft.request('GET', '/api/v1/version');
  expect([status, body]).toEqual([200, { version, commit: null }]);
  expect(productLine(body)).toBe(`weft ${version}\n`);
  expect(productLine({ version, commit: '0123456789abcdef' })).toBe(`weft ${version} (commit 0123456789ab)\n`);
});
