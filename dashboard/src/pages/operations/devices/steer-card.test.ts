// Steering a device: only to what it hears, only through access points that can and may, and told as the network saw it.
import { expect, it } from 'vitest';
import { outcomeInWords, steerCommand, steerersOf, steerTargets } from './steer-card.tsx';

const link = (ap_id: string) => ({ ap_id }) as never;
const heard = (ap_id: string, rssi_dbm: number | null) => ({ ap_id, rssi_dbm, by: 'ap-1' });

it('offers other access points that the device hears, strongest first, each once', () => {
  const device = {
    links: [link('ap-1')],
    heard: [
      heard('ap-2', -80),
      heard('ap-1', -40),
      heard('ap-3', -60),
      { bssid: '02:00:00:00:0a:00', rssi_dbm: -30, by: 'ap-1' },
      heard('ap-2', -70),
      heard('ap-4', null),
    ],
  };
  expect(steerTargets(device)).toEqual([
    { ap_id: 'ap-3', rssi_dbm: -60 },
    { ap_id: 'ap-2', rssi_dbm: -70 },
    { ap_id: 'ap-4', rssi_dbm: null },
  ]);
});

it('goes through access points that the user may command and that know the command', () => {
  const knows = { commands: [{ name: 'steer_device', params: {} }] };
  const serving = [
    { ap_id: 'ap-1', may: ['command'], configuration: knows },
    { ap_id: 'ap-2', may: ['command'], configuration: { commands: [{ name: 'sleep' }] } },
    { ap_id: 'ap-3', may: [], configuration: knows },
    { ap_id: 'ap-4', may: ['command'], configuration: {} },
  ] as never[];
  const { able, unable } = steerersOf(serving);
  expect(able.map(({ ap_id }) => ap_id)).toEqual(['ap-1', 'ap-4']);
  expect(unable.map(({ ap_id }) => ap_id)).toEqual(['ap-2']);
});

it('leaves out what was not filled in', () => {
  const sent = (values: object) =>
    JSON.parse(steerCommand('dev-x', { target: 'ap-2', timeout: '', force: '', ...values }));
  expect(sent({})).toEqual({ name: 'steer_device', device: 'dev-x', target: 'ap-2' });
  expect(sent({ timeout: ' 60 ', force: 'true' })).toMatchObject({ timeout_seconds: 60, force: true });
  expect(sent({ timeout: 'long' })).toMatchObject({ timeout_seconds: 'long' });
});

it('says how it ended, and nothing while nobody knows', () => {
  expect(outcomeInWords({ result: null }, 'B')).toBeUndefined();
  expect(outcomeInWords({ result: { answer: 'accepted' } }, 'B')).toBeUndefined();
  expect(outcomeInWords({ result: { outcome: 'moved' } }, 'B')).toBe('It moved: B reports the device.');
  expect(outcomeInWords({ result: { outcome: 'refused', status_code: 6 } }, 'B')).toBe(
    'The device refused to move to B (reason code 6).',
  );
  expect(outcomeInWords({ result: { outcome: 'toString' } }, 'B')).toBeUndefined();
});
