// Colours: for terminals only, and not for those who do not want them.
import { expect, test } from 'vitest';
import { hasColor, readColorFlag } from './surroundings.ts';

const terminal = { isTTY: true, write: () => true };

test('a terminal has colours, a file has none; NO_COLOR, a dumb terminal and --no-color turn them off', () => {
  expect(hasColor(terminal, {})).toBe(true);
  expect(hasColor({ write: () => true }, {})).toBe(false);
  expect(hasColor(terminal, { NO_COLOR: '1' })).toBe(false);
  expect(hasColor(terminal, { NO_COLOR: '' })).toBe(true);
  expect(hasColor(terminal, { TERM: 'dumb' })).toBe(false);
  const { rest, env } = readColorFlag(['agents', '--no-color', '--', '--no-color'], {});
  expect([rest, hasColor(terminal, env)]).toEqual([['agents', '--', '--no-color'], false]);
  expect(readColorFlag(['agents'], { A: '1' })).toEqual({ rest: ['agents'], env: { A: '1' } });
});
