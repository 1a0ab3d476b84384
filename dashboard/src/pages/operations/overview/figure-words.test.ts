// Figures and reasons in words.
import { expect, test } from 'vitest';
import { changeWords, figureOf, reasonOf } from './figure-words.ts';

test('a figure has its unit apart, and none where nobody says', () => {
  expect(figureOf(1240, 'Mb/s')).toEqual({ value: '1.24', unit: 'Gb/s' });
  expect(figureOf(97.5, '%')).toEqual({ value: '97.5', unit: '%' });
  expect(figureOf(163, '')).toEqual({ value: '163', unit: '' });
  expect(figureOf(null, '%')).toBeUndefined();
});

test('the change since yesterday is in per cent, of shares in points', () => {
  expect(changeWords(120, 100, false)).toBe('+20\u2009% since yesterday');
  expect(changeWords(97, 100, false)).toBe('−3\u2009% since yesterday');
  expect(changeWords(98.5, 97, true)).toBe('+1.5 points since yesterday');
  expect(changeWords(100, 100.2, false)).toBe('as yesterday');
  expect(changeWords(5, 0, false)).toBe('nothing yesterday');
  expect(changeWords(0, 0, false)).toBe('as yesterday');
  expect(changeWords(5, null, false)).toBe('no data of yesterday');
  expect(changeWords(null, 5, true)).toBe('no access point reports it');
});

test('a reason does not repeat the name beside it', () => {
  const agent = { ap_id: 'emu-1', display_name: 'hall-1' };
  expect(reasonOf({ ...agent, causes: ['hall-1 is offline'] })).toBe('Offline');
  expect(reasonOf({ ...agent, causes: ['hall-1: noise of -47 dBm', 'more'] })).toBe('Noise of -47 dBm and 1 more');
  expect(reasonOf({ ...agent, causes: ['Its reports are late'] })).toBe('Its reports are late');
  expect(reasonOf({ ...agent, causes: [] })).toBe('');
});
