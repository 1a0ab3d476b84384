// Text that would be code elsewhere, in every field that takes text, on both databases: stored and returned as it is, or
// refused, and everything else is still there afterwards.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DatabaseNamespace, eachDatabase } from '../../../../../test/databases.ts';
import { adminUsername, password, startWeft, type TestWeft } from '../../../../../test/weft.ts';

const hostile = [
  "'",
  "''",
  '"',
  '`',
  '\\',
  "\\'",
  ';',
  '--',
  '/*',
  "' OR '1'='1",
  "'; DROP TABLE users; --",
  "' UNION SELECT password_hash FROM users --",
  '1; SELECT pg_sleep(10)',
  "') ON CONFLICT DO NOTHING; --",
  '$1',
  '$$',
  '?',
  ':name',
  '@p1',
  '%',
  '_',
  '{{7*7}}',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the attack
  '${7*7}',
  '<img src=x onerror=alert(1)>',
  'Robert"); DROP TABLE agents;--',
  '\u2028\u2029',
  '\u001b[2J',
  '😀',
];

eachDatabase((kind) => {
  let namespace: DatabaseNamespace;
  let weft: TestWeft;
  let token: string;

  beforeAll(async () => {
    namespace = await kind.createNamespace();
    weft = await startWeft(
      kind.dialect === 'postgres'
        ? { WEFT_DATABASE_URL: namespace.address, WEFT_SECRET: 'k7Qv1sZ0pX4mB9tR2yW6uE8iO3aD5fGh' }
        : {},
    );
    token = await weft.admin();
  });
  afterAll(async () => {
    await weft.stop();
    await namespace.remove();
  });

  const send = (method: string, path: string, json?: unknown) => weft.request(method, path, { token, json });

  describe('X1: text that would be SQL', () => {
    it('comes back from a configuration as it was, as key and as value', async () => {
      const configuration = Object.fromEntries(hostile.map((text) => [text, { [text]: [text] }]));
      expect((await send('POST', '/api/v1/agents/', { ap_id: 'sql', password, configuration })).status).toBe(200);
      expect((await send('GET', '/api/v1/agents/sql')).body.configuration).toEqual(configuration);
    });

    it('comes back from the key and the permissions of an app as it was', async () => {
      const permissions = { ...Object.fromEntries(hostile.map((text) => [text, text])), agents: hostile };
      for (const [index, text] of hostile.entries()) {
        const api_key = `${text} as a key`;
        const app_name = `sql-${index}`;
        const created = await send('POST', '/api/v1/third_party_apps/', { app_name, api_key, permissions });
        expect([created.status, created.body.api_key]).toEqual([200, api_key]);
        const stored = (await send('GET', `/api/v1/third_party_apps/${app_name}`)).body;
        expect([stored.api_key, stored.permissions]).toEqual([api_key, permissions]);
      }
      expect(await weft.login('third_party_app', 'sql-0', `${hostile[0]} as a key`)).toMatch(/\./);
    });

    it('works as a password, and only as the same one', async () => {
      const secret = "' OR '1'='1' --";
      const username = 'sql@weft.test';
      expect((await send('POST', '/api/v1/users/', { username, password: secret, roles: ['user'] })).status).toBe(200);
      expect(await weft.login('user', username, secret)).toMatch(/\./);
      await expect(weft.login('user', username, "' OR '1'='1")).rejects.toThrow('failed');
    });

    it.each(hostile)('%j is a name letter by letter or none, and opens nothing', async (text) => {
      const ap_id = `a${text}`;
      const created = await send('POST', '/api/v1/agents/', { ap_id, password, configuration: {} });
      expect(created.status).toBe(/^[\w.:@+-]+$/.test(text) ? 200 : 422);
      if (created.status === 200) {
        expect((await send('GET', `/api/v1/agents/${encodeURIComponent(ap_id)}`)).body.ap_id).toBe(ap_id);
        expect((await send('DELETE', `/api/v1/agents/${encodeURIComponent(ap_id)}`)).status).toBe(200);
      }
      for (const folder of ['users', 'agents', 'third_party_apps', 'enrolment_tokens']) {
        const path = `/api/v1/${folder}/${encodeURIComponent(text)}`;
        expect((await send('DELETE', path)).status).toBe(404);
        if (folder === 'enrolment_tokens') continue;
        expect((await send('GET', path)).status).toBe(404);
        expect((await send('PUT', path, {})).status).toBe(404);
      }
      const form = { username: `x${text}${adminUsername}`, password };
      expect((await weft.request('POST', '/api/v1/token/?login_type=user', { form })).status).toBe(401);
    });

    it('in an e-mail address is refused, or stored as it is', async () => {
      for (const text of hostile) {
        const username = `a${text}b@weft.test`;
        const { status } = await send('POST', '/api/v1/users/', { username, password, roles: ['user'] });
        expect([200, 422], text).toContain(status);
        if (status !== 200) continue;
        const stored = await send('GET', `/api/v1/users/${encodeURIComponent(username)}`);
        expect(stored.body.username).toBe(username);
        expect((await send('DELETE', `/api/v1/users/${encodeURIComponent(username)}`)).status).toBe(200);
      }
    });

    it('in a reset token is a bad token', async () => {
      for (const text of hostile) {
        const json = { token: text, new_password: password };
        expect((await weft.request('POST', '/api/v1/users/reset-password', { json })).status).toBe(400);
      }
    });

    it('has changed nothing else', async () => {
      const names = (await send('GET', '/api/v1/users/')).body.map(({ username }: { username: string }) => username);
      expect(names).toContain(adminUsername);
      expect((await send('GET', '/api/v1/users/me')).body.roles).toBe('admin');
    });
  });

  describe('I10: NUL and halves of characters', () => {
    it.each(['\0', 'a\0', '\ud800', '\udc00a'])('%j is 422 in every field of a body', async (text) => {
      const bodies: [string, string, unknown][] = [
        ['POST', '/api/v1/users/', { username: `${text}@weft.test`, password, roles: ['user'] }],
        ['POST', '/api/v1/users/', { username: 'a@weft.test', password: password + text, roles: ['user'] }],
        ['POST', '/api/v1/users/', { username: 'a@weft.test', password, roles: [text] }],
        ['POST', '/api/v1/users/signup', { username: 'a@weft.test', password: password + text }],
        ['POST', '/api/v1/users/password-recovery', { username: `a${text}@weft.test` }],
        ['POST', '/api/v1/users/reset-password', { token: text, new_password: password }],
        ['PUT', `/api/v1/users/${adminUsername}`, { password: password + text }],
        ['POST', '/api/v1/agents/', { ap_id: `a${text}`, password, configuration: {} }],
        ['POST', '/api/v1/agents/public', { ap_id: 'a', password, configuration: { [text]: 1 } }],
        ['POST', '/api/v1/agents/', { ap_id: 'a', password, configuration: { a: { b: [text] } } }],
        ['PUT', '/api/v1/agents/nowhere', { configuration: { a: text } }],
        ['POST', '/api/v1/third_party_apps/', { app_name: 'a', api_key: text, permissions: {} }],
        [
          'POST',
          '/api/v1/third_party_apps/',
          { app_name: 'a', api_key: 'a longer key', permissions: { [text]: [text] } },
        ],
        ['PUT', '/api/v1/third_party_apps/nothing', { api_key: text }],
        ['POST', '/api/v1/enrolment_tokens', { ap_id_pattern: text }],
      ];
      for (const [method, path, json] of bodies) {
        const answer = await send(method, path, json);
        expect([path, answer.status, answer.body.code]).toEqual([path, 422, 'validation_error']);
      }
    });

    it('NUL in a path, a query or a form is never more than a name nobody has', async () => {
      for (const path of ['/api/v1/users/%00', '/api/v1/agents/a%00b', '/api/v1/third_party_apps/%00a']) {
        expect((await send('GET', path)).status).toBe(404);
        expect((await send('DELETE', path)).status).toBe(404);
      }
      expect((await send('DELETE', '/api/v1/enrolment_tokens/%00')).status).toBe(404);
      for (const form of [
        { username: 'a\0', password },
        { username: adminUsername, password: '\0' },
      ]) {
        for (const kindOfLogin of ['user', 'agent', 'third_party_app']) {
          const answer = await weft.request('POST', `/api/v1/token/?login_type=${kindOfLogin}`, { form });
          expect(answer.status).toBe(422);
        }
      }
      const answer = await weft.request('POST', '/api/v1/token/?login_type=%00', { form: { username: 'a', password } });
      expect(answer.status).toBe(422);
    });
  });
});
