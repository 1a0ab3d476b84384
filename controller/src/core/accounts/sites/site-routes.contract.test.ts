// Sites over HTTP: the tree, its bounds, and who sees which.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startWeft, type TestWeft } from '../../../../../test/weft.ts';

let weft: TestWeft;
let token: string;
beforeAll(async () => {
  weft = await startWeft({ WEFT_MAX_SITES: '30' });
  token = await weft.admin();
});
afterAll(() => weft.stop());

const sites = '/api/v1/sites';
async function ask(method: string, path = '', json?: unknown, by = token) {
  const { status, body } = await weft.request(method, sites + path, { token: by, ...(json !== undefined && { json }) });
  return { status, body };
}
async function create(path: string, more = {}) {
  const { status, body } = await ask('POST', '', { path, ...more });
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}
const label = (ap_id: string, json: object) => weft.request('PATCH', `/api/v1/agents/${ap_id}/labels`, { token, json });

it('are created, read, replaced and deleted', async () => {
  const geolocation = { latitude: 51.45, longitude: -2.58 };
  const given = { path: 'at/vienna', name: 'Wien', geolocation, time_zone: 'europe/vienna', notes: 'Two\nlines' };
  const { body: site } = await ask('POST', '', given);
  expect(site).toEqual({
    ...given,
    id: expect.any(String),
    time_zone: 'Europe/Vienna',
    access_points: 0,
    created_at: expect.stringMatching(/Z$/),
  });
  expect(await ask('GET', `/${site.id}`)).toEqual({ status: 200, body: site });
  expect((await ask('GET', '?path=at/vienna')).body).toEqual({ items: [site], next: null });
  expect((await ask('GET', '?path=at')).body).toEqual({ items: [], next: null });
  const { body: replaced } = await ask('PUT', `/${site.id}`, { path: 'at/vienna' });
  expect(replaced).toEqual({ ...site, name: 'vienna', geolocation: null, time_zone: null, notes: '' });
  expect((await ask('DELETE', `/${site.id}`)).status).toBe(200);
  for (const method of ['GET', 'DELETE']) expect((await ask(method, `/${site.id}`)).status).toBe(404);
  expect((await ask('PUT', `/${site.id}`, { path: 'at' })).body.code).toBe('site_not_found');
});

it.each([
  [{}, 'path'],
  [{ path: '' }, 'path'],
  [{ path: '/a' }, 'path'],
  [{ path: 'a/' }, 'path'],
  [{ path: 'a//b' }, 'path'],
  [{ path: 'a b' }, 'path'],
  [{ path: 'a/*' }, 'path'],
  [{ path: Array(11).fill('a').join('/') }, 'path'],
  [{ path: 'a', name: 'a\nb' }, 'name'],
  [{ path: 'a', name: 'x'.repeat(129) }, 'name'],
  [{ path: 'a', time_zone: 'Mars/Olympus' }, 'time_zone'],
  [{ path: 'a', time_zone: '+01:00' }, 'time_zone'],
  [{ path: 'a', geolocation: { latitude: 91, longitude: 0 } }, 'geolocation'],
  [{ path: 'a', notes: 'x'.repeat(4001) }, 'notes'],
])('%j is refused', async (json, field) => {
  const { status, body } = await ask('POST', '', json);
  expect(status).toBe(422);
  expect(body.detail[0].loc.slice(0, 2)).toEqual(['body', field]);
});

it('are moved with all that is below, also the access points', async () => {
  const uk = await create('uk');
  const hall = await create('uk/bristol/hall');
  await weft.agent('ap-moved');
  expect((await label('ap-moved', { site: 'uk/bristol/hall' })).status).toBe(200);
  const before = await weft.request('GET', '/api/v1/agents/ap-moved/labels', { token });
  expect(before.body.site).toBe('uk/bristol/hall');
  expect((await ask('PUT', `/${uk.id}`, { path: 'eu/gb' })).status).toBe(200);
  expect((await ask('GET', `/${hall.id}`)).body).toMatchObject({ path: 'eu/gb/bristol/hall', access_points: 1 });
  const { body } = await weft.request('GET', '/api/v1/agents/ap-moved/labels', { token });
  expect(body.site).toBe('eu/gb/bristol/hall');
});

it('are told with the number of access points that the caller sees, and of no others', async () => {
  const hall = await create('tally/hall');
  const above = await create('tally');
  for (const [at, site] of ['tally/hall', 'tally/hall', 'tally/hall', 'tally'].entries()) {
    await weft.agent(`counted-${at}`);
    await label(`counted-${at}`, { site });
  }
  const viewer = await weft.user('counts@weft.test');
  const json = [{ role: 'viewer', selector: 'name:counted-1' }];
  await weft.request('PUT', '/api/v1/users/counts@weft.test/grants', { token, json });
  const counts = async (by: string) => {
    const listed = (await ask('GET', '?limit=100', undefined, by)).body.items;
    const single = await Promise.all([above, hall].map(({ id }) => ask('GET', `/${id}`, undefined, by)));
    const found = (await ask('GET', '?path=tally/hall', undefined, by)).body.items;
    const all = [...listed, ...single.map(({ body }) => body), ...found];
    return all.filter(({ path }) => path.startsWith('tally')).map((site) => `${site.path} ${site.access_points}`);
  };
  expect(await counts(token)).toEqual(['tally 1', 'tally/hall 3', 'tally 1', 'tally/hall 3', 'tally/hall 3']);
  expect(await counts(viewer)).toEqual(['tally 0', 'tally/hall 1', 'tally 0', 'tally/hall 1', 'tally/hall 1']);
});

it('are refused where they would be twice, below themselves, or too deep', async () => {
  const one = await create('one');
  const two = await create('two');
  await create(`one/${Array(8).fill('a').join('/')}`);
  expect((await ask('POST', '', { path: 'one' })).body.code).toBe('site_exists');
  expect((await ask('PUT', `/${two.id}`, { path: 'one' })).body.code).toBe('site_exists');
  expect((await ask('PUT', `/${one.id}`, { path: 'one/below' })).status).toBe(422);
  expect((await ask('PUT', `/${one.id}`, { path: 'a/b/c' })).status).toBe(422);
  expect((await ask('GET', `/${one.id}`)).body.path).toBe('one');
});

it('are deleted only when empty', async () => {
  const parent = await create('full');
  const child = await create('full/hall');
  await weft.agent('ap-inside');
  await label('ap-inside', { site: 'full/hall' });
  const refused = await ask('DELETE', `/${parent.id}`);
  expect(refused).toMatchObject({ status: 409, body: { code: 'site_not_empty', children: 1, access_points: 0 } });
  expect((await ask('DELETE', `/${child.id}`)).body).toMatchObject({ children: 0, access_points: 1 });
  await weft.request('DELETE', '/api/v1/agents/ap-inside', { token });
  for (const { id } of [child, parent]) expect((await ask('DELETE', `/${id}`)).status).toBe(200);
});

it('are listed page by page, ordered by path', async () => {
  for (let n = 0; n < 5; n++) await create(`page-${n}`);
  const seen: string[] = [];
  for (let next = ''; ; ) {
    const { body } = await ask('GET', `?limit=2${next && `&cursor=${next}`}`);
    expect(body.items.length).toBeLessThanOrEqual(2);
    seen.push(...body.items.map(({ path }: { path: string }) => path));
    if (body.next === null) break;
    next = body.next;
  }
  const { body } = await ask('GET');
  expect(seen).toEqual(body.items.map(({ path }: { path: string }) => path));
  expect(seen).toEqual([...seen].sort());
  expect(body.next).toBeNull();
  expect((await ask('GET', '?cursor=nonsense')).status).toBe(422);
});

it('are seen by an app where its access points are, and above', async () => {
  await create('seen/hall');
  await create('seen/other');
  const above = await create('seen');
  const hidden = await create('hidden');
  await weft.agent('app-ap');
  await label('app-ap', { site: 'seen/hall' });
  const app = await weft.app('looker', { agents: ['app-*'] });
  const { body } = await ask('GET', '', undefined, app);
  expect(body.items.map(({ path }: { path: string }) => path)).toEqual(['seen', 'seen/hall']);
  expect((await ask('GET', `/${above.id}`, undefined, app)).status).toBe(200);
  expect((await ask('GET', `/${hidden.id}`, undefined, app)).status).toBe(404);
  expect((await ask('GET', '?path=hidden', undefined, app)).body.items).toEqual([]);
});

it('are bounded in number', async () => {
  const statuses = [];
  for (let n = 0; n < 30; n++) statuses.push((await ask('POST', '', { path: `many-${n}` })).status);
  expect(statuses.at(-1)).toBe(429);
  expect((await ask('GET', '?limit=1000')).body.items).toHaveLength(30);
});
