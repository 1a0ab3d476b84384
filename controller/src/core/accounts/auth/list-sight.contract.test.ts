// Every list of the interface, read by every kind of grant on one site while all that can be listed is at another: nothing of that
// may be in any answer. The lists come from the interface document, so that a new one is among them.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWeft, type TestWeft } from '../../../../../test/weft.ts';

/** Stands in the name of everything that is out of sight. */
const marker = 'zebra';
let weft: TestWeft;
let admin: string;
let paths: string[];
const callers = new Map<string, string>();

async function ask(method: string, path: string, json?: unknown, token = admin) {
  const { status, body } = await weft.request(method, path, { token, ...(json !== undefined && { json }) });
  expect([path, status, JSON.stringify(body)]).toEqual([path, 200, expect.anything()]);
  return body;
}

beforeAll(async () => {
  weft = await startWeft({ WEFT_WEBHOOK_ALLOW: 'hooks.example.org' });
  admin = await weft.admin();
  for (const path of ['uk', 'uk/open', `uk/${marker}`]) await ask('POST', '/api/v1/sites', { path });
  for (const [name, site, tag] of [
    ['open-1', 'uk/open', 'lab'],
    [`${marker}-1`, `uk/${marker}`, marker],
    [`${marker}-2`, `uk/${marker}`, marker],
  ] as const) {
    const agent = await weft.agent(name, { commands: ['sleep', 'wake'], geolocation: { latitude: 51, longitude: 0 } });
    await ask('PATCH', `/api/v1/agents/${name}/labels`, { site, tags: [tag], display_name: `${name} ${tag}` });
    const devices = [{ id: '02:00:00:00:00:01', rssi_dbm: -40, [marker]: 1 }];
    await ask('POST', '/api/v1/agent_update/update', { load: 1, devices }, agent);
  }
  const app = await weft.app(`${marker}-app`, { alarms: true });
  const alarm = { ap_id: `${marker}-1`, key: marker, severity: 'major', text: `${marker} is hot` };
  await ask('POST', '/api/v1/alarms/raise', alarm, app);
  const until = new Date(Date.now() + 3_600_000).toISOString();
  await ask('POST', '/api/v1/silences', { selector: `site:uk/${marker}`, until, comment: marker });
  // It is about what they see too, and says what they may not know.
  await ask('POST', '/api/v1/silences', { selector: `tag:lab OR tag:${marker}`, until, comment: marker });
  const condition = { metric: 'load', op: '>', value: 5 };
  await ask('POST', '/api/v1/alarm_rules', { name: marker, selector: `tag:${marker}`, condition, severity: 'minor' });
  for (const caller of [app, admin])
    await weft.request('POST', `/api/v1/send_command?agent_id=${marker}-1&command=sleep`, { token: caller });
  await weft.request('POST', `/api/v1/send_command?agent_id=${marker}-1&command=wake`, {
    token: await weft.app(`${marker}-rival`),
  });
  await ask('POST', '/api/v1/bulk', { selector: `tag:${marker}`, action: { command: 'wake' } });
  await ask('POST', '/api/v1/enrolment_tokens', { ap_id_pattern: `${marker}-*`, max_uses: 2 });
  await weft.user(`${marker}@weft.test`);
  await ask('POST', '/api/v1/webhooks', { name: marker, url: `https://hooks.example.org/${marker}`, events: ['*'] });
  const { ap_id } = alarm;
  const times = 'start_time=2026-01-01T00:00:00Z&end_time=2026-01-02T00:00:00Z';
  await ask('POST', `/api/v1/agent_data/request_agent_data?agent_id=${ap_id}&${times}`);
  await weft.parts.alarms.refresh();
  for (const role of ['viewer', 'operator', 'manager']) {
    callers.set(role, await weft.user(`${role}@weft.test`));
    await ask('PUT', `/api/v1/users/${role}@weft.test/grants`, [{ role, selector: 'site:uk/open' }]);
  }
  callers.set('app by pattern', await weft.app('patterns', { agents: ['open-*'] }));
  callers.set('app by selector', await weft.app('selects', { selector: 'tag:lab' }));
  const document = await ask('GET', '/openapi.json');
  paths = Object.keys(document.paths).filter((path) => document.paths[path].get && !path.includes('{'));
  paths = paths.filter((path) => !path.endsWith('/stream'));
});
afterAll(() => weft.stop());

test('there is something to hide: an administrator reads it in most lists', async () => {
  const lists = ['agents', 'sites', 'events', 'alarms', 'alarm_rules', 'silences', 'commands', 'conflicts', 'audit'];
  for (const list of lists) {
    const path = paths.find((each) => each.replace(/\/$/, '') === `/api/v1/${list}`)!;
    const { text } = await weft.request('GET', path, { token: admin });
    expect([path, text.includes(marker)]).toEqual([path, true]);
  }
});

test('no list has anything of what its reader may not see', async () => {
  const leaks: string[] = [];
  let answered = 0;
  for (const [who, token] of callers) {
    for (const path of paths) {
      const { status, text } = await weft.request('GET', path, { token });
      if (status === 200) answered++;
      if (text.includes(marker)) leaks.push(`${who}: ${path} ${status}`);
    }
  }
  expect(leaks).toEqual([]);
  expect(answered).toBeGreaterThan(50);
});

test('who has the name of a removed user does not go on with what that one had listed', async () => {
  const before = await weft.user('again@weft.test');
  const list = '/api/v1/agents?sort=load&limit=1&count=true';
  const { count, next } = await ask('GET', list, undefined, before);
  expect(count).toBe(3);
  await ask('DELETE', '/api/v1/users/again@weft.test');
  const after = await weft.user('again@weft.test');
  await ask('PUT', '/api/v1/users/again@weft.test/grants', [{ role: 'viewer', selector: 'site:uk/open' }]);
  expect((await ask('GET', `${list}&cursor=${encodeURIComponent(next)}`, undefined, after)).count).toBe(1);
});
