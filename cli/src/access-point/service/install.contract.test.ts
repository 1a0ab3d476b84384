// The files of an installed agent, and what systemd thinks of its service.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { parseLine } from '../../command.ts';
import { agentOptions, readAgentSettings } from '../agent-settings.ts';
import { parseAllowance } from '../commands/allowance.ts';
import { parseEnvironment, toEnvironment } from './environment-file.ts';
import { installFiles, unitOf } from './install.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'weft-install-'));
  return () => rmSync(root, { recursive: true });
});

const options = { ...agentOptions, config: { value: 'FILE', about: '' }, 'spool-dir': { value: 'DIR', about: '' } };
const settingsOf = (args: string[], env: Record<string, string> = {}) =>
  readAgentSettings(parseLine(args, options), env);
const named = ['--url', 'https://weft.example.org', '--ap-id', 'roof-1'];

test('a folder of commands means the same wherever the agent runs', () => {
  expect(settingsOf([...named, '--commands-dir', 'commands']).commandsDir).toBe(join(process.cwd(), 'commands'));
});

describe('settings', () => {
  test('what stands in the environment file is read as it was written, by us and by a shell', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1 }).filter((text) => !/[\r\n\0]/.test(text)),
        (value) => {
          expect(parseEnvironment(toEnvironment({ A: value, B: undefined }))).toEqual({ A: value });
        },
      ),
    );
    const value = `{"site":"roof \\"9\\" $HOME \`id\` 'x'","n":1}`;
    writeFileSync(join(root, 'agent.env'), toEnvironment({ A: value }));
    const { stdout } = spawnSync('sh', ['-c', '. "$0"; printf %s "$A"', join(root, 'agent.env')], { encoding: 'utf8' });
    expect(stdout).toBe(value);
    expect(parseEnvironment("# a\n\nA='$x'\nB=c d \n")).toEqual({ A: '$x', B: 'c d' });
    expect(() => parseEnvironment('A=1\nnonsense')).toThrow('line 2 is not NAME=value');
  });

  test('flags are stronger than the environment, and that than the file', () => {
    const file = join(root, 'agent.env');
    writeFileSync(file, 'WEFT_URL=http://file\nWEFT_AP_ID=file\nWEFT_AGENT_INTERVAL=9\nWEFT_AGENT_ALLOW=reboot\n');
    const env = { WEFT_AP_ID: 'env', WEFT_AGENT_INTERVAL: '8', STATE_DIRECTORY: '/var/lib/a:/var/lib/b' };
    const found = settingsOf(
      ['--config', file, '--interval', '7', '--set', 'geolocation.latitude=51.5', '--set', 'zip=007'],
      env,
    );
    expect(found).toMatchObject({ url: 'http://file', ap_id: 'env', intervalSeconds: 7, stateDir: '/var/lib/a' });
    expect(found.configuration).toEqual({ geolocation: { latitude: 51.5 }, zip: '007' });
    expect([...found.allowance.commands]).toEqual(['reboot']);
    expect(settingsOf(named, { HOME: '/home/ada' }).stateDir).toBe('/home/ada/.local/state/weft-agent');
    expect(settingsOf(named, { WEFT_ENROLMENT_TOKEN: 'x' }).enrolmentToken).toBe('x');
  });

  test.each([
    [['--ap-id', 'roof-1'], '--url (or WEFT_URL) is required'],
    [[...named, '--interval', '0'], '--interval must be'],
    [[...named, '--allow', 'all'], 'unknown command all'],
    [[...named, '--set', 'commands=[]'], 'set by the agent itself'],
    [[...named, '--set', 'site'], 'is not key=value'],
    [['--url', 'https://x', '--ap-id', 'a*'], 'is not a valid access point name'],
    [[...named, '--enrolment-token-file', '/no/such'], 'cannot be read'],
    [[...named, '--enrolment-token', 'x'], 'everybody on this machine can read a command line'],
  ])('%j cannot be used', (args, problem) => {
    expect(() => settingsOf(args)).toThrow(problem);
  });
});

describe('installation', () => {
  const install = (args: string[], env = {}) => {
    const program = join(root, 'weft.mjs');
    writeFileSync(program, 'the program\n');
    const settings = settingsOf([...named, ...args], env);
    return installFiles({ settings, program, nodePath: '/usr/bin/node', root: join(root, 'image'), restartSeconds: 7 });
  };
  const file = (path: string) => join(root, 'image', path);

  test('writes program, settings and service, secrets for root only, also over an older one', () => {
    const mask = process.umask(0o077);
    install([]);
    process.umask(mask);
    expect(['usr/local/lib/weft', 'etc/weft-agent'].map((path) => statSync(file(path)).mode & 0o777)).toEqual([
      0o755, 0o755,
    ]);
    chmodSync(file('etc/weft-agent/agent.env'), 0o644);
    const written = install(['--set', 'site=Bristol "north"'], { WEFT_ENROLMENT_TOKEN: 'weft-enrol-x' });
    expect(written.map((path) => path.slice(root.length))).toEqual([
      '/image/usr/local/lib/weft/weft.mjs',
      '/image/etc/weft-agent/agent.env',
      '/image/etc/systemd/system/weft-agent.service',
    ]);
    expect(readFileSync(file('usr/local/lib/weft/weft.mjs'), 'utf8')).toBe('the program\n');
    expect(statSync(file('etc/weft-agent/agent.env')).mode & 0o777).toBe(0o600);
    const env = parseEnvironment(readFileSync(file('etc/weft-agent/agent.env'), 'utf8'));
    expect(settingsOf([], env)).toMatchObject({
      url: 'https://weft.example.org',
      ap_id: 'roof-1',
      enrolmentToken: 'weft-enrol-x',
      configuration: { site: 'Bristol "north"' },
    });
    expect(statSync(file('etc/weft-agent/commands')).isDirectory()).toBe(true);
  });

  test('is refused where it could not work', () => {
    const settings = settingsOf(named);
    const base = { settings, root, restartSeconds: 7, nodePath: '/usr/bin/node' };
    expect(() => installFiles({ ...base, program: '/opt/weft/weft.ts' })).toThrow('Only the single file weft.mjs');
    writeFileSync(join(root, 'weft.mjs'), '');
    const program = join(root, 'weft.mjs');
    expect(() => installFiles({ ...base, program, nodePath: '/root/.nvm/node' })).toThrow('in a home folder');
    expect(() => installFiles({ ...base, program, root: program })).toThrow('cannot be installed');
  });
});

describe('the service', () => {
  const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;
  const unit = (allow: string) =>
    unitOf({
      settings: { ...settingsOf(named), allowance: parseAllowance([allow]) },
      nodePath: process.execPath,
      restartSeconds: 7,
    });
  const value = (text: string, key: string) => new RegExp(`^${key}=(.*)$`, 'm').exec(text)?.[1];

  test('has no right that no allowed command needs', () => {
    expect(value(unit(''), 'DynamicUser')).toBe('yes');
    expect(value(unit('run:blink'), 'CapabilityBoundingSet')).toBe('');
    expect(value(unit('set_tx_power'), 'AmbientCapabilities')).toBe('CAP_NET_ADMIN');
    expect(value(unit('set_tx_power'), 'DynamicUser')).toBe('yes');
    const strong = unit('set_channel,reboot');
    expect([value(strong, 'User'), value(strong, 'DynamicUser')]).toEqual(['root', undefined]);
    expect(value(strong, 'CapabilityBoundingSet')).toBe('CAP_NET_ADMIN CAP_SYS_BOOT');
  });

  test.skipIf(!hasSystemd).each(['', 'set_tx_power', 'set_channel,restart_wifi,reboot,run:blink'])(
    'is fine with systemd, allowing %j',
    (allow) => {
      const complaints = (text: string) => {
        const path = join(root, 'weft-agent.service');
        // The program is there only where it was installed.
        writeFileSync(path, text);
        const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', path], { encoding: 'utf8' });
        const lines = stderr.split('\n').filter((line) => line.includes('weft-agent.service'));
        return status === 0 && lines.length === 0 ? '' : lines.join('\n') || stderr;
      };
      expect(complaints(unit(allow))).toBe('');
      expect(complaints(unit(allow).replace('Restart=', 'Restrat='))).not.toBe('');
    },
  );
});
