// The radio map over HTTP: who may ask, what reaches the process that runs the network, and what comes back.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { encodeCoverage } from '@weft/contract/coverage-values';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untilSo } from '../../../../test/pure/until-so.ts';
import { startWeft, type TestWeft } from '../../../../test/weft.ts';
import { readOrCreateSecret } from '../../core/base/secret-file.ts';
import { Keyring } from '../../core/base/secrets.ts';
import { CallbackTokens } from '../../core/jobs/publish/callback-tokens.ts';

let weft: TestWeft;
let tokens: Record<'admin' | 'ada' | 'bob' | 'agent' | 'app', string>;
let callbacks: CallbackTokens;

beforeAll(async () => {
  weft = await startWeft({ WEFT_EMULATOR_MAX_RUNS: '0' });
  tokens = {
    admin: await weft.admin(),
    ada: await weft.user('ada@weft.test'),
    bob: await weft.user('bob@weft.test'),
    agent: await weft.agent('ap-1'),
    app: await weft.app('lab', { emulator: true }),
  };
  callbacks = new CallbackTokens(new Keyring(readOrCreateSecret(weft.config.dataDir)));
});
afterAll(() => weft.stop());

type Who = keyof typeof tokens;
const wifi = {
  access_point_type: 'WiFi',
  num_access_points: 2,
  locations: ['51.45,-2.58'],
  num_devices: 2,
  duration: 600,
};
const spinUp = async (who: Who = 'ada') =>
  (await weft.request('POST', '/api/v1/emulator/spinup', { token: tokens[who], json: { emulators: [wifi] } })).body;
const lease = async (job_number: string, more: object = {}) =>
  (
    await weft.request('POST', `/api/v1/callback/emulator/lease?job_number=${job_number}`, {
      token: callbacks.create(job_number),
      json: { holder: 'test', ...more },
    })
  ).body;
const path = (job_number: string) => `/api/v1/emulator/${job_number}/coverage`;
const get = (job_number: string, query = 'layer=signal&technology=WiFi', who: Who = 'ada') =>
  weft.request('GET', `${path(job_number)}?${query}`, { token: tokens[who] });
const post = (job_number: string, json: object, who: Who = 'ada') =>
  weft.request('POST', path(job_number), { token: tokens[who], json });

const values = Float32Array.of(-61.5, Number.NaN);
const raster = { scale: 0.01, values: encodeCoverage(values, 0.01), min: -61.5, max: -61.5 };
const heading = {
  model: 3,
  model_time: '2026-11-16T02:00:00.000Z',
  second: 5,
  layer: 'signal',
  technology: 'WiFi',
  unit: 'dBm',
  height: 1.5,
  bounds: { south: 51, west: -3, north: 52, east: -2 },
  columns: 2,
  rows: 1,
  encoding: 'int16',
  access_points: ['emu-1'],
};

/** Answers the next request to the network, and resolves it. */
async function answer(job_number: string, reply: object, wait = 10) {
  const { requests } = await lease(job_number, { wait });
  await lease(job_number, { answers: requests.map(({ id }: { id: string }) => ({ id, answer: reply })) });
  return requests;
}

describe('the radio map', () => {
  it('reaches the holder, and its answer comes back, as base64 or as an array', async () => {
    const { job_number } = await spinUp();
    await lease(job_number);
    const asked = get(job_number, 'layer=signal&technology=WiFi&bounds=51,-3,52,-2&columns=2&rows=1');
    const requests = await answer(job_number, { ...heading, ...raster });
    const body = { layer: 'signal', technology: 'WiFi', bounds: heading.bounds, columns: 2, rows: 1 };
    expect(requests).toEqual([{ id: expect.any(String), kind: 'coverage', body }]);
    expect((await asked).body).toEqual({ job_number, ...heading, ...raster });
    const plain = get(job_number, 'layer=signal&technology=WiFi&encoding=array');
    expect((await answer(job_number, { ...heading, ...raster }))[0].body).toMatchObject({ columns: 128, rows: 128 });
    expect((await plain).body).toMatchObject({ encoding: 'array', scale: 1, values: [-61.5, null] });
  });

  it('with commands is two maps and their difference', async () => {
    const { job_number, agents } = await spinUp();
    await lease(job_number);
    const commands = [{ agent_id: agents[0].ap_id, command: 'sleep' }];
    const asked = post(job_number, { layer: 'signal', technology: 'WiFi', commands, encoding: 'array' });
    const softer = { ...raster, values: encodeCoverage(Float32Array.of(-70, Number.NaN), 0.01), min: -70, max: -70 };
    const reply = { ...heading, after_seconds: 30, results: [{ state: 'succeeded' }], with: softer, without: raster };
    const [request] = await answer(job_number, reply);
    expect(request.body).toMatchObject({ commands, after_seconds: 30 });
    expect((await asked).body).toMatchObject({
      job_number,
      after_seconds: 30,
      with: { values: [-70, null] },
      without: { values: [-61.5, null] },
      difference: { values: [-8.5, null], min: -8.5, max: -8.5 },
    });
    const foreign = [{ agent_id: 'ap-1', command: 'sleep' }];
    expect((await post(job_number, { layer: 'signal', technology: 'WiFi', commands: foreign })).body.code).toBe(
      'agent_not_found',
    );
  });

  it('is for the owner and administrators', async () => {
    const { job_number } = await spinUp('app');
    await lease(job_number);
    expect((await get(job_number, undefined, 'bob')).body.code).toBe('run_not_found');
    expect((await get(job_number, undefined, 'agent')).status).toBe(403);
    expect((await weft.request('GET', path(job_number))).status).toBe(401);
    expect((await get('nothing')).status).toBe(404);
    for (const who of ['app', 'admin'] as const) {
      const asked = get(job_number, undefined, who);
      await answer(job_number, { ...heading, ...raster });
      expect((await asked).status).toBe(200);
    }
  });

  it('needs a network that runs', async () => {
    const { job_number } = await spinUp();
    expect((await get(job_number)).body.code).toBe('run_not_started');
    await weft.request('POST', `/api/v1/emulator/${job_number}/stop`, { token: tokens.ada });
    const { status, body } = await get(job_number);
    expect([status, body.code]).toEqual([409, 'run_over']);
  });

  it.each([
    ['layer', 'technology=WiFi'],
    ['layer', 'layer=beauty&technology=WiFi'],
    ['technology', 'layer=signal&technology=4G'],
    ['columns', 'layer=signal&technology=5G&columns=257'],
    ['rows', 'layer=signal&technology=5G&rows=0'],
    ['bounds', 'layer=signal&technology=5G&bounds=1,2,3'],
    ['height', 'layer=signal&technology=5G&height=-1'],
  ])('is refused with the name of the field: %s', async (field, query) => {
    const { status, body } = await get('nothing', query);
    expect(status).toBe(422);
    expect(body.detail[0].loc).toEqual(['query', field]);
  });

  it('passes on what the network says against it', async () => {
    const { job_number } = await spinUp();
    await lease(job_number);
    const problem = async (code: string, more: object = {}) => {
      const asked = get(job_number);
      await answer(job_number, { error: { code, detail: 'because', ...more } });
      return asked;
    };
    const invalid = await problem('invalid_coverage', { field: 'technology' });
    expect([invalid.status, invalid.body.detail[0].loc]).toEqual([422, ['query', 'technology']]);
    expect((await problem('too_many_coverages')).status).toBe(429);
    expect((await problem('coverage_failed')).status).toBe(503);
  });

  it('of equal questions asks one; who has gone is not waited for', async () => {
    const { job_number } = await spinUp();
    await lease(job_number);
    const both = [get(job_number), get(job_number, undefined, 'admin')];
    const gone = new AbortController();
    const left = fetch(`${weft.url}${path(job_number)}?layer=rate&technology=WiFi`, {
      headers: { authorization: `Bearer ${tokens.ada}` },
      signal: gone.signal,
    });
    const held = async () => {
      const { text } = await weft.request('GET', '/metrics', { token: tokens.admin });
      return Number(/^weft_share_radio_maps_held (\d)/m.exec(text)?.[1]);
    };
    const waiting = () => {
      const db = new DatabaseSync(join(weft.config.dataDir, 'weft.db'), { readOnly: true });
      try {
        return db.prepare('SELECT id FROM emulator_requests WHERE job_number = ?').all(job_number).length;
      } finally {
        db.close();
      }
    };
    await untilSo(async () => expect([await held(), waiting()]).toEqual([3, 2]));
    gone.abort();
    await expect(left).rejects.toThrow();
    await untilSo(async () => expect([await held(), waiting()]).toEqual([2, 1]));
    const requests = await answer(job_number, { ...heading, ...raster });
    expect(requests.map(({ body }: { body: { layer: string } }) => body.layer)).toEqual(['signal']);
    for (const asked of both) expect((await asked).status).toBe(200);
  });

  it('a caller with many questions leaves room for others', async () => {
    const { job_number } = await spinUp('bob');
    await lease(job_number);
    const many = Array.from({ length: 11 }, (_, n) =>
      get(job_number, `layer=signal&technology=WiFi&columns=${n + 1}`, 'bob'),
    );
    const refused = await Promise.race(many);
    expect([refused.status, refused.body.code]).toEqual([429, 'share_used_up']);
    let isOver = false;
    const all = Promise.all(many).finally(() => {
      isOver = true;
    });
    while (!isOver) await answer(job_number, { ...heading, ...raster }, 1);
    expect((await all).filter(({ status }) => status === 200).length).toBe(10);
  });
});
