// `weft agent` as a process, given settings by a real Weft: what it makes of them, and that a kill at any step leaves the old settings
// or confirmed ones, and Weft knows which. e2e/lab does it with hostapd and cuts the power.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { killRound } from '../../../../test/kill-round.ts';
import { untilSo } from '../../../../test/pure/until-so.ts';
import { SettableAccessPoint } from '../../../../test/settable-access-point.ts';
import { startWeft, type TestWeft } from '../../../../test/weft.ts';

let weft: TestWeft;
let ap: SettableAccessPoint;
beforeAll(async () => {
  weft = await startWeft();
  ap = await SettableAccessPoint.start(weft, 'settable-1');
  await ap.ok('PUT', '/config/secrets', { name: 'psk', value: 'correct horse' });
});
afterAll(async () => {
  await ap?.stop();
  await weft.stop();
});

const network = (ssid: string) => [{ ssid, passphrase: { secret: 'psk' } }];

test('settings reach hostapd, are confirmed, and only then what it starts with', async () => {
  const { settings } = (await ap.ok('GET', '/agents/settable-1')).configuration;
  expect(settings).toMatchObject({
    channel: { enum: [36, 40, 44, 48, 149], restart: 'radio' },
    channel_width_mhz: { enum: [20, 40, 80] },
    tx_power_dbm: { maximum: 23, parameter: 'tx_power' },
    networks: { type: 'array' },
    country: { type: 'string' },
  });
  const running = await untilSo(async () => {
    const view = await ap.config('running');
    expect(view.settings).toHaveProperty('networks');
    return view.settings;
  });
  // A passphrase that Weft has not given stays here.
  expect(running).toMatchObject({ networks: [{ ssid: 'before', passphrase: { secret: 'unknown', version: 0 } }] });
  await ap.give({
    channel: 44,
    channel_width_mhz: 80,
    tx_power_dbm: 12.5,
    networks: network('Gäste "1"'),
    country: 'DE',
  });
  await untilSo(async () => expect(await ap.config()).toMatchObject({ state: 'substituted', detail: 'tx_power_dbm' }));
  const air = { ssid: 'Gäste "1"', passphrase: 'correct horse', channel: 44, width: 80, dbm: 12, country: 'DE' };
  expect(await ap.air()).toEqual(air);
  const text = ap.text();
  expect(text).toContain('# by hand\n');
  for (const line of ['ssid=Gäste "1"', 'channel=44', 'vht_oper_chwidth=1', 'vht_oper_centr_freq_seg0_idx=42'])
    expect(text.split('\n')).toContain(line);
  expect(statSync(ap.file).mode & 0o777).toBe(0o600);
  expect(await ap.cutPower()).toEqual({ ...air, dbm: 20 });
  expect(readdirSync(ap.folder).filter((name) => name.startsWith('hostapd.conf'))).toEqual(['hostapd.conf']);
});

test('what cannot be is refused with the reason, and nothing is touched', async () => {
  const before = [ap.text(), await ap.air()];
  await ap.give({ networks: [{ ssid: 'a', passphrase: { secret: 'psk' } }, { ssid: 'b' }] });
  await untilSo(async () =>
    expect(await ap.config()).toMatchObject({ state: 'refused', detail: 'hostapd serves 1 networks here' }),
  );
  expect([ap.text(), await ap.air()]).toEqual(before);
});

test('a secret that is used no more is on no disk of the access point', async () => {
  await ap.ok('PUT', '/config/secrets', { name: 'psk', value: 'battery staple' });
  await ap.give({ channel: 36, networks: network('after') });
  await untilSo(async () => expect((await ap.config()).state).toBe('in_sync'));
  expect(await ap.air()).toMatchObject({ passphrase: 'battery staple' });
  const state = join(ap.folder, 'state/settable-1');
  const files = readdirSync(state).map((name) => join(state, name));
  for (const file of [...files, ap.file]) expect(readFileSync(file, 'utf8')).not.toContain('correct horse');
  for (const file of files.filter((name) => name.includes('settings'))) expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(ap.said).not.toMatch(/correct horse|battery staple/);
});

// hostapd has read the new text, which its file has still; on trial; confirmed, and not yet kept.
test.each([
  { event: 'SIGHUP', times: 1 },
  { event: 'iw reg get', times: 4 },
  { event: 'iw reg get', times: 6 },
])('killed at $event $times: old settings or confirmed ones, and Weft knows which', async (kill) => {
  await killRound(ap, kill);
});
