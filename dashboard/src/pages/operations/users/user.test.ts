import { expect, test } from 'vitest';
import { toUsers } from './user.ts';

test('a user has its role, since when and by whom it is disabled, and whether it waits', () => {
  const users = [
    { username: 'ada@x', roles: 'user,admin' },
    { username: 'bob@x', roles: 'user' },
    { username: 'new@x', roles: 'user' },
  ];
  const disabled = [
    { username: 'bob@x', disabled_at: '2026-01-02T03:04:05.678Z', disabled_by: 'ada@x' },
    { username: 'gone@x', disabled_at: '2026-01-02T03:04:05.678Z', disabled_by: 'ada@x' },
  ];
  expect(toUsers(users, disabled, [{ username: 'new@x', waiting_since: '2026-01-02T03:04:05.678Z' }])).toEqual([
    { username: 'ada@x', role: 'admin', disabled: undefined, isWaiting: false },
    {
      username: 'bob@x',
      role: 'user',
      disabled: { atMs: Date.UTC(2026, 0, 2, 3, 4, 5, 678), by: 'ada@x' },
      isWaiting: false,
    },
    { username: 'new@x', role: 'user', disabled: undefined, isWaiting: true },
  ]);
});
