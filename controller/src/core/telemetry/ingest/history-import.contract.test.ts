// History that an administrator brings in through the line-protocol door.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, startWeft, type TestWeft } from '../../../../../test/weft.ts';

const paths = ['/api/v1/write', '/write', '/api/v2/write'];
let weft: TestWeft;
let admin: string;
let user: string;

beforeAll(async () => {
  weft = await startWeft();
  admin = await weft.admin();
  user = await weft.user('eve@weft.test');
});
afterAll(() => weft.stop());

function post(path: string, token: string, body: string): Promise<Answer> {
  return weft.request('POST', path, { token, body, headers: { 'content-type': 'text/plain' } });
}

async function rowsOf(agent: string): Promise<unknown[]> {
  const query = new URLSearchParams({
    agent,
    start: new Date(Date.now() - 86_400_000).toISOString(),
    format: 'ndjson',
  });
  const { body } = await weft.request('GET', `/api/v1/metrics/export?${query}`, { token: admin });
  const lines = String(body)
    .split('\n')
    .filter((line) => line !== '');
  return lines.map((line) => {
    const { ts, ...fields } = JSON.parse(line);
    return { ts: Date.parse(ts), ...fields };
  });
}

let count = 0;
async function newAgent(): Promise<{ ap_id: string; token: string }> {
  const ap_id = `ap-${++count}`;
  return { ap_id, token: await weft.agent(ap_id) };
}

describe('history that an administrator brings in', () => {
  const ts = Date.now() - 3_600_000;

  it.each(paths)('at %s is stored for the agent he names, as if that had posted it', async (path) => {
    const { ap_id, token } = await newAgent();
    const lines = (value: number, at: number) => `cpu,host=gw load=${value} ${at}\nagent/${ap_id}/data x="a" ${at}`;
    const query = `?agent=${ap_id}&precision=ms`;
    expect((await post(path + query, admin, lines(1, ts))).status).toBe(204);
    expect((await post(`${path}?precision=ms`, token, lines(2, ts + 1))).status).toBe(204);
    // Once more changes nothing.
    expect((await post(path + query, admin, lines(1, ts))).status).toBe(204);
    expect(await rowsOf(ap_id)).toEqual([
      { ts, cpu_load: 1, x: 'a' },
      { ts: ts + 1, cpu_load: 2, x: 'a' },
    ]);
  });

  it('is no sign of life', async () => {
    const { ap_id } = await newAgent();
    const presence = () => weft.request('GET', `/api/v1/metrics/presence?agents=${ap_id}`, { token: admin });
    const before = (await presence()).body.agents[0];
    expect((await post(`/write?agent=${ap_id}&precision=ms`, admin, `cpu x=1 ${Date.now()}`)).status).toBe(204);
    expect((await presence()).body.agents[0]).toEqual(before);
    expect(before).toMatchObject({ presence: 'offline', last_seen: null });
  });

  it('needs a name, of an agent that is there; good lines come first', async () => {
    const nameless = await post('/write', admin, 'cpu x=1');
    expect([nameless.status, nameless.body.detail[0].loc]).toEqual([422, ['query', 'agent']]);
    expect((await post('/write?agent=nobody', admin, 'cpu x=')).status).toBe(422);
    const unknown = await post('/write?agent=nobody', admin, 'cpu x=1');
    expect([unknown.status, unknown.body.code]).toEqual([404, 'agent_not_found']);
  });

  it('passes the same gate: no line of others, nothing beyond the retention, nothing half', async () => {
    const { ap_id } = await newAgent();
    const write = (line: string) => post(`/write?agent=${ap_id}&precision=ms`, admin, line);
    expect((await write('agent/somebody/data x=1')).status).toBe(403);
    const old = await write(`cpu x=1 ${ts}\ncpu x=1 ${Date.now() - 31 * 86_400_000}`);
    expect([old.status, old.body.detail[0].loc]).toEqual([422, ['body', 1]]);
    expect(old.body.detail[0].msg).toContain('older than the retention of 30 days');
    expect((await write(`cpu x=1 ${ts}`)).status).toBe(204);
    const half = await write(`cpu y=1 ${ts}\ncpu x= ${ts + 1}`);
    expect([half.status, half.body.detail[0].loc]).toEqual([422, ['body', 1]]);
    expect(await rowsOf(ap_id)).toEqual([{ ts, cpu_x: 1 }]);
  });

  it('is for administrators only; an agent may name itself and nobody else', async () => {
    const [mine, other] = [await newAgent(), await newAgent()];
    expect((await post(`/write?agent=${mine.ap_id}`, mine.token, 'cpu x=1')).status).toBe(204);
    const foreign = await post(`/write?agent=${other.ap_id}`, mine.token, 'cpu x=1');
    expect([foreign.status, foreign.body.code]).toEqual([403, 'not_permitted']);
    expect((await post(`/write?agent=${other.ap_id}`, user, 'cpu x=1')).status).toBe(403);
    expect(await rowsOf(other.ap_id)).toEqual([]);
  });
});
