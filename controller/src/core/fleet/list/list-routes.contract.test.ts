// The list of agents over HTTP, on both databases: every change is seen at once, and what is wrong is refused.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseKinds, eachDatabaseOfServers } from '../../../../../test/databases.ts';
import { startWeft, type TestWeft } from '../../../../../test/weft.ts';

eachDatabaseOfServers((kind) => {
  let weft: TestWeft;
  let token: string;
  let remove: () => Promise<void>;
  beforeAll(async () => {
    const namespace = await kind.createNamespace();
    remove = () => namespace.remove();
    const isPostgres = kind === databaseKinds.postgres;
    weft = await startWeft(
      isPostgres ? { WEFT_DATABASE_URL: namespace.address, WEFT_SECRET: randomBytes(32).toString('hex') } : {},
    );
    token = await weft.admin();
    const create = (path: string) => weft.request('POST', '/api/v1/sites', { token, json: { path } });
    await create('uk');
    await create('uk/hall');
    for (let n = 1; n <= 5; n++) await weft.agent(`ap-${n}`, { access_point_type: n % 2 ? 'WiFi' : '5G', floor: n });
    await label('ap-1', { display_name: 'Lobby', site: 'uk/hall', tags: ['lobby'] });
    await label('ap-2', { site: 'uk', tags: ['lobby', 'lab'] });
    const now = Date.now();
    const report = (ap_id: string, values: Record<string, number>) =>
      weft.record(ap_id, [{ ts: now, names: Object.keys(values), values: Object.values(values), texts: [] }]);
    await report('ap-1', { load: 10, active: 1 });
    await report('ap-2', { load: 30, active: 0 });
    await report('ap-3', { load: 20 });
  });
  afterAll(async () => {
    await weft.stop();
    await remove();
  });

  const label = (ap_id: string, json: object) =>
    weft.request('PATCH', `/api/v1/agents/${ap_id}/labels`, { token, json });
  async function list(query: Record<string, string> = {}, by = token) {
    const { status, body } = await weft.request('GET', `/api/v1/agents?${new URLSearchParams(query)}`, { token: by });
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  }
  const names = async (query: Record<string, string>) =>
    (await list(query)).items.map(({ ap_id }: { ap_id: string }) => ap_id);

  it('has the shape of every list', async () => {
    const { items, next } = await list();
    expect(next).toBeNull();
    expect(items[0]).toEqual({
      id: expect.any(String),
      ap_id: 'ap-1',
      display_name: 'Lobby',
      site: 'uk/hall',
      tags: ['lobby'],
      access_point_type: 'WiFi',
      state: 'online',
      health: 'good',
      power_state: 'awake',
      last_seen: expect.stringMatching(/Z$/),
      onboard: true,
      emulated: false,
      created_at: expect.stringMatching(/Z$/),
      may: ['command', 'manage'],
    });
    expect(items[4]).toMatchObject({ ap_id: 'ap-5', state: 'never', power_state: null, last_seen: null, tags: [] });
    const [full] = (await list({ fields: 'configuration,latest', limit: '1' })).items;
    expect(full.configuration).toEqual({ access_point_type: 'WiFi', floor: 1 });
    expect(full.latest.load).toEqual({ ts: expect.stringMatching(/Z$/), value: 10 });
  });

  it.each([
    [{ selector: 'site:uk/**' }, ['ap-1', 'ap-2']],
    [{ selector: 'site:uk/*' }, ['ap-1']],
    [{ selector: 'tag:lobby -tag:lab' }, ['ap-1']],
    [{ selector: 'type:wifi state:online' }, ['ap-1', 'ap-3']],
    [{ selector: 'state:never' }, ['ap-4', 'ap-5']],
    [{ selector: 'power:asleep' }, ['ap-2']],
    [{ selector: 'load>=20' }, ['ap-2', 'ap-3']],
    [{ selector: 'name:Lob*' }, ['ap-1']],
    [{ selector: 'emulated:true' }, []],
    [{ search: 'HALL' }, ['ap-1']],
    [{ sort: '-load' }, ['ap-2', 'ap-3', 'ap-1', 'ap-4', 'ap-5']],
    [{ sort: 'load', selector: 'load<30' }, ['ap-1', 'ap-3']],
    [{ sort: '-ap_id', limit: '2' }, ['ap-5', 'ap-4']],
    [{ sort: 'display_name', limit: '1' }, ['ap-1']],
    [{ sort: 'access_point_type' }, ['ap-2', 'ap-4', 'ap-1', 'ap-3', 'ap-5']],
    [{ sort: 'state' }, ['ap-4', 'ap-5', 'ap-2', 'ap-3', 'ap-1']],
  ])('%j is %j', async (query, expected) => {
    expect(await names(query as Record<string, string>)).toEqual(expected);
  });

  it.each([
    [{ selector: 'tag:' }, 'selector'],
    [{ selector: 'x'.repeat(1001) }, 'selector'],
    [{ sort: '-' }, 'sort'],
    [{ cursor: 'nonsense' }, 'cursor'],
    [{ cursor: Buffer.from('{"v":1}').toString('base64url') }, 'cursor'],
    [{ limit: '0' }, 'limit'],
    [{ limit: '1001' }, 'limit'],
    [{ fields: 'password' }, 'fields'],
  ])('%j is refused', async (query, field) => {
    const search = new URLSearchParams(query as Record<string, string>);
    const { status, body } = await weft.request('GET', `/api/v1/agents?${search}`, { token });
    expect(status).toBe(422);
    expect(body.detail[0].loc).toEqual(['query', field]);
  });

  it('refuses a cursor of another list, and names the column of a selector', async () => {
    const { next } = await list({ limit: '1' });
    const other = await weft.request('GET', `/api/v1/agents?sort=-ap_id&cursor=${next}`, { token });
    expect(other.status).toBe(422);
    const { body } = await weft.request('GET', '/api/v1/agents?selector=tag:a%20staet:x', { token });
    expect(body.detail[0].ctx).toMatchObject({ column: 7 });
  });

  it('knows every change at once, also of sites', async () => {
    await weft.agent('ap-6', { access_point_type: 'LiFi' });
    expect(await names({ selector: 'type:LiFi' })).toEqual(['ap-6']);
    await label('ap-6', { site: 'uk/hall', tags: ['new'] });
    expect(await names({ selector: 'tag:new site:uk/hall' })).toEqual(['ap-6']);
    await weft.request('PUT', '/api/v1/agents/ap-6', { token, json: { configuration: { access_point_type: '5G' } } });
    expect(await names({ selector: 'tag:new type:5G' })).toEqual(['ap-6']);
    const { body } = await weft.request('GET', '/api/v1/sites?path=uk', { token });
    await weft.request('PUT', `/api/v1/sites/${body.items[0].id}`, { token, json: { path: 'gb' } });
    expect(await names({ selector: 'site:gb/**' })).toEqual(['ap-1', 'ap-2', 'ap-6']);
    await weft.request('PUT', `/api/v1/sites/${body.items[0].id}`, { token, json: { path: 'uk' } });
    await weft.request('DELETE', '/api/v1/agents/ap-6', { token });
    expect(await names({ selector: 'tag:new' })).toEqual([]);
    expect((await list({ count: 'true' })).count).toBe(5);
  });

  it('shows an app what it may see, and an agent itself', async () => {
    const app = await weft.app(`app-${kind.dialect}`, { agents: ['ap-1', 'ap-2'] });
    expect((await list({ count: 'true' }, app)).count).toBe(2);
    const agent = await weft.login('agent', 'ap-3');
    expect((await list({}, agent)).items).toHaveLength(1);
  });

  describe('a selector', () => {
    const explain = (selector: unknown) =>
      weft.request('POST', '/api/v1/selectors/explain', { token, json: { selector } });

    it('is explained in words, with how many match', async () => {
      expect((await explain('tag:lobby -tag:lab')).body).toEqual({
        selector: 'tag:lobby -tag:lab',
        meaning: 'access points that are tagged lobby and are not tagged lab',
        matches: 1,
        examples: ['ap-1'],
        only_labels: true,
      });
      expect((await explain('load>5')).body).toMatchObject({ matches: 3, only_labels: false });
      expect((await explain('')).body).toMatchObject({ matches: 5, meaning: 'all access points' });
    });

    it('that is wrong is refused with its column', async () => {
      const { status, body } = await explain('tag:lobby (');
      expect(status).toBe(422);
      expect(body.detail[0]).toMatchObject({ loc: ['body', 'selector'], type: 'selector', ctx: { column: 12 } });
    });
  });
});
