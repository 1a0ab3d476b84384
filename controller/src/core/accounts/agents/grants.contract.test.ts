// What users with grants, and apps with a selector, may do with which access points, on a running server.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { untilSo } from '../../../../../test/pure/until-so.ts';
import { password, startWeft, type TestWeft } from '../../../../../test/weft.ts';
import type { Caller } from '../../base/caller.ts';
import { grantsByDisplayName } from '../../base/rights/display-name-grants.ts';
import { rightsOf, type VisibleAgent } from '../../base/rights/rights.ts';

let weft: TestWeft;
let admin: string;

/** An access point of each place; `hall` is the one that most is granted on. */
const places: Record<string, { site: string | null; tags: string[] }> = {
  hall: { site: 'uk/bristol/hall', tags: ['lobby'] },
  roof: { site: 'uk/bristol', tags: ['outdoor'] },
  york: { site: 'uk/york', tags: ['lobby'] },
  bare: { site: null, tags: [] },
};

beforeAll(async () => {
  weft = await startWeft();
  admin = await weft.admin();
  for (const path of ['uk/bristol/hall', 'uk/bristol', 'uk/york']) await change('POST', '/api/v1/sites', { path });
  for (const [ap_id, labels] of Object.entries(places)) {
    await weft.agent(ap_id);
    await change('PATCH', `/api/v1/agents/${ap_id}/labels`, labels);
  }
});
afterAll(() => weft.stop());

async function change(method: string, path: string, json?: unknown, token = admin) {
  const answer = await weft.request(method, path, { token, ...(json !== undefined && { json }) });
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(200);
  return answer.body;
}

let count = 0;
async function userWith(grants: unknown): Promise<{ token: string; name: string }> {
  const name = `granted-${++count}@weft.test`;
  const token = await weft.user(name);
  await change('PUT', `/api/v1/users/${name}/grants`, grants);
  return { token, name };
}

const ask = async (method: string, path: string, token: string, json?: unknown) =>
  (await weft.request(method, path, { token, ...(json !== undefined && { json }) })).status;

async function listed(token: string): Promise<string[]> {
  const { body } = await weft.request('GET', '/api/v1/metrics/agent_details', { token });
  return body.map(({ ap_id }: { ap_id: string }) => ap_id);
}

/** Each another one: two callers may not send the same command within its minimum interval. */
const command = (ap_id: string) => `/api/v1/send_command?agent_id=${ap_id}&command=wave-${++count}&hold_seconds=0`;

describe('a user with grants', () => {
  test('sees what they select, everywhere, and nothing else', async () => {
    const { token } = await userWith([{ role: 'viewer', selector: 'site:uk/bristol/**' }]);
    expect(await listed(token)).toEqual(['hall', 'roof']);
    for (const path of [
      '/api/v1/agents/',
      '/api/v1/metrics/agent_metrics?agent=',
      '/api/v1/metrics/agent_data?agent=',
      '/api/v1/metrics/agent_multi_metric_data?metrics=x&agent=',
    ]) {
      expect(await ask('GET', `${path}hall`, token), path).toBe(200);
      expect(await ask('GET', `${path}york`, token), path).toBe(404);
    }
    const presence = await change('GET', '/api/v1/metrics/presence', undefined, token);
    expect(presence.agents.map(({ ap_id }: { ap_id: string }) => ap_id)).toEqual(['hall', 'roof']);
    expect(await ask('POST', command('hall'), token)).toBe(403);
    expect(await ask('PATCH', '/api/v1/agents/hall/labels', token, { add_tags: ['x'] })).toBe(403);
    expect(await ask('GET', '/api/v1/audit', token)).toBe(403);
    expect(await ask('POST', '/api/v1/emulator/spinup', token, {})).toBe(403);
  });

  test('commands where it operates, also in batches, and learns nothing of the rest', async () => {
    const { token } = await userWith([
      { role: 'viewer', selector: 'site:uk/**' },
      { role: 'operator', selector: 'tag:lobby -site:uk/york' },
    ]);
    const { items } = await change('GET', '/api/v1/agents', undefined, token);
    expect(items.map(({ ap_id, may }: { ap_id: string; may: string[] }) => [ap_id, may])).toContainEqual([
      'hall',
      ['command'],
    ]);
    expect(items.find(({ ap_id }: { ap_id: string }) => ap_id === 'roof').may).toEqual([]);
    expect(await ask('POST', command('hall'), token)).toBe(200);
    expect(await ask('POST', command('roof'), token)).toBe(403);
    expect(await ask('POST', command('york'), token)).toBe(403);
    expect(await ask('POST', command('bare'), token)).toBe(404);
    const batch = { agents: ['hall', 'roof', 'bare'], command: 'nod', hold_seconds: 0 };
    const { targets } = await change('POST', '/api/v1/commands/batch', batch, token);
    expect(targets.filter(({ command_id }: { command_id: string | null }) => command_id !== null)).toMatchObject([
      { ap_id: 'hall' },
    ]);
  });

  test('manages what it is granted, and neither gives it away nor takes what it is not', async () => {
    const { token } = await userWith([
      { role: 'manager', selector: 'site:uk/bristol/**' },
      { role: 'manager', selector: 'name:own-*' },
    ]);
    const labels = '/api/v1/agents/roof/labels';
    expect(await ask('PATCH', labels, token, { display_name: 'Roof', site: 'uk/bristol/hall' })).toBe(200);
    expect(await ask('PATCH', labels, token, { site: 'uk/bristol' })).toBe(200);
    expect(await ask('PATCH', labels, token, { site: 'uk/york' })).toBe(403);
    expect(await ask('PATCH', '/api/v1/agents/york/labels', token, { site: 'uk/bristol' })).toBe(404);
    const agent = (ap_id: string) => ({ ap_id, password, configuration: {} });
    expect(await ask('POST', '/api/v1/agents/', token, agent('own-1'))).toBe(200);
    expect(await ask('POST', '/api/v1/agents/', token, agent('other-1'))).toBe(403);
    expect(await ask('DELETE', '/api/v1/agents/own-1', token)).toBe(200);
    expect(await ask('DELETE', '/api/v1/agents/york', token)).toBe(404);
    expect(await ask('PUT', '/api/v1/agents/roof', token, { configuration: {} })).toBe(403);
  });

  test('sets sites and tags that its own grants name, and no others: those decide what others may do', async () => {
    const { token } = await userWith([
      { role: 'manager', selector: 'site:uk/bristol/** -tag:secret' },
      { role: 'manager', selector: 'tag:floor-* or name:mine-*' },
    ]);
    const set = (ap_id: string, json: object) => ask('PATCH', `/api/v1/agents/${ap_id}/labels`, token, json);
    expect(await set('roof', { add_tags: ['floor-1'] })).toBe(200);
    expect(await set('roof', { add_tags: ['lobby'] })).toBe(403);
    expect(await set('roof', { add_tags: ['secret'] })).toBe(403);
    expect(await set('roof', { remove_tags: ['outdoor'] })).toBe(403);
    // Still managed by its tag, but somebody else's grants are about that site.
    expect(await set('roof', { site: 'uk/york' })).toBe(403);
    expect(await set('roof', { site: 'uk/bristol/hall', remove_tags: ['floor-1'] })).toBe(200);
    const bulk = { selector: 'name:roof', action: { labels: { add_tags: ['lobby'] } }, preview: true };
    expect((await change('POST', '/api/v1/bulk', bulk, token)).refused).toBe(1);
    const mint = (json: object) => ask('POST', '/api/v1/enrolment_tokens', token, { ap_id_pattern: 'mine-*', ...json });
    expect(await mint({ tags: ['lobby'] })).toBe(403);
    expect(await mint({ site: 'uk/york' })).toBe(403);
    expect(await mint({ tags: ['floor-2'], site: 'uk/bristol' })).toBe(200);
    await change('PATCH', '/api/v1/agents/roof/labels', places.roof);
  });

  test('by name: has what is called so, and not what somebody gave this display name', async () => {
    const { token } = await userWith([{ role: 'operator', selector: 'name:ha*' }]);
    await change('PATCH', '/api/v1/agents/york/labels', { display_name: 'hall of york' });
    expect(await listed(token)).toEqual(['hall']);
    expect(await ask('POST', command('york'), token)).toBe(404);
    const app = await weft.app('named', { selector: 'name:ha*' });
    expect(await listed(app)).toEqual(['hall']);
  });

  test('with the grant none has no right at all, and is no reader of everything', async () => {
    const { token, name } = await userWith([{ role: 'viewer', selector: 'name:hall' }]);
    await change('PUT', `/api/v1/users/${name}/grants`, [{ role: 'none' }]);
    expect(await change('GET', `/api/v1/users/${name}/grants`)).toEqual([{ role: 'none' }]);
    expect(await listed(token)).toEqual([]);
    expect(await ask('GET', '/api/v1/agents/hall', token)).toBe(404);
    expect(await ask('POST', command('hall'), token)).toBe(403);
    expect(await ask('POST', '/api/v1/emulator/spinup', token, {})).toBe(403);
  });

  test('who may command nothing begins no bulk command', async () => {
    const bulk = { selector: 'name:hall', action: { command: 'wave' } };
    const viewer = await userWith([{ role: 'viewer' }]);
    const reader = await weft.user('reader@weft.test');
    for (const token of [viewer.token, reader]) {
      expect(await ask('POST', '/api/v1/bulk', token, bulk)).toBe(403);
      expect(await ask('POST', '/api/v1/bulk', token, { ...bulk, preview: true })).toBe(403);
      expect((await change('GET', '/api/v1/jobs', undefined, token)).jobs ?? []).toEqual([]);
    }
    const operator = await userWith([{ role: 'operator', selector: 'name:hall' }]);
    expect(await ask('POST', '/api/v1/bulk', operator.token, { ...bulk, selector: '' })).toBe(200);
  });

  test('enrols where it manages: a token labels what it registers, and ends with the right', async () => {
    const { token, name } = await userWith([
      { role: 'manager', selector: 'site:uk/bristol/**' },
      { role: 'manager', selector: 'tag:fresh -name:new-2' },
    ]);
    const enrol = (bearer: string, ap_id: string) =>
      ask('POST', '/api/v1/agents/public', bearer, { ap_id, password, configuration: {}, site: 'uk/york' });
    const mint = (json: object) => change('POST', '/api/v1/enrolment_tokens', json, token);
    const here = { ap_id_pattern: 'new-*', site: 'uk/bristol/hall', tags: ['fresh'], max_uses: 10 };
    const good = await mint(here);
    expect(good).toMatchObject({ site: 'uk/bristol/hall', tags: ['fresh'], created_by: name });
    expect(await enrol(good.token, 'new-1')).toBe(200);
    expect(await change('GET', '/api/v1/agents/new-1/labels')).toMatchObject({
      ...{ site: 'uk/bristol/hall', tags: ['fresh'] },
    });
    const bare = await mint({ ap_id_pattern: 'new-*', max_uses: 10 });
    expect(await enrol(bare.token, 'new-2')).toBe(403);
    expect(await ask('POST', '/api/v1/enrolment_tokens', token, { ap_id_pattern: '*', site: 'uk/bristol/no' })).toBe(
      422,
    );
    const other = await userWith([{ role: 'manager', selector: 'site:uk/york' }]);
    expect(await change('GET', '/api/v1/enrolment_tokens', undefined, other.token)).toEqual([]);
    expect(await ask('DELETE', `/api/v1/enrolment_tokens/${good.id}`, other.token)).toBe(404);
    await change('PUT', `/api/v1/users/${name}/grants`, [{ role: 'viewer' }]);
    expect(await enrol(good.token, 'new-3')).toBe(403);
    await change('DELETE', `/api/v1/users/${name}`);
    expect(await enrol(good.token, 'new-3')).toBe(401);
  });

  test('reads everything and the audit log as an auditor, and changes nothing', async () => {
    const { token } = await userWith([{ role: 'auditor' }]);
    expect(await listed(token)).toEqual(expect.arrayContaining(Object.keys(places)));
    expect(await ask('GET', '/api/v1/audit', token)).toBe(200);
    expect(await ask('GET', '/api/v1/users/', token)).toBe(200);
    expect(await ask('GET', '/api/v1/third_party_apps/', token)).toBe(403);
    expect(await ask('POST', command('hall'), token)).toBe(403);
    expect(await ask('PATCH', '/api/v1/agents/hall/labels', token, { add_tags: ['x'] })).toBe(403);
  });

  test('loses with the next request what is taken away, and is a viewer of all without any', async () => {
    const { token, name } = await userWith([{ role: 'operator', selector: 'tag:lobby' }]);
    expect(await ask('POST', command('york'), token)).toBe(200);
    const [queued] = await change('GET', '/api/v1/commands', undefined, token);
    await change('PUT', `/api/v1/users/${name}/grants`, [{ role: 'operator', selector: 'site:uk/bristol/**' }]);
    expect(await ask('POST', command('york'), token)).toBe(404);
    expect(await change('GET', `/api/v1/commands/${queued.command_id}`)).toMatchObject({ state: 'cancelled' });
    await change('PUT', `/api/v1/users/${name}/grants`, []);
    expect(await listed(token)).toEqual(expect.arrayContaining(Object.keys(places)));
    expect(await ask('POST', command('hall'), token)).toBe(403);
  });

  test('keeps no command on an access point that was labelled out of its reach', async () => {
    const { token } = await userWith([{ role: 'operator', selector: 'tag:leaving' }]);
    await change('PATCH', '/api/v1/agents/bare/labels', { add_tags: ['leaving'] });
    expect(await ask('POST', command('bare'), token)).toBe(200);
    const [queued] = await change('GET', '/api/v1/commands', undefined, token);
    await change('PATCH', '/api/v1/agents/bare/labels', { remove_tags: ['leaving'] });
    await untilSo(async () => {
      expect(await change('GET', `/api/v1/commands/${queued.command_id}`)).toMatchObject({ state: 'cancelled' });
    });
  });

  test('sees another world once a label or a site has changed', async () => {
    const { token } = await userWith([{ role: 'viewer', selector: 'site:uk/leeds/** or tag:moving' }]);
    expect(await listed(token)).toEqual([]);
    const york = (await change('GET', '/api/v1/sites?path=uk/york')).items[0];
    await change('PATCH', '/api/v1/agents/bare/labels', { add_tags: ['moving'] });
    await change('PUT', `/api/v1/sites/${york.id}`, { ...york, path: 'uk/leeds' });
    expect(await listed(token)).toEqual(['bare', 'york']);
    expect(await ask('GET', '/api/v1/metrics/agent_metrics?agent=york', token)).toBe(200);
    await change('PATCH', '/api/v1/agents/bare/labels', { remove_tags: ['moving'] });
    await change('PUT', `/api/v1/sites/${york.id}`, { ...york, path: 'uk/york' });
    expect(await listed(token)).toEqual([]);
    expect(await ask('GET', '/api/v1/metrics/agent_metrics?agent=york', token)).toBe(404);
  });
});

test.each([
  [[{ role: 'viewer', selector: 'state:online' }], 'site:, tag: and name:'],
  [[{ role: 'viewer', selector: 'rssi_dbm<-70' }], 'site:, tag: and name:'],
  [[{ role: 'viewer', selector: 'site:uk/bristol type:WiFi' }], '(column 17)'],
  [[{ role: 'viewer', selector: '(' }], 'column'],
  [[{ role: 'owner' }], 'Input should be'],
])('grants %j are refused, and say why', async (grants, words) => {
  const name = `refused-${++count}@weft.test`;
  await weft.user(name);
  const answer = await weft.request('PUT', `/api/v1/users/${name}/grants`, { token: admin, json: grants });
  expect(answer.status).toBe(422);
  expect(answer.text).toContain(words);
  expect(await change('GET', `/api/v1/users/${name}/grants`)).toEqual([]);
});

test('administrators have none', async () => {
  const answer = await weft.request('PUT', '/api/v1/users/me/grants', { token: admin, json: [{ role: 'viewer' }] });
  expect(answer.status).toBe(409);
});

describe('an app with a selector', () => {
  test('has what both its patterns and its selector allow', async () => {
    const token = await weft.app('partner', {
      agents: ['h*', 'y*'],
      selector: 'tag:lobby -site:uk/york',
      commands: true,
    });
    expect(await listed(token)).toEqual(['hall']);
    expect(await ask('GET', '/api/v1/agents/york', token)).toBe(404);
    expect(await ask('POST', command('hall'), token)).toBe(200);
    expect(await ask('POST', command('york'), token)).toBe(404);
  });

  test.each([{ selector: 'state:online' }, { selector: 7 }, { selectors: 'tag:lobby' }])(
    'is not created with %j',
    async (permissions) => {
      const json = { app_name: 'refused', api_key: password, permissions };
      expect(await ask('POST', '/api/v1/third_party_apps/', admin, json)).toBe(422);
    },
  );
});

test('whoever may manage may operate, and whoever may operate may see', () => {
  const role = fc.constantFrom('viewer', 'operator', 'manager', 'auditor', 'none');
  const selector = fc.option(
    fc.constantFrom(
      '',
      'site:uk/**',
      'site:uk/bristol',
      'tag:lobby',
      '-tag:lobby',
      'name:ap-*',
      '-(site:uk/** tag:lab)',
    ),
    { nil: undefined },
  );
  const agents = fc.record({
    ap_id: fc.constantFrom('ap-1', 'roof-1'),
    emulated_for: fc.constantFrom(null, 'me', 'another'),
    display_name: fc.constant(null),
    site: fc.constantFrom(null, 'uk/bristol', 'uk/bristol/hall', 'fr'),
    tags: fc.subarray(['lobby', 'lab']),
  });
  const grants = fc.array(
    fc.record({ role, selector }).map((grant) => (grant.selector === undefined ? { role: grant.role } : grant)),
    { maxLength: 4 },
  );
  fc.assert(
    fc.property(grants, agents, fc.boolean(), (held, agent: VisibleAgent, isAdmin) => {
      const caller = { kind: 'user', id: 'me', name: 'me@x', roles: [], isAdmin, grants: held } as Caller;
      if (rightsOf(caller).manages(agent)) expect(rightsOf(caller).operates(agent)).toBe(true);
      if (rightsOf(caller).operates(agent)) expect(rightsOf(caller).sees(agent)).toBe(true);
      // A grant more takes nothing away, except that the first one ends seeing everything.
      const more = { ...caller, grants: [...held, { role: 'viewer', selector: 'tag:lab' }] } as Caller;
      if (held.length > 0) {
        if (rightsOf(caller).manages(agent)) expect(rightsOf(more).manages(agent)).toBe(true);
        if (rightsOf(caller).operates(agent)) expect(rightsOf(more).operates(agent)).toBe(true);
        if (rightsOf(caller).sees(agent)) expect(rightsOf(more).sees(agent)).toBe(true);
      }
    }),
  );
});

test('the doctor names grants whose name is a display name', async () => {
  await change('PATCH', '/api/v1/agents/bare/labels', { display_name: 'Barn 7' });
  const { name } = await userWith([{ role: 'viewer', selector: 'name:Barn* or name:hall' }]);
  await weft.app('by-name', { selector: '-name:"Barn 7"' });
  expect(await grantsByDisplayName(weft.platform.database)).toEqual([
    `${name}: name:Barn* is a display name`,
    'app by-name: name:Barn 7 is a display name',
  ]);
});
