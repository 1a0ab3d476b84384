// hostapd's configuration file: what is changed of it, what stays, and what a power cut leaves.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  HostapdConf,
  networksIn,
  putBack,
  requireNetworks,
  withConf,
  withSettings,
  writeConf,
} from './hostapd-conf.ts';

const text = `# mine
interface=wlan0
hw_mode=a
channel=36
ieee80211n=1
ieee80211ac=1
ht_capab=[SHORT-GI-20][HT40+]
vht_oper_chwidth=1
vht_oper_centr_freq_seg0_idx=42
ssid=one
wpa=2
wpa_key_mgmt=WPA-PSK SAE
wpa_passphrase=first words
bss=wlan0_1
ssid=two
`;
const channels = [36, 40, 44, 48, 165].map((channel) => ({ channel, frequencyMhz: 5000 + 5 * channel, maxDbm: 20 }));
const radio = { channels, suffix: '' };
const linesOf = (after: string) => after.split('\n').filter((line) => !text.split('\n').includes(line));

test('networks are those of its parts, and each is changed in its own', () => {
  expect(networksIn(new HostapdConf(text))).toEqual([
    { ssid: 'one', security: 'wpa2', passphrase: 'first words' },
    { ssid: 'two', security: 'open', passphrase: undefined },
  ]);
  const networks = [{ ssid: '#1', passphrase: 'other words' }, { ssid: 'ä' }];
  const after = withSettings(text, radio, { networks, country: 'DE' });
  expect(linesOf(after)).toEqual(['ssid=#1', 'wpa_passphrase=other words', 'country_code=DE', 'ssid=ä']);
  expect(after.indexOf('country_code=DE')).toBeLessThan(after.indexOf('bss='));
  expect(withSettings(after, radio, { networks, country: 'DE' })).toBe(after);
  const change = (given: object[]) => () => withSettings(text, radio, { networks: given });
  expect(change([{ ssid: 'a', passphrase: 'other words' }])).toThrow('hostapd serves 2 networks here');
  expect(change([{ ssid: 'a' }, { ssid: 'b' }])).toThrow('a: the security of this network is wpa2');
});

test('networks with other keys than a passphrase are left alone', () => {
  for (const line of ['wpa_psk_file=/etc/keys', 'sae_password=x', 'ieee8021x=1'])
    expect(networksIn(new HostapdConf(text.replace('wpa=2', `wpa=2\n${line}`)))).toBeUndefined();
});

test.each([
  [{ channel: 40 }, ['channel=40', 'ht_capab=[SHORT-GI-20][HT40-]']],
  [{ channel: 44, channel_width_mhz: 40 }, ['channel=44', 'vht_oper_chwidth=0', 'vht_oper_centr_freq_seg0_idx=46']],
  [{ channel_width_mhz: 20 }, ['ht_capab=[SHORT-GI-20]', 'vht_oper_chwidth=0']],
  [{ channel: 165 }, ['channel=165', 'ht_capab=[SHORT-GI-20]', 'vht_oper_chwidth=0']],
  [{ tx_power_dbm: 3 }, []],
])('the lines of a channel fit each other: %j', (settings, lines) => {
  expect(linesOf(withSettings(text, radio, settings))).toEqual(lines);
});

test.each([
  ['a list', 'networks are a list'],
  [[{ ssid: '' }], 'an ssid has 1 to 32 bytes'],
  [[{ ssid: 'ä'.repeat(17) }], 'an ssid has 1 to 32 bytes'],
  [[{ ssid: 'a\nwpa=0' }], 'an ssid has'],
  [[{ ssid: ' a' }], 'no space at its ends'],
  [[{ ssid: 'a', passphrase: 'short' }], 'a passphrase has 8 to 63'],
  [[{ ssid: 'a', passphrase: 'long enough\nwpa=0' }], 'a passphrase has 8 to 63'],
  [[{ ssid: 'a', vlan: 3 }], 'networks have no vlan here'],
])('bad networks are refused: %j', (networks, reason) => {
  expect(() => requireNetworks(networks)).toThrow(reason);
});

test('what is tried is in the file only meanwhile, and a power cut then leaves the way back', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weft-conf-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'hostapd.conf');
  writeFileSync(file, text, { mode: 0o644 });
  const read = () => readFileSync(file, 'utf8');
  await expect(
    withConf(file, 'new', async () => {
      expect([read(), statSync(file).mode & 0o777]).toEqual(['new', 0o600]);
      throw new Error('it does not start');
    }),
  ).rejects.toThrow('it does not start');
  expect([read(), readdirSync(folder)]).toEqual([text, ['hostapd.conf']]);
  // Never goes on: the process is gone.
  void withConf(file, 'new', () => new Promise(() => {}));
  await expect.poll(read).toBe('new');
  await putBack(file);
  expect([read(), readdirSync(folder)]).toEqual([text, ['hostapd.conf']]);
  await writeConf(file, 'for good');
  await putBack(file);
  expect([read(), readdirSync(folder)]).toEqual(['for good', ['hostapd.conf']]);
});
