// Tokens go by the time of the database that nodes share, whatever the clock of the machine says.
import { expect, test } from 'vitest';
import type { Principal, PrincipalSource } from '../../base/caller.ts';
import { generateSecret, Keyring } from '../../base/secrets.ts';
import { AuthService } from './auth-service.ts';

const hourMs = 3_600_000;

test('a node whose clock is hours off issues tokens that end in time, and takes those of others', async () => {
  const principal: Principal = { caller: { kind: 'agent', id: '1', name: 'ap-1', ver: 'v' }, ver: 'v' };
  const source: PrincipalSource = {
    principal: async () => principal,
    present: async () => [],
    authenticate: async () => undefined,
  };
  let nowMs = 0;
  const auth = new AuthService({
    sources: { agent: source, user: source, third_party_app: source },
    sessions: { head: async () => ({ revision: 0, forgotten: 0 }), listEnded: async () => [] },
    keyring: new Keyring(generateSecret()),
    tokenTtlSeconds: 3600,
    freshMs: 0,
    now: () => nowMs,
  });
  for (const offMs of [-5 * hourMs, 5 * hourMs]) {
    const startMs = Math.floor((Date.now() + offMs) / 1000) * 1000;
    nowMs = startMs;
    const { token, expiresAtMs } = await auth.issue(principal, { session: 's' });
    expect([token.expires_in, expiresAtMs]).toEqual([3600, startMs + hourMs]);
    const shown = auth.read(token.access_token)!;
    expect(await shown.admit()).toEqual(principal.caller);
    expect(shown.session?.expiresAtMs).toBe(expiresAtMs);
    nowMs = startMs + hourMs - 1;
    expect(await shown.admit()).toEqual(principal.caller);
    nowMs = startMs + hourMs;
    await expect(async () => shown.admit()).rejects.toThrow('Could not validate');
  }
});
