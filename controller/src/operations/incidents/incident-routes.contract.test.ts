// Incidents over HTTP: what each caller sees of them, how they are handled, who was affected, and what the diagnosis says.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { untilSo } from '../../../../test/pure/until-so.ts';
import { startReceiver } from '../../../../test/webhook-receiver.ts';
import { startWeft, type TestWeft } from '../../../../test/weft.ts';
import type { NewAlarm } from '../alarms/watch/alarm-writer.ts';

let weft: TestWeft;
let admin: string;
const names = ['hall-1', 'hall-2', 'roof-1', 'roof-2'];
const apart = ['tower-1', 'tower-2', 'yard-1', 'lab-1', 'dock-1', 'pier-1'];
/** Of two sites beside each other, and of one elsewhere. */
const placed = { 'east-1': 51.45, 'west-1': 51.4512, 'far-1': 51.6 };
const siteOf = (ap_id: string) => `uk/${ap_id.split('-')[0]}`;

beforeAll(async () => {
  weft = await startWeft({ WEFT_WEBHOOK_ALLOW: '127.0.0.0/8' });
  admin = await weft.admin();
  const sites = [...names, ...apart, ...Object.keys(placed)].map(siteOf);
  for (const path of new Set(sites)) await send('POST', '/api/v1/sites', { path });
  const commands = [{ name: 'set_channel', params: { channel: { type: 'integer', enum: [36, 44, 100] } } }];
  for (const name of [...names, ...apart]) {
    await weft.agent(name, { access_point_type: 'WiFi', commands });
    await send('PATCH', `/api/v1/agents/${name}/labels`, { site: siteOf(name) });
  }
  for (const [name, latitude] of Object.entries(placed)) {
    await weft.agent(name, { access_point_type: 'WiFi', geolocation: { lat: String(latitude), long: '-2.59' } });
    await send('PATCH', `/api/v1/agents/${name}/labels`, { site: siteOf(name) });
  }
  await weft.parts.alarms.refresh();
  await untilSo(() => expect(weft.parts.alarms.lease.isHeld).toBe(true));
});
afterAll(() => weft.stop());

const ask = (method: string, path: string, token: string, json?: unknown) =>
  weft.request(method, path, { token, ...(json !== undefined && { json }) });
async function send(method: string, path: string, json?: unknown, token = admin) {
  const answer = await ask(method, path, token, json);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
}
const list = async (token = admin, more = '') =>
  (await send('GET', `/api/v1/incidents?limit=200${more}`, undefined, token)).items;

/** As if its rule had found it. */
async function fire(product: string, ap_id: string, sinceMs: number): Promise<string> {
  const { activeAlarms, writer } = weft.parts.alarms;
  const rule = activeAlarms.rules.find(({ record }) => record.product === product)!;
  const site = siteOf(ap_id);
  const alarm: NewAlarm = {
    rule,
    subject_kind: 'agent',
    subject: ap_id,
    ap_id,
    site,
    sinceMs,
    value: -60,
    message: 'x',
  };
  await writer.write({ fire: alarm });
  await weft.parts.incidents.keeper.once();
  return activeAlarms.find(rule.id, 'agent', ap_id)!.id;
}

async function endAll(): Promise<void> {
  for (const { id } of [...weft.parts.alarms.activeAlarms.active]) await send('POST', `/api/v1/alarms/${id}/clear`, {});
}

async function userWith(name: string, grants: unknown[]): Promise<string> {
  await weft.user(name);
  await send('PUT', `/api/v1/users/${name}/grants`, grants);
  return weft.login('user', name);
}

test('one noise is one incident, handled as one; it is found by any of its alarms', async () => {
  const now = Date.now();
  const first = await fire('wifi_noise', 'hall-1', now - 60_000);
  const second = await fire('wifi_noise', 'hall-2', now - 50_000);
  const other = await fire('wifi_noise', 'roof-1', now - 50_000);
  const about = { cause: 'jammed_channel', state: 'open', devices_affected: 0, ended_at: null, merged_into: null };
  expect((await list()).filter(({ state }: { state: string }) => state === 'open')).toMatchObject([
    { id: other, access_points: 1, site: 'uk/roof', ...about },
    { id: first, access_points: 2, site: 'uk/hall', alarms: [first, second], ...about },
  ]);
  expect(await list(admin, '&selector=site:uk/hall')).toHaveLength(1);
  expect(await list(admin, '&state=acknowledged')).toEqual([]);
  expect(await list(admin, '&window=1h')).toHaveLength(2);
  const whole = await send('GET', `/api/v1/incidents/${second}`);
  expect(whole.id).toBe(first);
  const none = { devices_affected: 0, minutes_lost: 0 };
  expect(whole.affected).toEqual(['hall-1', 'hall-2'].map((ap_id) => ({ ap_id, ...none })));
  expect(whole.alarm_list).toMatchObject([
    { id: first, ap_id: 'hall-1', message: 'x', state: 'firing', cleared_at: null },
    { id: second, ap_id: 'hall-2' },
  ]);
  expect(whole.timeline.map(({ kind }: { kind: string }) => kind)).toContain('alarm.fired');
  const path = `/api/v1/incidents/${first}`;
  expect(await send('POST', `${path}/acknowledge`)).toMatchObject({ state: 'acknowledged' });
  expect(await send('GET', `/api/v1/alarms/${second}`)).toMatchObject({ state: 'acknowledged' });
  expect((await ask('POST', `${path}/silence`, admin, { until: '2020-01-01T00:00:00Z' })).status).toBe(422);
  const until = new Date(now + 3_600_000).toISOString();
  expect(await send('POST', `${path}/silence`, { until })).toMatchObject({ id: first });
  expect(await send('GET', `/api/v1/alarms/${second}`)).toMatchObject({ shelved_until: until });
  const { items } = await send('GET', '/api/v1/events?kinds=incident.*');
  expect(items.map(({ subject }: { subject: string }) => subject)).toEqual(expect.arrayContaining([first, other]));
  await endAll();
  // Nothing is wrong any more: who else had it is said as it was.
  expect(await send('GET', `/api/v1/alarms/${first}/diagnosis`)).toMatchObject({ scope: 'all' });
  const late = await ask('POST', `${path}/acknowledge`, admin);
  expect([late.status, late.body.code]).toEqual([409, 'incident_ended']);
  expect((await ask('GET', '/api/v1/incidents/none', admin)).status).toBe(404);
});

test('one jammer that two sites hear is one incident, and each of their people sees their own part; far away it is another', async () => {
  const now = Date.now();
  const ids: string[] = [];
  for (const name of Object.keys(placed)) ids.push(await fire('wifi_noise', name, now - 60_000));
  const [east, west, far] = ids;
  const own = async (bearer?: string) => (await list(bearer)).filter(({ id }: { id: string }) => ids.includes(id));
  expect(await own()).toMatchObject([
    { id: far, site: 'uk/far', access_points: 1 },
    { id: east, site: 'uk', access_points: 2, alarms: [east, west], cause: 'jammed_channel' },
  ]);
  const neighbour = await userWith('west@weft.test', [{ role: 'viewer', selector: 'site:uk/west' }]);
  expect(await own(neighbour)).toMatchObject([{ id: west, site: 'uk/west', access_points: 1, alarms: [west] }]);
  await endAll();
});

test('a caller sees what its access points have, counts included: whatever it was granted', async () => {
  const now = Date.now();
  const all = [...names];
  // One incident over both sites would be one whose parts different people see.
  await weft.platform.database.query('DELETE FROM incidents');
  await weft.platform.database.query('DELETE FROM alarms');
  await weft.parts.alarms.refresh();
  const ids: string[] = [];
  for (const name of all) ids.push(await fire('wifi_noise', name, now));
  const { database } = weft.platform;
  await database.query('UPDATE alarms SET incident_id = ?', [ids[0]!]);
  for (const [n, name] of all.entries()) {
    const row = [ids[0]!, name, n + 1, (n + 1) * 60_000];
    await database.query('INSERT INTO incident_impact (incident_id, ap_id, devices, lost_ms) VALUES (?, ?, ?, ?)', row);
  }
  const subsets = Array.from({ length: 2 ** all.length }, (_, bits) => all.filter((_name, n) => bits & (1 << n)));
  for (const [n, seen] of subsets.entries()) {
    const token = await weft.app(`sees-${n}`, { agents: seen, read: true });
    const items = await list(token);
    const numbers = seen.map((name) => all.indexOf(name) + 1);
    const sum = numbers.reduce((total, each) => total + each, 0);
    const expected = {
      id: ids[numbers[0]! - 1],
      access_points: seen.length,
      devices_affected: sum,
      minutes_lost: sum,
      alarms: numbers.map((each) => ids[each - 1]),
    };
    expect(items).toMatchObject(seen.length === 0 ? [] : [expected]);
    // What it does not see is not named anywhere either.
    const text = JSON.stringify([
      items,
      seen.length > 0 && (await send('GET', `/api/v1/incidents/${expected.id}`, undefined, token)),
    ]);
    for (const name of all) if (!seen.includes(name)) expect(text).not.toContain(name);
    for (const [at, id] of ids.entries()) {
      const { status } = await ask('GET', `/api/v1/incidents/${id}`, token);
      expect(status).toBe(seen.includes(all[at]!) ? 200 : 404);
    }
  }
  const viewer = await userWith('viewer@weft.test', [{ role: 'viewer', selector: 'site:uk/hall' }]);
  const operator = await userWith('operator@weft.test', [{ role: 'operator', selector: 'site:uk/roof' }]);
  const ofHall = { access_points: 2, devices_affected: 3, site: 'uk/hall' };
  expect(await list(viewer)).toMatchObject([{ ...ofHall, may_handle: false }]);
  expect(await list(operator)).toMatchObject([{ access_points: 2, may_handle: true }]);
  // Those with most devices first.
  const { affected } = await send('GET', `/api/v1/incidents/${ids[0]}`, undefined, viewer);
  expect(affected.map((each: { ap_id: string }) => each.ap_id)).toEqual(['hall-2', 'hall-1']);
  const handle = (id: string, token: string) => ask('POST', `/api/v1/incidents/${id}/acknowledge`, token);
  expect((await handle(ids[0]!, viewer)).status).toBe(403);
  expect((await handle(ids[2]!, operator)).body).toMatchObject({ state: 'acknowledged', access_points: 2 });
  expect((await list())[0]).toMatchObject({ state: 'open', access_points: 4, devices_affected: 10 });
  await endAll();
});

test('devices that get nothing are counted, once', async () => {
  const token = await weft.login('agent', 'yard-1');
  const report = (tx_mbps: number) =>
    send('POST', '/api/v1/agent_update/update', { devices: ['a', 'b'].map((device) => ({ device, tx_mbps })) }, token);
  await report(0);
  const id = await fire('wifi_noise', 'yard-1', Date.now() - 60_000);
  const { keeper } = weft.parts.incidents;
  await report(0);
  await keeper.once();
  await keeper.once();
  expect(await send('GET', `/api/v1/incidents/${id}`)).toMatchObject({ devices_affected: 2 });
  await report(50);
  await keeper.once();
  expect(await send('GET', `/api/v1/incidents/${id}`)).toMatchObject({ devices_affected: 2 });
  await endAll();
});

test('the diagnosis has numbers, and proposes a channel only where neighbours measure that it is quiet', async () => {
  const now = Date.now();
  const sample = (ts: number, noise: number, channel: number) => ({
    ts,
    names: ['noise_floor_dbm', 'channel', 'connected_devices', 'served_devices'],
    values: [noise, channel, 5, 0],
    texts: [] as [],
  });
  await weft.record('tower-1', [sample(now - 600_000, -92, 36), sample(now - 1_000, -40, 36)]);
  const id = await fire('wifi_noise', 'tower-1', now - 30_000);
  const path = `/api/v1/alarms/${id}/diagnosis`;
  expect(await send('GET', path)).toMatchObject({
    cause: 'jammed_channel',
    text: 'Jammed on channel 36',
    proposals: [],
  });
  await weft.record('tower-2', [sample(now - 1_000, -91, 100)]);
  const found = await send('GET', path);
  expect(found).toMatchObject({ alarm_id: id, ap_id: 'tower-1', cause: 'jammed_channel', scope: 'one' });
  expect(found.evidence.slice(0, 3)).toMatchObject([
    { value: -40, unit: 'dBm', link: '/agents/tower-1?metrics=noise_floor_dbm' },
    { value: -92, unit: 'dBm' },
    { value: 5, unit: 'devices' },
  ]);
  expect(found.proposals).toMatchObject([{ ap_id: 'tower-1', command: '{"channel":100,"name":"set_channel"}' }]);
  const itself = await weft.login('agent', 'tower-1');
  expect((await send('GET', path, undefined, itself)).proposals).toEqual([]);
  expect((await ask('GET', path, await weft.login('agent', 'tower-2'))).status).toBe(404);
  expect((await send('GET', `/api/v1/incidents/${id}`)).diagnosis).toEqual(found);
  // On a channel far from that: another noise.
  const other = await fire('wifi_noise', 'tower-2', now - 30_000);
  expect(await send('GET', `/api/v1/incidents/${other}`)).toMatchObject({ id: other, alarms: [other] });
  await endAll();
});

test('an alarm that joins an incident that is silenced is told: it fires before anybody knows where it belongs', async () => {
  const now = Date.now();
  const first = await fire('wifi_noise', 'lab-1', now);
  const until = new Date(now + 3_600_000).toISOString();
  await send('POST', `/api/v1/incidents/${first}/silence`, { until });
  const second = await fire('wifi_retries', 'lab-1', now);
  expect(await send('GET', `/api/v1/incidents/${first}`)).toMatchObject({ id: first, alarms: [first, second] });
  expect(await send('GET', `/api/v1/alarms/${second}`)).toMatchObject({ shelved_until: null, state: 'firing' });
  // Whoever silences it again has it too.
  await send('POST', `/api/v1/incidents/${first}/silence`, { until });
  expect(await send('GET', `/api/v1/alarms/${second}`)).toMatchObject({ shelved_until: until });
  await endAll();
});

test('webhooks are told of incidents as of other events', async () => {
  const receiver = await startReceiver();
  const json = { name: 'incidents', url: receiver.url, events: ['incident.*'], selector: 'site:uk/dock' };
  const { id: hook } = await send('POST', '/api/v1/webhooks', json);
  await fire('wifi_noise', 'pier-1', Date.now());
  const id = await fire('wifi_noise', 'dock-1', Date.now());
  await untilSo(() => expect(receiver.received).toHaveLength(1));
  expect(receiver.received[0]!.body).toMatchObject({
    kind: 'incident.opened',
    subject_kind: 'incident',
    subject: id,
    site: 'uk/dock',
    severity: 'major',
    text: 'Incident: dock-1 is jammed on its channel',
    data: { incident_id: id, cause: 'jammed_channel', access_points: 1, alarms: 1 },
  });
  await send('DELETE', `/api/v1/webhooks/${hook}`);
  await receiver.close();
  await endAll();
});

test('an incident about power says which program has set it so, to people', async () => {
  const saver = await weft.app('night-saver');
  const reader = await weft.app('reader');
  await weft.request('POST', '/api/v1/send_command?agent_id=yard-1&command=set_channel', { token: saver });
  const set = JSON.stringify({ name: 'set_tx_power', dbm: 3 });
  await weft.agent('mast-1', { access_point_type: 'WiFi' });
  const query = new URLSearchParams({ agent_id: 'mast-1', command: set });
  await send('POST', `/api/v1/send_command?${query}`, undefined, saver);
  const id = await fire('energy_wifi', 'mast-1', Date.now());
  const titleFor = async (token: string) => (await send('GET', `/api/v1/incidents/${id}`, undefined, token)).title;
  expect(await titleFor(admin)).toBe('night-saver has set the power of mast-1');
  // As everywhere, programs do not learn who else sends commands.
  expect(await titleFor(reader)).toBe('A command has set the power of mast-1');
  const { items } = await send('GET', '/api/v1/events?kinds=incident.opened&agent=mast-1', undefined, reader);
  expect(items).toHaveLength(1);
  expect(JSON.stringify(items)).not.toContain('night-saver');
  await endAll();
});
