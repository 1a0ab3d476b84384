// Reading the audit log over HTTP.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminUsername, startWeft, type TestWeft } from '../../../../../test/weft.ts';
import { openSqlite } from '../../base/storage/sql-database.sqlite.ts';

let weft: TestWeft;
let admin: string;
beforeAll(async () => {
  weft = await startWeft();
  admin = await weft.admin();
  for (const name of ['ap-1', 'ap-2', 'ap-3']) await weft.agent(name);
  await weft.request('PUT', '/api/v1/agents/ap-2', { token: admin, json: { configuration: { site: 'a' } } });
});
afterAll(() => weft.stop());

const read = async (query: string, token: string | undefined = admin) =>
  weft.request('GET', `/api/v1/audit${query}`, { token });
const found = async (query: string): Promise<number[]> => {
  const { status, body } = await read(query);
  expect(status).toBe(200);
  return body.entries.map(({ seq }: { seq: number }) => seq);
};

describe('GET /api/v1/audit', () => {
  it('gives who, what, when and to whom, newest first', async () => {
    const { status, body } = await read('');
    expect(status).toBe(200);
    expect(body.has_more).toBe(false);
    expect(body.entries).toHaveLength(8);
    expect(body.entries[0]).toEqual({
      seq: 8,
      ts: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      actor: { kind: 'user', id: expect.stringMatching(/^[0-9a-f-]{36}$/), name: adminUsername },
      action: 'agent_updated',
      target: { kind: 'agent', name: 'ap-2' },
      detail: { fields: ['configuration'], keys: ['site'] },
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('pages by `cursor`, with the fields that all pages have', async () => {
    const { body } = await read('?target=ap-2&limit=2');
    expect([body.items, body.next]).toEqual([body.entries, '5']);
    expect((await read(`?target=ap-2&cursor=${body.next}`)).body).toMatchObject({ items: [{ seq: 4 }], next: null });
    // A program that repeats its `before` gets on as well.
    expect(await found(`?before=8&cursor=4`)).toEqual([3, 2, 1]);
  });

  it('takes filters, and pages by `before`', async () => {
    expect(await found('?target=ap-2')).toEqual([8, 5, 4]);
    expect(await found('?actor=ap-2')).toEqual([5]);
    expect(await found(`?actor=${adminUsername}&action=agent_created`)).toEqual([6, 4, 2]);
    expect(await found('?before=4&limit=2')).toEqual([3, 2]);
    expect((await read('?before=4&limit=2')).body.has_more).toBe(true);
    expect(await found('?target=nobody')).toEqual([]);
    const { ts } = (await read('?limit=1&before=5')).body.entries[0];
    expect(await found(`?since=${ts}&action=agent_created`)).toEqual([6, 4]);
    expect(await found(`?until=${ts}&action=agent_created`)).toEqual([2]);
    expect(await found('?since=2099-01-01T00:00:00Z')).toEqual([]);
  });

  it.each([
    'limit=0',
    'limit=501',
    'limit=x',
    'before=0',
    'before=2147483648',
    'before=x',
    'cursor=0',
    'cursor=x',
    'since=yesterday',
    'until=',
    'actor=',
  ])('answers 422 to %s', async (query) => {
    const { status, body } = await read(`?${query}`);
    expect(status).toBe(422);
    expect(body.detail[0].loc).toEqual(['query', query.split('=')[0]]);
  });

  it('takes the largest values there are', async () => {
    expect(await found('?limit=500&before=2147483647')).toHaveLength(8);
    expect(await found(`?target=${'x'.repeat(512)}&since=0001-01-01T00:00:00Z&until=9999-12-31T23:59:59Z`)).toEqual([]);
  });

  it('is for administrators: 401 for nobody, 403 for all others', async () => {
    expect((await weft.request('GET', '/api/v1/audit')).status).toBe(401);
    const others = [await weft.user('ada@weft.test'), await weft.agent('ap-4'), await weft.app('app-1')];
    for (const token of others) expect((await read('', token)).status).toBe(403);
  });

  it('shows an entry that somebody has been at', async () => {
    const database = openSqlite(`${weft.config.dataDir}/weft.db`);
    await database.query("UPDATE audit_log SET detail = '[1', ts = 9007199254740991 WHERE seq = 1");
    await database.query("UPDATE audit_log SET detail = 'null' WHERE seq = 2");
    await database.close();
    const { status, body } = await read('?before=3');
    expect(status).toBe(200);
    expect(body.entries).toMatchObject([{ detail: { unreadable: 'null' } }, { detail: { unreadable: '[1' } }]);
  });
});

it('finds access points by their display names', async () => {
  const labels = { token: admin, json: { display_name: 'Great Hall' } };
  expect((await weft.request('PATCH', '/api/v1/agents/ap-3/labels', labels)).status).toBe(200);
  expect((await found('?target=great+hall')).slice(1)).toEqual([7, 6]);
  expect(await found('?actor=Great+Hall')).toEqual([7]);
});
