import { afterAll, beforeAll, expect, test } from 'vitest';
import { untilSo } from '../../../../test/pure/until-so.ts';
import { startWeft, type TestWeft } from '../../../../test/weft.ts';

let weft: TestWeft;
let admin: string;
let agent: string;

beforeAll(async () => {
  weft = await startWeft();
  admin = await weft.admin();
  agent = await weft.agent('ap-1');
});
afterAll(() => weft.stop());

const report = (...devices: object[]) =>
  weft.request('POST', '/api/v1/agent_update/update', { token: agent, json: { devices } });
const call = async (method: string, path: string, json?: unknown, token = admin) =>
  weft.request(method, `/api/v1/devices${path}`, { token, json });
const nameOf = (identity: string) => weft.parts.devices.addresses.deviceAt('ap-1', identity)!;

test('the history of a watched device is kept, and of no other; it ends with the watch', async () => {
  await report({ device: 'watched', rssi_dbm: -50 }, { device: 'other', rssi_dbm: -60 });
  const [watched, other] = [nameOf('watched'), nameOf('other')];
  const answer = await call('POST', `/${watched}/watch`, { expires_in: 600 });
  expect(answer.body).toMatchObject({ device: watched, watched_until: expect.any(String) });
  await report({ device: 'watched', rssi_dbm: -51.5, tx_mbps: 9 }, { device: 'other', rssi_dbm: -61 });
  await untilSo(async () => {
    const { body } = await call('GET', `/${watched}/history`);
    expect(body).toEqual({
      items: [{ ts: expect.any(String), ap_id: 'ap-1', rssi_dbm: -51.5, tx_mbps: 9 }],
      next: null,
    });
  });
  expect((await call('GET', `/${other}/history`)).body.items).toEqual([]);
  await call('DELETE', `/${watched}/watch`);
  expect((await call('GET', `/${watched}/history`)).body.items).toEqual([]);
  await report({ device: 'watched', rssi_dbm: -52 });
  expect((await call('GET', `/${watched}/history`)).body.items).toEqual([]);
});

test('the history of a device in the time of a model is found where it lies', async () => {
  const past = await weft.agent('ap-past');
  const at = (secondsAgo: number) => {
    const json = { ts: Date.now() / 1000 - secondsAgo, devices: [{ device: 'of-the-past', rssi_dbm: -50 }] };
    return weft.request('POST', '/api/v1/agent_update/update', { token: past, json });
  };
  await at(90_000);
  const device = weft.parts.devices.addresses.deviceAt('ap-past', 'of-the-past')!;
  await call('POST', `/${device}/watch`, {});
  await at(89_999);
  await untilSo(async () => expect((await call('GET', `/${device}/history`)).body.items).toHaveLength(1));
});

test('who only reads neither ends nor shortens the watch of another, and empties no history', async () => {
  await report({ device: 'kept', rssi_dbm: -50 });
  const device = nameOf('kept');
  const user = await weft.user('onlooker@weft.test');
  const app = await weft.app('reader', {});
  const { watched_until } = (await call('POST', `/${device}/watch`, { expires_in: 600 })).body;
  await report({ device: 'kept', rssi_dbm: -51 });
  await untilSo(async () => expect((await call('GET', `/${device}/history`)).body.items).toHaveLength(1));
  for (const token of [user, app]) {
    const shorter = await call('POST', `/${device}/watch`, { expires_in: 60 }, token);
    expect([shorter.status, shorter.body.code]).toEqual([409, 'watched_by_another']);
    expect((await call('DELETE', `/${device}/watch`, undefined, token)).body.detail).toContain(
      `Somebody else watches this device; it ends at ${watched_until}`,
    );
  }
  expect((await call('GET', `/${device}`)).body.watched_until).toBe(watched_until);
  expect((await call('GET', `/${device}/history`)).body.items).toHaveLength(1);
});

test('a watch ends with the caller who asked for it', async () => {
  await report({ device: 'watched' });
  const user = await weft.user('watcher@weft.test');
  await call('POST', `/${nameOf('watched')}/watch`, {}, user);
  expect((await call('GET', `/${nameOf('watched')}`)).body.watched_until).toBeDefined();
  await weft.request('DELETE', '/api/v1/users/watcher%40weft.test', { token: admin });
  await untilSo(async () => expect((await call('GET', `/${nameOf('watched')}`)).body.watched_until).toBeUndefined());
});

test('linked names are one device, then and from now on', async () => {
  await report({ device: 'phone-5g', rssi_dbm: -80 }, { device: 'phone-wifi', rssi_dbm: -40 });
  const [device, identity] = [nameOf('phone-5g'), nameOf('phone-wifi')];
  const linked = (await call('POST', `/${device}/identities`, { identity })).body;
  expect(linked).toMatchObject({ device, identities: [identity] });
  expect((await call('GET', `/${identity}`)).body.device).toBe(device);
  await report({ device: 'phone-wifi', rssi_dbm: -41 });
  expect((await call('GET', `/${device}`)).body.links).toMatchObject([{ ap_id: 'ap-1', rssi_dbm: -41 }]);
  expect((await call('POST', `/${device}/identities`, { identity })).status).toBe(409);
  // What happened to either is what happened to it.
  expect((await call('GET', `/${device}`)).body.moves).toMatchObject([{ kind: 'joined' }, { kind: 'joined' }]);
});

test('erasing a device leaves nothing of it', async () => {
  await report({ device: 'forget-me' });
  const device = nameOf('forget-me');
  await call('POST', `/${device}/watch`, {});
  await report({ device: 'forget-me', rssi_dbm: -50 });
  await report();
  expect((await call('DELETE', `/${device}`)).status).toBe(200);
  expect((await call('GET', `/${device}`)).status).toBe(404);
  const { body } = await weft.request('GET', '/api/v1/events?kinds=device.*&limit=500', { token: admin });
  expect(JSON.stringify(body)).not.toContain(device);
  const rows = await weft.platform.database.query('SELECT device FROM device_links WHERE device = ?', [device]);
  expect(rows).toEqual([]);
  expect(await weft.rowsOf(`device/${device}`)).toEqual([]);
});

test('clear addresses are shown to administrators once one has allowed it', async () => {
  const address = '02:5e:ed:00:00:77';
  await report({ device: address });
  const user = await weft.user('reader@weft.test');
  const set = (clear_addresses: boolean) =>
    weft.request('PUT', '/api/v1/device_privacy', { token: admin, json: { clear_addresses } });
  expect((await call('GET', `?search=${address}`)).status).toBe(422);
  expect((await set(true)).body).toEqual({ clear_addresses: true });
  const { items } = (await call('GET', `?search=${address}`)).body;
  expect(items).toMatchObject([{ device: nameOf(address), links: [{ address }] }]);
  expect((await call('GET', `/${address}`, undefined, user)).text).not.toContain(address);
  await set(false);
  expect((await call('GET', '')).text).not.toContain(address);
});
