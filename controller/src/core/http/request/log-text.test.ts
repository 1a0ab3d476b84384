import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anyCharacter } from '../../../../../test/pure/any-text.ts';
import { chooseLogFormat, toReadableLine } from './log-text.ts';

it('is a line that a person can read', () => {
  const line = {
    level: 'info',
    time: '2026-01-02T03:04:05.678Z',
    request_id: 'a-1',
    method: 'POST',
    url: '/api/v1/users/',
    operation: 'create_user',
    status: 409,
    ms: 3.1,
    address: '10.0.0.7',
    caller: 'user:ada lovelace',
    msg: 'answered',
  };
  expect(toReadableLine(JSON.stringify(line))).toBe(
    '03:04:05.678 INFO  answered 409 POST /api/v1/users/ request_id=a-1 operation=create_user ms=3.1 address=10.0.0.7 caller="user:ada lovelace"\n',
  );
});

it('shows an error with its stack below', () => {
  const err = {
    name: 'TypeError',
    message: 'x is\nundefined',
    code: 'E1',
    stack: 'TypeError: x\n    at a (b.ts:1:2)\n    at c',
  };
  expect(
    toReadableLine(JSON.stringify({ level: 'error', time: '2026-01-02T03:04:05.678Z', err, msg: 'unexpected error' })),
  ).toBe('03:04:05.678 ERROR unexpected error [E1] TypeError: x is\\u{a}undefined\n    at a (b.ts:1:2)\n    at c\n');
});

it('whatever clients choose stays inside one line and holds no control character', () => {
  const text = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.constantFrom('\u001b[2J', 'a\nb', '\u202e', '\u2028', '\u009b2J'),
  );
  fc.assert(
    fc.property(fc.record({ level: text, msg: text, url: text, operation: text, caller: fc.object() }), (fields) => {
      const line = toReadableLine(JSON.stringify(fields));
      expect(line.endsWith('\n')).toBe(true);
      expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
    }),
  );
});

it.each([
  ['auto', true, 'text'],
  ['auto', false, 'json'],
  ['json', true, 'json'],
  ['text', false, 'text'],
] as const)('%s, terminal: %s, is %s', (setting, isTerminal, format) => {
  expect(chooseLogFormat(setting, isTerminal)).toBe(format);
});
