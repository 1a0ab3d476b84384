// A user as the pages show one.
import type { TokenData } from '../../api/operations.ts';

export interface User {
  username: string;
  role: 'admin' | 'user';
}

/** Whoever is an administrator among other things is one. */
export function toUser({ username, roles }: TokenData): User {
  return { username: username ?? '', role: roles.split(',').includes('admin') ? 'admin' : 'user' };
}
