// A user as the pages show one.
import type { DisabledUser, TokenData, WaitingUser } from '../../api/operations.ts';

export interface User {
  username: string;
  role: 'admin' | 'user';
  /** Undefined while the account is enabled. */
  disabled: { atMs: number; by: string } | undefined;
  /** Nobody has approved the account yet. */
  isWaiting: boolean;
}

/** Whoever is an administrator among other things is one. */
export function toUsers(
  users: readonly TokenData[],
  disabledUsers: readonly DisabledUser[],
  waitingUsers: readonly WaitingUser[],
): User[] {
  const waiting = new Set(waitingUsers.map(({ username }) => username));
  const byName = new Map(disabledUsers.map((user) => [user.username, user]));
  return users.map(({ username, roles }) => {
    const disabled = byName.get(username ?? '');
    return {
      username: username ?? '',
      role: roles.split(',').includes('admin') ? 'admin' : 'user',
      disabled: disabled && { atMs: Date.parse(disabled.disabled_at), by: disabled.disabled_by },
      isWaiting: waiting.has(username ?? ''),
    };
  });
}
