// Pages of a list put together.
import { expect, it } from 'vitest';
import { mergeRows } from './use-feed.ts';

it('rows of both pages, newest first, each once and as the newer answer has it', () => {
  const newer = [
    { id: 4, state: 'new' },
    { id: 3, state: 'changed' },
  ];
  const older = [
    { id: 3, state: 'old' },
    { id: 2, state: 'old' },
  ];
  expect(mergeRows(newer, older, ({ id }) => id)).toEqual([...newer, older[1]]);
});
