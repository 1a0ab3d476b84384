// The other commands of `weft`, beside a server that runs.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runHere, serve } from './weft-here.ts';
import { adminUsername, eventually, password, runWeft, temporaryFolder } from './weft-process.ts';

const canary = 'cQ7vN2xKd9Rf4TzLw8HsJb3Ym6Gc1EaU5iVo0XlZ';

test('accounts are added, listed and given passwords beside a running server, which knows at once; doctor is content with it', async () => {
  const weft = await serve();
  const { folder } = weft;
  const env = { WEFT_DATA_DIR: join(folder, 'data'), WEFT_PORT: new URL(weft.url).port };
  const typed = (args: string[], input: string) => runHere(['user', ...args, '--password-stdin'], env, input);
  const add = ['user', 'add', 'Ada@Example.org', '--role', 'admin', '--password-stdin'];
  expect((await runWeft(add, { folder, input: `${password}\n` })).code).toBe(0);
  const login = await weft.login(adminUsername, password);
  expect(login.status).toBe(200);
  const token = login.body.access_token;
  expect((await weft.request('GET', '/api/v1/users/', { token })).status).toBe(200);

  const list = await runHere(['user', 'list'], env);
  expect(list.out).toMatch(/^ada@example\.org {2}admin +\d{4}-\d\d-\d\d [\d:]+ {2}enabled\n$/);

  expect((await typed(['set-password', adminUsername], 'another password\n')).code).toBe(0);
  const asMe = () => weft.request('GET', '/api/v1/users/me', { token }).then(({ status }) => status);
  expect(await eventually(asMe, (status) => status === 401)).toBe(401);
  expect((await weft.login(adminUsername, password)).status).toBe(401);
  expect((await weft.login(adminUsername, 'another password')).status).toBe(200);

  const unknown = await typed(['set-password', 'nobody@example.org'], 'another password\n');
  expect([unknown.code, unknown.out]).toEqual([1, '']);
  expect(unknown.err).toMatch(/^weft: .*\n$/);

  const { code, out } = await runHere(['doctor'], env);
  expect(out).not.toContain('✗');
  expect(out).toContain('Weft runs there and is ready');
  expect(code).toBe(0);
});

test('doctor names everything that is wrong, and what to do', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'file'), '');
  const env = {
    WEFT_DATABASE_URL: 'postgres://weft@127.0.0.1:1/weft',
    WEFT_SECRET: canary,
    WEFT_SMTP_URL: 'smtp://127.0.0.1:1',
    WEFT_DATA_DIR: join(folder, 'file'),
  };
  const { code, out } = await runHere(['doctor', '--json'], env);
  expect(code).toBe(1);
  const bad = JSON.parse(out).filter(({ ok }: { ok: boolean }) => !ok);
  expect(bad.map(({ name }: { name: string }) => name)).toEqual(
    expect.arrayContaining(['data folder', 'PostgreSQL database', 'Mail']),
  );
  for (const { advice } of bad) expect(advice).toBeTruthy();
  expect(out).not.toContain(canary);
});

test('config print shows where each setting comes from, and no secret', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'admin-password');
  writeFileSync(file, canary, { mode: 0o600 });
  writeFileSync(
    join(folder, 'weft.env'),
    `WEFT_SIGNUP=closed\nWEFT_SMTP_URL=smtp://weft:${canary}@mail.example.org\n`,
    {
      mode: 0o600,
    },
  );
  const env = {
    WEFT_SECRET: canary,
    WEFT_DATABASE_URL: `postgres://weft:${canary}@db.example.org/weft`,
    WEFT_ADMIN_USERNAME: adminUsername,
    WEFT_ADMIN_PASSWORD_FILE: file,
  };
  const { code, out, err } = await runWeft(['config', 'print', '--port', '9000'], { folder, env });
  expect(code).toBe(0);
  const lines = [
    /^WEFT_PORT=9000 +# --port$/m,
    /^WEFT_SIGNUP=closed +# settings file$/m,
    /^WEFT_SECRET=\*\*\* +# env/m,
  ];
  for (const line of lines) expect(out).toMatch(line);
  expect(out + err).not.toContain(canary);
});
