// Steering by 802.11v: what is asked of hostapd, and what is told of the device's answer.
import { CommandFailed } from '@weft/sdk';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { hostapdStatus } from '../../../../test/pure/iw-recordings.ts';
import { RecordedMachine } from '../../../../test/pure/recorded-machine.ts';
import { untilSo } from '../../../../test/pure/until-so.ts';
import { changesDevices, Hostapd, parseEvent } from '../hostapd/hostapd.ts';
import { operatingClass } from '../readers/operating-class.ts';
import { offerSteering, requestWords, toNeighbours } from './steer-command.ts';
import { offerPower } from './wifi-commands.ts';

const device = '02:00:00:00:02:00';
const target_radios = [
  { bssid: '02:00:00:00:01:00', frequency_mhz: 5180, channel: 36, width_mhz: 20, op_class: 115, phy_type: 9 },
];
const neighbour = 'neighbor=02:00:00:00:01:00,0x0000,115,36,9,0301ff';
const events = 'hostapd_cli -i wlan0 -G 1 -a /bin/echo';

async function heard(machine: RecordedMachine): Promise<Hostapd> {
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const hostapd = new Hostapd({ machine, signal: stopping.signal, say() {}, attachMs: 0 });
  hostapd.follow('wlan0');
  await untilSo(() => expect(hostapd.isHeard('wlan0')).toBe(true));
  return hostapd;
}

const withDevice = () =>
  new RecordedMachine()
    .tool('hostapd_cli -i wlan0 status', hostapdStatus)
    .tool(`hostapd_cli -i wlan0 sta ${device}`, `${device}\nflags=[AUTH][ASSOC][AUTHORIZED]\n`)
    .tool(`hostapd_cli -i wlan0 bss_tm_req ${device} ${neighbour} pref=1 abridged=1`, 'OK\n');

/** Runs it, and lets hostapd tell this as soon as the request was made. */
async function steer(machine: RecordedMachine, told: string | undefined, more = {}) {
  const { run } = offerSteering(await heard(machine));
  const answer = run({ device: device.toUpperCase(), target: 'ap-2', target_radios, ...more }).then(
    (outcome) => ({ state: 'succeeded', result: outcome?.result }),
    (error) => ({ state: 'failed', result: error instanceof CommandFailed ? error.result : error.message }),
  );
  if (told !== undefined) {
    await untilSo(() => expect(machine.ran.some((line) => line.includes('bss_tm_req'))).toBe(true));
    machine.says(events, 'wlan0 BSS-TM-RESP 02:00:00:00:09:00 status_code=1');
    machine.says(events, told);
  }
  return await answer;
}

test.each([
  [`wlan0 BSS-TM-RESP ${device} status_code=0 target_bssid=x`, 'succeeded', { answer: 'accepted', status_code: 0 }],
  [
    `wlan0 BSS-TM-RESP ${device} status_code=7 bss_termination_delay=0`,
    'failed',
    { answer: 'refused', status_code: 7, detail: 'no suitable access point' },
  ],
  [`wlan0 AP-STA-DISCONNECTED ${device}`, 'succeeded', { answer: 'sent', detail: 'the device left without an answer' }],
])('%s', async (told, state, result) => {
  expect(await steer(withDevice(), told)).toEqual({ state, result });
});

test('a device that says nothing, one that is elsewhere, a target that is gone', async () => {
  expect(await steer(withDevice(), undefined, { timeout_seconds: 1 })).toEqual({
    state: 'failed',
    result: { answer: 'no_answer' },
  });
  const empty = withDevice().tool(`hostapd_cli -i wlan0 sta ${device}`, 'FAIL\n');
  expect(await steer(empty, undefined)).toEqual({ state: 'failed', result: { answer: 'not_here' } });
  expect(await steer(withDevice(), undefined, { target_radios: [] })).toEqual({
    state: 'failed',
    result: 'the radios of ap-2 are unknown or asleep',
  });
  const deaf = withDevice().tool(`hostapd_cli -i wlan0 bss_tm_req ${device} ${neighbour} pref=1 abridged=1`, 'FAIL\n');
  expect(await steer(deaf, undefined)).toEqual({ state: 'failed', result: 'hostapd rejects the request: FAIL' });
});

test('only the force of the command ends the connection', () => {
  expect(requestWords([neighbour], 30, false)).toEqual([neighbour, 'pref=1', 'abridged=1']);
  expect(requestWords([neighbour], 10, true)).toEqual([
    ...[neighbour, 'pref=1', 'abridged=1'],
    ...['disassoc_imminent=1', 'disassoc_timer=100'],
  ]);
});

test('whatever stands in target_radios, hostapd gets a neighbour or nothing', () => {
  const anything = fc.record({
    bssid: fc.oneof(fc.string(), fc.constant('02:00:00:00:01:00'), fc.anything()),
    channel: fc.oneof(fc.integer(), fc.constant(36), fc.anything()),
    frequency_mhz: fc.oneof(fc.integer(), fc.constant(5180), fc.anything()),
    op_class: fc.oneof(fc.constant(undefined), fc.anything()),
    phy_type: fc.oneof(fc.constant(undefined), fc.anything()),
  });
  fc.assert(
    fc.property(fc.oneof(fc.array(anything), fc.anything()), (radios) => {
      let words: string[];
      try {
        words = toNeighbours(radios);
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
        return;
      }
      const pattern = /^neighbor=[0-9a-f]{2}(:[0-9a-f]{2}){5},0x0000,\d{1,3},\d{1,3},\d{1,3},0301ff$/;
      for (const word of words) expect(word).toMatch(pattern);
      expect(words.length).toBeLessThanOrEqual(8);
    }),
  );
});

test.each([
  [2412, 1, 20, 81],
  [2484, 14, 20, 82],
  [5180, 36, 20, 115],
  [5180, 36, 40, 116],
  [5200, 40, 40, 117],
  [5260, 52, 20, 118],
  [5500, 100, 20, 121],
  [5745, 149, 20, 125],
  [5765, 153, 40, 127],
  [5180, 36, 80, 128],
  [5180, 36, 160, 129],
  [5955, 1, 80, 133],
  [900, 1, 20, undefined],
])('%i MHz, channel %i, %i MHz wide', (frequency, channel, width, expected) => {
  expect(operatingClass(frequency, channel, width)).toBe(expected);
});

test('events are read as hostapd_cli prints them', () => {
  expect(parseEvent('wlan0', `wlan0 AP-STA-CONNECTED ${device.toUpperCase()} keyid=1`)).toMatchObject({
    name: 'AP-STA-CONNECTED',
    address: device,
  });
  const finished = parseEvent('wlan0', 'wlan0 AP-CSA-FINISHED freq=5200 dfs=0')!;
  expect([finished.address, finished.fields.get('freq'), changesDevices(finished)]).toEqual([undefined, '5200', true]);
  for (const line of ['', 'wlan1 AP-ENABLED', 'hostapd did not reply to PING command - exiting', 'wlan0 hello']) {
    expect(parseEvent('wlan0', line)).toBeUndefined();
  }
});

test('a radio sleeps and wakes by hostapd, and is not asked twice', async () => {
  const machine = new RecordedMachine().tool('hostapd_cli -i wlan0 status', hostapdStatus);
  const hostapd = await heard(machine);
  const [sleep, wake] = offerPower(hostapd, ['wlan0'], new Set(['sleep', 'wake']));
  expect(sleep!.declaration).toEqual({ name: 'sleep', parameter: 'power_state', params: {} });
  machine.tool('hostapd_cli -i wlan0 disable', 'OK\n');
  const sleeping = sleep!.run({});
  await untilSo(() => expect(machine.ran).toContain('hostapd_cli -i wlan0 disable'));
  machine.tool('hostapd_cli -i wlan0 status', hostapdStatus.replace('ENABLED', 'DISABLED'));
  machine.says(events, 'wlan0 AP-DISABLED');
  expect(await sleeping).toEqual({ result: { power_state: 'asleep' } });
  expect(await sleep!.run({})).toEqual({ result: { power_state: 'asleep' } });
  machine.tool('hostapd_cli -i wlan0 enable', 'FAIL\n');
  await expect(wake!.run({})).rejects.toThrow('hostapd rejects to enable the radio: FAIL');
  expect(machine.ran.filter((line) => line.includes('able'))).toEqual([
    'hostapd_cli -i wlan0 disable',
    'hostapd_cli -i wlan0 enable',
  ]);
  expect(offerPower(hostapd, ['wlan0'], new Set())).toEqual([]);
});
