// JSON of the server's own commands reads like that of the interface.
import { expect, test } from 'vitest';
import { toInterfaceJson } from './json-text.ts';

test('names are in snake_case, times are RFC 3339, and everything else stays', () => {
  const created_at = Date.parse('2026-11-15T09:05:07Z');
  const value = { isWhole: true, seq: 3, users: [{ created_at, disabledAt: null }], byName: { WEFT_PORT: 1 }, at: 0 };
  expect(JSON.parse(toInterfaceJson(value))).toEqual({
    is_whole: true,
    seq: 3,
    users: [{ created_at: '2026-11-15T09:05:07.000Z', disabled_at: null }],
    by_name: { WEFT_PORT: 1 },
    at: '1970-01-01T00:00:00.000Z',
  });
});
