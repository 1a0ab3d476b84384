// Energy over HTTP: what each caller is told of it, what is refused, and what commands have saved on a network that runs.
import type { Energy, EnergyRerun } from '@weft/contract/operations';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { untilSo } from '../../../../test/pure/until-so.ts';
import { startWeft, type TestWeft } from '../../../../test/weft.ts';

let weft: TestWeft;
let tokens: Record<'admin' | 'ada' | 'hall' | 'saver' | 'blind', string>;
const endMs = Date.now() - 60_000;
const end = new Date(endMs).toISOString();

beforeAll(async () => {
  weft = await startWeft({ WEFT_ENERGY_PRICE: '0.5', WEFT_CURRENCY: 'GBP', WEFT_ENERGY_CARBON: '200' });
  const admin = await weft.admin();
  for (const path of ['uk/hall', 'uk/roof']) await ask('POST', '/api/v1/sites', admin, { path });
  for (const [name, type] of [
    ['hall-1', 'WiFi'],
    ['hall-2', 'LiFi'],
    ['roof-1', '5G'],
    ['silent', 'WiFi'],
  ] as const) {
    await weft.agent(name, { access_point_type: type, report_interval_seconds: 60 });
    const site = name === 'silent' ? 'uk/roof' : `uk/${name.slice(0, 4)}`;
    await ask('PATCH', `/api/v1/agents/${name}/labels`, admin, { site });
  }
  // A whole hour of 12 W; half an hour of 6 W, then nothing; an hour of 1,000 W.
  await record('hall-1', 60, 12);
  await record('hall-2', 30, 6);
  await record('roof-1', 60, 1_000);
  tokens = {
    admin,
    ada: await weft.user('ada@weft.test'),
    hall: await weft.app('hall', { selector: 'site:uk/hall' }),
    saver: await weft.app('saver'),
    blind: await weft.app('blind', { read: false }),
  };
});
afterAll(() => weft.stop());

const ask = (method: string, path: string, token: string, json?: unknown) =>
  weft.request(method, path, { token, ...(json !== undefined && { json }) });
async function record(ap_id: string, minutes: number, watts: number): Promise<void> {
  const samples = Array.from({ length: minutes }, (_, n) => {
    return { ts: endMs - 3_600_000 + (n + 1) * 60_000, names: ['power_w'], values: [watts], texts: [] };
  });
  await weft.record(ap_id, samples, Date.now());
}
async function energy(token: string, more = ''): Promise<Energy> {
  const answer = await ask('GET', `/api/v1/energy?window=1h&end=${end}${more}`, token);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

test('it is what was measured, in kWh, money and CO₂; hours without reports are said', async () => {
  const found = await energy(tokens.admin);
  expect(found).toMatchObject({ currency: 'GBP', unmeasured: 1, resolution_seconds: null, programs: [] });
  expect(found.total).toEqual({
    name: null,
    access_points: 3,
    kwh: expect.closeTo(1.015, 9),
    cost: expect.closeTo(0.5075, 9),
    co2_kg: expect.closeTo(0.203, 9),
    measured_hours: expect.closeTo(2.5, 9),
    missing_hours: expect.closeTo(0.5, 9),
  });
  expect(found.sites.map(({ name, access_points }) => [name, access_points])).toEqual([
    ['uk/roof', 1],
    ['uk/hall', 2],
  ]);
  expect(found.technologies.map(({ name, kwh }) => [name, Number(kwh.toFixed(6))])).toEqual([
    ['5G', 1],
    ['WiFi', 0.012],
    ['LiFi', 0.003],
  ]);
  expect(found.kinds).toMatchObject([{ name: 'real', access_points: 3 }]);
  expect(found.power_w.LiFi!.at(-1)).toBeNull();
  expect(found.power_w['5G']!.every((watts) => watts !== null && Math.abs(watts - 1_000) < 1e-6)).toBe(true);
});

test('windows and sites add up; a selector narrows it', async () => {
  const whole = await energy(tokens.admin);
  const middle = new Date(endMs - 20 * 60_000 - 7_000).toISOString();
  const parts = [
    (await ask('GET', `/api/v1/energy?window=2393s&end=${middle}`, tokens.admin)).body,
    (await ask('GET', `/api/v1/energy?window=1207s&end=${end}`, tokens.admin)).body,
  ];
  expect(parts[0].total.kwh + parts[1].total.kwh).toBeCloseTo(whole.total.kwh, 9);
  expect(parts[0].total.missing_hours + parts[1].total.missing_hours).toBeLessThanOrEqual(whole.total.missing_hours);
  const sites = await Promise.all(['uk/hall', 'uk/roof'].map((site) => energy(tokens.admin, `&selector=site:${site}`)));
  expect(sites[0]!.total.kwh + sites[1]!.total.kwh).toBeCloseTo(whole.total.kwh, 9);
});

test('a caller is told of what it may see, and nothing else', async () => {
  const found = await energy(tokens.hall);
  expect(found.total).toMatchObject({ access_points: 2, kwh: expect.closeTo(0.015, 9) });
  expect(JSON.stringify(found)).not.toMatch(/roof|5G/);
  expect(found.unmeasured).toBe(0);
  expect((await ask('GET', '/api/v1/energy', tokens.blind)).status).toBe(403);
  const { text, headers } = await ask('GET', `/api/v1/energy/export?window=1h&end=${end}`, tokens.hall);
  expect(headers.get('content-type')).toContain('text/csv');
  expect(
    text
      .trim()
      .split('\r\n')
      .map((row: string) => row.split(',').slice(2, 8).join()),
  ).toEqual([
    'ap_id,name,site,technology,kind,kwh',
    'hall-1,,uk/hall,WiFi,real,0.012',
    'hall-2,,uk/hall,LiFi,real,0.003',
  ]);
});

test.each([
  ['GET', '/api/v1/energy?window=0', undefined, 422],
  ['GET', '/api/v1/energy?window=soon', undefined, 422],
  ['GET', '/api/v1/energy?end=yesterday', undefined, 422],
  ['GET', '/api/v1/energy?selector=site:', undefined, 422],
  ['GET', '/api/v1/energy/export?window=-1', undefined, 422],
  ['POST', '/api/v1/energy/rerun', {}, 422],
  ['POST', '/api/v1/energy/rerun', { job_number: 'none', window: '0' }, 422],
  ['POST', '/api/v1/energy/rerun', { job_number: 'none' }, 404],
])('%s %s %j is %i', async (method, path, json, status) => {
  expect((await ask(method, path, tokens.admin, json)).status).toBe(status);
});

test('on an emulated network the job says what the commands have saved, by whom, and what that cost', async () => {
  const wifi = {
    access_point_type: 'WiFi',
    num_access_points: 2,
    locations: ['Bristol'],
    num_devices: 4,
    duration: 600,
  };
  const start_time = new Date(Date.now() - 3_600_000).toISOString();
  const request = { emulators: [wifi], seed: 5, pace: 'stepped', start_time };
  const { job_number, agents } = (await ask('POST', '/api/v1/emulator/spinup', tokens.ada, request)).body;
  const step = (seconds: number) => ask('POST', `/api/v1/emulator/${job_number}/step`, tokens.ada, { seconds });
  await untilSo(async () => expect((await step(1)).status).toBe(200));
  const [first, second] = agents.map(({ ap_id }: { ap_id: string }) => ap_id);
  const send = async (token: string, agent_id: string, command: string) => {
    const query = new URLSearchParams({ agent_id, command });
    const answer = await ask('POST', `/api/v1/send_command?${query}`, token);
    expect(answer.status, answer.text).toBe(200);
  };

  const idle = await rerun(tokens.ada, job_number);
  expect(idle).toMatchObject({ commands: 0, programs: [], saved: { kwh: 0, cost: 0, co2_kg: 0 } });

  await send(tokens.saver, first, 'sleep');
  await send(tokens.ada, second, JSON.stringify({ name: 'set_tx_power', dbm: 5 }));
  await step(59);
  const found = await rerun(tokens.ada, job_number, '1h');
  expect(found).toMatchObject({ job_number, currency: 'GBP', commands: 2, limited_by: [], start: start_time });
  expect(found.saved.kwh).toBeGreaterThan(0);
  expect(found.used.kwh + found.saved.kwh).toBeCloseTo(found.without.kwh, 12);
  // The owner of the network is told its own name, and not whose the other command was.
  expect(found.programs.map(({ name, commands }) => [name, commands])).toEqual([
    ['ada@weft.test', 1],
    [null, 1],
  ]);
  expect(found.programs.reduce((sum, { saved }) => sum + saved.kwh, 0)).toBeCloseTo(found.saved.kwh, 6);
  expect(found.service.with.without_service_minutes).toBeGreaterThanOrEqual(
    found.service.without.without_service_minutes,
  );
  expect(found.power_w.with).toHaveLength(60);
  // What was measured is what the model says was used.
  const measured = (await ask('GET', '/api/v1/energy?window=2h&selector=type:WiFi', tokens.ada)).body as Energy;
  expect(measured.kinds.find(({ name }) => name === 'emulated')!.kwh).toBeCloseTo(found.used.kwh, 6);
  expect(measured.programs.reduce((sum, { commands }) => sum + commands, 0)).toBe(2);

  const path = '/api/v1/energy/rerun';
  expect((await ask('POST', path, tokens.hall, { job_number })).status).toBe(404);
  const admins = await rerun(tokens.admin, job_number);
  expect(admins.programs.map(({ kind, name }) => `${kind} ${name}`).sort()).toEqual([
    'third_party_app saver',
    'user ada@weft.test',
  ]);
  const again = [
    await ask('POST', path, tokens.admin, { job_number }),
    await ask('POST', path, tokens.admin, { job_number }),
  ];
  expect(again[0]!.body).toEqual(again[1]!.body);
  await ask('POST', `/api/v1/emulator/${job_number}/stop`, tokens.ada);
  expect((await ask('POST', path, tokens.ada, { job_number })).status).toBe(409);
});

async function rerun(token: string, job_number: string, window?: string): Promise<EnergyRerun> {
  const json = { job_number, ...(window !== undefined && { window }) };
  const accepted = await ask('POST', '/api/v1/energy/rerun', token, json);
  expect(accepted.status, accepted.text).toBe(200);
  return untilSo(async () => {
    const { body } = await ask('GET', `/api/v1/jobs/${accepted.body.job_number}`, token);
    expect(body).toMatchObject({ task_type: 'energy', state: 'succeeded', progress: 1 });
    return body.messages.at(-1).data[0];
  });
}
