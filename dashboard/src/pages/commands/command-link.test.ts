// Nobody is sent to a command that does not exist for them.
import { afterEach, expect, it } from 'vitest';
import { session } from '../../session/session.ts';
import { maySee } from './command-link.tsx';

const signedIn = (username: string, isAdmin: boolean) => {
  session.value = { token: 'token', username, isAdmin, renewAt: 0, expiresAt: Number.MAX_SAFE_INTEGER };
};
const own = { caller_kind: 'user', caller_name: 'bob@example.org' };
const others = { caller_kind: 'third_party_app', caller_name: 'energy-saver' };
const namesake = { caller_kind: 'third_party_app', caller_name: 'bob@example.org' };

afterEach(() => {
  session.value = undefined;
});

it('a user sees what they sent, an administrator everything, nobody nothing', () => {
  signedIn('bob@example.org', false);
  expect([own, others, namesake].map(maySee)).toEqual([true, false, false]);
  signedIn('ada@example.org', true);
  expect([own, others, namesake].map(maySee)).toEqual([true, true, true]);
  session.value = undefined;
  expect([own, others].map(maySee)).toEqual([false, false]);
});
