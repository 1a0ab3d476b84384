// Where reading the messages of a job begins.
import { expect, it } from 'vitest';
import { firstToRead } from './use-job-stream.ts';

it.each([
  ['a job without messages is read from its beginning', 0, 0, 0],
  ['so is one with a few', 20, 4000, 0],
  ['of many small messages the last 500 are read', 800, 8000, 300],
  ['of large messages as many as fit into 8 MiB', 100, 50 * 1024 * 1024, 84],
  ['and one in any case', 3, 300 * 1024 * 1024, 2],
])('%s', (_, last_seq, bytes, begin) => {
  expect(firstToRead({ last_seq, bytes })).toBe(begin);
});
