// The ETag of an agent: what it says, and that a change with If-Match is made to what its writer has seen, or not at all.
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { eachDatabaseOfServers } from '../../../../../test/databases.ts';
import { password, startWeft } from '../../../../../test/weft.ts';

eachDatabaseOfServers((kind) => {
  async function start() {
    const { address } = await kind.createNamespace();
    const onPostgres = { WEFT_DATABASE_URL: address, WEFT_SECRET: randomBytes(32).toString('hex') };
    const weft = await startWeft(kind.dialect === 'postgres' ? onPostgres : {});
    const admin = await weft.admin();
    const path = '/api/v1/agents/ap-1';
    const get = (headers = {}) => weft.request('GET', path, { token: admin, headers });
    const put = (json: object, ifMatch?: string, token = admin) =>
      weft.request('PUT', path, { token, json, headers: ifMatch === undefined ? {} : { 'if-match': ifMatch } });
    const create = () =>
      weft.request('POST', '/api/v1/agents/', {
        token: admin,
        json: { ap_id: 'ap-1', password, configuration: { b: 1, a: { c: -0 }, 7: 'ä' } },
      });
    return { weft, admin, path, get, put, create };
  }
  const tagOf = ({ headers }: { headers: Headers }) => headers.get('etag')!;

  test('an agent that is created, read and changed has a strong ETag of what it is', async () => {
    const { weft, get, put, create } = await start();
    const tag = tagOf(await create());
    expect(tag).toMatch(/^"[\w-]+"$/);
    expect(tagOf(await get())).toBe(tag);
    expect((await get({ 'if-none-match': tag })).status).toBe(304);
    const changed = await put({ configuration: { site: 'x' } });
    expect(tagOf(changed)).not.toBe(tag);
    expect(tagOf(await get())).toBe(tagOf(changed));
    // The password is not part of what an agent is; that it has onboarded is.
    expect(tagOf(await put({ password }))).toBe(tagOf(changed));
    await weft.login('agent', 'ap-1');
    expect(tagOf(await get())).not.toBe(tagOf(changed));
    await weft.stop();
  });

  test('a change with If-Match is refused with 412 unless one of its tags is that of the agent', async () => {
    const { weft, get, put, create } = await start();
    await create();
    const old = tagOf(await put({ configuration: { n: 1 } }));
    const tag = tagOf(await put({ configuration: { n: 2 } }));
    for (const [ifMatch, status] of [
      [old, 412],
      [`W/${tag}`, 412],
      ['W/*', 412],
      [tag.slice(1, -1), 412],
      ['', 412],
      [`${old}, ${tag}`, 200],
      [`"a, b",${tag}`, 200],
      [`W/${tag}, ${tag}`, 200],
      ['*', 200],
    ] as const) {
      for (const json of [{ configuration: { n: 2 } }, { password }, {}]) {
        const answer = await put(json, ifMatch);
        expect([ifMatch, answer.status]).toEqual([ifMatch, status]);
        if (status === 412) expect(answer.body).toEqual({ detail: expect.any(String), code: 'precondition_failed' });
      }
    }
    expect((await put({ configuration: { n: 3 } }, old)).status).toBe(412);
    expect((await get()).body.configuration).toEqual({ n: 2 });
    await weft.stop();
  });

  test('what else is wrong is said in the order 401, 403, 422, 404, 412', async () => {
    const { weft, path, put, create } = await start();
    const other = await weft.agent('ap-2');
    const stale = '"stale"';
    expect((await put({}, stale)).status).toBe(404);
    expect((await put({ configuration: 5 }, stale)).status).toBe(422);
    await create();
    const anonymous = await weft.request('PUT', path, { json: {}, headers: { 'if-match': stale } });
    expect(anonymous.status).toBe(401);
    expect((await put({ configuration: 5 }, stale, other)).status).toBe(403);
    expect((await put({ configuration: 5 }, stale)).status).toBe(422);
    expect((await put({ configuration: {} }, stale)).status).toBe(412);
    await weft.stop();
  });

  test('of twenty writers who have seen the same, one changes it, and nineteen are told', async () => {
    const { weft, get, put, create } = await start();
    const tag = tagOf(await create());
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => put({ configuration: { n } }, tag)));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(19);
    expect((await get()).body).toEqual(won[0]!.body);
    await weft.stop();
  });
});
