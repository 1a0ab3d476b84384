import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, expect, test } from 'vitest';
import { settingKeys, settings } from '../core/base/settings.ts';
import { runCommand } from './commands.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function settingsFile(text: string, mode = 0o600): string {
  const folder = mkdtempSync(join(tmpdir(), 'weft-commands-'));
  folders.push(folder);
  const path = join(folder, 'weft.env');
  writeFileSync(path, text, { mode });
  return path;
}

async function weft(args: string[], env: Record<string, string> = {}) {
  let [out, err] = ['', ''];
  const stdin = new PassThrough();
  stdin.end();
  const code = await runCommand(args, {
    env,
    stdin,
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text) },
  });
  return { code, out, err };
}

test('help is data: on stdout, with exit code 0, and names every setting', async () => {
  for (const args of [['--help'], ['help'], ['-h']]) {
    expect(await weft(args)).toMatchObject({ code: 0, err: '', out: expect.stringContaining('Usage: weft COMMAND') });
  }
  const { out } = await weft(['help', 'serve']);
  expect(out).toBe((await weft(['serve', '--port', '1', '--help'])).out);
  for (const key of settingKeys) expect(out).toContain(settings[key].name);
  expect(out.split('\n').every((line) => line.length <= 110)).toBe(true);
});

test('a backup that is not there is told in a sentence', async () => {
  const { code, err } = await weft(['restore', '/nowhere.tar.zst', '--data-dir', join(tmpdir(), 'weft-not-made')]);
  expect([code, err]).toEqual([1, 'weft: /nowhere.tar.zst cannot be read: it is not there\n']);
});

test('without a command: the overview on stderr and exit code 2', async () => {
  expect(await weft([])).toMatchObject({ code: 2, out: '', err: expect.stringContaining('Usage') });
});

test.each([
  [['sevre'], 'There is no command sevre. Did you mean serve?'],
  [['constructor'], 'There is no command constructor.'],
  [['help', 'doctro'], 'There is no help on doctro. Did you mean doctor?'],
  [['serve', '--prot', '1'], 'There is no option --prot. Did you mean --port?'],
  [['serve', '--port'], '--port needs a value.'],
  [['serve', '--port', '1', '--port', '2'], '--port was given twice.'],
  [['serve', 'now'], 'weft serve takes no now.'],
  [['doctor', '--json=yes'], '--json takes no value.'],
  [['user'], 'Usage: weft user add'],
  [['user', 'ad'], 'Unknown action ad. Did you mean add? Use add, list'],
  [['user', 'toString', 'x@y.test'], 'Unknown action toString. Use add, list'],
  [['user', 'list', '--role', 'admin'], 'weft user list takes no --role.'],
  [['user', 'list', 'x@y.test'], 'Usage: weft user list'],
  [['user', 'disable'], 'Usage: weft user disable EMAIL'],
  [['user', 'enable', 'x@y.test', 'z@y.test'], 'Usage: weft user enable EMAIL'],
  [['user', 'add', 'x@y.test', '--role', 'king'], '--role must be admin or user.'],
  [['user', 'add', 'x@y.test'], 'pass it on standard input with --password-stdin'],
  [['config', 'show'], 'Use plan, apply, export'],
  [['audit'], 'Usage: weft audit verify'],
  [['audit', 'verify', 'now'], 'Usage: weft audit verify'],
  [['audit', 'verify', '--head', 'abc'], '--head must be a hash'],
  [['conflicts'], 'Usage: weft conflicts replay'],
  [['conflicts', 'verify', '--rules', 'x.json'], 'weft conflicts verify takes no --rules.'],
  [['backup', 'a', 'b'], 'weft backup takes no b.'],
  [['restore'], 'Usage: weft restore FILE|-'],
  [['run'], 'Usage: weft run FILE'],
  [['env', 'judge'], 'Usage: weft env judge POLICY'],
  [['env', '--json'], 'weft env takes no --json.'],
  [['env', 'judge', 'nobody'], 'there is no nobody'],
  [['env', 'judge', 'nothing', '--task', 'weft/none-v1'], 'a task is one of weft/energy-v1'],
  [['env', 'judge', 'nothing', '--seeds', '25'], 'a policy is judged on 1 to 24 seeds'],
  [['env', 'judge', 'nothing', '--seeds', 'few'], 'a policy is judged on 1 to 24 seeds'],
  [['conflicts', 'replay', '--rules', '/nowhere.json'], '/nowhere.json cannot be read: ENOENT'],
])('%j is a usage error', async (args, sentence) => {
  expect(await weft(args)).toMatchObject({ code: 2, out: '', err: expect.stringContaining(sentence) });
});

test.each([
  ['--secret', 'WEFT_SECRET_FILE'],
  ['--database-url', 'WEFT_DATABASE_URL_FILE'],
  ['--admin-password', 'WEFT_ADMIN_PASSWORD_FILE'],
  ['--password', '--password-stdin'],
])('%s is refused with the right way, and the value is not repeated', async (flag, way) => {
  for (const args of [[flag, 'hunter2hunter2'], [`${flag}=hunter2hunter2`]]) {
    const { code, out, err } = await weft(['serve', ...args]);
    expect(code).toBe(2);
    expect(err).toContain(way);
    expect(out + err).not.toContain('hunter2');
  }
});

test('settings that cannot be used: one line each on stderr, exit code 78', async () => {
  const { code, out, err } = await weft(['serve', '--port', 'x'], { WEFT_SECRET: 'changeme', WEFT_SIGNUP: 'perhaps' });
  expect([code, out]).toEqual([78, '']);
  expect(err.trim().split('\n')).toEqual([
    expect.stringMatching(/^weft: WEFT_PORT must be a whole number from 0 to 65535, not "x" \(--port\)$/),
    expect.stringMatching(/^weft: WEFT_SECRET is a placeholder/),
    expect.stringMatching(/^weft: WEFT_SIGNUP must be one of open, approve, closed/),
  ]);
});

test('a settings file that was asked for must be there', async () => {
  for (const [args, env] of [
    [['serve', '--config', '/does/not/exist'], {}],
    [['serve'], { WEFT_CONFIG: '/does/not/exist' }],
  ] as const) {
    expect(await weft([...args], env)).toMatchObject({ code: 78, err: expect.stringContaining('ENOENT') });
  }
});

test('config print shows value and source of every setting, and no secret', async () => {
  const path = settingsFile('# ours\nWEFT_SIGNUP=closed\nWEFT_SMTP_URL="smtp://u:hunter2@mail.test"\n');
  const args = ['config', 'print', '--json', '--config', path, '--port', '9000'];
  const { code, out, err } = await weft(args, { WEFT_LOG_LEVEL: 'warn' });
  const shown = JSON.parse(out) as { name: string }[];
  expect(shown.map(({ name }) => name)).toEqual(settingKeys.map((key) => settings[key].name));
  expect(shown).toEqual(
    expect.arrayContaining([
      { name: 'WEFT_PORT', value: '9000', source: '--port' },
      { name: 'WEFT_LOG_LEVEL', value: 'warn', source: 'environment' },
      { name: 'WEFT_SIGNUP', value: 'closed', source: 'settings file' },
      { name: 'WEFT_SMTP_URL', value: '***', source: 'settings file' },
      { name: 'WEFT_HOST', value: '127.0.0.1', source: 'default' },
      { name: 'WEFT_DATABASE_URL', value: null, source: 'not set' },
    ]),
  );
  expect([code, err]).toEqual([0, `Settings file: ${path}\n`]);
  const text = await weft(['config', 'print', '--config', path]);
  expect(text.out).toMatch(/^WEFT_SMTP_URL=\*\*\* +# settings file$/m);
  expect(text.out).toMatch(/^# WEFT_DATABASE_URL +# not set$/m);
  expect(text.out + out).not.toContain('hunter2');
});

test('config print shows settings that cannot be used, too', async () => {
  const { code, out, err } = await weft(['config', 'print'], { WEFT_PORT: 'x' });
  expect(code).toBe(78);
  expect(out).toContain('WEFT_PORT=x');
  expect(err).toContain('WEFT_PORT must be a whole number');
});

test('a settings file with secrets that everybody can read is a warning; without secrets it is not', async () => {
  const open = settingsFile('WEFT_SMTP_URL=smtp://mail.test\n', 0o644);
  const harmless = settingsFile('WEFT_PORT=1\n', 0o644);
  expect((await weft(['config', 'print', '--config', open])).err).toContain(`chmod 600 ${open}`);
  expect((await weft(['config', 'print', '--config', harmless])).err).not.toContain('chmod');
});

test('doctor lists every wrong setting and ends with 1', async () => {
  const { code, out } = await weft(['doctor', '--json'], { WEFT_PORT: 'x', WEFT_SIGNUP: 'x' });
  expect(code).toBe(1);
  expect(JSON.parse(out)).toMatchObject([{ name: 'Node', ok: true }, { name: 'settings', ok: false }, { ok: false }]);
});
