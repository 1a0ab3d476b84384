// Moments on their way into a field and back.
import { expect, it } from 'vitest';
import { fromLocalMoment, toLocalMoment } from './local-moment.ts';

it('a moment comes back from the field as it went in, to the second', () => {
  const ms = Date.parse('2026-07-01T10:42:07.000Z');
  expect(Date.parse(fromLocalMoment(toLocalMoment(ms)))).toBe(ms);
});

it('what is no moment is passed on as it is', () => {
  expect(fromLocalMoment('')).toBe('');
  expect(fromLocalMoment('soon')).toBe('soon');
  expect(toLocalMoment(Number.NaN)).toBe('');
});
