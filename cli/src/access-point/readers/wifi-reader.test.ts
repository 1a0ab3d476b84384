// WiFi as iw and hostapd_cli tell of it.
import { expect, test } from 'vitest';
import {
  hostapdStations,
  hostapdStatus,
  oneRadio,
  stations,
  survey,
  twoRadios,
} from '../../../../test/pure/iw-recordings.ts';
import { RecordedMachine } from '../../../../test/pure/recorded-machine.ts';
import { ToolFailure } from '../machine/tool.ts';
import { describeMachine } from './description.ts';
import { toDevices } from './device-list.ts';
import type { Measured } from './reader.ts';
import { WifiReader } from './wifi-reader.ts';

const toValues = (measured: Measured[]) => Object.fromEntries(measured.map(({ name, value }) => [name, value]));

function withRadio(machine = new RecordedMachine()): RecordedMachine {
  return machine
    .tool('iw dev', oneRadio)
    .tool('iw dev wlan0 station dump', stations(0))
    .tool('iw dev wlan0 survey dump', survey(10_000, 2000, 500))
    .file('sys/class/net/wlan0/statistics/tx_bytes', '1000000\n');
}

test('one radio goes by the names of the house', async () => {
  const machine = withRadio();
  const reader = new WifiReader(machine);
  const first = await reader.read(0);
  expect(toValues(first)).toEqual({
    active: 1,
    connected_devices: 2,
    throughput_mbps: undefined,
    rssi_dbm: -60,
    rssi_worst_dbm: -70,
    snr_db: 35,
    tx_rate_mbps: 500,
    rx_rate_mbps: 400,
    tx_retries_pct: undefined,
    tx_failed: undefined,
    channel_utilisation_pct: undefined,
    airtime_pct: undefined,
    noise_floor_dbm: -95,
    channel: 36,
    channel_width_mhz: 80,
    tx_power_dbm: 20,
  });
  expect(first.find(({ name }) => name === 'rssi_dbm')).toMatchObject({ label: 'RSSI', unit: 'dBm' });
  machine
    .tool('iw dev wlan0 station dump', stations(1))
    .tool('iw dev wlan0 survey dump', survey(11_000, 2300, 600))
    .file('sys/class/net/wlan0/statistics/tx_bytes', '2250000\n');
  expect(toValues(await reader.read(1000))).toMatchObject({
    throughput_mbps: 10,
    tx_retries_pct: 9.09,
    tx_failed: 1,
    channel_utilisation_pct: 30,
    airtime_pct: 10,
  });
  // Firmware that begins anew at every look; and a device that has left.
  machine.tool('iw dev wlan0 survey dump', survey(400, 100, 20)).tool('iw dev wlan0 station dump', '');
  const last = toValues(await reader.read(2000));
  expect(last).toMatchObject({ connected_devices: 0, channel_utilisation_pct: 25, airtime_pct: 5 });
  expect(last.rssi_dbm).toBeUndefined();
  expect(await describeMachine(machine)).toMatchObject({ access_point_type: 'WiFi' });
});

test('several radios go by their interfaces, and the sums go without', async () => {
  const machine = withRadio()
    .tool('iw dev', twoRadios)
    .tool('iw dev wlan2 station dump', stations(0))
    .tool('iw dev wlan2 survey dump', new ToolFailure('not supported'))
    .file('sys/class/net/wlan2/statistics/tx_bytes', '0\n');
  const reader = new WifiReader(machine);
  await reader.read(0);
  machine.file('sys/class/net/wlan2/statistics/tx_bytes', '125000\n');
  const found = toValues(await reader.read(1000));
  expect(found).toMatchObject({ connected_devices: 4, connected_devices_wlan0: 2, connected_devices_wlan2: 2 });
  expect(found).toMatchObject({ throughput_mbps: 1, throughput_mbps_wlan0: 0, throughput_mbps_wlan2: 1 });
  expect(found).toMatchObject({ channel_wlan0: 36, channel_wlan2: 6, tx_power_dbm_wlan2: 17.5 });
  expect(Object.keys(found).filter((name) => name.includes('wlan1'))).toEqual([]);
  expect(found).not.toHaveProperty('noise_floor_dbm_wlan2');
});

test('a machine that serves nobody has nothing to tell', async () => {
  const machine = new RecordedMachine().tool('iw dev', oneRadio.replace('type AP', 'type managed'));
  expect(await new WifiReader(machine).read(0)).toEqual([]);
  expect(await describeMachine(machine)).toEqual({});
  expect(await new WifiReader(new RecordedMachine()).read(0)).toEqual([]);
});

test('without iw, hostapd_cli is asked about the wireless interfaces', async () => {
  const machine = new RecordedMachine()
    .file('sys/class/net/wlan0/phy80211/name', 'phy0\n')
    .file('sys/class/net/wlan0/statistics/tx_bytes', '0\n')
    .file('sys/class/net/eth0/statistics/tx_bytes', '0\n')
    .tool('hostapd_cli -i wlan0 status', hostapdStatus)
    .tool('hostapd_cli -i wlan0 all_sta', hostapdStations);
  const found = toValues(await new WifiReader(machine).read(0));
  expect(found).toMatchObject({ connected_devices: 1, rssi_dbm: -57, tx_rate_mbps: 130, rx_rate_mbps: 117 });
  expect(found).toMatchObject({ channel: 52, channel_utilisation_pct: 20 });
  expect(found).not.toHaveProperty('tx_power_dbm');
  machine.tool('hostapd_cli -i wlan0 status', hostapdStatus.replace('ENABLED', 'DISABLED'));
  expect(await new WifiReader(machine).read(0)).toEqual([]);
});

test('a tool that fails is a failure, and not an access point without devices', async () => {
  const machine = withRadio().tool('iw dev wlan0 station dump', new ToolFailure('iw did not end within 5 s'));
  await expect(new WifiReader(machine).read(0)).rejects.toThrow('did not end');
});

test('devices are told with signal, rates and time, and the radios so that others find them', async () => {
  const machine = withRadio().tool('hostapd_cli -i wlan0 status', hostapdStatus);
  const reader = new WifiReader(machine);
  await reader.read(7);
  expect(toDevices(reader.takeObserved()!)).toEqual([
    {
      device: '02:00:00:00:01:00',
      rssi_dbm: -50,
      rx_mbps: 400,
      tx_mbps: 866.7,
      snr_db: 45,
      connected_seconds: 404,
    },
    { device: '02:00:00:00:02:00', rssi_dbm: -70, tx_mbps: 133.3, snr_db: 25 },
  ]);
  expect(reader.takeObserved()).toBeUndefined();
  const here = { interface: 'wlan0', bssid: 'dc:a6:32:00:00:01', frequency_mhz: 5180, channel: 36, width_mhz: 80 };
  expect((await describeMachine(machine)).radios).toEqual([{ ...here, op_class: 128, phy_type: 9 }]);
  const failing = withRadio().tool('iw dev wlan0 station dump', new ToolFailure('no'));
  const unknown = new WifiReader(failing);
  await expect(unknown.read(8)).rejects.toThrow('no');
  expect(unknown.takeObserved()).toBeUndefined();
});

test('an access point whose radio sleeps is not active, and is still one', async () => {
  const machine = withRadio().tool('iw dev', oneRadio.replace('type AP', 'type managed'));
  const reader = new WifiReader(machine, () => ['wlan0']);
  expect(toValues(await reader.read(0))).toEqual({ active: 0 });
  expect(reader.takeObserved()).toEqual([]);
  expect(await describeMachine(machine, true)).toMatchObject({ access_point_type: 'WiFi', radios: [] });
  expect(await new WifiReader(machine).read(0)).toEqual([]);
});
