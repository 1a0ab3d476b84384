// An emulator that knows only the specification: it takes the message, posts to #32 now and then, holds no lease and never
// says that it is done. Time is what the test says it is.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startWeft, type TestWeft } from '../../../../test/weft.ts';
import { createParts } from '../../parts.ts';

const minute = 60_000;
let weft: TestWeft;
let token: string;
let aheadMs = 0;

beforeAll(async () => {
  weft = await startWeft(
    { WEFT_EMULATOR_MAX_RUNS: '0' },
    {
      createParts: (platform, events) =>
        createParts({ ...platform, now: () => Math.floor(platform.now() + aheadMs) }, events),
    },
  );
});
afterEach(() => {
  aheadMs = 0;
});
afterAll(() => weft.stop());

async function spinUp(duration: number, more: object = {}): Promise<string> {
  token = await weft.admin();
  const emulator = {
    access_point_type: 'WiFi',
    num_access_points: 1,
    locations: ['Bristol'],
    num_devices: 2,
    duration,
  };
  const json = { emulators: [emulator, { ...emulator, duration: duration / 2 }], ...more };
  const answer = await weft.request('POST', '/api/v1/emulator/spinup', { token, json });
  expect(answer.status, answer.text).toBe(200);
  await weft.parts.jobs.outbox.sweep();
  return answer.body.job_number;
}
async function post(job_number: string, elements: object[] = [{ event: 'progress' }]) {
  const { status } = await weft.request('POST', `/api/v1/callback/emulator?job_number=${job_number}`, {
    token: weft.parts.jobs.tokens.create(job_number),
    json: elements,
  });
  expect(status).toBe(200);
}
async function later(ms: number): Promise<void> {
  aheadMs += ms;
  await weft.parts.jobs.upkeep.once();
  await weft.parts.emulator.upkeep.once();
}
const stateOf = async (job_number: string) => (await weft.parts.jobs.jobStore.get(job_number))?.state;

describe('a run of an emulator that never says that it is done', () => {
  it('keeps its network for the whole duration with a word every two minutes, and then succeeds', async () => {
    const job = await spinUp(20 * 60);
    await later(1_000);
    await post(job);
    for (let passed = 0; passed < 18; passed += 2) {
      await later(2 * minute - 1_000);
      expect(await stateOf(job)).toBe('running');
      await post(job, []);
      await later(1_000);
    }
    await later(110_000);
    expect(await stateOf(job)).toBe('running');
    await post(job);
    await later(minute - 10_000);
    await post(job);
    // Past its end, and heard of a moment ago.
    await later(50_000);
    await post(job);
    await later(50_000);
    expect(await stateOf(job)).toBe('running');
    await later(15_000);
    expect(await stateOf(job)).toBe('succeeded');
    const run = await weft.request('GET', `/api/v1/emulator/${job}`, { token });
    expect(run.body).toMatchObject({ state: 'succeeded', is_over: true });
    await post(job);
  });

  it('that was asked for at a higher speed ends as much earlier', async () => {
    const job = await spinUp(20 * 60, { speed: 10 });
    await later(1_000);
    await post(job);
    await later(minute + 50_000);
    expect(await stateOf(job)).toBe('running');
    await later(15_000);
    expect(await stateOf(job)).toBe('succeeded');
  });

  it('that is stepped is never ended by silence, whatever the clock says', async () => {
    const job = await spinUp(60, { pace: 'stepped' });
    await later(1_000);
    await post(job);
    for (let passed = 0; passed < 90; passed += 5) await later(5 * minute);
    expect(await stateOf(job)).toBe('running');
  });

  it('that has said nothing at all has expired', async () => {
    const job = await spinUp(60);
    await later(3 * minute);
    expect(await stateOf(job)).toBe('expired');
  });

  it('that an emulator of Weft had begun and left has expired too', async () => {
    const job = await spinUp(10 * 60);
    const { jobStore, outbox } = weft.parts.jobs;
    await jobStore.claim(job, 'emulator', Date.now(), 30_000);
    await post(job);
    await later(minute);
    await later(6_000);
    await outbox.sweep();
    await later(13 * minute);
    expect(await stateOf(job)).toBe('expired');
  });
});
