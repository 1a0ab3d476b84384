// The JSON door over HTTP: what it answers, and that what it answers is true.
import { gzipSync } from 'node:zlib';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, password, startWeft, type TestWeft } from '../../../../../test/weft.ts';

const url = '/api/v1/agent_update/update';
const written: string[] = [];
let server: TestWeft;
let token: string;

beforeAll(async () => {
  const log = pino({ level: 'info' }, { write: (line: string) => written.push(line) });
  server = await startWeft({}, { log });
  token = await server.agent('ap-1');
});
afterAll(() => server.stop());

function post(body: unknown, more: Record<string, string> = {}, as = token): Promise<Answer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return server.post(url, { authorization: `Bearer ${as}`, 'content-type': 'application/json', ...more }, text);
}

describe('#21', () => {
  it('answers how many samples it has stored, in each form', async () => {
    const ap = await server.agent('ap-forms');
    const ts = Date.now() - 10_000;
    const answers = [
      await post({ ts, rssi: -60 }, {}, ap),
      await post({ ap_id: 'ap-forms', payload: { ts: ts + 1, rssi: -61 } }, {}, ap),
      await post({ samples: [2, 3, 4].map((n) => ({ ts: ts + n, rssi: -60 - n })) }, {}, ap),
    ];
    expect(answers.map(({ status, body }) => [status, body.accepted])).toEqual([
      [200, 1],
      [200, 1],
      [200, 3],
    ]);
    expect(answers[0]!.body).toEqual({ status: 'success', detail: expect.any(String), accepted: 1 });
    expect(await server.rowsOf('ap-forms')).toEqual([0, 1, 2, 3, 4].map((n) => ({ ts: ts + n, rssi: -60 - n })));
  });

  it('says that nothing was stored, and why', async () => {
    const ap = await server.agent('ap-nothing');
    expect((await post({ illuminance_lx: 300 }, {}, ap)).body.detail).toBe('The update has been stored');
    const detailOf = async (body: object) => (await post(body, {}, ap)).body;
    const text = await detailOf({ list: [1], 'a,b': 1 });
    expect(text).toMatchObject({ status: 'success', accepted: 0, ignored_count: 2 });
    expect(text.detail).toMatch(/^Nothing was stored: .*a,b: a name has/);
    expect(text.detail).toContain('list: arrays are not stored');
    expect((await detailOf({})).detail).toBe('Nothing was stored: the report has no fields');
    expect((await detailOf({ devices: [] })).detail).toBe('No sample was stored: the report has no fields');
    const part = await detailOf({ list: [1], rssi: 1 });
    expect([part.accepted, part.detail]).toEqual([1, 'The update has been stored without the fields in ignored']);
  });

  it('M5: keeps samples without a time apart, also those of quick posts', async () => {
    const ap = await server.agent('ap-quick');
    const before = Date.now();
    await Promise.all(Array.from({ length: 50 }, (_, n) => post({ n }, {}, ap)));
    expect((await post({ samples: [{ n: 50 }, { n: 51 }] }, {}, ap)).status).toBe(200);
    const rows = await server.rowsOf('ap-quick');
    expect(rows.map(({ n }) => n).sort((a, b) => Number(a) - Number(b))).toEqual(
      Array.from({ length: 52 }, (_, n) => n),
    );
    expect(rows.every(({ ts }) => Number(ts) >= before && Number(ts) <= Date.now() + 60)).toBe(true);
  });

  it('rounds large integers that are values, which it says, or times, and refuses them in a configuration', async () => {
    const ap = await server.agent('ap-large');
    const ts = Date.now();
    const good = await post(`{"ts":${ts}500000,"rx_bytes":12345678901234567890,"ip":"18446744073709551615"}`, {}, ap);
    expect(good.body).toMatchObject({ accepted: 1, rounded: ['rx_bytes'] });
    expect(good.body.detail).toContain('send them as texts');
    expect(await server.rowsOf('ap-large')).toEqual([
      { ts, rx_bytes: Number('12345678901234567890'), ip: '18446744073709551615' },
    ]);
    const forms = [`{"payload":{"a":{"b":${2n ** 60n}}}}`, `{"samples":[{"a_b":1},{"a_b":${2n ** 60n}}]}`];
    for (const form of forms) expect((await post(form, {}, ap)).body.rounded).toEqual(['a_b']);
    const bad = await post('{"x":1,"configuration":{"serial":12345678901234567890}}', {}, ap);
    expect(bad.body.detail).toMatchObject([{ loc: ['body', 'configuration', 'serial'], type: 'value_error' }]);
  });

  it('samples of one millisecond are merged, which the answer counts, unless they have nothing in common', async () => {
    const ap = await server.agent('ap-quickest');
    const base = Date.now() - 5000;
    const micros = Array.from({ length: 10 }, (_, n) => ({ ts: `${base}${n}00`, rssi: n }));
    for (const round of [1, 2]) {
      const { body } = await post({ samples: micros }, {}, ap);
      expect([round, body.accepted, body.merged]).toEqual([round, 1, 9]);
      expect(body.detail).toContain('9 samples');
    }
    expect(await server.rowsOf('ap-quickest')).toEqual([{ ts: base, rssi: 9 }]);
    const apart = await post(
      {
        samples: [
          { ts: base + 1, a: 1 },
          { ts: base + 1, b: '1.20' },
          { ts: base + 1, b: 'x' },
        ],
      },
      {},
      ap,
    );
    expect([apart.body.accepted, apart.body.merged]).toEqual([2, 1]);
  });

  it('a time that cannot be read costs its sample alone, which the answer names', async () => {
    const ap = await server.agent('ap-timeless');
    const { status, body } = await post({ samples: [{ rssi: 1 }, { ts: 'yesterday', rssi: 2 }] }, {}, ap);
    expect([status, body.accepted, body.ignored]).toEqual([
      200,
      1,
      [{ field: 'samples.1.ts', reason: 'unreadable_time' }],
    ]);
    expect((await server.rowsOf('ap-timeless')).map(({ rssi }) => rssi)).toEqual([1]);
  });

  it('M7: stores nothing of a batch with one bad sample, and says which', async () => {
    const ap = await server.agent('ap-bad');
    const { status, body } = await post({ samples: [{ rssi: 1 }, { ts: 0, rssi: 1 }] }, {}, ap);
    expect([status, body.code]).toEqual([422, 'validation_error']);
    expect(body.detail).toMatchObject([{ loc: ['body', 'samples', 1, 'ts'] }]);
    expect(await server.rowsOf('ap-bad')).toEqual([]);
  });

  it('Z2: is for the agent itself', async () => {
    await server.agent('ap-other');
    for (const body of [
      { ap_id: 'ap-other', x: 1 },
      { payload: { ap_id: 'ap-other', x: 1 } },
      { samples: [{ x: 1 }, { ap_id: 'ap-other', x: [] }] },
      { ap_id: 'never-there', x: 1 },
    ]) {
      const answer = await post(body);
      expect([answer.status, answer.body.code]).toEqual([403, 'foreign_ap_id']);
    }
    expect(await server.rowsOf('ap-other')).toEqual([]);
    expect(await server.rowsOf('ap-1')).toEqual([]);
  });

  it('is for agents, with a token', async () => {
    const user = await server.user('ada@weft.test');
    expect((await post({ x: 1 }, {}, user)).status).toBe(403);
    expect((await post({ x: 1 }, {}, 'none')).status).toBe(401);
    const basic = { authorization: `Basic ${btoa(`ap-1:${password}`)}` };
    expect((await post({ x: 1 }, basic)).status).toBe(401);
    expect((await post({ x: 1 }, { authorization: `Token ${token}` })).status).toBe(401);
  });

  it.each([
    ['an array', '[]', 'dict_type'],
    ['a text', '"x"', 'dict_type'],
    ['nothing', '', 'missing'],
    ['null', 'null', 'missing'],
    ['half an object', '{"a":', 'json_invalid'],
    ['an infinite number', '{"a":1e999}', 'finite_number'],
    ['a lone surrogate', '{"a":"\\ud800"}', 'string_unicode'],
    ['too deep an object', `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`, 'value_error'],
  ])('refuses %s', async (_name, body, type) => {
    const answer = await post(body);
    expect([answer.status, answer.body.detail?.[0]?.type]).toEqual([422, type]);
  });

  it('takes the largest batch, and refuses bodies that are larger, coded or of another type', async () => {
    const ap = await server.agent('ap-batch');
    const ts = Date.now();
    const samples = Array.from({ length: 10_000 }, (_, n) => ({ ts: ts - n, a: n, b: n, c: n, d: n }));
    expect((await post({ samples }, {}, ap)).body).toMatchObject({ accepted: 10_000 });
    expect((await post(`{"x":"${'y'.repeat(1024 * 1024)}"}`)).status).toBe(413);
    expect((await post('{"x":1}', { 'content-type': 'application/xml' })).status).toBe(415);
    const coded = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'content-encoding': 'gzip' };
    expect((await server.post(url, coded, gzipSync('{"x":1}'))).status).toBe(415);
  });

  it('writes a line about a refusal into the log, and none about a success', async () => {
    written.length = 0;
    await post({ x: 1 });
    await post([]);
    await expect.poll(() => written.length).toBeGreaterThan(0);
    expect(written.map((line) => JSON.parse(line).status)).toEqual([422]);
  });
});
