// Logins and refusals in the audit log: who, from where, how often, and never more entries than there is room for.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../../../../contract/src/index.ts';
import { rounds } from '../../../../../test/rounds.ts';
import { adminUsername, password, startWeft, type TestWeft } from '../../../../../test/weft.ts';
import { anonymous } from '../../base/caller.ts';

let weft: TestWeft;
let admin: string;
beforeAll(async () => {
  weft = await startWeft({
    WEFT_TRUSTED_PROXIES: '127.0.0.1',
    WEFT_ADMIN_USERNAME: adminUsername,
    WEFT_ADMIN_PASSWORD: password,
  });
  admin = await weft.login('user', adminUsername);
});
afterAll(() => weft.stop());

async function entriesOf(action: string): Promise<AuditEntry[]> {
  await weft.parts.audit.security.once();
  return (await weft.request('GET', `/api/v1/audit?action=${action}&limit=500`, { token: admin })).body.entries;
}

const tryLogin = (kind: string, username: string, secret: string, from: string) =>
  weft.request('POST', `/api/v1/token/?login_type=${kind}`, {
    form: { username, password: secret },
    headers: { 'x-forwarded-for': from },
  });

describe('the audit log', () => {
  it('has logins, with who, from where and how often', async () => {
    const began = new Date().toISOString();
    for (let n = 0; n < 3; n += 1) await tryLogin('user', adminUsername.toUpperCase(), password, '192.0.2.1');
    const ended = new Date().toISOString();
    await expect
      .poll(async () => (await entriesOf('login')).filter(({ detail }) => detail.address === '192.0.2.1'))
      .toMatchObject([
        {
          actor: { kind: 'user', name: adminUsername },
          target: { kind: 'user', name: adminUsername },
          detail: { count: 3, since: expect.stringMatching(/Z$/) },
        },
      ]);
    const [login] = (await entriesOf('login')).filter(({ detail }) => detail.address === '192.0.2.1');
    const { since, until } = login!.detail as { since: string; until: string };
    expect([began, since, until, ended].toSorted()).toEqual([began, since, until, ended]);
    expect(since < until).toBe(true);
  });

  it('names the account of a refused login if there is one, and else nothing that was typed', async () => {
    await weft.agent('ap-1');
    for (let n = 0; n < 4; n += 1) await tryLogin('agent', 'ap-1', `guess ${n}`, '192.0.2.2');
    for (let n = 0; n < 5; n += 1) await tryLogin('user', `my secret password ${n}`, 'x', '192.0.2.2');
    const found = async () => (await entriesOf('login_refused')).filter(({ detail }) => detail.address === '192.0.2.2');
    await expect
      .poll(async () =>
        (await found()).map(({ actor, target, detail }) => [actor.kind, target.kind, target.name, detail.count]).sort(),
      )
      .toEqual([
        ['anonymous', 'agent', 'ap-1', 4],
        ['anonymous', 'user', 'unknown', 5],
      ]);
    expect(JSON.stringify(await found())).not.toMatch(/guess|my secret/);
  });

  it('has shown keys, renewed tokens and refused requests', async () => {
    const user = await weft.user('ada@weft.test');
    await weft.app('planner');
    await weft.request('GET', '/api/v1/third_party_apps/planner', { token: admin });
    await weft.request('POST', '/api/v1/token/renew', { token: user });
    await weft.request('GET', '/api/v1/users/', { token: user });
    expect(await entriesOf('key_shown')).toMatchObject([
      { actor: { name: adminUsername }, target: { kind: 'third_party_app', name: 'planner' }, detail: { count: 1 } },
    ]);
    expect(await entriesOf('token_renewed')).toMatchObject([{ target: { kind: 'user', name: 'ada@weft.test' } }]);
    expect(await entriesOf('request_refused')).toMatchObject([
      { actor: { kind: 'user', name: 'ada@weft.test' }, target: { kind: 'operation', name: 'list_users' } },
    ]);
  });

  it('grows by a bounded number of entries, and none of the events is lost in the count', async () => {
    const { security, log } = weft.parts.audit;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ address: fc.nat(1500), name: fc.nat(200) }), { minLength: 1, maxLength: 4000 }),
        async (events) => {
          await security.once();
          const before = (await log.list({ limit: 1 })).entries[0]?.seq ?? 0;
          for (const { address, name } of events) {
            const from = `10.0.${address >> 8}.${address & 255}`;
            security.note({
              actor: anonymous,
              action: 'login_refused',
              target: { kind: 'user', name: `${name}` },
              address: from,
            });
          }
          await security.once();
          const written = (await log.page(before + 1, 5000)).map(({ detail }) => JSON.parse(detail).count as number);
          expect(written.length).toBeLessThanOrEqual(1001);
          expect(written.reduce((sum, count) => sum + count, 0)).toBe(events.length);
        },
      ),
      { numRuns: rounds(5) },
    );
  });
});
