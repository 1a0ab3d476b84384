// From a name and a password to a session.
import { call } from '../api/client.ts';
import type { Token } from '../api/operations.ts';
import { begin, type Session } from './session.ts';

/** Between two renewals at least, so that the last seconds of a session are not full of them. */
const minRenewMs = 10_000;

/** Rejects with Failure if the name or the password is not right. */
export async function signIn(username: string, password: string): Promise<void> {
  const token = await call('create_token', {
    query: { login_type: 'user' },
    form: { username, password },
  });
  begin(toSession(token, username.trim().toLowerCase()));
}

/** The session that this token gives; `username` if the token does not say. */
export function toSession({ access_token, expires_in }: Token, username: string, now = Date.now()): Session {
  const claims = claimsOf(access_token);
  return {
    token: access_token,
    username: claims.sub ?? username,
    isAdmin: (claims.roles ?? []).includes('admin'),
    expiresAt: now + expires_in * 1000,
    renewAt: now + Math.max(minRenewMs, expires_in * 500),
  };
}

/** What the token says about its owner, to choose what to show; the server decides for itself. */
function claimsOf(token: string): { sub?: string; roles?: string[] } {
  try {
    const payload = token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/');
    const bytes = Uint8Array.from(atob(payload), (character) => character.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return {};
  }
}
