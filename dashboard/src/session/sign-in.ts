// From a name and a password to a session.
import { call } from '../api/client.ts';
import { begin } from './session.ts';

/** Rejects with Failure if the name or the password is not right. */
export async function signIn(username: string, password: string): Promise<void> {
  const { access_token, expires_in } = await call('create_token', {
    query: { login_type: 'user' },
    form: { username, password },
  });
  const claims = claimsOf(access_token);
  begin({
    token: access_token,
    username: claims.sub ?? username.trim().toLowerCase(),
    isAdmin: (claims.roles ?? []).includes('admin'),
    expiresAt: Date.now() + expires_in * 1000,
  });
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
