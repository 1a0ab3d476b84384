// A user as the pages show one, and changes of accounts: the server keeps the last administrator, and its words are shown with
// the way out.
import { type DisabledUser, Failure, type TokenData, type WaitingUser } from '../../../api/client.ts';
import { queries } from '../../../data/use-operation.ts';

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

/** Resolves as the change does, once the lists are being requested again. */
export async function guardedChange<Value>(change: Promise<Value>): Promise<Value> {
  try {
    return await change;
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'last_administrator') throw error;
    throw new Failure(
      409,
      error.code,
      `${error.message.replace(/\.?$/, '.')} First make another user an administrator, or enable a disabled administrator.`,
    );
  } finally {
    refreshUsers();
  }
}

export function refreshUsers(): void {
  queries.refresh('list_users', 'list_disabled_users', 'list_waiting_users');
}
