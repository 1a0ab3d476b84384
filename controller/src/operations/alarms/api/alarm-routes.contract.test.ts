// Alarms over HTTP, from the sample to the people: the whole server in process.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untilSo } from '../../../../../test/pure/until-so.ts';
import { startWeft, type TestWeft } from '../../../../../test/weft.ts';
import { groupedEvent } from '../../../core/accounts/event-log/grouped-event.ts';

let dataDir: string;
let weft: TestWeft;
let admin: string;
let user: string;
let operator: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'weft-alarms-'));
  weft = await startWeft({ WEFT_DATA_DIR: dataDir });
  admin = await weft.admin();
  user = await weft.user('ada@weft.test');
  await weft.user('operator@weft.test');
  await send('PUT', '/api/v1/users/operator@weft.test/grants', [{ role: 'operator' }]);
  operator = await weft.login('user', 'operator@weft.test');
});
afterAll(async () => {
  await weft.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const rulesPath = '/api/v1/alarm_rules';
const get = async (path: string, token = admin) => (await weft.request('GET', path, { token })).body;
async function send(method: string, path: string, json?: unknown, token = admin) {
  const answer = await weft.request(method, path, { token, ...(json !== undefined && { json }) });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
}
const alarmsOf = async (ap_id: string, more = '') => (await get(`/api/v1/alarms?agent=${ap_id}${more}`)).items;

/** Samples of the metric `m` and others, one a second up to now, as if they had just been posted. */
async function report(ap_id: string, values: number[], name = 'm', endMs = Date.now()): Promise<number> {
  const start = endMs - (values.length - 1) * 1000;
  for (const [at, value] of values.entries()) {
    await weft.record(ap_id, [{ ts: start + at * 1000, names: [name], values: [value], texts: [] }]);
  }
  return start;
}

async function ruleFor(ap_id: string, more: object = {}): Promise<{ id: string }> {
  const condition = { metric: 'm', op: '>', value: 100 };
  const rule = { name: `Rule of ${ap_id}`, selector: `name:${ap_id}`, condition, for_seconds: 10, severity: 'major' };
  const made = await send('POST', rulesPath, { ...rule, clear: { value: 80, for_seconds: 5 }, ...more });
  await weft.agent(ap_id);
  await weft.parts.alarms.refresh();
  return made;
}

describe('rules', () => {
  it('come with Weft, can be changed, and be as they came', async () => {
    const { items, next } = await get(rulesPath, user);
    expect(next).toBeNull();
    const names = items.map(({ product }: { product: string }) => product);
    expect(names).toEqual(
      expect.arrayContaining(['offline', 'late', 'flapping', 'nr_sinr', 'wifi_noise', 'disk_reserve']),
    );
    expect(items.every(({ enabled }: { enabled: boolean }) => enabled)).toBe(true);
    const late = items.find(({ product }: { product: string }) => product === 'late');
    const changed = await send('PUT', `${rulesPath}/${late.id}`, { ...late, for_seconds: 600 });
    expect(changed).toMatchObject({ adjusted: true, for_seconds: 600, product: 'late' });
    expect(await send('POST', `${rulesPath}/${late.id}/reset`)).toMatchObject({
      adjusted: false,
      for_seconds: late.for_seconds,
    });
  });

  it('are refused with all that is wrong, with a name that is taken, and by others than administrators', async () => {
    const post = (json: unknown, token = admin) => weft.request('POST', rulesPath, { token, json });
    const bad = await post({
      name: 'bad',
      selector: 'state:offline',
      condition: { metric: 'm', op: '>' },
      severity: 'major',
    });
    expect(bad.status).toBe(422);
    expect(bad.body.detail.map(({ loc }: { loc: string[] }) => loc.join('.'))).toEqual([
      'body.condition.value',
      'body.selector',
    ]);
    const taken = await post({ name: 'Offline', condition: { state: 'offline' }, severity: 'major' });
    expect([taken.status, taken.body.code]).toEqual([409, 'alarm_rule_exists']);
    expect((await post({ name: 'x' }, user)).status).toBe(403);
    expect((await weft.request('GET', `${rulesPath}/none`, { token: admin })).status).toBe(404);
    expect((await weft.request('POST', `${rulesPath}/none/reset`, { token: admin })).status).toBe(404);
    const own = await send('POST', rulesPath, { name: 'own', condition: { absent_seconds: 3600 }, severity: 'minor' });
    expect((await weft.request('POST', `${rulesPath}/${own.id}/reset`, { token: admin })).status).toBe(409);
    await send('DELETE', `${rulesPath}/${own.id}`);
  });
});

describe('an alarm', () => {
  it('fires when the samples have said so for its time, and clears when they say so', async () => {
    const { id } = await ruleFor('ap-life');
    const start = await report('ap-life', [50, ...Array(11).fill(150)]);
    const [alarm] = await untilSo(async () => {
      const items = await alarmsOf('ap-life');
      expect(items).toHaveLength(1);
      return items;
    });
    expect(alarm).toMatchObject({
      rule_id: id,
      rule: 'Rule of ap-life',
      ap_id: 'ap-life',
      severity: 'major',
      state: 'firing',
      since: new Date(start + 1000).toISOString(),
      value: 150,
      message: 'ap-life: m is 150, limit 100',
    });
    const acknowledged = await send('POST', `/api/v1/alarms/${alarm.id}/acknowledge`, { note: 'on it' }, operator);
    expect(acknowledged).toMatchObject({ state: 'acknowledged', acknowledged_by: 'operator@weft.test', note: 'on it' });
    await report('ap-life', Array(7).fill(60), 'm', Date.now() + 10_000);
    await untilSo(async () =>
      expect(await alarmsOf('ap-life', '&state=cleared')).toMatchObject([{ cleared_by: null }]),
    );
    const again = await weft.request('POST', `/api/v1/alarms/${alarm.id}/acknowledge`, { token: operator, json: {} });
    expect([again.status, again.body.code]).toEqual([409, 'alarm_cleared']);
    const { items } = await get('/api/v1/events?kinds=alarm.*&agent=ap-life');
    expect(items.map(({ kind }: { kind: string }) => kind).sort()).toEqual([
      'alarm.acknowledged',
      'alarm.cleared',
      'alarm.fired',
    ]);
  });

  it('does not fire while a late sample within its time speaks against it, in whatever order samples come', async () => {
    await ruleFor('ap-late');
    const now = Date.now();
    const sample = (ts: number, value: number) => ({ ts, names: ['m'], values: [value], texts: [] as [] });
    const looks = weft.parts.alarms.samples.looks;
    for (const ago of [20, 19, 18, 17, 16, 15, 14, 13, 12])
      await weft.record('ap-late', [sample(now - ago * 1000, 150)]);
    // It was held up on its way.
    await weft.record('ap-late', [sample(now - 14_500, 20)]);
    for (const ago of [11, 10, 9, 8, 7]) await weft.record('ap-late', [sample(now - ago * 1000, 150)]);
    await untilSo(() => expect(weft.parts.alarms.samples.looks).toBeGreaterThan(looks));
    await untilSo(() => expect(weft.parts.alarms.samples.waiting).toBe(0));
    expect(await alarmsOf('ap-late')).toEqual([]);
    for (const ago of [6, 5, 4, 3]) await weft.record('ap-late', [sample(now - ago * 1000, 150)]);
    const since = new Date(now - 14_000).toISOString();
    await untilSo(async () => expect(await alarmsOf('ap-late')).toMatchObject([{ state: 'firing', since }]));
  });

  it('that is cleared by hand fires again only after its time', async () => {
    await ruleFor('ap-hand');
    await report('ap-hand', Array(12).fill(150));
    const [alarm] = await untilSo(async () => {
      const items = await alarmsOf('ap-hand');
      expect(items).toHaveLength(1);
      return items;
    });
    const cleared = await send('POST', `/api/v1/alarms/${alarm.id}/clear`, { note: 'fixed' }, operator);
    expect(cleared).toMatchObject({ state: 'cleared', cleared_by: 'operator@weft.test', note: 'fixed' });
    const at = Date.parse(cleared.cleared_at);
    // A look at samples that began before, and is late.
    const rule = { id: alarm.rule_id, record: { rule: { name: 'late', severity: 'major', labels: {} } } } as const;
    const found = { subject_kind: 'agent', subject: 'ap-hand', ap_id: 'ap-hand', site: null, value: 150, message: '' };
    await weft.parts.alarms.writer.write({ fire: { ...found, rule, sinceMs: at - 1, isOfSamples: true } });
    expect(await alarmsOf('ap-hand', '&state=firing')).toEqual([]);
    await report('ap-hand', Array(5).fill(150), 'm', at + 6_000);
    await untilSo(() => expect(weft.parts.alarms.samples.waiting).toBe(0));
    expect(await alarmsOf('ap-hand', '&state=firing')).toEqual([]);
    await report('ap-hand', Array(9).fill(150), 'm', at + 15_000);
    // Somebody who clears it while samples are looked at is noticed with the next one.
    let next = at + 15_000;
    await untilSo(async () => {
      next += 1000;
      await report('ap-hand', [150], 'm', next);
      expect(await alarmsOf('ap-hand', '&state=firing')).toHaveLength(1);
    });
  });

  it('stays firing over a restart, and what was pending goes on', async () => {
    await ruleFor('ap-firing');
    await ruleFor('ap-pending');
    const now = Date.now();
    await report('ap-firing', Array(12).fill(150), 'm', now);
    await report('ap-pending', Array(6).fill(150), 'm', now);
    await untilSo(async () => expect(await alarmsOf('ap-firing')).toHaveLength(1));
    const [before] = await alarmsOf('ap-firing');
    await weft.stop();
    weft = await startWeft({ WEFT_DATA_DIR: dataDir });
    admin = await weft.admin();
    user = await weft.login('user', 'ada@weft.test');
    operator = await weft.login('user', 'operator@weft.test');
    expect(await alarmsOf('ap-firing')).toEqual([before]);
    await report('ap-firing', Array(3).fill(150), 'm', now + 3_000);
    await report('ap-pending', Array(5).fill(150), 'm', now + 5_000);
    const since = new Date(now - 5_000).toISOString();
    await untilSo(async () => expect(await alarmsOf('ap-pending')).toMatchObject([{ state: 'firing', since }]));
    expect(await alarmsOf('ap-firing')).toEqual([before]);
    await report('ap-firing', Array(7).fill(50), 'm', now + 12_000);
    await untilSo(async () => expect(await alarmsOf('ap-firing')).toMatchObject([{ state: 'cleared' }]));
  });

  it('is seen by whoever may see the access point, and goes with it', async () => {
    await ruleFor('ap-seen', { for_seconds: 0 });
    await report('ap-seen', [150]);
    await untilSo(async () => expect(await alarmsOf('ap-seen')).toHaveLength(1));
    const [{ id }] = await alarmsOf('ap-seen');
    const near = await weft.app('near', { agents: ['ap-*'] });
    const far = await weft.app('far', { agents: ['roof-*'] });
    const itself = await weft.login('agent', 'ap-seen');
    const status = async (token: string) => (await weft.request('GET', `/api/v1/alarms/${id}`, { token })).status;
    expect(await Promise.all([user, near, itself, far].map(status))).toEqual([200, 200, 200, 404]);
    expect((await get('/api/v1/alarms?limit=500', far)).items).toEqual([]);
    const others = (await get('/api/v1/alarms', itself)).items.map(({ ap_id }: { ap_id: string }) => ap_id);
    expect(new Set(others)).toEqual(new Set(['ap-seen']));
    expect((await weft.request('POST', `/api/v1/alarms/${id}/clear`, { token: near, json: {} })).status).toBe(403);
    await send('DELETE', '/api/v1/agents/ap-seen');
    expect(await status(admin)).toBe(404);
    const { items } = await get(`/api/v1/events?kinds=alarm.cleared`);
    expect(items.some(({ subject }: { subject: string }) => subject === id)).toBe(true);
  });

  it('can be shelved for a time, and taken from the shelf', async () => {
    await ruleFor('ap-shelf', { for_seconds: 0 });
    await report('ap-shelf', [150]);
    await untilSo(async () => expect(await alarmsOf('ap-shelf')).toHaveLength(1));
    const [{ id, site }] = await alarmsOf('ap-shelf');
    expect(site).toBeNull();
    await send('POST', '/api/v1/sites', { path: 'shelf' });
    await send('PATCH', '/api/v1/agents/ap-shelf/labels', { site: 'shelf' });
    await untilSo(async () => expect(await alarmsOf('ap-shelf')).toMatchObject([{ id, site: 'shelf' }]));
    const shelve = (json: unknown) => weft.request('POST', `/api/v1/alarms/${id}/shelve`, { token: operator, json });
    for (const what of ['acknowledge', 'shelve', 'clear']) {
      const json = what === 'shelve' ? { seconds: 600 } : {};
      const answer = await weft.request('POST', `/api/v1/alarms/${id}/${what}`, { token: user, json });
      expect([answer.status, answer.body.code], what).toEqual([403, 'not_permitted']);
    }
    const told = await Promise.all([admin, operator, user].map((token) => get(`/api/v1/alarms/${id}`, token)));
    expect(told.map(({ may_handle }) => may_handle)).toEqual([true, true, false]);
    expect((await shelve({})).status).toBe(422);
    expect((await shelve({ until: '2020-01-01T00:00:00Z' })).status).toBe(422);
    expect((await shelve({ seconds: 600 })).body).toMatchObject({ shelved_by: 'operator@weft.test', state: 'firing' });
    expect(await alarmsOf('ap-shelf', '&shelved=true')).toHaveLength(1);
    expect(await alarmsOf('ap-shelf', '&shelved=false')).toHaveLength(0);
    expect(await send('POST', `/api/v1/alarms/${id}/unshelve`, undefined, operator)).toMatchObject({
      shelved_until: null,
    });
    const again = await weft.request('POST', `/api/v1/alarms/${id}/unshelve`, { token: operator });
    expect([again.status, again.body.code]).toEqual([409, 'alarm_not_shelved']);
  });
});

describe('the list', () => {
  it('goes on where a page ended, and takes filters', async () => {
    const all = (await get('/api/v1/alarms?limit=500')).items.map(({ id }: { id: string }) => id);
    const paged: string[] = [];
    for (let cursor = ''; ; ) {
      const page = await get(`/api/v1/alarms?limit=2${cursor}`);
      paged.push(...page.items.map(({ id }: { id: string }) => id));
      if (page.next === null) break;
      cursor = `&cursor=${page.next}`;
    }
    expect(paged).toEqual(all);
    expect((await get('/api/v1/alarms?selector=name:ap-shelf')).items).toHaveLength(1);
    expect((await get('/api/v1/alarms?severity=critical,minor')).items).toEqual([]);
    expect((await get('/api/v1/alarms?state=firing,acknowledged&severity=major')).items.length).toBeGreaterThan(1);
    for (const bad of ['state=gone', 'selector=(', 'selector=state:offline', 'severity=major,', 'limit=0']) {
      expect((await weft.request('GET', `/api/v1/alarms?${bad}`, { token: admin })).status, bad).toBe(422);
    }
  });
});

describe('silences', () => {
  it('are created, changed and removed; what makes no sense is refused', async () => {
    const post = (json: unknown) => weft.request('POST', '/api/v1/silences', { token: admin, json });
    for (const bad of [
      {},
      { until: '2020-01-01T00:00:00Z' },
      { until: '2030-01-01T00:00:00Z', selector: 'latency_ms>5' },
      { weekly: { days: ['sun'], from: '02:00', until: '25:00' } },
      { weekly: { days: ['sun'], from: '02:00', until: '05:00' }, time_zone: 'Mars/Base' },
    ]) {
      expect((await post(bad)).status, JSON.stringify(bad)).toBe(422);
    }
    const weekly = { days: ['sun'], from: '02:00', until: '05:00' };
    const made = await send('POST', '/api/v1/silences', { selector: 'site:uk/**', weekly, time_zone: 'Europe/London' });
    expect(made).toMatchObject({
      rules: ['*'],
      weekly,
      time_zone: 'Europe/London',
      next: { from: expect.any(String) },
    });
    const path = `/api/v1/silences/${made.id}`;
    expect(await send('PUT', path, { until: '2040-01-01T00:00:00Z', comment: 'move' })).toMatchObject({
      active: true,
      comment: 'move',
    });
    expect((await get('/api/v1/silences', user)).items).toHaveLength(1);
    await send('DELETE', path);
    expect((await weft.request('GET', path, { token: admin })).status).toBe(404);
    expect((await weft.request('PUT', path, { token: admin, json: { until: '2040-01-01T00:00:00Z' } })).status).toBe(
      404,
    );
    expect((await weft.request('DELETE', path, { token: admin })).status).toBe(404);
  });

  it('of a manager are for what it manages, and its own to change', async () => {
    await weft.user('boss@weft.test');
    const grants = [{ role: 'manager', selector: 'name:ap-shelf' }];
    const set = await weft.request('PUT', '/api/v1/users/boss@weft.test/grants', { token: admin, json: grants });
    expect(set.status, JSON.stringify(set.body)).toBe(200);
    const until = '2040-01-01T00:00:00Z';
    const made = await send('POST', '/api/v1/silences', { until }, await weft.login('user', 'boss@weft.test'));
    expect(made).toMatchObject({ within: ['name:ap-shelf'], created_by: 'boss@weft.test' });
    await weft.parts.alarms.rounds.once();
    await untilSo(async () => expect(await alarmsOf('ap-shelf')).toMatchObject([{ silenced_by: made.id }]));
    for (const other of await alarmsOf('ap-hand')) expect(other.silenced_by).toBeNull();
    const theirs = await send('POST', '/api/v1/silences', { until });
    const token = await weft.login('user', 'boss@weft.test');
    const refused = await weft.request('DELETE', `/api/v1/silences/${theirs.id}`, { token });
    expect(refused.status).toBe(403);
    await send('DELETE', `/api/v1/silences/${theirs.id}`);
    await send('DELETE', `/api/v1/silences/${made.id}`, undefined, token);
  });
});

describe('a preview', () => {
  it('says how often a rule would have fired, and when', async () => {
    await weft.agent('ap-past');
    await weft.parts.alarms.refresh();
    const now = Date.now();
    const values = [50, 150, 150, 150, 50, 50, 50, 150, 150, 150, 150];
    const samples = values.map((value, at) => ({
      ts: now - 3_600_000 + at * 10_000,
      names: ['m'],
      values: [value],
      texts: [] as [],
    }));
    await weft.record('ap-past', samples);
    const rule = {
      name: 'x',
      selector: 'name:ap-past',
      condition: { metric: 'm', op: '>', value: 100 },
      for_seconds: 20,
      clear: { for_seconds: 10 },
      severity: 'major',
    };
    const answer = await send('POST', `${rulesPath}/preview?window=24`, rule);
    const at = (index: number) => new Date(samples[index]!.ts).toISOString();
    expect(answer).toMatchObject({
      times: 2,
      agents: 1,
      agents_selected: 1,
      is_complete: true,
      detail: 'It would have fired 2 times, on 1 access points.',
      alarms: [
        { ap_id: 'ap-past', from: at(1), until: at(5), value: 150 },
        { ap_id: 'ap-past', from: at(7), until: null },
      ],
    });
    expect((await get(rulesPath)).items.some(({ name }: { name: string }) => name === 'x')).toBe(false);
    const other = await send('POST', `${rulesPath}/preview`, {
      ...rule,
      clear: undefined,
      condition: { state_changes: 3, within_seconds: 600 },
    });
    expect(other).toMatchObject({ times: 0, is_complete: false });
    // Between the samples, and since the last one.
    const absent = { ...rule, clear: { for_seconds: 0 }, condition: { absent_seconds: 60 } };
    expect(await send('POST', `${rulesPath}/preview`, absent)).toMatchObject({
      times: 1,
      is_complete: true,
      alarms: [{ ap_id: 'ap-past', from: new Date(samples.at(-1)!.ts + 60_000).toISOString(), until: null }],
    });
  });

  it('tries a rule on a state on the event log, alone and among many', async () => {
    for (const name of ['ap-flat', 'ap-flat-2']) await weft.agent(name);
    await weft.parts.alarms.refresh();
    const { eventLog } = weft.parts.eventLog;
    const tell = (...list: Parameters<typeof eventLog.append>[1]) =>
      weft.platform.database.transaction((tx) => eventLog.append(tx, list));
    await tell(
      groupedEvent({ kind: 'agent.offline', what: 'went offline', ap_ids: ['ap-flat', 'ap-flat-2', 'other'] }),
      { kind: 'agent.online', subject_kind: 'agent', subject: 'ap-flat-2', text: 'back' },
    );
    const rule = { name: 'x', selector: 'name:ap-flat*', condition: { state: 'offline' }, severity: 'major' };
    const answer = await send('POST', `${rulesPath}/preview?window=1`, { ...rule, for_seconds: 0 });
    expect(answer).toMatchObject({ times: 2, agents: 2, is_complete: true });
    const untilOf = (ap_id: string) => answer.alarms.find((alarm: { ap_id: string }) => alarm.ap_id === ap_id).until;
    expect(untilOf('ap-flat')).toBeNull();
    const long = await send('POST', `${rulesPath}/preview?window=1`, { ...rule, for_seconds: 3600 });
    expect(long).toMatchObject({ times: 0, is_complete: true });
  });
});

describe('alarms that apps raise', () => {
  const raise = (token: string, json: object) => weft.request('POST', '/api/v1/alarms/raise', { token, json });
  const alarm = { ap_id: 'desk-1', key: 'coverage', severity: 'major', text: 'A hole near the door' };
  const setPermissions = (app: string, permissions: object) =>
    send('PUT', `/api/v1/third_party_apps/${app}`, { permissions });
  beforeAll(async () => {
    for (const name of ['desk-1', 'roof-9']) await weft.agent(name);
  });

  it('are there for people, change their text, and are cleared by their key', async () => {
    const app = await weft.app('watcher', { agents: ['desk-*'], alarms: true });
    const { status, body } = await raise(app, alarm);
    const shown = { ap_id: 'desk-1', severity: 'major', message: alarm.text, state: 'firing', rule: 'app watcher' };
    expect([status, body]).toEqual([200, expect.objectContaining({ ...shown, subject: 'coverage', value: null })]);
    expect((await raise(app, alarm)).body.id).toBe(body.id);
    expect((await raise(app, { ...alarm, text: 'A larger hole' })).body).toMatchObject({
      id: body.id,
      message: 'A larger hole',
    });
    // The rounds leave it alone, though there is no rule.
    await weft.parts.alarms.rounds.once();
    expect(await alarmsOf('desk-1', '&state=firing')).toHaveLength(1);
    const worse = (await raise(app, { ...alarm, severity: 'critical' })).body;
    expect([worse.id === body.id, worse.severity]).toEqual([false, 'critical']);
    await send('POST', `/api/v1/alarms/${worse.id}/acknowledge`, {}, operator);
    const clear = () => send('POST', '/api/v1/alarms/clear', { key: 'coverage' }, app);
    expect((await clear()).detail).toBe('The alarm has been cleared');
    expect((await clear()).detail).toBe('No alarm with this key is active');
    expect(await get(`/api/v1/alarms/${worse.id}`)).toMatchObject({ state: 'cleared', cleared_by: 'watcher' });
    const kinds = (await get('/api/v1/events?kinds=alarm.*&agent=desk-1')).items;
    expect(kinds.filter(({ data }: { data: { alarm_id: string } }) => data.alarm_id === worse.id)).toHaveLength(3);
  });

  it('are only for apps with the permission, about agents that they see, and name no device by its address', async () => {
    expect((await raise(await weft.app('mute'), alarm)).status).toBe(403);
    expect((await raise(await weft.app('read-only', { write: false, alarms: true }), alarm)).status).toBe(403);
    const app = await weft.app('narrow', { agents: ['desk-*'], alarms: true });
    expect((await raise(app, { ...alarm, ap_id: 'roof-9' })).status).toBe(404);
    expect((await raise(app, { ...alarm, ap_id: 'nobody' })).status).toBe(404);
    const { status, body } = await raise(app, { ...alarm, text: 'lost 3c-a6-f6-de-ad-77', key: '3ca6f6dead77' });
    expect([status, body.code, body.detail.length]).toEqual([422, 'device_address', 2]);
    const wrong = { app_name: 'x', api_key: 'long enough', permissions: { alarms: 'yes' } };
    expect((await weft.request('POST', '/api/v1/third_party_apps/', { token: admin, json: wrong })).status).toBe(422);
  });

  it('end with the app, with its permission, and with its sight of the agent', async () => {
    const active = async (app: string) =>
      (await get('/api/v1/alarms?state=firing')).items.filter(({ rule }: { rule: string }) => rule === `app ${app}`);
    const app = await weft.app('fading', { alarms: true });
    for (const ap_id of ['desk-1', 'roof-9']) await raise(app, { ...alarm, ap_id, key: ap_id });
    await setPermissions('fading', { alarms: true, agents: ['desk-*'] });
    expect((await active('fading')).map(({ subject }: { subject: string }) => subject)).toEqual(['desk-1']);
    await setPermissions('fading', {});
    expect(await active('fading')).toEqual([]);
    await setPermissions('fading', { alarms: true });
    expect((await raise(app, alarm)).status).toBe(200);
    await send('DELETE', '/api/v1/third_party_apps/fading');
    expect(await active('fading')).toEqual([]);
    const { entries } = await get('/api/v1/audit?limit=20');
    expect(entries.map(({ action }: { action: string }) => action)).toContain('alarms_cleared');
  });

  it('have a budget: of those within a minute, and of those that are active', async () => {
    const app = await weft.app('loud', { alarms: true });
    const raiseAll = async (from: number, to: number) => {
      for (let key = from; key < to; key++) expect((await raise(app, { ...alarm, key: `k${key}` })).status).toBe(200);
    };
    await raiseAll(0, 60);
    expect((await raise(app, { ...alarm, key: 'k60' })).status).toBe(429);
    // Which knows nothing of that minute.
    await weft.stop();
    weft = await startWeft({ WEFT_DATA_DIR: dataDir });
    await raiseAll(60, 100);
    const { status, body } = await raise(app, { ...alarm, key: 'k100' });
    expect([status, body.detail]).toEqual([429, 'At most 100 alarms of an app are active at once; clear some first']);
    await raiseAll(7, 8);
  });
});
