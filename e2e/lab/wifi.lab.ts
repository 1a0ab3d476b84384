// Weft on a real WiFi stack: hostapd, wpa_supplicant and mac80211 in a guest whose radios are simulated (mac80211_hwsim). The
// tests build on each other, as a day in the life of two access points. Simulated radios copy frames without propagation: this
// proves protocols, not radio.
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import { App } from '../../sdk/src/index.ts';
import { labImage } from './image.ts';
import { eventually, LabNetwork, type ListedDevice } from './lab-network.ts';

const allowed = 'set_tx_power,set_channel,steer_device,sleep,wake';
const mover = '02:00:00:00:02:00';
const refuser = '02:00:00:00:03:00';
/** The network may be away for a minute; the protocol allows any time, and its rules are the same after some seconds. */
const awayMs = 15_000;

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

function tellLogsIfFailed(): void {
  onTestFailed(() => void process.stderr.write(lab.logs()));
}

/** What hostapd itself says, for the reader of the output. */
function show(title: string, lines: string[]): void {
  process.stdout.write([`\n${title}`, ...lines.map((line) => `  ${line}`), ''].join('\n'));
}

/** Pseudonyms: which is whose is known by their signals, which differ by 30 dB. */
let moving = '';
let refusing = '';

test('access points enrol by the printed line and list their stations with signal and rates', async () => {
  tellLogsIfFailed();
  const options = ['--interval', '1', '--allow', allowed];
  // One after the other: the machines of the lab share a file system.
  await lab.enrol('ap1', 'ap-1', options);
  await lab.enrol('ap2', 'ap-2', options);
  const isWhole = ({ links }: ListedDevice) => links.every(({ rx_mbps, tx_mbps }) => rx_mbps && tx_mbps);
  const devices = await lab.untilDevices('ap-1', (found) => found.length === 2 && found.every(isWhole));
  const [near, far] = devices.sort((a, b) => rssiOf(b, 'ap-1') - rssiOf(a, 'ap-1'));
  [moving, refusing] = [near!.device, far!.device];
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
  tellLogsIfFailed();
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
  tellLogsIfFailed();
  expect(await lab.command('ap-1', 'set_channel', { channel: 6 })).toMatchObject({
    state: 'succeeded',
    applied: { channel: 6 },
  });
  const followed = () => lab.guest.run('ip netns exec s1 iw dev wlan2 link; ip netns exec s2 iw dev wlan3 link');
  await eventually(followed, (text) => text.split('freq: 2437').length === 3);
  await eventually(
    async () => (await lab.app.agent('ap-1')).configuration.radios as { channel: number }[],
    ([radio]) => radio?.channel === 6,
  );
  expect(names(await lab.devicesOf('ap-1'))).toEqual([moving, refusing].sort());
  const log = lab.lines('hostapd-ap1.log', /CSA|CHANNEL-SWITCH|AP-STA-DISCONNECTED/);
  expect(log.join('\n')).not.toContain('DISCONNECTED');
  show('hostapd of ap-1: the channel', log);
});

test('a station is asked to move, moves, and Weft says so', async () => {
  tellLogsIfFailed();
  const report = await lab.command('ap-1', 'steer_device', { device: moving, target: 'ap-2' });
  expect(report).toMatchObject({ state: 'succeeded', result: { outcome: 'moved' } });
  expect(names(await lab.devicesOf('ap-2'))).toEqual([moving]);
  expect(names(await lab.untilDevices('ap-1', (found) => found.length === 1))).toEqual([refusing]);
  show(
    'hostapd of ap-1: the station was asked',
    lab.lines('hostapd-ap1.log', new RegExp(`(BSS-TM|STA-DIS).*${mover}`)),
  );
  show(
    'hostapd of ap-2: the station moved',
    lab.lines('hostapd-ap2.log', new RegExp(`${mover}.*(associated|handshake)|AP-STA-CONNECTED`)),
  );
});

test('with a disassociation timer it moves back', async () => {
  tellLogsIfFailed();
  const args = { device: moving, target: 'ap-1', force: true, timeout_seconds: 20 };
  expect(await lab.command('ap-2', 'steer_device', args)).toMatchObject({
    state: 'succeeded',
    result: { outcome: 'moved' },
  });
  expect(await lab.guest.run('hostapd_cli -i wlan0 list_sta')).toContain(mover);
  show('hostapd of ap-2: asked with a timer', lab.lines('hostapd-ap2.log', new RegExp(`(BSS-TM|STA-DIS).*${mover}`)));
});

test('a station that refuses is told as refused, and stays', async () => {
  tellLogsIfFailed();
  const report = await lab.command('ap-1', 'steer_device', { device: refusing, target: 'ap-2', timeout_seconds: 10 });
  expect(report).toMatchObject({ state: 'failed', result: { outcome: 'refused', status_code: expect.any(Number) } });
  expect(await lab.guest.run('hostapd_cli -i wlan0 list_sta')).toContain(refuser);
  show('hostapd of ap-1: the station refused', lab.lines('hostapd-ap1.log', new RegExp(`BSS-TM-RESP ${refuser}`)));
});

test('a radio sleeps and wakes, and nobody is sent to one that sleeps', async () => {
  tellLogsIfFailed();
  expect(await lab.command('ap-2', 'sleep')).toMatchObject({ state: 'succeeded' });
  await lab.untilLatest('ap-2', ({ active }) => active === 0);
  await eventually(
    async () => (await lab.app.agent('ap-2')).configuration.radios,
    (radios) => Array.isArray(radios) && radios.length === 0,
  );
  const sent = await lab
    .command('ap-1', 'steer_device', { device: moving, target: 'ap-2', timeout_seconds: 3 })
    .catch((error) => ({ state: 'failed', error: String(error) }));
  expect(sent.state).toBe('failed');
  expect(await lab.guest.run('hostapd_cli -i wlan0 list_sta')).toContain(mover);
  expect(await lab.command('ap-2', 'wake')).toMatchObject({ state: 'succeeded' });
  await lab.untilLatest('ap-2', ({ active }) => active === 1);
  show('hostapd of ap-2: asleep and awake', lab.lines('hostapd-ap2.log', /AP-(EN|DIS)ABLED/).slice(-2));
});

/** Where the station that goes anywhere is now, and where it is not. */
async function placeOfMover(): Promise<{ here: string; there: string }> {
  const has = async (ap_id: string) => names(await lab.devicesOf(ap_id)).includes(moving);
  const here = await eventually(
    async () => ((await has('ap-1')) ? 'ap-1' : (await has('ap-2')) ? 'ap-2' : ''),
    (found) => found !== '',
  );
  return { here, there: here === 'ap-1' ? 'ap-2' : 'ap-1' };
}

test('hostapd is killed: the stations come back, and the agent hears of them', async () => {
  tellLogsIfFailed();
  await lab.guest.run('kill -9 $(cat /run/lab/ap1/hostapd.pid)');
  await lab.untilDevices('ap-1', (found) => found.length === 0);
  await lab.untilDevices('ap-1', (found) => names(found).includes(refusing));
  // The one that could go anywhere may have gone to the other access point meanwhile.
  const steer = async () => {
    const { here, there } = await placeOfMover();
    return await lab.command(here, 'steer_device', { device: moving, target: there, timeout_seconds: 15 });
  };
  const report = await eventually(steer, ({ state }) => state === 'succeeded');
  expect(report.result).toMatchObject({ outcome: 'moved' });
  show('hostapd of ap-1: killed and back', lab.lines('hostapd-ap1.log', /AP-ENABLED|AP-STA-CONNECTED/).slice(-4));
});

test('an agent is killed: it comes back, goes on, and leaves nothing behind', async () => {
  tellLogsIfFailed();
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
  tellLogsIfFailed();
  const { here, there } = await placeOfMover();
  const leftAt = Date.now();
  let backAt = 0;
  await lab.withoutWeft(async () => {
    // The station goes elsewhere by itself.
    await lab.lab(there === 'ap-1' ? 'roam 02:00:00:00:00:00 wlan0' : 'roam 02:00:00:00:01:00 wlan1');
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, leftAt + awayMs - Date.now())));
    backAt = Date.now();
  });
  await lab.untilDevices(there, (found) => names(found).includes(moving));
  await lab.untilDevices(here, (found) => !names(found).includes(moving));
  for (const ap_id of ['ap-1', 'ap-2']) {
    const points = await eventually(
      () => lab.timesOf(ap_id, 'uptime_seconds'),
      (times) => times.filter((ts) => ts > leftAt && ts < backAt).length >= 2,
    );
    const gaps = points.slice(1).map((ts, index) => ts - points[index]!);
    const during = points.filter((ts) => ts > leftAt && ts < backAt);
    show(`${ap_id} while Weft was away for ${backAt - leftAt} ms`, [
      `${during.length} reports kept; longest pause between reports ${Math.max(...gaps)} ms`,
    ]);
  }
});

test('the agent in shell serves an access point as well, under busybox', async () => {
  tellLogsIfFailed();
  // In place of the other agent.
  await lab.guest.run('kill $(cat /run/lab/ap1/supervisor.pid); kill $(cat /run/lab/ap1/agent.pid)');
  const { token } = await lab.request<{ token: string }>('POST', '/api/v1/enrolment_tokens', { ap_id_pattern: 'ap-3' });
  const settings = `WEFT_URL=${lab.urlInGuest} WEFT_AP_ID=ap-3 WEFT_ENROLMENT_TOKEN=${token} WEFT_AGENT_ALLOW=${allowed} WEFT_AGENT_INTERVAL=1`;
  await lab.guest.run(`curl -fsS ${lab.urlInGuest}/install/weft-agent.sh -o /mnt/weft-agent.sh`);
  await lab.guest.run(`${settings} sh /mnt/lab.sh start_shell_agent ap1`);
  await lab.untilDevices('ap-3', (found) => names(found).includes(refusing));
  expect(await lab.command('ap-3', 'set_tx_power', { dbm: 12 })).toMatchObject({ state: 'succeeded' });
  // Longer times: it starts a program for every value that it reads, and programs are slow where the processor is emulated.
  for (const channel of [6, 1, 1]) {
    expect(await lab.command('ap-3', 'set_channel', { channel })).toMatchObject({ state: 'succeeded' });
  }
  const steer = (device: string) =>
    lab.command('ap-3', 'steer_device', { device, target: 'ap-2', timeout_seconds: 90 });
  expect(await steer(refusing)).toMatchObject({ state: 'failed', result: { outcome: 'refused' } });
  await lab.lab('roam 02:00:00:00:00:00 wlan0');
  await lab.untilDevices('ap-3', (found) => names(found).includes(moving));
  expect(await steer(moving)).toMatchObject({ state: 'succeeded', result: { outcome: 'moved' } });
  expect(await lab.command('ap-3', 'sleep')).toMatchObject({ state: 'succeeded' });
  await lab.untilLatest('ap-3', ({ active }) => active === 0);
  expect(await lab.command('ap-3', 'wake')).toMatchObject({ state: 'succeeded' });
  await lab.untilLatest('ap-3', ({ active }) => active === 1);
  show('hostapd of ap-1: asked by the agent in shell', lab.lines('hostapd-ap1.log', /BSS-TM-RESP/).slice(-2));
});

test('an app changes which link a download of a phone uses', async () => {
  tellLogsIfFailed();
  await lab.lab('set_up_phone');
  await lab.enrol('phone', 'phone-1', ['--link', '--interval', '1', '--allow', 'set_link_policy']);
  await lab.lab('download');
  const rates = (test: (wifi: number, cell: number) => boolean) =>
    lab.untilLatest('phone-1', (all) => test(all.subflow_rx_mbps_wlan4 ?? 0, all.subflow_rx_mbps_cell0 ?? 0));
  await rates((wifi, cell) => wifi > 0.3 && cell > 0.3);
  const api_key = 'a key that is long enough for the lab';
  await lab.request('POST', '/api/v1/third_party_apps', {
    app_name: 'link-app',
    api_key,
    permissions: { agents: ['phone-1'] },
  });
  const app = new App({ url: lab.url, name: 'link-app', key: api_key });
  const policies = [
    { mode: 'active_standby', primary: 'cell0', isSo: (wifi: number, cell: number) => wifi < 0.05 && cell > 0.3 },
    { mode: 'active_standby', primary: 'wlan4', isSo: (wifi: number, cell: number) => wifi > 0.3 && cell < 0.05 },
    { mode: 'load_balancing', isSo: (wifi: number, cell: number) => wifi > 0.3 && cell > 0.3 },
  ];
  const found: string[] = [
    `undisturbed: longest pause ${await lab.longestPause(async () => lab.untilReports('phone-1', 4))} ms`,
  ];
  for (const { isSo, ...policy } of policies) {
    const outage = await lab.longestPause(async () => {
      expect(await lab.command('phone-1', 'set_link_policy', policy, app)).toMatchObject({
        state: 'succeeded',
        applied: policy,
      });
      await rates(isSo);
    });
    found.push(`${policy.mode} ${policy.primary ?? ''}: outage ${outage} ms`);
  }
  await expect(app.command('phone-1', 'set_link_policy', { mode: 'redundant' })).rejects.toMatchObject({ status: 422 });
  expect((await lab.guest.run('cat /mnt/log/fetch.log')).trim()).toBe('');
  show('One download over WiFi and "5G" (a shaped cable)', found);
  const listed = await lab.app.select('').toArray();
  expect(listed.map(({ ap_id }) => ap_id)).not.toContain('phone-1');
});
