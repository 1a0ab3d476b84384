import { expect, test } from 'vitest';
import { outcomeOfAnswer, subjectOf, timeoutMsOf, wantsTheSame, withOutcome } from './device-commands.ts';

const steer = (target: string, more: object = {}) => ({
  name: 'steer_device',
  args: { device: 'dev-a', target, ...more },
});

test('what a command about a device sets is the device’s, wherever it is sent', () => {
  expect(subjectOf({ ap_id: 'a', ...steer('b') })).toBe('device/dev-a');
  expect(subjectOf({ ap_id: 'a', name: 'set_link_policy', args: { device: 'dev-a' } })).toBe('device/dev-a');
  expect(subjectOf({ ap_id: 'a', name: 'steer_device', args: { target: 'b' } })).toBe('a');
  expect(subjectOf({ ap_id: 'a', name: 'set_channel', args: { device: 'dev-a' } })).toBe('a');
});

test('two who send a device to one place want the same, however long each waits', () => {
  expect(wantsTheSame(steer('b'), steer('b', { timeout_seconds: 5 }))).toBe(true);
  expect(wantsTheSame(steer('b'), steer('c'))).toBe(false);
});

test('an access point may say that the device refused or is not there; the rest is left to evidence', () => {
  expect(outcomeOfAnswer('failed', { answer: 'refused', status_code: 1 })).toBe('refused');
  expect(outcomeOfAnswer('failed', { answer: 'not_here' })).toBe('unreachable');
  expect(outcomeOfAnswer('failed', { answer: 'no_answer' })).toBeUndefined();
  expect(outcomeOfAnswer('failed', { reason: 'no radio' })).toBe('ignored');
  expect(outcomeOfAnswer('succeeded', null)).toBeUndefined();
});

test('the result keeps what the agent said', () => {
  expect(JSON.parse(withOutcome({ answer: 'sent' }, 'moved'))).toEqual({ answer: 'sent', outcome: 'moved' });
  expect(JSON.parse(withOutcome('done', 'ignored'))).toEqual({ said: 'done', outcome: 'ignored' });
  expect(JSON.parse(withOutcome(null, 'unreachable'))).toEqual({ outcome: 'unreachable' });
});

test('the time is that of the command, within bounds', () => {
  expect([{}, { timeout_seconds: 5 }, { timeout_seconds: 999 }].map(timeoutMsOf)).toEqual([30_000, 5_000, 30_000]);
});
