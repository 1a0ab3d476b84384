import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { ConfigError, loadConfig } from './config.ts';
import type { SettingSources } from './setting-sources.ts';
import { settingKeys, settings } from './settings.ts';

const good = randomBytes(32).toString('base64');

function problemsOf(sources: SettingSources): string[] {
  try {
    loadConfig(sources);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

const fileOf = (text: string, everybodyCanRead = false) => ({ readFile: () => ({ text, everybodyCanRead }) });

test('without any setting: loopback, port 8000, SQLite in ./data', () => {
  const config = loadConfig({});
  expect(config).toMatchObject({ host: '127.0.0.1', port: 8000, databaseUrl: undefined, secret: undefined });
  expect(config.dataDir).toBe(resolve('data'));
  expect(config.metricsAllow).toEqual(['127.0.0.0/8', '::1/128']);
  expect(config.passwordLength).toEqual({ min: 8, max: 128 });
  expect(config.warnings).toEqual([]);
});

test('flags win over the environment, the environment over the file, the file over the default', () => {
  const file = { WEFT_PORT: '1', WEFT_HOST: 'file.test', WEFT_SIGNUP: 'closed' };
  const config = loadConfig({
    file,
    env: { WEFT_PORT: '2', WEFT_HOST: 'env.test', WEFT_INSECURE_HTTP: 'allow' },
    flags: { port: '3' },
  });
  expect([config.port, config.host, config.signup, config.logLevel]).toEqual([3, 'env.test', 'closed', 'info']);
});

test('telemetry stays 30 days as it came and 400 days rolled up, in the data folder, unless settings say otherwise', () => {
  expect(loadConfig({})).toMatchObject({
    telemetryUrl: undefined,
    telemetryRetentionDays: 30,
    rollupRetentionDays: 400,
  });
  const telemetryUrl = 'clickhouses://weft:pass%40word@clickhouse.test:8443/radio';
  const env = {
    WEFT_TELEMETRY_RETENTION_DAYS: '7',
    WEFT_ROLLUP_RETENTION_DAYS: '90',
    WEFT_TELEMETRY_URL: telemetryUrl,
  };
  expect(loadConfig({ env })).toMatchObject({ telemetryUrl, telemetryRetentionDays: 7, rollupRetentionDays: 90 });
});

test('one process does everything by default; fewer roles need what processes share, and a worker a place for results', () => {
  expect(loadConfig({})).toMatchObject({
    amqpUrl: undefined,
    roles: ['api', 'worker', 'emulator'],
    callbackUrl: undefined,
    jobRetentionHours: 24,
    jobTimeoutMinutes: 60,
    jobRetakeMinutes: 60,
    maxOpenJobs: 1000,
    maxWaitingJobs: 10_000,
  });
  expect(problemsOf({ flags: { roles: 'worker' } })).toEqual([
    'WEFT_DATABASE_URL is missing: with WEFT_ROLES=worker other processes do the rest, and share it',
    'WEFT_TELEMETRY_URL is missing: with WEFT_ROLES=worker other processes do the rest, and share it',
    'WEFT_AMQP_URL is missing: with WEFT_ROLES=worker other processes do the rest, and share it',
  ]);
  expect(problemsOf({ flags: { roles: 'emulator' } }).at(-1)).toBe(
    'WEFT_CALLBACK_URL is missing: an emulator without the role api must know where results go',
  );
  expect(problemsOf({ flags: { roles: '' } })).toEqual(['WEFT_ROLES is empty: name api, worker or emulator']);
  expect(problemsOf({ flags: { roles: 'api,baker' } })[0]).toMatch(/^WEFT_ROLES /);
  const env = {
    WEFT_DATABASE_URL: 'postgres://weft@db.test/weft',
    WEFT_SECRET: 'fHsk3v0QmZ8Tn1Lr5Wc9Xb2Yd7Ge4Pj6Ka0Ui',
    WEFT_TELEMETRY_URL: 'clickhouses://clickhouse.test:8443/weft',
    WEFT_AMQP_URL: 'amqps://weft:hidden@rabbit.test/weft',
  };
  expect(loadConfig({ env, flags: { roles: 'worker,worker' } })).toMatchObject({ roles: ['worker'] });
});

test('several servers are named in one address, each with a host', () => {
  const env = { WEFT_SECRET: good, WEFT_DATABASE_URL: 'postgres://weft@a:1,b:2/weft?sslmode=verify-full' };
  expect(loadConfig({ env })).toMatchObject({ databaseUrl: env.WEFT_DATABASE_URL });
  for (const hosts of ['a:1,', 'a:1,b:x', 'a,[b']) {
    const [problem, ...others] = problemsOf({
      env: { WEFT_SECRET: good, WEFT_AMQP_URL: `amqps://weft:hidden@${hosts}` },
    });
    expect(others).toEqual([]);
    expect(problem).toMatch(/^WEFT_AMQP_URL (must be a URL|names several servers)/);
  }
});

test('with InfluxDB a start is refused, wherever it is set, and says how to take telemetry from there', () => {
  const url = 'https://weft:hidden@influx.test:8086';
  for (const [sources, name] of [
    [{ env: { WEFT_INFLUX_URL: url } }, 'WEFT_INFLUX_URL'],
    [{ env: { WEFT_INFLUX_URL_FILE: '/run/secrets/influx' } }, 'WEFT_INFLUX_URL_FILE'],
    [{ file: { WEFT_INFLUX_URL: url } }, 'WEFT_INFLUX_URL'],
    [{ env: { WEFT_INFLUX_URL: url, WEFT_TELEMETRY_URL: 'clickhouse://127.0.0.1:8123' } }, 'WEFT_INFLUX_URL'],
  ] as const) {
    expect(problemsOf(sources)).toEqual([
      `${name} is set, and telemetry is not stored in InfluxDB any more: export it with influx_inspect, start Weft ` +
        'without this setting, and read the export with weft import (docs/operations.md, Leaving InfluxDB)',
    ]);
  }
});

test('the engine of tables in ClickHouse is one that Weft can create, or existing', () => {
  const good = ['existing', 'ReplicatedMergeTree', "ReplicatedMergeTree('/x/{shard}/{table}', '{replica}')"];
  for (const WEFT_CLICKHOUSE_ENGINE of good) {
    expect(loadConfig({ env: { WEFT_CLICKHOUSE_ENGINE } })).toMatchObject({ clickHouseEngine: WEFT_CLICKHOUSE_ENGINE });
  }
  expect(loadConfig({ env: {} })).toMatchObject({ clickHouseEngine: 'MergeTree' });
  const bad = ['Log', 'mergetree', "ReplicatedMergeTree('/x/{table}')", 'MergeTree() ORDER BY a; DROP TABLE b; --'];
  for (const WEFT_CLICKHOUSE_ENGINE of bad) {
    const words = "must be MergeTree, ReplicatedMergeTree, ReplicatedMergeTree('path', 'replica') or existing";
    expect(problemsOf({ env: { WEFT_CLICKHOUSE_ENGINE } })).toEqual([
      expect.stringContaining(`WEFT_CLICKHOUSE_ENGINE ${words}, not`),
    ]);
  }
  expect(problemsOf({ env: { WEFT_CLICKHOUSE_ENGINE: "ReplicatedMergeTree('/x', '{replica}')" } })).toEqual([
    expect.stringContaining('WEFT_CLICKHOUSE_ENGINE must have {table} or {uuid} in its path'),
  ]);
});

test('telemetry is in one database, which may have standbys; what 0.2.0 took beyond that says what to do', () => {
  const problems = (value: string) => problemsOf({ env: { WEFT_TELEMETRY_URL: value } });
  const servers = 'postgres://weft@a.test,b.test/x?sslmode=verify-full';
  expect(loadConfig({ env: { WEFT_TELEMETRY_URL: servers } })).toMatchObject({ telemetryUrl: servers, warnings: [] });
  for (const between of [' ', '\n', ',', ', ']) {
    expect(problems(`${servers}${between}postgres://weft:hidden@c.test/x`)).toEqual([
      'WEFT_TELEMETRY_URL names several databases, and telemetry is in one: with Weft 0.2.0 move everything to one of ' +
        'them with weft rebalance --drain, then name that one (environment)',
    ]);
  }
  expect(problems('postgres://a.test/x b.test')).toEqual([expect.stringContaining('names several databases')]);
  for (const standby of ['?standby', '?standby=5', '?sslmode=require&standby=30&options=-c%20a']) {
    expect(problems(`postgres://weft:hidden@a.test,b.test/x${standby}`)).toEqual([
      'WEFT_TELEMETRY_URL has standby, and telemetry is not read from standbys any more: remove that from the address ' +
        '(environment)',
    ]);
  }
});

test('roll-ups that would go before their samples, and an address of telemetry that is none, stop the start', () => {
  expect(problemsOf({ env: { WEFT_ROLLUP_RETENTION_DAYS: '29' } })).toEqual([
    'WEFT_TELEMETRY_RETENTION_DAYS (30) must not be above WEFT_ROLLUP_RETENTION_DAYS (29)',
  ]);
  const [problem, ...others] = problemsOf({ env: { WEFT_TELEMETRY_URL: 'influx://weft:hidden@influx.test' } });
  expect(others).toEqual([]);
  expect(problem).toMatch(/^WEFT_TELEMETRY_URL must be a URL beginning with postgres:\/\//);
  expect(problem).not.toContain('hidden');
});

test('ten wrong settings are ten lines, each with the name', () => {
  const env = {
    WEFT_HOST: 'not a host',
    WEFT_PORT: '65536',
    WEFT_SECRET: 'changeme',
    WEFT_TOKEN_TTL_SECONDS: '59',
    WEFT_SIGNUP: 'maybe',
    WEFT_PUBLIC_URL: 'https://weft.test/path',
    WEFT_TRUSTED_PROXIES: '10.0.0.0/33',
    WEFT_CORS_ORIGINS: '*',
    WEFT_LOG_LEVEL: 'loud',
    WEFT_MAX_USERS: '1e3',
  };
  const problems = problemsOf({ env });
  expect(problems).toHaveLength(10);
  for (const name of Object.keys(env)) {
    expect(problems.filter((problem) => problem.startsWith(`${name} `))).toHaveLength(1);
  }
  expect(problems.every((problem) => !problem.includes('\n'))).toBe(true);
  expect(problems).toContainEqual(expect.stringMatching(/^WEFT_CORS_ORIGINS must name each origin/));
});

test.each(['https://example.org/weft', 'https://www.example.org/weft/', 'http://10.0.0.1:8080/a/b'])(
  'a public address with a path (%s) is refused with what to do instead',
  (WEFT_PUBLIC_URL) => {
    const [problem, ...others] = problemsOf({ env: { WEFT_PUBLIC_URL } });
    expect(others).toEqual([]);
    expect(problem).toMatch(/^WEFT_PUBLIC_URL must not have a path: .* name of its own .*docs\/operations\.md/);
  },
);

test.each([
  ['empty', ''],
  ['31 bytes', randomBytes(40).toString('base64').replace(/[+/]/g, 'x').slice(0, 31)],
  ['changeme', 'changeme'],
  ['a long placeholder', 'please-change-me-before-you-go-live-0123456789'],
  ['replace-me', 'REPLACE_ME_WITH_SOMETHING_LONG_AND_UNKNOWN'],
  ['a repeated character', 'x'.repeat(64)],
  ['a repeated piece', 'kD8-qz3Lw'.repeat(5)],
  ['a sequence', 'abcdefghijklmnopqrstuvwxyz0123456789'],
  ['an example', 'my-example-for-the-signing-of-tokens-1'],
  ['a test value', 'test-9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c'],
])('a signing secret that is %s stops the start and is not repeated', (_, secret) => {
  for (const env of [{ WEFT_SECRET: secret }, { WEFT_SECRET_PREVIOUS: secret }]) {
    const problems = problemsOf({ env });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^WEFT_SECRET/);
    if (secret !== '') expect(problems[0]).not.toContain(secret);
  }
});

test('random secrets in the usual spellings are taken', () => {
  for (let round = 0; round < 500; round++) {
    for (const spelling of ['base64', 'base64url', 'hex'] as const) {
      // The same ones each time: of a million, one holds a word of a placeholder.
      const secret = createHash('sha256').update(`${round}`).digest(spelling);
      expect(loadConfig({ env: { WEFT_SECRET: secret } }).secret).toBe(secret);
    }
  }
});

test('no secret printed in our documents is taken', () => {
  const root = resolve(import.meta.dirname, '../../../..');
  const inDocs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' });
  const paths = [...readdirSync(root), ...inDocs.map((path) => join('docs', path))];
  const documents = paths.filter((path) => path.endsWith('.md'));
  expect(documents).toContain('docs/configuration.md');
  for (const path of documents) {
    for (const [, secret = ''] of readFileSync(join(root, path), 'utf8').matchAll(/WEFT_SECRET=["']?([^\s"'`$]+)/g)) {
      expect(problemsOf({ env: { WEFT_SECRET: secret } }), `${path} prints a usable secret`).not.toEqual([]);
    }
  }
});

test('PostgreSQL needs a secret', () => {
  const env = { WEFT_DATABASE_URL: 'postgres://weft@db/weft' };
  expect(problemsOf({ env })).toEqual([expect.stringMatching(/^WEFT_SECRET is missing/)]);
  expect(problemsOf({ env: { ...env, WEFT_SECRET: good } })).toEqual([]);
  expect(problemsOf({ env: { WEFT_DATABASE_URL: 'mysql://u:hunter2hunter2@db/weft', WEFT_SECRET: good } })).toEqual([
    'WEFT_DATABASE_URL must be a URL beginning with postgres:// or postgresql:// (environment)',
  ]);
});

test('a secret may come from a file, without its last line end', () => {
  const config = loadConfig({ env: { WEFT_SECRET_FILE: '/keys/weft' }, ...fileOf(`${good}\n`) });
  expect(config.secret).toBe(good);
});

test('a key file that everybody can read stops the start, except where a container mounts secrets', () => {
  const open = fileOf(good, true);
  expect(problemsOf({ env: { WEFT_SECRET_FILE: '/keys/weft' }, ...open })).toEqual([
    'WEFT_SECRET_FILE names a file that everybody can read: chmod 600 /keys/weft',
  ]);
  expect(problemsOf({ env: { WEFT_SECRET_FILE: '/run/secrets/weft' }, ...open })).toEqual([]);
});

test('any other secret in a file that everybody can read is a warning', () => {
  const env = { WEFT_SMTP_URL_FILE: '/keys/smtp' };
  expect(loadConfig({ env, ...fileOf('smtps://mail.test', true) }).warnings).toEqual([
    'WEFT_SMTP_URL_FILE names a file that everybody can read: chmod 600 /keys/smtp',
  ]);
});

test('a missing secret file is one problem, not also a missing secret', () => {
  const problems = problemsOf({
    env: { WEFT_SECRET_FILE: '/does/not/exist', WEFT_DATABASE_URL: 'postgres://weft@db/weft' },
  });
  expect(problems).toEqual([expect.stringMatching(/^WEFT_SECRET_FILE names a file that cannot be read: ENOENT/)]);
});

test('a secret given twice in one place is a problem; in two places the stronger place wins', () => {
  expect(problemsOf({ env: { WEFT_SECRET: good, WEFT_SECRET_FILE: '/x' }, ...fileOf(good) })).toEqual([
    'WEFT_SECRET and WEFT_SECRET_FILE are both set: keep one (environment)',
  ]);
  const other = randomBytes(32).toString('hex');
  expect(loadConfig({ env: { WEFT_SECRET_FILE: '/x' }, file: { WEFT_SECRET: other }, ...fileOf(good) }).secret).toBe(
    good,
  );
});

test('unknown names: an error in the file and in flags, a warning in the environment, each with a guess', () => {
  expect(problemsOf({ file: { WEFT_PROT: '1' }, flags: { hots: 'x' } })).toEqual([
    '--hots is not a setting. Did you mean --host?',
    'WEFT_PROT in the settings file is not a setting. Did you mean WEFT_PORT?',
  ]);
  const env = { WEFT_SINGUP: 'closed', WEFT_CONFIG: 'weft.env', HOME: '/root', WEFT_TEST_LONG: '1' };
  expect(loadConfig({ env }).warnings).toEqual([
    'WEFT_SINGUP in the environment is not a setting. Did you mean WEFT_SIGNUP?',
  ]);
});

test('pairs are given together', () => {
  const readable = fileOf('');
  expect(problemsOf({ env: { WEFT_ADMIN_USERNAME: 'ada@weft.test' } })[0]).toMatch(/^WEFT_ADMIN_PASSWORD is missing/);
  expect(problemsOf({ env: { WEFT_ADMIN_PASSWORD: 'long enough' } })[0]).toMatch(/^WEFT_ADMIN_USERNAME is missing/);
  expect(problemsOf({ env: { WEFT_TLS_CERT: 'c.pem' }, ...readable })[0]).toMatch(/^WEFT_TLS_KEY is missing/);
  expect(problemsOf({ env: { WEFT_TLS_KEY: 'k.pem' }, ...readable })[0]).toMatch(/^WEFT_TLS_CERT is missing/);
  const env = { WEFT_ADMIN_USERNAME: 'ada@weft.test', WEFT_ADMIN_PASSWORD: 'long enough' };
  expect(loadConfig({ env }).admin).toEqual({ username: 'ada@weft.test', password: 'long enough' });
  const tls = { WEFT_TLS_CERT: 'c.pem', WEFT_TLS_KEY: 'k.pem' };
  expect(loadConfig({ env: tls, ...readable }).tls).toEqual({ certFile: resolve('c.pem'), keyFile: resolve('k.pem') });
  expect(problemsOf({ env: { WEFT_TLS_CERT: '/no/c.pem', WEFT_TLS_KEY: '/no/k.pem' } })).toHaveLength(2);
});

test('the first administrator keeps the rule for passwords', () => {
  const env = { WEFT_ADMIN_USERNAME: 'ada@weft.test', WEFT_ADMIN_PASSWORD: 'seven77' };
  expect(problemsOf({ env })).toEqual(['WEFT_ADMIN_PASSWORD must have 8 to 128 characters']);
  expect(problemsOf({ env: { WEFT_PASSWORD_MIN_LENGTH: '20', WEFT_PASSWORD_MAX_LENGTH: '10' } })).toEqual([
    'WEFT_PASSWORD_MIN_LENGTH (20) must not be above WEFT_PASSWORD_MAX_LENGTH (10)',
  ]);
});

test('addresses are read leniently where nothing is lost', () => {
  const config = loadConfig({
    env: {
      WEFT_PUBLIC_URL: 'https://Weft.Test/',
      WEFT_TRUSTED_PROXIES: ' 10.0.0.1 , fd00::/8,',
      WEFT_ALLOWED_HOSTS: 'Weft.LAN,::1',
      WEFT_CORS_ORIGINS: 'http://localhost:5173',
      WEFT_METRICS_ALLOW: '',
    },
  });
  expect(config.publicUrl).toBe('https://weft.test');
  expect(config.trustedProxies).toEqual(['10.0.0.1', 'fd00::/8']);
  expect(config.allowedHosts).toEqual(['weft.lan', '::1']);
  expect(config.corsOrigins).toEqual(['http://localhost:5173']);
  expect(config.metricsAllow).toEqual([]);
});

test('an empty setting is a problem, because it is mostly a variable that was not filled in', () => {
  expect(problemsOf({ env: { WEFT_DATABASE_URL: '', WEFT_HOST: '' } })).toEqual([
    'WEFT_HOST is empty: set a value or remove it (environment)',
    'WEFT_DATABASE_URL is empty: set a value or remove it (environment)',
    expect.stringMatching(/^WEFT_SECRET is missing/),
  ]);
});

test('no secret has a flag, and every default is a value that its own reader takes', () => {
  for (const key of settingKeys) {
    const setting = settings[key];
    expect(setting.secret && setting.flag !== undefined, setting.name).toBe(false);
    if (setting.default !== undefined) expect(() => setting.read(setting.default), setting.name).not.toThrow();
  }
});

test('a private key that everybody can read stops the start; one for a group does not', () => {
  const env = { WEFT_TLS_CERT: 'c.pem', WEFT_TLS_KEY: 'k.pem' };
  expect(problemsOf({ env, ...fileOf('pem', true) })).toEqual([
    'WEFT_TLS_KEY names a private key that everybody can read: chmod 600 k.pem (or 640 with a group)',
  ]);
  expect(problemsOf({ env, ...fileOf('pem') })).toEqual([]);
});

test('beyond loopback Weft starts only with TLS, a trusted proxy or an explicit permission, and the refusal names all three', () => {
  for (const host of ['0.0.0.0', '::', '192.0.2.7', 'weft.test']) {
    const [problem, ...others] = problemsOf({ env: { WEFT_HOST: host } });
    expect(others).toEqual([]);
    expect(problem).toMatch(/^WEFT_HOST .*WEFT_TLS_CERT.*WEFT_TRUSTED_PROXIES.*WEFT_INSECURE_HTTP=allow/);
    const readable = fileOf('pem');
    expect(problemsOf({ env: { WEFT_HOST: host, WEFT_TLS_CERT: 'c', WEFT_TLS_KEY: 'k' }, ...readable })).toEqual([]);
    expect(problemsOf({ env: { WEFT_HOST: host, WEFT_TRUSTED_PROXIES: '10.0.0.1' } })).toEqual([]);
    expect(problemsOf({ env: { WEFT_HOST: host, WEFT_INSECURE_HTTP: 'allow' } })).toEqual([]);
  }
  for (const host of ['127.0.0.1', '127.9.9.9', '::1', 'localhost']) {
    expect(problemsOf({ env: { WEFT_HOST: host } })).toEqual([]);
  }
});

test.each([
  [
    'WEFT_DATABASE_URL',
    'postgres://weft:hidden@db.test/weft',
    'postgres://weft:hidden@db.test/weft?sslmode=verify-full',
  ],
  ['WEFT_DATABASE_URL', 'postgres://weft:hidden@db.test/weft?sslmode=prefer', 'postgres://weft:hidden@127.0.0.1/weft'],
  [
    'WEFT_DATABASE_URL',
    'postgres://weft:hidden@127.0.0.1:1,db.test:2/weft',
    'postgres://weft:hidden@db-1.test:1,db-2.test:2/weft?sslmode=verify-full',
  ],
  ['WEFT_AMQP_URL', 'amqp://weft:hidden@mq.test', 'amqps://weft:hidden@mq.test'],
  ['WEFT_AMQP_URL', 'amqp://weft:hidden@[::1]:1,mq.test:2', 'amqp://weft:hidden@[::1]:1,127.0.0.1:2'],
  ['WEFT_TELEMETRY_URL', 'postgres://weft:hidden@db.test/weft', 'postgres://weft:hidden@localhost/weft'],
  ['WEFT_TELEMETRY_URL', 'clickhouse://weft:hidden@ch.test/weft', 'clickhouse://weft:hidden@localhost/weft'],
  ['WEFT_TELEMETRY_URL', 'clickhouse://weft:hidden@ch.test:8123', 'clickhouses://weft:hidden@ch.test'],
  ['WEFT_SMTP_URL', 'smtp://mail.test', 'smtp://localhost'],
  ['WEFT_CALLBACK_URL', 'http://weft.test', 'https://weft.test'],
])('%s: clear text to another machine is a warning without secrets', (name, clear, fine) => {
  const env = { WEFT_SECRET: good };
  const { warnings } = loadConfig({ env: { ...env, [name]: clear } });
  expect(warnings).toEqual([expect.stringMatching(new RegExp(`^${name} .*unencrypted`))]);
  expect(warnings.join()).not.toContain('hidden');
  expect(loadConfig({ env: { ...env, [name]: fine } }).warnings).toEqual([]);
});
