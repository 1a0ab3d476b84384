// Starts that must not happen: one clear line for each reason, an exit code that is not 0, and no open port.
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runHere } from './weft-here.ts';
import { command, type RunOptions, runWeft, serve, temporaryFolder } from './weft-process.ts';

const good = 'pQ7vN2xKd9Rf4TzLw8HsJb3Ym6Gc1EaU5iVo0XlZ';
const databaseUrl = 'postgres://weft@127.0.0.1:1/weft';
// Tells when anything begins to listen, whatever comes of it.
const spy = `import net from 'node:net'; const { listen } = net.Server.prototype;
net.Server.prototype.listen = function (...args) { process.stdout.write('LISTENS'); return listen.apply(this, args); };`;
const launcher = [process.execPath, '--import', `data:text/javascript,${encodeURIComponent(spy)}`, command];

function refusal(options: RunOptions) {
  return runWeft(['serve'], { ...options, launcher });
}

test('T3 a signing secret that is missing, empty, a placeholder, short or public stops the start', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'public-secret');
  writeFileSync(file, good);
  chmodSync(file, 0o644);
  const data = { WEFT_DATA_DIR: join(folder, 'data') };
  const cases: [env: Record<string, string>, line: RegExp][] = [
    [{ WEFT_DATABASE_URL: databaseUrl }, /^weft: WEFT_SECRET is missing/],
    [{ WEFT_SECRET: '' }, /^weft: WEFT_SECRET is empty/],
    [{ WEFT_SECRET: 'changeme' }, /^weft: WEFT_SECRET is a placeholder/],
    [{ WEFT_SECRET: 'your-secret-key-goes-here-and-is-long' }, /^weft: WEFT_SECRET is a placeholder/],
    [{ WEFT_SECRET: good.slice(0, 31) }, /^weft: WEFT_SECRET must have at least 32 bytes/],
    [{ WEFT_SECRET_FILE: file }, /^weft: WEFT_SECRET_FILE names a file that everybody can read/],
  ];
  for (const [index, [env, line]] of cases.entries()) {
    // As a process, which listens to nothing before, one of them: all are refused at the same place.
    const refused = index === 0 ? refusal({ env, folder }) : runHere(['serve'], { WEFT_PORT: '0', ...data, ...env });
    const { code, out, err } = await refused;
    expect([code, out]).toEqual([78, '']);
    expect(err).toMatch(line);
    expect(err.trim().split('\n')).toHaveLength(1);
    expect(err).not.toContain(good.slice(0, 20));
  }
  expect(existsSync(join(folder, 'data'))).toBe(false);
});

test('L9 ten wrong settings are listed at once, and the exit code is 78', async () => {
  const wrong = {
    WEFT_PORT: '99999',
    WEFT_HOST: 'not a host',
    WEFT_PUBLIC_URL: 'ftp://weft.example.org/path',
    WEFT_TRUSTED_PROXIES: 'the-proxy',
    WEFT_CORS_ORIGINS: 'somewhere',
    WEFT_SECRET: 'short',
    WEFT_SIGNUP: 'perhaps',
    WEFT_ADMIN_USERNAME: 'nobody',
    WEFT_TOKEN_TTL_SECONDS: 'soon',
    WEFT_LOG_LEVEL: 'loud',
  };
  const { code, out, err } = await runHere(['serve'], { WEFT_DATA_DIR: temporaryFolder(), ...wrong });
  expect([code, out]).toEqual([78, '']);
  const lines = err.trim().split('\n');
  for (const name of Object.keys(wrong)) {
    expect(lines.filter((line) => line.startsWith(`weft: ${name} `))).toHaveLength(1);
  }
});

test('K4 a secret on the command line is refused and not repeated', async () => {
  const folder = temporaryFolder();
  for (const flag of ['--secret', '--database-url', '--admin-password', '--smtp-url']) {
    for (const args of [[flag, good], [`${flag}=${good}`]]) {
      const { code, out, err } = await runHere(['serve', ...args], { WEFT_DATA_DIR: join(folder, 'data') });
      expect([flag, code, out]).toEqual([flag, 2, '']);
      expect(err).toContain(`${flag} is not accepted`);
      expect(err).toContain('_FILE');
      expect(err).not.toContain(good);
    }
  }
});

test('L10 T3 a port that is taken, a data folder that another Weft has, and its own secret once others can read it, are one line each', async () => {
  const first = await serve({ launcher });
  expect(first.out).toContain('LISTENS');
  const { port } = new URL(first.url);
  const taken = await runWeft(['serve'], { env: { WEFT_PORT: port } });
  expect([taken.code, taken.out]).toEqual([1, '']);
  expect(taken.err).toMatch(new RegExp(`^weft: port ${port} .*WEFT_PORT\n$`));
  const shared = await runWeft(['serve'], { folder: first.folder });
  expect([shared.code, shared.out]).toEqual([1, '']);
  expect(shared.err).toMatch(/^weft: .*in use by another Weft.*\n$/);
  expect((await first.request('GET', '/readyz')).status).toBe(200);
  process.kill(-first.child.pid!, 'SIGTERM');
  expect(await first.ended()).toBe(0);
  chmodSync(join(first.folder, 'data', 'secret'), 0o644);
  const open = await refusal({ folder: first.folder });
  expect([open.code, open.out]).toEqual([1, '']);
  expect(open.err).toMatch(/^weft: .*secret can be read by others.*\n$/);
});

test('L10 a data folder that cannot be written is one line', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'file'), '');
  chmodSync(join(folder, 'file'), 0o755);
  for (const dataDir of [join(folder, 'file'), join(folder, 'file', 'below'), '/proc/weft']) {
    const env = { WEFT_DATA_DIR: dataDir };
    const { code, out, err } = await runHere(['serve'], { WEFT_PORT: '0', ...env });
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(new RegExp(`^weft: the data folder ${dataDir} cannot be written.*WEFT_DATA_DIR.*\n$`));
  }
});

test('L10 a low limit of open files is one line, and more half-open requests than that keep nobody out', async () => {
  const weft = await serve({ launcher: ['prlimit', '--nofile=192', process.execPath, command] });
  expect(weft.err).toMatch(/^weft: warning: The limit of 192 open files is too low.*so 92 are accepted.*ulimit -n.*\n/);
  const port = Number(new URL(weft.url).port);
  const sockets = Array.from({ length: 400 }, () => connect(port, '127.0.0.1').on('error', () => {}));
  await Promise.all(
    sockets.map(
      (socket) =>
        new Promise((done) => {
          socket.on('connect', () => socket.write('GET /healthz HTTP/1.1\r\nHost: 127', done)).on('close', done);
        }),
    ),
  );
  // While they are all still there.
  for (let n = 0; n < 5; n++) expect((await weft.request('GET', '/healthz')).status).toBe(200);
  for (const socket of sockets) socket.destroy();
  expect(await weft.end()).toBe(0);
});
