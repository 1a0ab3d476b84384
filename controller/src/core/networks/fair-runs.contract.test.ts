// One caller's emulated networks do not keep another's waiting; quotas say what one caller may have.
import { afterEach, expect, test } from 'vitest';
import { untilSo } from '../../../../test/pure/until-so.ts';
import { startWeft, type TestWeft } from '../../../../test/weft.ts';

const spinupPath = '/api/v1/emulator/spinup';
const weekLong = {
  access_point_type: 'WiFi',
  num_access_points: 1,
  locations: ['Bristol'],
  num_devices: 1,
  duration: 604_800,
};
let weft: TestWeft;
afterEach(() => weft.stop());

const spinUp = (token: string, more: object = {}) =>
  weft.request('POST', spinupPath, { token, json: { emulators: [{ ...weekLong, ...more }] } });

async function begin(token: string): Promise<string> {
  const { status, body } = await spinUp(token);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.job_number;
}

const stateOf = async (token: string, job_number: string): Promise<string> =>
  (await weft.request('GET', `/api/v1/emulator/${job_number}`, { token })).body.state;

async function statesOf(token: string): Promise<Record<string, number>> {
  const { body } = await weft.request('GET', '/api/v1/emulator?limit=100', { token });
  const states: Record<string, number> = {};
  for (const { state } of body) states[state] = (states[state] ?? 0) + 1;
  return states;
}

async function untilRunning(token: string, job_number: string, who: string): Promise<void> {
  const askedAt = performance.now();
  await untilSo(async () => expect(await stateOf(token, job_number)).toBe('running'));
  process.stdout.write(`the run of ${who} began after ${Math.round(performance.now() - askedAt)} ms\n`);
}

test('beside ten week-long runs of one caller another’s run begins, and the administrator’s always', async () => {
  weft = await startWeft({ WEFT_EMULATOR_MAX_RUNS: '3' });
  const admin = await weft.admin();
  const [eve, ada, bob] = [
    await weft.user('eve@weft.test'),
    await weft.user('ada@weft.test'),
    await weft.user('bob@weft.test'),
  ];
  for (let n = 0; n < 10; n++) await begin(eve);
  await untilSo(async () => expect(await statesOf(eve)).toEqual({ running: 2, queued: 8 }));
  const adas = await begin(ada);
  await untilRunning(ada, adas, 'another caller');
  // Every place is taken now.
  const bobs = await begin(bob);
  const admins = await begin(admin);
  await untilRunning(admin, admins, 'the administrator');
  expect((await weft.request('POST', `/api/v1/emulator/${admins}/stop`, { token: admin })).status).toBe(200);
  expect(await stateOf(bob, bobs)).toBe('queued');
  expect(await statesOf(eve)).toEqual({ running: 2, queued: 8 });

  // The next place is for who has none, not for who waited longest.
  const [running] = (await weft.request('GET', '/api/v1/emulator?limit=100', { token: eve })).body.filter(
    ({ state }: { state: string }) => state === 'running',
  );
  const stopped = await weft.request('POST', `/api/v1/emulator/${running.job_number}/stop`, { token: admin });
  expect([stopped.status, stopped.body.state]).toEqual([200, 'cancelled']);
  await untilRunning(bob, bobs, 'who waited');
  expect(await statesOf(eve)).toEqual({ running: 1, queued: 8, cancelled: 1 });

  // The last place is kept for callers that have none; beside two free ones the first gets another.
  await weft.request('POST', `/api/v1/emulator/${adas}/stop`, { token: ada });
  await weft.request('POST', `/api/v1/emulator/${bobs}/stop`, { token: bob });
  await untilSo(async () => expect(await statesOf(eve)).toEqual({ running: 2, queued: 7, cancelled: 1 }));
});

test('two callers with ten week-long runs each leave places for a third and a fourth', async () => {
  weft = await startWeft({ WEFT_EMULATOR_MAX_RUNS: '8' });
  const [eve, eli, ada, bob] = await Promise.all(
    ['eve', 'eli', 'ada', 'bob'].map((name) => weft.user(`${name}@weft.test`)),
  );
  for (let n = 0; n < 10; n++) await begin(eve!);
  await untilSo(async () => expect(await statesOf(eve!)).toEqual({ running: 4, queued: 6 }));
  for (let n = 0; n < 10; n++) await begin(eli!);
  await untilSo(async () => expect(await statesOf(eli!)).toEqual({ running: 2, queued: 8 }));
  await untilRunning(ada!, await begin(ada!), 'a third caller');
  await untilRunning(bob!, await begin(bob!), 'a fourth caller');
});

test('what is above a quota is 429 with what to do, what can never fit is 422, and nothing was created', async () => {
  weft = await startWeft({
    WEFT_EMULATOR_MAX_RUNS: '0',
    WEFT_EMULATOR_MAX_RUNS_PER_CALLER: '3',
    WEFT_EMULATOR_MAX_PER_CALLER: '20',
    WEFT_EMULATOR_MAX_DEVICE_SECONDS: '100000',
  });
  const eve = await weft.user('eve@weft.test');
  const ada = await weft.user('ada@weft.test');
  const small = { num_access_points: 4, num_devices: 5, duration: 1000 };
  const never = [
    [{ ...small, num_access_points: 21 }, 'num_access_points', 'you may have at most 20 access points'],
    [{ ...small, duration: 5001 }, 'duration', 'you may have at most 100000 device-seconds'],
  ] as const;
  for (const [more, field, text] of never) {
    const { status, body } = await spinUp(eve, more);
    expect([status, body.detail[0].loc, body.detail[0].msg]).toEqual([
      422,
      ['body', 'emulators', 0, field],
      expect.stringContaining(text),
    ]);
  }
  const first = (await spinUp(eve, small)).body.job_number;
  for (const [more, code, text] of [
    [{ ...small, num_access_points: 17, duration: 1 }, 'too_many_access_points', 'At most 20 emulated access points'],
    [{ ...small, duration: 4001 }, 'too_many_device_seconds', 'At most 100000 device-seconds'],
  ] as const) {
    const { status, body, headers } = await spinUp(eve, more);
    expect([status, body.code]).toEqual([429, code]);
    expect(body.detail).toContain(text);
    expect(body.detail).toContain('/stop');
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  }
  // However many ask at once.
  const parallel = await Promise.all(Array.from({ length: 8 }, () => spinUp(eve, small)));
  expect(parallel.map(({ status }) => status).toSorted()).toEqual([200, 200, ...Array(6).fill(429)]);
  expect(parallel.find(({ status }) => status === 429)!.body).toMatchObject({
    code: 'too_many_runs',
    detail: expect.stringMatching(/^At most 3 emulated networks .*\/stop/),
  });
  expect(await statesOf(eve)).toEqual({ queued: 3 });
  expect((await spinUp(ada, small)).status).toBe(200);
  // What has ended counts no more.
  await weft.request('POST', `/api/v1/emulator/${first}/stop`, { token: eve });
  expect((await spinUp(eve, small)).status).toBe(200);
});
