// A node whose clock is wrong: what ends goes by the time of the database, and what the node says happened then too.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { untilSo } from '../../test/pure/until-so.ts';
import { startWeft, type TestWeft } from '../../test/weft.ts';
import { createParts } from './parts.ts';

const yearMs = 365 * 86_400_000;
let databaseLagMs = yearMs;
const databaseNow = () => Date.now() - databaseLagMs;
let weft: TestWeft;
beforeAll(async () => {
  weft = await startWeft(
    {},
    { createParts: (platform, events) => createParts({ ...platform, now: databaseNow }, events) },
  );
});
afterAll(async () => {
  await weft.stop();
});

test('sessions, enrolment tokens and password resets stay until the database says that they have ended', async () => {
  const token = await weft.admin();
  const session = await weft.user('ada@example.org');
  expect((await weft.request('DELETE', '/api/v1/token/', { token: session })).status).toBe(200);
  const json = { ap_id_pattern: 'ap-*' };
  expect((await weft.request('POST', '/api/v1/enrolment_tokens', { token, json })).status).toBe(200);
  const recovery = { username: 'ada@example.org' };
  expect((await weft.request('POST', '/api/v1/users/password-recovery', { json: recovery })).status).toBe(200);
  const tables = ['sessions', 'ended_sessions', 'enrolment_tokens', 'reset_tokens'];
  const counts = async () => {
    const { database } = weft.platform;
    const rows = tables.map((table) => database.query<{ count: number }>(`SELECT COUNT(*) AS count FROM ${table}`));
    return (await Promise.all(rows)).map(([row]) => Number(row!.count));
  };
  const remove = async () => {
    const kinds = weft.platform.retention.kinds.filter(({ name }) => tables.includes(name.replace(' ', '_')));
    expect(kinds).toHaveLength(3);
    for (const kind of kinds) await kind.remove(Date.now());
  };
  // Mail is written after the answer.
  await untilSo(async () => expect(Math.min(...(await counts()))).toBeGreaterThan(0));
  const before = await counts();
  await remove();
  expect(await counts()).toEqual(before);
  databaseLagMs = 0;
  await remove();
  expect(await counts()).toEqual([0, 0, 0, 0]);
});

test('samples, presence, alarms and events have the time of the database', async () => {
  databaseLagMs = 3_600_000;
  const beganMs = databaseNow();
  const token = await weft.admin();
  const agent = await weft.agent('roof');
  const lines = await weft.request('POST', '/api/v1/write', { token: agent, body: 'weft power=2' });
  expect(lines.status).toBe(204);
  const report = await weft.request('POST', '/api/v1/agent_update/update', { token: agent, json: { load: 1 } });
  expect(report.status).toBe(200);
  const app = await weft.app('watcher', { alarms: true });
  const alarm = { ap_id: 'roof', key: 'heat', severity: 'minor', text: 'hot' };
  expect((await weft.request('POST', '/api/v1/alarms/raise', { token: app, json: alarm })).status).toBe(200);
  expect((await weft.request('POST', '/api/v1/alarms/clear', { token: app, json: { key: 'heat' } })).status).toBe(200);
  const read = async (path: string) => (await weft.request('GET', `/api/v1/${path}`, { token })).body;
  const [{ metrics }] = (await read('metrics/latest?agents=roof')).agents;
  const [{ presence, last_seen }] = (await read('metrics/presence?agents=roof')).agents;
  expect(presence).toBe('online');
  const [{ since, fired_at, cleared_at }] = (await read('alarms?state=cleared')).items;
  const [{ ts }] = (await read('events?kinds=alarm.cleared&limit=1')).items;
  const endedMs = databaseNow();
  const times = { line: metrics.weft_power.ts, report: metrics.load.ts, last_seen, since, fired_at, cleared_at, ts };
  for (const [what, time] of Object.entries(times)) {
    expect(Date.parse(time as string), what).toBeGreaterThanOrEqual(beganMs);
    expect(Date.parse(time as string), what).toBeLessThanOrEqual(endedMs);
  }
});
