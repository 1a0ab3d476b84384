// Alarms under their cause.
import { expect, it } from 'vitest';
import { countWords, foldAlarms } from './alarm-list.tsx';

const alarm = (id: string, inhibited_by: string | null = null) => ({ id, inhibited_by });
const shown = (alarms: ReturnType<typeof alarm>[], opened: string[] = []) =>
  foldAlarms(alarms, new Set(opened)).map(({ alarm: { id }, consequences }) => `${id} ${consequences}`);

it('consequences are folded under their cause until it is opened', () => {
  const alarms = [alarm('a', 'site'), alarm('site'), alarm('b', 'site'), alarm('other')];
  expect(shown(alarms)).toEqual(['site 2', 'other 0']);
  expect(shown(alarms, ['site'])).toEqual(['site 2', 'a 0', 'b 0', 'other 0']);
});

it('one whose cause is not in the list stands by itself', () => {
  expect(shown([alarm('a', 'gone'), alarm('b', 'b')])).toEqual(['a 0', 'b 0']);
});

it('counts what the bell and the wall display count, and says what else there is', () => {
  const one = (more: object = {}) => ({
    state: 'firing' as const,
    inhibited_by: null,
    silenced_by: null,
    shelved_until: null,
    ...more,
  });
  const nowMs = Date.parse('2026-11-18T12:00:00Z');
  const words = (...alarms: ReturnType<typeof one>[]) => countWords(alarms, nowMs).replaceAll('\u00a0', ' ');
  expect(words(one())).toBe('1 alarm, 1 not acknowledged.');
  expect(words(one(), one({ state: 'acknowledged' }))).toBe('2 alarms, 1 not acknowledged.');
  const aside = [{ silenced_by: 's' }, { shelved_until: '2026-11-18T13:00:00Z', inhibited_by: 'a' }].map(one);
  const over = one({ shelved_until: '2026-11-18T11:00:00Z' });
  expect(words(over, one({ inhibited_by: 'a' }), ...aside)).toBe(
    '1 alarm, 1 not acknowledged. Not counted: 1 following from others, 2 silenced or shelved.',
  );
});
