// Silences on their way from the form, and in words.
import { expect, it } from 'vitest';
import type { Silence } from '../../../api/client.ts';
import { emptySilence, isOver, toSilence, whenWords } from './silences.tsx';

it('a weekly one has days, times and a zone, one for once has moments', () => {
  const weekly = { ...emptySilence, kind: 'weekly', days: 'sun mon', selector: ' site:uk/** ' };
  expect(toSilence(weekly)).toEqual({
    selector: 'site:uk/**',
    rules: ['*'],
    weekly: { days: ['mon', 'sun'], from: '02:00', until: '05:00' },
    time_zone: 'site',
  });
  const once = {
    ...emptySilence,
    from: '2026-11-16T02:00',
    until: '2026-11-16T05:00',
    rules: 'off*\n\nlate',
    comment: 'x',
  };
  expect(toSilence(once)).toMatchObject({ rules: ['off*', 'late'], comment: 'x' });
  expect(toSilence(once).weekly).toBeUndefined();
  expect(Date.parse(toSilence(once).until!) - Date.parse(toSilence(once).from!)).toBe(3 * 3_600_000);
});

it('says when', () => {
  const weekly = { weekly: { days: ['sun'], from: '02:00', until: '05:00' }, time_zone: 'site' } as unknown as Silence;
  expect(whenWords(weekly)).toBe("every Sun, 02:00 to 05:00 (each site's time zone)");
  expect(isOver({ active: false, next: null } as unknown as Silence)).toBe(true);
});
