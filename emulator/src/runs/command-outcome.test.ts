import { CommandFailed } from '@weft/sdk';
import { expect, test } from 'vitest';
import { toFailure, toOutcome } from './agent-line.ts';

test('what was applied is told where it differs from what was asked for', () => {
  const done = { state: 'succeeded', applied: { dbm: 5 }, settles_in_seconds: 2 } as const;
  expect(toOutcome({ name: 'set_tx_power', args: { dbm: 5 } }, done)).toEqual({ result: { settles_in_seconds: 2 } });
  expect(toOutcome({ name: 'set_tx_power', args: { dbm: 5.4 } }, done)).toMatchObject({ applied: { dbm: 5 } });
});

test('a device that goes has accepted; which one, if the access point chose', () => {
  const done = { state: 'succeeded', applied: { device: 'device-3', target: 'b' }, settles_in_seconds: 1 } as const;
  expect(toOutcome({ name: 'steer_device', args: { target: 'b' } }, done)).toEqual({
    result: { answer: 'accepted', device: 'device-3', settles_in_seconds: 1 },
    applied: done.applied,
  });
  expect(toOutcome({ name: 'steer_device', args: done.applied }, done)).not.toHaveProperty('applied');
});

test('a device that does not go has refused, with a code, or is not here', () => {
  const refused = toFailure({ state: 'failed', reason: 'hears it too badly', answer: 'refused' });
  expect(refused).toBeInstanceOf(CommandFailed);
  expect(refused).toMatchObject({ result: { answer: 'refused', status_code: 7, detail: 'hears it too badly' } });
  const gone = toFailure({ state: 'failed', reason: 'not attached', answer: 'not_here' });
  expect((gone as CommandFailed).result).toEqual({ answer: 'not_here', detail: 'not attached' });
  expect(toFailure({ state: 'failed', reason: 'no such target' })).not.toBeInstanceOf(CommandFailed);
});
