// Bulk actions as the interface takes them, and what they change.
import { expect, it } from 'vitest';
import { bulkAction, changeWords, isFelt, overWords, secondsLeft } from './bulk-action.ts';

const values = { kind: 'command', name: ' reboot ', site: '', add_tags: 'a, a,b', remove_tags: '' };

it('is one of a command, labels that change something, and a removal', () => {
  expect(bulkAction(values, undefined)).toEqual({ command: 'reboot' });
  expect(bulkAction({ ...values, kind: 'labels' }, undefined)).toEqual({ labels: { add_tags: ['a', 'b'] } });
  expect(bulkAction({ ...values, kind: 'remove' }, undefined)).toEqual({ remove: true });
});

it('needs neither waves nor a number typed for a site or tags, unless settings depend on them', () => {
  expect([isFelt('labels', undefined), isFelt('labels', { reconfigured: 0 })]).toEqual([false, false]);
  expect([isFelt('labels', { reconfigured: 2 }), isFelt('command', {}), isFelt('remove', {})]).toEqual([
    true,
    true,
    true,
  ]);
});

it('is written from the fields of the declared arguments', () => {
  const commands = [{ name: 'set_tx_power', params: { dbm: { type: 'number' as const } } }];
  const form = { kind: 'command', name: 'set_tx_power', 'args.dbm': '14' };
  expect(bulkAction(form, commands)).toEqual({ command: '{"name":"set_tx_power","dbm":14}' });
});

const at = (ap_id: string, dbm?: number) => ({
  ap_id,
  configuration: {},
  latest: dbm === undefined ? {} : { tx_power_dbm: { ts: '2026-01-01T00:00:00Z', value: dbm } },
});
const command = { name: 'set_tx_power', args: { dbm: 14 } };

it('says what each has before and after', () => {
  expect(changeWords(command, at('a', 20))).toBe('dbm 20 → 14');
  expect(changeWords(command, at('a'))).toBe('dbm → 14');
  expect(changeWords({ name: 'reboot', args: {} }, at('a'))).toBe('');
});

it('takes as long as its pauses', () => {
  expect(secondsLeft(25, { size: 10, pause_seconds: 30 })).toBe(93);
  expect(secondsLeft(0, { size: 10, pause_seconds: 30 })).toBe(0);
});

it('commands that were accepted are sent, not done; labels are done', () => {
  const totals = { done: 12, refused: 0, stopped: 1 };
  expect(overWords('command', totals)).toBe('12 sent, 0 refused, 1 stopped');
  expect(overWords('labels', totals)).toBe('12 done, 0 refused, 1 stopped');
});
