// Which alarms are worth a notification.
import { expect, it } from 'vitest';
import { newAlarms } from './alarm-notices.ts';

const at = (second: number) => new Date(second * 1000).toISOString();
const alarm = (id: string, more: Partial<Parameters<typeof newAlarms>[0][number]> = {}) => ({
  ...{ id, since: at(100), severity: 'critical' as const, silenced_by: null },
  ...more,
});

it('each new alarm once, of a chosen severity, unless it is silenced or older than the choice', () => {
  const known = new Set<string>();
  const options = { known, sinceMs: 50_000, choice: 'serious' as const };
  const alarms = [
    alarm('a'),
    alarm('b', { severity: 'minor' }),
    alarm('c', { silenced_by: 'night' }),
    alarm('d', { since: at(10) }),
    alarm('e', { severity: 'major' }),
  ];
  expect(newAlarms(alarms, options)).toEqual(['a', 'e']);
  expect(newAlarms(alarms, options)).toEqual([]);
  expect(newAlarms([alarm('f', { severity: 'minor' })], { ...options, choice: 'all' })).toEqual(['f']);
  expect(newAlarms([alarm('g')], { ...options, choice: 'off' })).toEqual([]);
});

it('remembers a bounded number', () => {
  const known = new Set<string>();
  const many = Array.from({ length: 5000 }, (_, n) => alarm(String(n)));
  expect(newAlarms(many, { known, sinceMs: 0, choice: 'all' })).toHaveLength(5000);
  expect(known.size).toBeLessThanOrEqual(1000);
});
