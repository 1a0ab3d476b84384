// Alarms under their cause.
import { expect, it } from 'vitest';
import { foldAlarms } from './alarm-list.tsx';

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
