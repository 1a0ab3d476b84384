import { expect, test } from 'vitest';
import { toPostgresPlaceholders } from './postgres-session.ts';

test.each([
  ['SELECT 1', 'SELECT 1'],
  ['VALUES (?, ?,?)', 'VALUES ($1, $2,$3)'],
  [`'?' ?`, `'?' $1`],
  [`'it''s ?' ? ''?`, `'it''s ?' $1 ''$2`],
  [`"a?""?" ?`, `"a?""?" $1`],
  [`'"' ? '"'`, `'"' $1 '"'`],
  ["-- ? it's\n?", "-- ? it's\n$1"],
  ["/* ? ' */ ? - ? / ?", "/* ? ' */ $1 - $2 / $3"],
  ['-- ends here ?', '-- ends here ?'],
])('%j', (sql, expected) => {
  expect(toPostgresPlaceholders(sql)).toBe(expected);
  expect(toPostgresPlaceholders(sql)).toBe(expected);
});
