// Weft on a real WiFi stack: hostapd, wpa_supplicant and mac80211 in a guest whose radios are simulated (mac80211_hwsim). The
// tests build on each other, as a day in the life of two access points. Simulated radios copy frames without propagation: this
// proves protocols, not radio.
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { labImage } from './image.ts';
import { eventually, LabNetwork, type ListedDevice } from './lab-network.ts';
import { enrolPhone, testLinks } from './links.ts';
import { testShellAgent } from './shell-agent.ts';
import { show, tellLogsIfFailed } from './telling.ts';

const allowed = 'set_tx_power,set_channel,steer_device,sleep,wake';
const mover = '02:00:00:00:02:00';
const refuser = '02:00:00:00:03:00';
const awayMs = 60_000;

let lab: LabNetwork;
beforeAll(async () => {
  lab = await LabNetwork.start(labImage());
  await lab.hurryRules();
  await lab.lab('set_up');
});
afterAll(async () => {
  await lab?.stop();
});

const names = (devices: ListedDevice[]) => devices.map(({ device }) => device).sort();
const rssiOf = ({ links }: ListedDevice, ap_id: string) => links.find((link) => link.ap_id === ap_id)?.rssi_dbm ?? 0;

const logOf = (ap_id: string) => (ap_id === 'ap-1' ? 'hostapd-ap1.log' : 'hostapd-ap2.log');
const interfaceOf = (ap_id: string) => (ap_id === 'ap-1' ? 'wlan0' : 'wlan1');

test('access points enrol by the printed line and list their stations with signal and rates', async () => {
  tellLogsIfFailed(lab);
  const options = ['--interval', '2', '--allow', allowed];
  // One after the other: the machines of the lab share a file system.
  await lab.enrol('ap1', 'ap-1', options);
  await lab.enrol('ap2', 'ap-2', options);
  const isWhole = ({ links }: ListedDevice) => links.every(({ rx_mbps, tx_mbps }) => rx_mbps && tx_mbps);
  const devices = await lab.untilDevices('ap-1', (found) => found.length === 2 && found.every(isWhole));
  // Pseudonyms: which is whose is known by their signals, which differ by 30 dB.
  const [near, far] = devices.sort((a, b) => rssiOf(b, 'ap-1') - rssiOf(a, 'ap-1'));
  [lab.moving, lab.refusing] = [near!.device, far!.device];
  expect(rssiOf(near!, 'ap-1') - rssiOf(far!, 'ap-1')).toBeGreaterThan(20);
  expect(await lab.untilDevices('ap-2', (found) => found.length === 0)).toEqual([]);
  const { configuration } = await lab.app.agent('ap-2');
  const radio = { bssid: '02:00:00:00:01:00', channel: 36, frequency_mhz: 5180, width_mhz: 20, op_class: 115 };
  expect(configuration).toMatchObject({ access_point_type: 'WiFi', radios: [radio] });
  // Weft knows pseudonyms only.
  expect(JSON.stringify(devices)).not.toContain(mover);
  show(
    'Devices of ap-1 in Weft',
    devices.map(({ device, links }) => `${device} ${JSON.stringify(links[0])}`),
  );
});

test('power is set, and the station hears it', async () => {
  tellLogsIfFailed(lab);
  const heard = async () =>
    Number(/signal: (-\d+)/.exec(await lab.guest.run('ip netns exec s1 iw dev wlan2 link'))?.[1]);
  expect(await lab.command('ap-1', 'set_tx_power', { dbm: 5 })).toMatchObject({
    state: 'succeeded',
    applied: { dbm: 5 },
  });
  await lab.untilLatest('ap-1', ({ tx_power_dbm }) => tx_power_dbm === 5);
  const low = await eventually(heard, (signal) => signal <= -40);
  expect(await lab.command('ap-1', 'set_tx_power', { dbm: 20 })).toMatchObject({ state: 'succeeded' });
  const high = await eventually(heard, (signal) => signal >= low + 10);
  show('Signal of ap-1 at its station', [`5 dBm: ${low} dBm, 20 dBm: ${high} dBm`]);
});

test('a channel is changed by an announcement, and the stations stay', async () => {
  tellLogsIfFailed(lab);
  const channels = [
    { channel: 6, frequency: 2437 },
    { channel: 1, frequency: 2412 },
  ];
  const lines = () => lab.lines('hostapd-ap1.log', /CSA|CHANNEL-SWITCH|AP-STA-(DIS)?CONNECTED/);
  const change = async () => {
    const [next] = channels;
    channels.reverse();
    const { channel, frequency } = next!;
    const before = lines().length;
    const report = await lab.command('ap-1', 'set_channel', { channel });
    expect(report).toMatchObject({ state: 'succeeded', applied: { channel } });
    const followed = () => lab.guest.run('ip netns exec s1 iw dev wlan2 link; ip netns exec s2 iw dev wlan3 link');
    await eventually(followed, (text) => text.split(`freq: ${frequency}`).length === 3);
    await eventually(
      async () => (await lab.app.agent('ap-1')).configuration.radios as { channel: number }[],
      ([radio]) => radio?.channel === channel,
    );
    return { report, log: lines().slice(before) };
  };
  // A station that misses the announcement loses the access point and comes back by itself: then they are told again.
  const { log } = await lab.askAgain(change, ({ log }) => !log.some((line) => line.includes('AP-STA')));
  expect(log.join('\n')).not.toContain('AP-STA');
  await lab.untilDevices('ap-1', (found) => isDeepStrictEqual(names(found), [lab.moving, lab.refusing].sort()));
  show('hostapd of ap-1: the channel', log);
});

test('a station is asked to move, moves, and Weft says so', async () => {
  tellLogsIfFailed(lab);
  const { here, there, report } = await lab.steerMover();
  expect(report).toMatchObject({ state: 'succeeded', result: { outcome: 'moved' } });
  await lab.untilDevices(there, (found) => names(found).includes(lab.moving));
  await lab.untilDevices(here, (found) => !names(found).includes(lab.moving));
  show(`hostapd of ${here}: the station was asked`, lab.lines(logOf(here), new RegExp(`(BSS-TM|STA-DIS).*${mover}`)));
  show(
    `hostapd of ${there}: the station moved`,
    lab.lines(logOf(there), new RegExp(`${mover}.*(associated|handshake)|AP-STA-CONNECTED`)).slice(-3),
  );
});

test('with a disassociation timer it moves back', async () => {
  tellLogsIfFailed(lab);
  const { here, there, report } = await lab.steerMover({ force: true, timeout_seconds: 20 });
  expect(report).toMatchObject({ state: 'succeeded', result: { outcome: 'moved' } });
  expect(await lab.guest.run(`hostapd_cli -i ${interfaceOf(there)} list_sta`)).toContain(mover);
  show(
    `hostapd of ${here}: asked with a timer`,
    lab.lines(logOf(here), new RegExp(`(BSS-TM|STA-DIS).*${mover}`)).slice(-2),
  );
});

test('a station that refuses is told as refused, and stays', async () => {
  tellLogsIfFailed(lab);
  const report = await lab.steerRefuser('ap-1');
  expect(report).toMatchObject({ state: 'failed', result: { outcome: 'refused', status_code: expect.any(Number) } });
  expect(await lab.guest.run('hostapd_cli -i wlan0 list_sta')).toContain(refuser);
  show('hostapd of ap-1: the station refused', lab.lines('hostapd-ap1.log', new RegExp(`BSS-TM-RESP ${refuser}`)));
});

test('a radio sleeps and wakes, and nobody is sent to one that sleeps', async () => {
  tellLogsIfFailed(lab);
  expect(await lab.command('ap-2', 'sleep')).toMatchObject({ state: 'succeeded' });
  await lab.untilLatest('ap-2', ({ active }) => active === 0);
  await eventually(
    async () => (await lab.app.agent('ap-2')).configuration.radios,
    (radios) => Array.isArray(radios) && radios.length === 0,
  );
  await lab.untilDevices('ap-1', (found) => names(found).includes(lab.moving));
  const sent = await lab
    .command('ap-1', 'steer_device', { device: lab.moving, target: 'ap-2', timeout_seconds: 3 })
    .catch((error) => ({ state: 'failed', error: String(error) }));
  expect(sent.state).toBe('failed');
  expect(await lab.guest.run('hostapd_cli -i wlan0 list_sta')).toContain(mover);
  expect(await lab.command('ap-2', 'wake')).toMatchObject({ state: 'succeeded' });
  await lab.untilLatest('ap-2', ({ active }) => active === 1);
  show('hostapd of ap-2: asleep and awake', lab.lines('hostapd-ap2.log', /AP-(EN|DIS)ABLED/).slice(-2));
});

test('hostapd is killed: the stations come back, and the agent hears of them', async () => {
  tellLogsIfFailed(lab);
  const log = () => lab.lines('hostapd-ap1.log', new RegExp(`AP-ENABLED|AP-STA-CONNECTED ${refuser}`));
  const before = log().length;
  await lab.guest.run('kill -9 $(cat /run/lab/ap1/hostapd.pid)');
  // It may be back before the agent reports again.
  await eventually(
    async () => log().slice(before),
    (lines) => lines.length > 1 && lines.at(-1)!.includes('CONNECTED'),
  );
  await lab.untilReports('ap-1', 2);
  await lab.untilDevices('ap-1', (found) => names(found).includes(lab.refusing));
  // The one that could go anywhere may have gone to the other access point meanwhile.
  const { report } = await lab.steerMover({ timeout_seconds: 10 });
  expect(report).toMatchObject({ state: 'succeeded', result: { outcome: 'moved' } });
  show('hostapd of ap-1: killed and back', lab.lines('hostapd-ap1.log', /AP-ENABLED|AP-STA-CONNECTED/).slice(-4));
});

test('an agent is killed: it comes back, goes on, and leaves nothing behind', async () => {
  tellLogsIfFailed(lab);
  const children = async () =>
    (await lab.guest.run('ps')).split('\n').filter((line) => line.includes('hostapd_cli -s /run/lab/ap2/runtime'))
      .length;
  const before = await children();
  const { uptime_seconds } = await lab.latest('ap-2');
  await lab.guest.run('kill -9 $(cat /run/lab/ap2/agent.pid)');
  await lab.untilLatest('ap-2', (metrics) => metrics.uptime_seconds! > uptime_seconds!.value + 5);
  await eventually(children, (count) => count === before);
  expect(await lab.command('ap-2', 'identify')).toMatchObject({ state: 'succeeded' });
});

test('Weft is away: reports wait, and what happened meanwhile is known afterwards', async () => {
  tellLogsIfFailed(lab);
  const { here, there } = await lab.placeOfMover();
  const leftAt = Date.now();
  let backAt = 0;
  await lab.withoutWeft(async () => {
    // The station goes elsewhere by itself.
    await lab.lab(there === 'ap-1' ? 'roam 02:00:00:00:00:00 wlan0' : 'roam 02:00:00:00:01:00 wlan1');
    // For the next test.
    await lab.lab('set_up_phone');
    await lab.lab('download');
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, leftAt + awayMs - Date.now())));
    backAt = Date.now();
  });
  // Agents come back within half a minute, time enough for the next test to begin.
  await enrolPhone(lab);
  await lab.untilDevices(there, (found) => names(found).includes(lab.moving));
  await lab.untilDevices(here, (found) => !names(found).includes(lab.moving));
  for (const ap_id of ['ap-1', 'ap-2']) {
    const during = async () => (await lab.timesOf(ap_id, 'uptime_seconds')).filter((ts) => ts > leftAt && ts < backAt);
    const longestGap = (times: number[]) =>
      Math.max(...[...times, backAt].map((ts, index) => ts - (times[index - 1] ?? leftAt)));
    // The times are of the guest, which may have had little of the processors, but nothing of the minute is missing.
    const times = await eventually(during, (found) => longestGap(found) < awayMs / 2);
    show(`${ap_id} while Weft was away for ${backAt - leftAt} ms`, [
      `${times.length} reports kept; longest pause between reports ${longestGap(times)} ms`,
    ]);
  }
});

testLinks(() => lab);
testShellAgent(() => lab);
