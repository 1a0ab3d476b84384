// A network in lock-step, against a real server: time passes when a program says so, and the same program sees the same again.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { password, startWeft, type TestWeft } from '../../../../test/weft.ts';
import type { EmulatedNetwork } from '../../for-programs.ts';
import { App } from '../../index.ts';

let weft: TestWeft;
let app: App;
beforeAll(async () => {
  weft = await startWeft();
  await weft.app('stepper');
  app = new App({ url: weft.url, name: 'stepper', key: password });
});
afterAll(() => weft.stop());

const start = new Date(Date.now() - 86_400_000);
const wifi = { access_point_type: 'WiFi' as const, num_access_points: 3, locations: ['Bristol'], num_devices: 4 };

async function begin(duration: number, pace: 'clock' | 'stepped' = 'stepped'): Promise<EmulatedNetwork> {
  const request = { emulators: [{ ...wifi, duration }], seed: 11, start_time: start.toISOString(), pace };
  const network = await app.emulate(request);
  for await (const { event } of network.progress()) if (event === 'started') break;
  return network;
}

/** All that a program reads and is told, and what it decides by it; names are those of the run. */
async function program(): Promise<string> {
  const network = await begin(600);
  const ids = network.agents.map(({ ap_id }) => ap_id);
  const seen: unknown[] = [];
  for (let round = 0; round < 6; round++) {
    // Not waited for: the next step takes them along.
    const busiest = round === 1 ? ids[0] : round === 3 ? ids[2] : undefined;
    if (busiest) await app.command(busiest, round === 1 ? 'sleep' : 'set_tx_power', round === 1 ? {} : { dbm: 7 });
    const { job_number: _, ...passed } = await network.step(round + 1);
    const latest = await app.latest({ agents: ids });
    expect(passed).toEqual({ second: ((round + 1) * (round + 2)) / 2, model_time: expect.any(String), ended: false });
    // Everything of this time is there when the step is over, and nothing of a later one.
    for (const { ap_id, metrics } of latest) expect(metrics.power_w?.ts, ap_id).toBe(passed.model_time);
    seen.push(
      passed,
      latest.map(({ ap_id, metrics }) => [ids.indexOf(ap_id), metrics]),
    );
  }
  const { state } = await network.state();
  await network.stop();
  return JSON.stringify([seen, state]);
}

test('a program that steps a network sees and does the same again, byte for byte', async () => {
  const first = await program();
  expect(first).toContain('"tx_power_dbm"');
  const values = JSON.parse(first)[0] as [number, Record<string, { value: number }>][][];
  const lastOf = (ap: number) => values.at(-1)!.find(([index]) => index === ap)![1];
  // The commands were taken before the time passed.
  expect(lastOf(0).active!.value).toBe(0);
  expect(lastOf(2).tx_power_dbm!.value).toBe(7);
  expect(await program()).toBe(first);
});

test('it stands still in between, ends with its last second, and one that goes by the clock is not stepped', async () => {
  const network = await begin(10);
  const path = `/api/v1/emulator/${network.job_number}/step` as const;
  for (const json of [{}, { seconds: 0 }, { seconds: 1.5 }, { seconds: 3601 }]) {
    await expect(app.request('POST', path as string, { json })).rejects.toMatchObject({ status: 422 });
  }
  expect(await network.step(4)).toMatchObject({
    second: 4,
    model_time: new Date(start.getTime() + 4000).toISOString(),
  });
  // Two at once pass one after the other.
  const both = await Promise.all([network.step(1), network.step(2)]);
  expect(both.map(({ second }) => second).sort()).toEqual([5, 7]);
  expect(await network.step(100)).toMatchObject({ second: 10, ended: true });
  for await (const _ of network.progress());
  await expect(network.step(1)).rejects.toMatchObject({ status: 409, code: 'run_over' });
  const other = await begin(600, 'clock');
  await expect(other.step(1)).rejects.toMatchObject({ status: 409, code: 'not_stepped' });
  await other.stop();
});
