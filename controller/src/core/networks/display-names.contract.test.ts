// Emulated access points have names that people can read, and are `ended` when their run is over.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startWeft, type TestWeft } from '../../../../test/weft.ts';
import { parseLocation, stemOf } from './locations.ts';

let weft: TestWeft;
let token: string;
beforeAll(async () => {
  weft = await startWeft({ WEFT_EMULATOR_MAX_RUNS: '0' });
  token = await weft.admin();
});
afterAll(() => weft.stop());

const entry = (access_point_type: string, num_access_points: number, locations: string[]) => ({
  access_point_type,
  num_access_points,
  locations,
  num_devices: 1,
  duration: 600,
});
const ask = (json: object, by = token) => weft.request('POST', '/api/v1/emulator/spinup', { token: by, json });
async function spinUp(...emulators: object[]): Promise<string> {
  const { status, body } = await ask({ emulators });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.job_number;
}
async function list(selector: string): Promise<{ display_name: string; state: string }[]> {
  const query = new URLSearchParams({ selector, sort: 'display_name', limit: '1000' });
  return (await weft.request('GET', `/api/v1/agents?${query}`, { token })).body.items;
}
const names = async (selector: string) => (await list(selector)).map(({ display_name }) => display_name);

it('are called by place, technology and number, and no two alike', async () => {
  await spinUp(entry('5G', 3, ['Bristol', 'Bath']), entry('WiFi', 1, ['51.45,-2.58']));
  expect(await names('emulated:true')).toEqual(['bath-5g-1', 'bristol-5g-1', 'bristol-5g-2', 'bristol-wifi-1']);
  await Promise.all([spinUp(entry('5G', 2, ['Bristol'])), spinUp(entry('5G', 2, ['Bristol']))]);
  expect(await names('name:bristol-5g-*')).toEqual([1, 2, 3, 4, 5, 6].map((n) => `bristol-5g-${n}`));
});

it('are ended when their run is over, and listed for whoever asks', async () => {
  const job_number = await spinUp(entry('LiFi', 2, ['York']));
  expect((await list('name:york-*')).map(({ state }) => state)).toEqual(['never', 'never']);
  await weft.request('POST', `/api/v1/emulator/${job_number}/stop`, { token });
  expect(await list('name:york-*')).toEqual([]);
  expect((await list('name:york-* state:ended')).map(({ state }) => state)).toEqual(['ended', 'ended']);
});

it('stand at a site of their place if that is asked for, which is made where there is none', async () => {
  const create = (path: string) => weft.request('POST', '/api/v1/sites', { token, json: { path } });
  const { id } = (await create('cardiff')).body;
  const emulators = [entry('WiFi', 4, ['Cardiff', 'Exeter', '50.72,-3.53', '-45,-120'])];
  const app = await weft.app('maker', { emulator: true });
  expect(await ask({ emulators, sites: true }, app)).toMatchObject({ status: 403, body: { code: 'not_permitted' } });
  expect((await ask({ emulators, sites: true })).status).toBe(200);
  const { items } = (await weft.request('GET', '/api/v1/sites', { token })).body;
  expect(items).toMatchObject([
    { id, path: 'cardiff', access_points: 1 },
    { path: 'exeter', name: 'Exeter', geolocation: { latitude: expect.closeTo(50.72, 1) }, access_points: 2 },
  ]);
  expect(await names('site:exeter')).toEqual(['exeter-wifi-1', 'exeter-wifi-2']);
  const { entries } = (await weft.request('GET', '/api/v1/audit?action=site_created', { token })).body;
  expect(entries.map(({ target }: { target: { name: string } }) => target.name)).toEqual(['exeter', 'cardiff']);
});

it.each([
  ['São Paulo', '5G', 'sao-paulo-5g'],
  ["L'Aquila", 'WiFi', 'laquila-wifi'],
  ['51.45,-2.58', 'LiFi', 'bristol-lifi'],
  ['-45,-120', '5G', 'emulated-5g'],
  ['52.52,13.4', '5G', 'berlin-5g'],
])('%s has the stem of %s: %s', (text, type, stem) => {
  expect(stemOf(parseLocation(text) as never, type)).toBe(stem);
});
