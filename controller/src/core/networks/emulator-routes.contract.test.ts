// Emulated networks over HTTP, without anybody who runs them: what is created, what is refused, who may see it, and what
// the one who would run it finds.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { untilSo } from '../../../../test/pure/until-so.ts';
import { type Answer, startWeft, type TestWeft } from '../../../../test/weft.ts';
import { readOrCreateSecret } from '../base/secret-file.ts';
import { Keyring } from '../base/secrets.ts';
import { CallbackTokens } from '../jobs/publish/callback-tokens.ts';

const spinupPath = '/api/v1/emulator/spinup';
const wifi = {
  access_point_type: 'WiFi',
  num_access_points: 3,
  locations: ['Bristol', '51.46 -2.6'],
  num_devices: 5,
  duration: 600,
};

let weft: TestWeft;
let tokens: Record<'admin' | 'ada' | 'bob' | 'agent' | 'app', string>;
let keyring: Keyring;
let callbacks: CallbackTokens;

beforeAll(async () => {
  weft = await startWeft({
    WEFT_EMULATOR_MAX_RUNS: '0',
    WEFT_EMULATOR_MAX_ACCESS_POINTS: '1500',
    WEFT_EMULATOR_MAX_PER_CALLER: '1400',
  });
  tokens = {
    admin: await weft.admin(),
    ada: await weft.user('ada@weft.test'),
    bob: await weft.user('bob@weft.test'),
    agent: await weft.agent('ap-1'),
    app: await weft.app('lab', { emulator: { max_access_points: 4 } }),
  };
  keyring = new Keyring(readOrCreateSecret(weft.config.dataDir));
  callbacks = new CallbackTokens(keyring);
});
afterAll(() => weft.stop());

type Who = keyof typeof tokens;
const post = (path: string, who: Who, json?: unknown) =>
  weft.request('POST', path, { token: tokens[who], ...(json !== undefined && { json }) });
const get = (path: string, who: Who) => weft.request('GET', path, { token: tokens[who] });
const spinUp = async (who: Who, ...emulators: object[]) => {
  const answer = await post(spinupPath, who, { emulators });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
};
const lease = (job_number: string, more: object = {}): Promise<Answer> =>
  weft.request('POST', `/api/v1/callback/emulator/lease?job_number=${job_number}`, {
    token: callbacks.create(job_number),
    json: { holder: 'test', ...more },
  });

/** What the database holds, seen from outside. */
function stored<Row>(sql: string, ...params: string[]): Row[] {
  const db = new DatabaseSync(join(weft.config.dataDir, 'weft.db'), { readOnly: true });
  try {
    return db.prepare(sql).all(...params) as Row[];
  } finally {
    db.close();
  }
}

describe('#25', () => {
  it('creates agents and a job, and says which places it took', async () => {
    const body = await spinUp('ada', wifi, { ...wifi, access_point_type: 'LiFi', num_access_points: 1 });
    const { job_number } = body;
    expect(body).toMatchObject({ status: 'queued', websocket: `/api/v1/ws/${job_number}` });
    expect(body.agents.map(({ ap_id }: { ap_id: string }) => ap_id)).toEqual([
      `emu-wifi-${job_number.slice(0, 8)}-1`,
      `emu-wifi-${job_number.slice(0, 8)}-2`,
      `emu-wifi-${job_number.slice(0, 8)}-3`,
      `emu-lifi-${job_number.slice(0, 8)}-4`,
    ]);
    expect(body.places).toEqual([
      expect.objectContaining({ emulator: 0, location: 0, given: 'Bristol', country: 'GB' }),
      expect.objectContaining({ emulator: 1, location: 0 }),
    ]);
    const { body: agent } = await get(`/api/v1/agents/emu-wifi-${job_number.slice(0, 8)}-2`, 'ada');
    expect(agent.configuration).toEqual({
      access_point_type: 'WiFi',
      geolocation: { latitude: 51.46, longitude: -2.6 },
      emulated: true,
    });
  });

  it('says and passes on what devices ask for, and which model it is', async () => {
    const link_policy = { mode: 'load_balancing', weights: { WiFi: 3, '5G': 1 }, share: 0.5 };
    const more = { profile: 'always', mbps_per_device: 2.5, mix: { video: 3, voice: 1, bulk: 0 }, link_policy };
    const body = await spinUp('ada', { ...wifi, ...more }, wifi);
    const given = { mbps_per_device: 2.5, mix: { video: 0.75, voice: 0.25 } };
    expect(body).toMatchObject({ model: 3, profiles: ['always', 'office'] });
    expect(body.demand).toEqual([given, { mbps_per_device: 0.8, mix: expect.objectContaining({ voice: 0.1 }) }]);
    const { job_number } = body;
    const [job] = stored<{ data: string }>('SELECT data FROM jobs WHERE job_number = ?', job_number);
    const task = JSON.parse(keyring.decrypt(job!.data, job_number));
    expect(task.model).toBe(3);
    expect(task.agents[0]).toMatchObject({ profile: 'always', ...given });
    expect(task.agents.at(-1)).toMatchObject({ mbps_per_device: 0.8 });
    expect(task.agents.at(-1)).not.toHaveProperty('mix');
    expect(task.agents[0]).toMatchObject({ link_policy });
    expect(task.agents.at(-1)).not.toHaveProperty('link_policy');
    expect((await get(`/api/v1/emulator/${job_number}`, 'ada')).body.model).toBe(3);
    expect((await get('/api/v1/emulator', 'ada')).body[0].model).toBe(3);
  });

  it.each([
    [{ mbps_per_device: 1000.1 }, ['mbps_per_device']],
    [{ mbps_per_device: -1 }, ['mbps_per_device']],
    [{ mbps_per_device: 'much' }, ['mbps_per_device']],
    [{ mix: { voice: -1, video: 2 } }, ['mix', 'voice']],
    [{ mix: { fax: 1 } }, ['mix', 'fax']],
    [{ mix: {} }, ['mix']],
    [{ mix: 'video' }, ['mix']],
    [{ link_policy: { mode: 'fastest' } }, ['link_policy', 'mode']],
    [{ link_policy: { mode: 'priority', primary: 'Ethernet' } }, ['link_policy', 'primary']],
    [{ link_policy: { mode: 'priority', share: 2 } }, ['link_policy', 'share']],
    [{ link_policy: { mode: 'load_balancing', weights: { LTE: 1 } } }, ['link_policy', 'weights', 'LTE']],
    [{ link_policy: { mode: 'load_balancing', weights: { WiFi: 0 } } }, ['link_policy', 'weights']],
  ])('refuses the demand %j with its place', async (more, place) => {
    const { status, body } = await post(spinupPath, 'ada', { emulators: [wifi, { ...wifi, ...more }] });
    expect([status, body.detail[0].loc]).toEqual([422, ['body', 'emulators', 1, ...place]]);
  });

  it('Z7 keeps credentials hashed or encrypted, gives them to the worker, and ends them with the run', async () => {
    const { job_number, agents } = await spinUp('ada', wifi);
    const [job] = stored<{ data: string }>('SELECT data FROM jobs WHERE job_number = ?', job_number);
    const task = JSON.parse(keyring.decrypt(job!.data, job_number));
    expect(task).toMatchObject({ num_devices: 5, duration: 600, speed: 1, faults: [], report_interval_seconds: 1 });
    const { ap_id, password } = task.agents[0];
    expect(task.agents[0]).toMatchObject({
      ap_id: agents[0].ap_id,
      access_point_type: 'WiFi',
      location: agents[0].location,
    });
    expect(job!.data).not.toContain(password);
    expect(stored<{ password_hash: string }>('SELECT * FROM agents WHERE ap_id = ?', ap_id)[0]!.password_hash).toMatch(
      /^sha256:/,
    );
    const token = await weft.login('agent', ap_id, password);
    const report = () => weft.request('POST', '/api/v1/agent_update/update', { token, json: { rssi: -60 } });
    expect((await report()).status).toBe(200);
    const login = (secret: string) =>
      weft.request('POST', '/api/v1/token/?login_type=agent', { form: { username: ap_id, password: secret } });
    expect((await login(`${password}x`)).status).toBe(401);
    await post(`/api/v1/emulator/${job_number}/stop`, 'ada');
    expect((await report()).status).toBe(401);
    expect((await login(password)).status).toBe(401);
    expect((await login('')).status).toBe(422);
    expect(JSON.stringify((await get(`/api/v1/jobs/${job_number}`, 'ada')).body)).not.toContain(password);
  });

  it('reads locations in brackets and as objects, and says which traffic each entry got', async () => {
    const { agents, profiles, job_number } = await spinUp(
      'ada',
      { ...wifi, num_access_points: 1, locations: ['(51.45, -2.58)'] },
      { ...wifi, num_access_points: 1, locations: [{ lat: 51.4, long: -2.5 }], profile: 'always' },
      { ...wifi, num_access_points: 1, locations: ['{"lat":51.4,"long":-2.5}'], access_point_type: '5G' },
    );
    expect(agents.map(({ location }: { location: object }) => location)).toEqual([
      { latitude: 51.45, longitude: -2.58 },
      { latitude: 51.4, longitude: -2.5 },
      { latitude: 51.4, longitude: -2.5 },
    ]);
    expect(profiles).toEqual(['office', 'always', 'city']);
    await post(`/api/v1/emulator/${job_number}/stop`, 'ada');
    for (const location of [7, null, ['51', '-2'], {}, { lat: 'north', long: 1 }]) {
      const { status, body } = await post(spinupPath, 'ada', {
        emulators: [{ ...wifi, locations: ['Bristol', location] }],
      });
      expect([status, body.detail[0].loc]).toEqual([422, ['body', 'emulators', 0, 'locations', 1]]);
    }
  });

  it('is for users and apps, an app within its own limit', async () => {
    expect((await post(spinupPath, 'agent', { emulators: [wifi] })).status).toBe(403);
    expect((await weft.request('POST', spinupPath, { json: { emulators: [wifi] } })).status).toBe(401);
    const barred = await weft.app('barred', { emulator: false });
    expect((await weft.request('POST', spinupPath, { token: barred, json: { emulators: [wifi] } })).status).toBe(403);
    const { job_number } = await spinUp('app', wifi);
    const more = await post(spinupPath, 'app', { emulators: [wifi] });
    expect([more.status, more.body.code]).toEqual([429, 'too_many_access_points']);
    const tooLarge = await post(spinupPath, 'app', { emulators: [{ ...wifi, num_access_points: 5 }] });
    expect([tooLarge.status, tooLarge.body.detail[0].loc]).toEqual([
      422,
      ['body', 'emulators', 0, 'num_access_points'],
    ]);
    await post(`/api/v1/emulator/${job_number}/stop`, 'app');
    const next = await spinUp('app', { ...wifi, num_access_points: 4 });
    // Those that have ended count as well, up to twice as many.
    await post(`/api/v1/emulator/${next.job_number}/stop`, 'app');
    const kept = await post(spinupPath, 'app', { emulators: [{ ...wifi, num_access_points: 4 }] });
    expect([kept.status, kept.body.code]).toEqual([429, 'too_many_kept_access_points']);
  });

  it('I15 I16 refuses with the place of the fault, and creates nothing', async () => {
    const count = async () => (await get('/api/v1/metrics/agent_details', 'admin')).body.length;
    const before = await count();
    const thousand = { ...wifi, num_access_points: 1000 };
    for (const [emulators, loc] of [
      [[], ['body', 'emulators']],
      [[{ ...wifi, access_point_type: 'wifi' }], ['body', 'emulators', 0, 'access_point_type']],
      [[{ ...wifi, num_access_points: 1001 }], ['body', 'emulators', 0, 'num_access_points']],
      [[{ ...wifi, num_access_points: 0 }], ['body', 'emulators', 0, 'num_access_points']],
      [[{ ...wifi, duration: 1e12 }], ['body', 'emulators', 0, 'duration']],
      [
        [wifi, { ...wifi, locations: ['51,0', '91,0'] }],
        ['body', 'emulators', 1, 'locations', 1],
      ],
      [[{ ...wifi, locations: [] }], ['body', 'emulators', 0, 'locations']],
      [
        [thousand, thousand],
        ['body', 'emulators', 1, 'num_access_points'],
      ],
      [Array(2000).fill(thousand), ['body', 'emulators', 1, 'num_access_points']],
    ] as [object[], unknown[]][]) {
      const { status, body } = await post(spinupPath, 'bob', { emulators });
      expect([status, body.detail[0].loc]).toEqual([422, loc]);
    }
    expect(await count()).toBe(before);
    expect((await get('/api/v1/emulator', 'bob')).body).toEqual([]);
  });

  it('takes a thousand at once', async () => {
    const { agents } = await spinUp('bob', { ...wifi, num_access_points: 1000, num_devices: 50 });
    expect(agents).toHaveLength(1000);
    const { status, body } = await post(spinupPath, 'bob', { emulators: [{ ...wifi, num_access_points: 500 }] });
    expect([status, body.code]).toEqual([429, 'too_many_access_points']);
    expect(body.detail).toMatch(/^At most 1400 emulated access points .* you have 1000/);
  });
});

describe('a run', () => {
  it('is seen by its owner and administrators, and by nobody else', async () => {
    const { job_number } = await spinUp('ada', wifi);
    const path = `/api/v1/emulator/${job_number}`;
    for (const who of ['ada', 'admin'] as const) {
      const { body } = await get(path, who);
      expect(body).toMatchObject({
        job_number,
        state: 'queued',
        progress: 0,
        owner: 'ada@weft.test',
        access_points: 3,
        devices: 15,
        by_type: { WiFi: 3 },
        is_over: false,
        remove_at: null,
        latest: null,
      });
      expect(body.agents).toHaveLength(3);
    }
    expect((await get(path, 'bob')).status).toBe(404);
    expect((await post(`${path}/stop`, 'bob')).status).toBe(404);
    const listed = async (who: Who, query = '') =>
      (await get(`/api/v1/emulator${query}`, who)).body.map((run: { job_number: string }) => run.job_number);
    expect((await listed('ada'))[0]).toBe(job_number);
    expect(await listed('bob', '?all=true')).not.toContain(job_number);
    expect(await listed('admin', '?all=true&limit=100')).toContain(job_number);
    expect(await listed('admin')).not.toContain(job_number);
    expect(await listed('ada', `?before=${job_number}`)).not.toContain(job_number);
  });

  it('shows what the one who runs it tells, and ends with its word', async () => {
    const { job_number } = await spinUp('ada', wifi);
    expect((await lease(job_number)).body).toMatchObject({ lease_seconds: 30, last_chunk: 0, requests: [] });
    const tell = (query: string, served: number) =>
      weft.request('POST', `/api/v1/callback/emulator?job_number=${job_number}&${query}`, {
        token: callbacks.create(job_number),
        json: [{ event: 'progress', served }],
      });
    await tell('chunk=1&progress=0.25', 7);
    const path = `/api/v1/emulator/${job_number}`;
    expect((await get(path, 'ada')).body).toMatchObject({ state: 'running', progress: 0.25, latest: { served: 7 } });
    await tell('chunk=2&final=true', 9);
    await untilSo(async () => expect((await get(path, 'ada')).body.is_over).toBe(true));
    expect((await get(path, 'ada')).body).toMatchObject({ state: 'succeeded', progress: 1, latest: { served: 9 } });
    expect((await get(`/api/v1/jobs/${job_number}`, 'ada')).body.state).toBe('succeeded');
  });

  it('is forgotten with its agents and their telemetry once its time is over', async () => {
    const forgetful = await startWeft({ WEFT_EMULATOR_MAX_RUNS: '0', WEFT_EMULATOR_KEEP_HOURS: '0' });
    try {
      const token = await forgetful.admin();
      const json = { emulators: [{ ...wifi, num_access_points: 60 }] };
      const { job_number } = (await forgetful.request('POST', spinupPath, { token, json })).body;
      const count = async () =>
        (await forgetful.request('GET', '/api/v1/metrics/agent_details', { token })).body.length as number;
      expect(await count()).toBe(60);
      await forgetful.request('POST', `/api/v1/emulator/${job_number}/stop`, { token });
      const run = () => forgetful.request('GET', `/api/v1/emulator/${job_number}`, { token });
      await vi.waitFor(async () => {
        await forgetful.parts.retention.rounds.once();
        expect((await run()).status).toBe(404);
      }, 180_000);
      expect(await count()).toBe(0);
    } finally {
      await forgetful.stop();
    }
  });

  it('can be stopped, twice with the same answer, and by cancelling its job', async () => {
    const { job_number } = await spinUp('ada', wifi);
    await lease(job_number);
    const waiting = lease(job_number, { wait: 30 });
    const stopped = await post(`/api/v1/emulator/${job_number}/stop`, 'ada');
    expect(stopped.body).toMatchObject({ state: 'cancelled', detail: 'Stopped by its owner', is_over: true });
    expect((await post(`/api/v1/emulator/${job_number}/stop`, 'ada')).body).toEqual(stopped.body);
    expect((await waiting).body.code).toBe('job_ended');
    const other = (await spinUp('ada', wifi)).job_number;
    const cancelled = await weft.request('DELETE', `/api/v1/jobs/${other}`, { token: tokens.admin });
    expect(cancelled.body.detail).toBe('Stopped by an administrator');
    expect((await lease(other)).body.code).toBe('job_ended');
  });

  it('can be commanded by the user who asked for it, and not by another', async () => {
    const { agents } = await spinUp('ada', wifi);
    const command = (who: Who) =>
      post(`/api/v1/send_command?agent_id=${agents[0].ap_id}&command=sleep`, who).then(({ status }) => status);
    expect(await command('ada')).toBe(200);
    expect(await command('bob')).toBe(403);
  });

  it('is asked for by long polls, none of which is logged as a slow answer', () => {
    const lease = weft.parts.emulator.routes.find(({ operation }) => operation === 'callback_emulator_lease');
    expect(lease).toMatchObject({ logSuccess: false });
  });

  it('whose holder is gone is offered again', async () => {
    const { job_number } = await spinUp('ada', wifi);
    await lease(job_number);
    await lease(job_number, { release: true });
    await untilSo(() => {
      const [job] = stored<{ lease_holder: string | null; published_at: number | null }>(
        'SELECT lease_holder, published_at FROM jobs WHERE job_number = ?',
        job_number,
      );
      expect(job).toEqual({ lease_holder: null, published_at: expect.any(Number) });
    });
  });
});

describe('what is asked of a running network', () => {
  it('reaches the holder, and its answer comes back', async () => {
    const { job_number, agents } = await spinUp('ada', wifi);
    const agent_id = agents[0].ap_id;
    const question = { job_number, commands: [{ agent_id, command: 'sleep' }], minutes: 2 };
    const ask = (who: Who = 'ada', more: object = {}) =>
      post('/api/v1/emulator/what_if', who, { ...question, ...more });
    expect((await ask()).body.code).toBe('run_not_started');
    await lease(job_number);
    expect((await ask('bob')).status).toBe(404);
    expect((await ask('ada', { commands: [{ agent_id: 'ap-1', command: 'sleep' }] })).status).toBe(404);
    expect((await ask('ada', { minutes: 61 })).status).toBe(422);
    expect((await ask('ada', { futures: 33 })).status).toBe(422);
    expect((await ask('ada', { futures: 0 })).status).toBe(422);
    for (const within_seconds of [0, 41, 'soon']) expect((await ask('ada', { within_seconds })).status).toBe(422);
    const asked = ask('ada', { within_seconds: 4 });
    const { requests } = (await lease(job_number, { wait: 10 })).body;
    expect(requests).toEqual([
      {
        id: expect.any(String),
        kind: 'what_if',
        body: { commands: question.commands, minutes: 2, futures: 8, within_seconds: 4 },
      },
    ]);
    const answer = { totals: { devices: 15 }, agents: [] };
    await lease(job_number, { answers: [{ id: requests[0].id, answer }] });
    expect((await asked).body).toEqual({ job_number, ...answer });
    // The moment between the end of its job and that of the run, which a busy machine makes long.
    const db = new DatabaseSync(join(weft.config.dataDir, 'weft.db'));
    db.prepare('UPDATE jobs SET state = ?, ended_at = ? WHERE job_number = ?').run('succeeded', Date.now(), job_number);
    db.close();
    expect((await ask()).body.code).toBe('run_over');
  });

  it('ends with the caller that has asked: the holder is told, and what was not handed out yet never is', async () => {
    const { job_number, agents } = await spinUp('ada', wifi);
    await lease(job_number);
    const gone = new AbortController();
    const json = { job_number, commands: [{ agent_id: agents[0].ap_id, command: 'sleep' }] };
    const ask = () =>
      weft
        .request('POST', '/api/v1/emulator/what_if', { token: tokens.ada, json, signal: gone.signal })
        .catch(() => {});
    // Two have their turn; the third waits for it.
    const asked = [ask(), ask(), ask()];
    const taken: { id: string }[] = [];
    while (taken.length < 2) taken.push(...(await lease(job_number, { wait: 10 })).body.requests);
    gone.abort();
    await Promise.all(asked);
    const told: { kind: string; body: { id: string } }[] = [];
    while (told.length < 2) told.push(...(await lease(job_number, { wait: 10 })).body.requests);
    expect(told.map(({ kind }) => kind)).toEqual(['cancel', 'cancel']);
    expect(new Set(told.map(({ body }) => body.id))).toEqual(new Set(taken.map(({ id }) => id)));
    expect((await lease(job_number)).body.requests).toEqual([]);
  });

  it('waits for its turn: two what-ifs of a caller are computed at once, and another caller’s beside them', async () => {
    const adas = await spinUp('ada', wifi);
    const bobs = await spinUp('bob', wifi);
    for (const { job_number } of [adas, bobs]) await lease(job_number);
    const ask = ({ job_number, agents }: typeof adas, who: Who) =>
      post('/api/v1/emulator/what_if', who, {
        job_number,
        commands: [{ agent_id: agents[0].ap_id, command: 'sleep' }],
      });
    const taken: { id: string }[] = [];
    const takeOf = async ({ job_number }: typeof adas, count: number) => {
      const found: { id: string }[] = [];
      while (found.length < count) found.push(...(await lease(job_number, { wait: 10 })).body.requests);
      return found;
    };
    const asked = [ask(adas, 'ada'), ask(adas, 'ada'), ask(adas, 'ada')];
    taken.push(...(await takeOf(adas, 2)));
    const other = ask(bobs, 'bob');
    const [his] = await takeOf(bobs, 1);
    expect((await lease(adas.job_number)).body.requests).toEqual([]);
    await lease(bobs.job_number, { answers: [{ id: his!.id, answer: { results: [] } }] });
    expect((await other).status).toBe(200);
    await lease(adas.job_number, { answers: [{ id: taken[0]!.id, answer: { results: [] } }] });
    taken.push(...(await takeOf(adas, 1)));
    const answers = taken.slice(1).map(({ id }) => ({ id, answer: { results: [] } }));
    await lease(adas.job_number, { answers });
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it('may be a fault', async () => {
    const { job_number, agents } = await spinUp('ada', wifi);
    await lease(job_number);
    const path = `/api/v1/emulator/${job_number}/faults`;
    const asked = post(path, 'ada', { agent_id: agents[1].ap_id, kind: 'clock_skew', seconds: 5, amount: 1e9 });
    const { requests } = (await lease(job_number, { wait: 10 })).body;
    await lease(job_number, {
      answers: [{ id: requests[0].id, answer: { error: { code: 'invalid_fault', detail: 'too much' } } }],
    });
    expect((await asked).status).toBe(422);
    expect((await post(path, 'ada', { agent_id: agents[1].ap_id, kind: 'flood', seconds: 5 })).status).toBe(422);
    await post(`/api/v1/emulator/${job_number}/stop`, 'ada');
    expect((await post(path, 'ada', { agent_id: agents[1].ap_id, kind: 'crash', seconds: 5 })).body.code).toBe(
      'run_over',
    );
  });
});
