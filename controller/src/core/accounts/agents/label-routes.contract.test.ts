// Labels over HTTP: what they may be, that repeating changes nothing, ETags, and suggestions of agents.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untilSo } from '../../../../../test/pure/until-so.ts';
import { startWeft, type TestWeft } from '../../../../../test/weft.ts';

let weft: TestWeft;
let token: string;
beforeAll(async () => {
  weft = await startWeft();
  token = await weft.admin();
  await weft.agent('ap-1');
  await createSite(weft, 'uk/hall');
});
afterAll(() => weft.stop());

const createSite = async (server: TestWeft, path: string) =>
  server.request('POST', '/api/v1/sites', { token: await server.admin(), json: { path } });
const labels = (ap_id = 'ap-1') => `/api/v1/agents/${ap_id}/labels`;
const patch = (json: object, headers = {}, ap_id = 'ap-1') =>
  weft.request('PATCH', labels(ap_id), { token, json, headers });
const none = { display_name: null, site: null, tags: [] };

it('are none at first, and then what an administrator says', async () => {
  await weft.agent('ap-new');
  const suggested = { site: null, tags: [] };
  expect((await weft.request('GET', labels('ap-new'), { token })).body).toEqual({
    ap_id: 'ap-new',
    ...none,
    suggested,
  });
  const { status, body } = await patch(
    { display_name: ' Hall\u00a01 ', site: 'uk/hall', tags: ['b', 'a', 'b'] },
    {},
    'ap-new',
  );
  expect(status).toBe(200);
  const after = { display_name: 'Hall\u00a01', site: 'uk/hall', tags: ['a', 'b'], suggested, reconfigured: 0 };
  expect(body).toEqual({ ap_id: 'ap-new', ...after });
  expect((await patch({ add_tags: ['c', 'a'], remove_tags: ['b', 'z'] }, {}, 'ap-new')).body.tags).toEqual(['a', 'c']);
  expect((await patch({ tags: ['x'], add_tags: ['y', 'z'], remove_tags: ['x'] }, {}, 'ap-new')).body.tags).toEqual([
    'y',
    'z',
  ]);
  expect((await patch({ display_name: null, site: null, tags: [] }, {}, 'ap-new')).body).toMatchObject(none);
  expect((await patch({}, {}, 'ap-new')).body).toMatchObject(none);
});

it('compare equal however an accent was typed', async () => {
  const { body } = await patch({ tags: ['cafe\u0301', 'caf\u00e9'] });
  expect(body.tags).toEqual(['caf\u00e9']);
});

it.each([
  [{ display_name: '' }, 'display_name'],
  [{ display_name: ' ' }, 'display_name'],
  [{ display_name: 'a\u0007b' }, 'display_name'],
  [{ display_name: 'x'.repeat(129) }, 'display_name'],
  [{ site: 'nowhere' }, 'site'],
  [{ site: '/uk/hall' }, 'site'],
  [{ tags: 'a' }, 'tags'],
  [{ tags: ['a b'] }, 'tags'],
  [{ tags: ['*'] }, 'tags'],
  [{ tags: ['x'.repeat(65)] }, 'tags'],
  [{ tags: Array.from({ length: 51 }, (_, n) => `t${n}`) }, 'tags'],
  [{ tags: Array.from({ length: 50 }, (_, n) => `t${n}`), add_tags: ['more'] }, 'add_tags'],
])('%j is refused', async (json, field) => {
  const { status, body } = await patch(json);
  expect(status).toBe(422);
  expect(body.detail[0].loc.slice(0, 2)).toEqual(['body', field]);
});

it('are of an agent that exists', async () => {
  expect((await patch({ tags: ['a'] }, {}, 'nobody')).body.code).toBe('agent_not_found');
  expect((await weft.request('GET', labels('nobody'), { token })).status).toBe(404);
});

describe('the ETag', () => {
  it('is the same in both answers, and changes with the labels only', async () => {
    const changed = await patch({ tags: ['etag'] });
    const tag = changed.headers.get('etag')!;
    expect(tag).toMatch(/^"[\w-]+"$/);
    const read = await weft.request('GET', labels(), { token });
    expect(read.headers.get('etag')).toBe(tag);
    expect((await patch({ tags: ['etag'] })).headers.get('etag')).toBe(tag);
    expect((await patch({ tags: ['other'] })).headers.get('etag')).not.toBe(tag);
    const unchanged = await weft.request('GET', labels(), { token, headers: { 'if-none-match': tag } });
    expect(unchanged.status).toBe(200);
    const now = unchanged.headers.get('etag')!;
    expect((await weft.request('GET', labels(), { token, headers: { 'if-none-match': now } })).status).toBe(304);
  });

  it('of If-Match must be that of the present labels', async () => {
    const tag = (await patch({ tags: ['one'] })).headers.get('etag')!;
    expect((await patch({ tags: ['two'] }, { 'if-match': `"no", ${tag}` })).status).toBe(200);
    const refused = await patch({ tags: ['three'] }, { 'if-match': tag });
    expect([refused.status, refused.body.code]).toEqual([412, 'precondition_failed']);
    expect((await weft.request('GET', labels(), { token })).body.tags).toEqual(['two']);
    expect((await patch({ tags: ['four'] }, { 'if-match': '*' })).status).toBe(200);
  });

  it('lets one of many that have seen the same win', async () => {
    const tag = (await patch({ tags: [] })).headers.get('etag')!;
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => patch({ add_tags: [`n${n}`] }, { 'if-match': tag })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(412)]);
    expect((await weft.request('GET', labels(), { token })).body.tags).toHaveLength(1);
  });
});

describe('what an agent says about itself', () => {
  const said = { site: '/uk/hall/', tags: ['lobby', 'not a tag', 7, 'lobby'] };
  const report = (server: TestWeft, agent: string, configuration: object) =>
    server.request('POST', '/api/v1/agent_update/update', { token: agent, json: { rssi: -60, configuration } });

  it('is a suggestion, and no label', async () => {
    const agent = await weft.agent('ap-says', said);
    const { body } = await weft.request('GET', labels('ap-says'), { token: agent });
    expect(body).toEqual({ ap_id: 'ap-says', ...none, suggested: { site: 'uk/hall', tags: ['lobby'] } });
    expect((await weft.request('PATCH', labels('ap-says'), { token: agent, json: { tags: ['lobby'] } })).status).toBe(
      403,
    );
    const accepted = await patch({ site: 'uk/hall', tags: ['lobby', 'x'] }, {}, 'ap-says');
    expect(accepted.body.suggested).toEqual({ site: null, tags: [] });
  });

  it('is accepted where the setting says so and nobody has set anything', async () => {
    const trusting = await startWeft({ WEFT_ACCEPT_LABELS: 'yes' });
    try {
      await createSite(trusting, 'uk/hall');
      await createSite(trusting, 'uk/roof');
      const admin = await trusting.admin();
      const labelsOf = async (ap_id: string) => (await trusting.request('GET', labels(ap_id), { token: admin })).body;
      const agent = await trusting.agent('ap-1', said);
      await untilSo(async () => expect(await labelsOf('ap-1')).toMatchObject({ site: 'uk/hall', tags: ['lobby'] }));
      await report(trusting, agent, { site: 'uk/roof', tags: ['other'], note: 'told' });
      const suggested = { site: 'uk/roof', tags: ['other'] };
      await untilSo(async () => expect((await labelsOf('ap-1')).suggested).toEqual(suggested));
      expect(await labelsOf('ap-1')).toMatchObject({ site: 'uk/hall', tags: ['lobby'] });
      await trusting.agent('ap-2', { site: 'nowhere', tags: ['t'] });
      await untilSo(async () => expect(await labelsOf('ap-2')).toMatchObject({ site: null, tags: ['t'] }));
      const { body } = await trusting.request('GET', '/api/v1/audit?action=labels_changed', { token: admin });
      expect(body.entries.map(({ actor }: { actor: { name: string } }) => actor.name)).toEqual(['weft', 'weft']);
    } finally {
      await trusting.stop();
    }
  });
});
