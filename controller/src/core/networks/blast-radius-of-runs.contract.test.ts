// How many access points an app may command at once, in emulated networks: each network counts for itself, in its own time.
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { untilSo } from '../../../../test/pure/until-so.ts';
import { startWeft, type TestWeft } from '../../../../test/weft.ts';

let weft: TestWeft;
let app: string;
beforeAll(async () => {
  weft = await startWeft({ WEFT_EMULATOR_MAX_RUNS: '0', WEFT_LIMIT_COMMANDS_PER_APP: '100000' });
  app = await weft.app('trial', { emulator: true, commands: true });
});
afterAll(() => weft.stop());

/** At most 20 of a network of fewer than 200 may be commanded within a minute. */
async function network(seed: number, size: number): Promise<{ job_number: string; aps: string[] }> {
  const wifi = {
    access_point_type: 'WiFi',
    num_access_points: size,
    locations: ['Bristol'],
    num_devices: 1,
    duration: 600,
  };
  const json = { emulators: [wifi], seed, pace: 'stepped' };
  const { status, body } = await weft.request('POST', '/api/v1/emulator/spinup', { token: app, json });
  expect(status, JSON.stringify(body)).toBe(200);
  return { job_number: body.job_number, aps: body.agents.map(({ ap_id }: { ap_id: string }) => ap_id) };
}
const command = (ap_id: string) =>
  weft.request('POST', `/api/v1/send_command?agent_id=${ap_id}&command=sleep`, { token: app });
const stop = (job_number: string) => weft.request('POST', `/api/v1/emulator/${job_number}/stop`, { token: app });
/** As the process that runs it does. */
const tell = (job_number: string, model_time: string) =>
  weft.parts.emulator.leases.lease(
    job_number,
    { holder: 'w', slots: { total: 9, free: 9 }, model_time },
    new AbortController().signal,
  );

test('an experiment over seeds commands all of each network, and is not refused from the second seed on', async () => {
  for (const seed of [1, 2, 3]) {
    const { job_number, aps } = await network(seed, 20);
    for (const ap_id of aps) expect(await command(ap_id), `seed ${seed}`).toMatchObject({ status: 200 });
    await stop(job_number);
  }
});

test('two networks that run at once count apart, and beside those of the real network', async () => {
  for (let n = 0; n < 25; n++) await weft.agent(`real-${n}`);
  const both = [await network(4, 20), await network(5, 20)];
  for (const { aps } of both) for (const ap_id of aps) expect((await command(ap_id)).status).toBe(200);
  for (let n = 0; n < 20; n++) expect((await command(`real-${n}`)).status).toBe(200);
  const refused = await command('real-20');
  expect(refused).toMatchObject({ status: 409, body: { reason: 'blast_radius' } });
  expect(refused.text).toContain('An app may command 20 access points within 60 s;');
  for (const { job_number } of both) await stop(job_number);
});

test('the window is one of model time: it passes with a step, not while the network stands still', async () => {
  const { job_number, aps } = await network(6, 22);
  await tell(job_number, '2026-01-07T10:00:00Z');
  for (const ap_id of aps.slice(0, 20)) expect((await command(ap_id)).status).toBe(200);
  const refused = await command(aps[20]!);
  expect(refused).toMatchObject({ status: 409, body: { reason: 'blast_radius' } });
  expect(refused.text).toContain('20 access points of this network within 60 s of model time');
  await tell(job_number, '2026-01-07T10:00:59Z');
  expect((await command(aps[20]!)).status).toBe(409);
  await tell(job_number, '2026-01-07T10:01:00Z');
  expect((await command(aps[20]!)).status).toBe(200);
  await stop(job_number);
});

test('a network whose time goes back starts with an empty count', async () => {
  const { job_number, aps } = await network(7, 22);
  await tell(job_number, '2026-01-07T10:00:30Z');
  for (const ap_id of aps.slice(0, 20)) expect((await command(ap_id)).status).toBe(200);
  expect((await command(aps[20]!)).status).toBe(409);
  await tell(job_number, '2026-01-07T10:00:00Z');
  for (const ap_id of aps.slice(2)) expect((await command(ap_id)).status).toBe(200);
  expect((await command(aps[0]!)).status).toBe(409);
  await stop(job_number);
});

test('a step tells what time it is', async () => {
  const running = await startWeft();
  onTestFinished(() => running.stop());
  const token = await running.app('stepper', { emulator: true, commands: true });
  const wifi = {
    access_point_type: 'WiFi',
    num_access_points: 21,
    locations: ['Bristol'],
    num_devices: 1,
    duration: 600,
  };
  const { body } = await running.request('POST', '/api/v1/emulator/spinup', {
    token,
    json: { emulators: [wifi], pace: 'stepped' },
  });
  const step = (seconds: number) =>
    untilSo(async () => {
      const path = `/api/v1/emulator/${body.job_number}/step`;
      expect(await running.request('POST', path, { token, json: { seconds } })).toMatchObject({ status: 200 });
    });
  const send = async ({ ap_id }: { ap_id: string }) => {
    const path = `/api/v1/send_command?agent_id=${ap_id}&command=${encodeURIComponent('{"name":"set_tx_power","dbm":10}')}`;
    return (await running.request('POST', path, { token })).status;
  };
  await step(1);
  for (const agent of body.agents.slice(0, 20)) expect(await send(agent)).toBe(200);
  expect(await send(body.agents[20])).toBe(409);
  await step(60);
  expect(await send(body.agents[20])).toBe(200);
});
