// weft-agent.sh under the shell of this machine, and under busybox where it is installed: where it keeps its secrets, what it does
// without its tools, and what a hostile Weft can make it do. e2e/lab runs it with hostapd and real radios.
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { App } from '../../../sdk/src/index.ts';
import { oneRadio, stations } from '../../../test/pure/iw-recordings.ts';
import { untilSo } from '../../../test/pure/until-so.ts';
import { isLong } from '../../../test/rounds.ts';
import { askWeft, giveSettings } from '../../../test/settable-access-point.ts';
import { startWeft, type TestWeft } from '../../../test/weft.ts';

const script = join(import.meta.dirname, '../../install/weft-agent.sh');
/** The tools that every access point has; `iw` and `hostapd_cli` are added where they are there. */
const common =
  'sh awk cat chmod curl cut date echo grep head id jq kill ls mkdir mkfifo mv od paste ps rm sed seq sha256sum sleep sync tail tr wc cmp dirname cp ln pidof';
/** Asked once: each question is a process. */
const paths = new Map(
  spawnSync('sh', ['-c', `for tool in dash bash busybox ${common}; do echo "$tool $(command -v "$tool")"; done`], {
    encoding: 'utf8',
  })
    .stdout.trim()
    .split('\n')
    .map((line) => line.split(' ') as [string, string]),
);
const pathOf = (tool: string) => paths.get(tool) ?? '';
const missing = ['curl', 'jq'].filter((tool) => pathOf(tool) === '');
if (missing.length > 0)
  process.stderr.write(`The shell agent is NOT tested: ${missing.join(' and ')} is not installed.\n`);

const busybox = pathOf('busybox');
if (busybox === '') process.stderr.write('The shell agent is NOT tested under busybox, which is not installed.\n');
/** Debian has no uclient-fetch: wget of busybox does its part, in its words. Its -T ends in a segmentation fault there. */
const uclientFetch = `shift 2
error=$(wget "$@" 2>&1) || { printf %s "$error" | sed 's/.*HTTP.... \\([0-9]*\\).*/HTTP error \\1/' >&2; exit 8; }`;

let weft: TestWeft;
beforeAll(async () => {
  weft = await startWeft();
});
afterAll(() => weft.stop());

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'weft-shell-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The script, which reports once and then seldom, with folders of its own and only the tools of `more` beside the common ones; with `applets` those of busybox, without curl. */
function start(env: Record<string, string>, more: Record<string, string> = {}, applets = '', shell = ['/bin/sh']) {
  const folder = newFolder();
  const tools = join(folder, 'tools');
  mkdirSync(tools);
  for (const tool of applets ? `${common.replace('curl ', '')} wget`.split(' ') : common.split(' ')) {
    const path = applets && tool !== 'jq' ? applets : pathOf(tool);
    if (path.startsWith('/')) symlinkSync(path, join(tools, tool));
  }
  for (const [name, text] of Object.entries(more)) {
    // It may be a link to the tool of this machine.
    rmSync(join(tools, name), { force: true });
    writeFileSync(join(tools, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(tools, name), 0o755);
  }
  const run = env.WEFT_AGENT_RUN_DIR ?? join(folder, 'run');
  const state = env.WEFT_AGENT_STATE_DIR ?? join(folder, 'state');
  const [command, ...words] = applets ? [applets, 'ash'] : shell;
  const child = spawn(command!, [...words, script], {
    env: { PATH: tools, WEFT_AGENT_RUN_DIR: run, WEFT_AGENT_STATE_DIR: state, WEFT_AGENT_INTERVAL: '60', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  let said = '';
  child.stderr.on('data', (text) => {
    said += text;
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  // What it has started may hold its output open until the server of the test ends.
  const gone = new Promise<number | null>((resolve) => child.on('exit', resolve));
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await gone;
    killAll();
  });
  /** With all that it has started. */
  const killAll = () => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // All of it has ended.
    }
  };
  const kill = () => child.kill('SIGKILL');
  return { folder, run, state, ended, gone, kill, killAll, pid: child.pid!, said: () => said };
}

type Handler = (path: string, body: string, response: ServerResponse, request: IncomingMessage) => void;

/** Something that pretends to be Weft. */
async function pretend(handle: Handler): Promise<string> {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    handle(`${request.method} ${request.url}`, body, response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Gives each of these once, by long poll, and resolves what the agent answers. */
async function giveCommands(commands: { name: string; args: object }[]): Promise<{ url: string; answers: string[] }> {
  const answers: string[] = [];
  const url = await pretend((path, body, response) => {
    if (path.startsWith('POST /api/v1/token')) response.end('{"access_token":"a","expires_in":3600}');
    else if (path.startsWith('POST /api/v1/agents/')) response.end(String(answers.push(body)));
    else if (!path.startsWith('GET ')) response.end('{}');
    else {
      const next = commands[answers.length];
      if (next) response.end(JSON.stringify([{ command_id: `c-${answers.length}`, ...next }]));
    }
  });
  return { url, answers };
}

describe.skipIf(missing.length > 0)('weft-agent.sh', () => {
  test('what has to outlive a loss of power is flushed before Weft is told of it', async () => {
    const disk = newFolder();
    const flushed = (name: string) => (readdirSync(disk).includes(name) ? readFileSync(join(disk, name), 'utf8') : '');
    const told: [what: string, flushed: string][] = [];
    const url = await pretend((path, body, response) => {
      const isOver = told.length > 1;
      if (path === 'POST /api/v1/agents/public') told.push([JSON.parse(body).password, flushed('password.new')]);
      else if (path.endsWith('/commands/c-0')) told.push([`c-0 ${body}\n`, flushed('commands.new')]);
      if (path.startsWith('POST /api/v1/token')) response.end('{"access_token":"a","expires_in":3600}');
      else if (!path.startsWith('GET ')) response.end('{}');
      else if (!isOver) response.end('[{"command_id":"c-0","name":"identify","args":{}}]');
    });
    const sync = `for file; do [ ! -f "$file" ] || cp "$file" ${disk}; done`;
    const agent = start({ WEFT_URL: url, WEFT_AP_ID: 'ap-1', WEFT_ENROLMENT_TOKEN: 'weft-enrol-1' }, { sync });
    await untilSo(async () => expect(told, agent.said()).toHaveLength(2));
    for (const [what, onDisk] of told) expect(onDisk.slice(-what.length)).toBe(what);
    expect(readdirSync(disk)).toContain('enrolled.new');
  });

  test('registers, reports and obeys, and what is missing is said and left out', async () => {
    const token = (
      await weft.request('POST', '/api/v1/enrolment_tokens', {
        token: await weft.admin(),
        json: { ap_id_pattern: 'shell-1' },
      })
    ).body.token;
    const agent = start({ WEFT_URL: weft.url, WEFT_AP_ID: 'shell-1', WEFT_ENROLMENT_TOKEN: token });
    await untilSo(() => expect(agent.said()).toContain('connected to'));
    expect(agent.said()).toContain('iw is missing');
    const read = async (path: string) => (await weft.request('GET', path, { token: await weft.admin() })).body;
    const metrics = await untilSo(async () => {
      const { metrics } = (await read('/api/v1/metrics/latest?agents=shell-1')).agents[0];
      expect(metrics).toHaveProperty('uptime_seconds');
      return metrics;
    });
    for (const name of ['active', 'connected_devices']) expect(metrics).not.toHaveProperty(name);
    expect((await read('/api/v1/agents/shell-1')).configuration).not.toHaveProperty('access_point_type');
    expect(readdirSync(agent.state)).toContain('password');
    const app = new App({ url: weft.url, token: await weft.admin() });
    expect(await (await app.command('shell-1', 'identify')).result()).toMatchObject({ state: 'succeeded' });
  });

  test('ends when another machine has replaced it', async () => {
    const admin = await weft.admin();
    const json = { ap_id_pattern: 'shell-9' };
    const { token } = (await weft.request('POST', '/api/v1/enrolment_tokens', { token: admin, json })).body;
    const often = { WEFT_AGENT_INTERVAL: '1' };
    const agent = start({ WEFT_URL: weft.url, WEFT_AP_ID: 'shell-9', WEFT_ENROLMENT_TOKEN: token, ...often });
    await untilSo(() => expect(agent.said()).toContain('connected to'));
    await weft.request('PUT', '/api/v1/agents/shell-9', { token: admin, json: { password: 'of the new machine' } });
    expect(await agent.gone).toBe(1);
    await untilSo(() => expect(agent.said()).toContain('This machine was replaced by another one as shell-9'));
  });

  const named = async (ap_id: string, more?: Record<string, string>, applets?: string) => {
    const admin = await weft.admin();
    const json = { ap_id_pattern: ap_id };
    const { token } = (await weft.request('POST', '/api/v1/enrolment_tokens', { token: admin, json })).body;
    const agent = start({ WEFT_URL: weft.url, WEFT_AP_ID: ap_id, WEFT_ENROLMENT_TOKEN: token }, more, applets);
    await untilSo(() => expect(agent.said()).toContain(`connected to ${weft.url} as ${ap_id}`));
    const app = new App({ url: weft.url, token: admin });
    expect(await (await app.command(ap_id, 'identify')).result()).toMatchObject({ state: 'succeeded' });
    await untilSo(async () => {
      const { body } = await weft.request('GET', `/api/v1/metrics/agent_data?agent=${encodeURIComponent(ap_id)}`, {
        token: admin,
      });
      expect(body.points[0]).toHaveProperty('uptime_seconds');
    });
  };

  test.skipIf(busybox === '')('runs on busybox alone, with wget and jq', async () => {
    await named('Keller 1 ä', { 'uclient-fetch': uclientFetch }, busybox);
    const refused = start({ WEFT_URL: weft.url, WEFT_AP_ID: 'cellar' }, { 'uclient-fetch': uclientFetch }, busybox);
    expect(await refused.ended).toBe(1);
    expect(refused.said()).toContain('(status 401)');
  });

  // Stands in for a radio: its settings are lines of the file `air`. Channel 13 is refused, 44 hangs, at 48 the access point is cut off.
  const setter = `air=\${0%/*}/../air
case $1 in
  running) cat "$air"; exit ;;
  keep) [ ! -e "$air-full" ] || exit 3; cp "$air" "$air-kept"; exit ;;
esac
while IFS= read -r line; do
  { grep -v "^\${line%%=*}=" "$air"; printf '%s\\n' "$line"; } > "$air.new"
  mv "$air.new" "$air"
done < "$2"
rm -f "$air-cut"
case $(cat "$air") in
  *channel=13*) echo 'there is radar on 13' >&2; exit 1 ;;
  *channel=44*) sleep 300 ;;
  *channel=48*) : > "$air-cut" ;;
esac`;
  const before = 'channel=36\ntx_power_dbm=20\nssid=before\npassphrase=of before\n';

  const settable = async (ap_id: string, applets = '') => {
    const json = { ap_id_pattern: ap_id };
    const { token } = await askWeft(weft, 'POST', '/enrolment_tokens', json);
    const home = newFolder();
    mkdirSync(join(home, 'tools'));
    const program = join(home, 'tools/setter');
    writeFileSync(program, `#!/bin/sh\n${setter}\n`, { mode: 0o755 });
    const air = join(home, 'air');
    writeFileSync(air, before);
    const own = { WEFT_AGENT_RUN_DIR: join(home, 'run'), WEFT_AGENT_STATE_DIR: join(home, 'state') };
    const env = { ...own, WEFT_AGENT_ALLOW: 'settings', WEFT_AGENT_SETTER: program, WEFT_AGENT_SETTER_SECONDS: '3' };
    const identity = { WEFT_URL: weft.url, WEFT_AP_ID: ap_id, WEFT_ENROLMENT_TOKEN: token };
    const curl = `[ -e ${air}-cut ] && exit 7\nexec ${pathOf('curl')} "$@"`;
    const begin = () => start({ ...env, ...identity }, applets ? { 'uclient-fetch': uclientFetch } : { curl }, applets);
    const agent = begin();
    await untilSo(async () =>
      expect((await askWeft(weft, 'GET', `/agents/${ap_id}`)).configuration).toHaveProperty('settings'),
    );
    await askWeft(weft, 'PATCH', `/agents/${ap_id}/labels`, { tags: [ap_id] });
    const config = (view = 'diff') => askWeft(weft, 'GET', `/agents/${ap_id}/config?view=${view}`);
    const ends = (state: string, detail: string | null) =>
      untilSo(async () => expect(await config()).toMatchObject({ state, detail }));
    return {
      agent,
      begin,
      home,
      config,
      ends,
      air: () => readFileSync(air, 'utf8'),
      give: giveSettings.bind(null, weft, ap_id),
    };
  };

  const takesSettings = async (ap_id: string, applets = '') => {
    const secret = { name: `${ap_id}-psk`, value: 'correct horse' };
    await askWeft(weft, 'PUT', '/config/secrets', secret);
    const ap = await settable(ap_id, applets);
    await untilSo(async () =>
      expect((await ap.config('running')).settings).toEqual({
        channel: 36,
        tx_power_dbm: 20,
        networks: [{ ssid: 'before', passphrase: { secret: 'unknown', version: 0 } }],
      }),
    );
    const networks = [{ ssid: 'Gäste "1" \\', security: 'wpa2', passphrase: { secret: secret.name } }];
    await ap.give({ channel: 6, networks });
    await ap.ends('in_sync', null);
    const air = ['channel=6', 'passphrase=correct horse', 'ssid=Gäste "1" \\', 'tx_power_dbm=20'];
    expect(ap.air().trim().split('\n').sort()).toEqual(air);
    expect(readFileSync(join(ap.home, 'air-kept'), 'utf8')).toBe(ap.air());
    await askWeft(weft, 'PUT', '/config/secrets', { ...secret, value: 'battery staple' });
    await untilSo(() => expect(ap.air()).toContain('passphrase=battery staple'));
    await ap.ends('in_sync', null);
    // Those that it needs for a moment may be gone when they are looked at.
    const texts = await untilSo(() => {
      const files = ['state', 'run'].flatMap((name) =>
        readdirSync(join(ap.home, name)).map((file) => join(ap.home, name, file)),
      );
      return files.filter((file) => statSync(file).isFile()).map((file) => [file, readFileSync(file, 'utf8')] as const);
    });
    expect(texts.filter(([, text]) => text.includes('correct horse'))).toEqual([]);
    for (const [file] of texts.filter(([, text]) => text.includes('battery staple')))
      expect([file, statSync(file).mode & 0o777]).toEqual([file, 0o600]);
    expect(ap.agent.said()).not.toMatch(/correct horse|battery staple/);
  };

  test('is given settings, keeps what was confirmed, and erases what it no longer uses', () => takesSettings('set-1'));

  test.skipIf(busybox === '' || !isLong)('is given settings on busybox alone', () => takesSettings('set-2', busybox));

  test('settings that fail, hang or cut it off: the old ones come back, and Weft is told why', async () => {
    const ends = [
      ['set-3', 13, 'refused', 'there is radar on 13'],
      ['set-4', 44, 'refused', 'it took more than 3 s'],
      ['set-5', 48, 'reverted', 'no confirmation within 10 s'],
    ] as const;
    await Promise.all(
      ends.map(async ([ap_id, channel, state, detail]) => {
        const ap = await settable(ap_id);
        await ap.give({ channel, tx_power_dbm: 5 }, { trial_seconds: 10 });
        await ap.ends(state, detail);
        expect(ap.air().trim().split('\n').sort()).toEqual(before.trim().split('\n').sort());
      }),
    );
  });

  test('killed while it applies settings, and while they are on trial: the old ones come back at the next start', async () => {
    // On 44 it hangs while it applies them, on 48 it is on trial, and cut off.
    await Promise.all(
      (
        [
          ['set-6', 44],
          ['set-7', 48],
        ] as const
      ).map(async ([ap_id, channel]) => {
        const ap = await settable(ap_id);
        await ap.give({ channel }, { trial_seconds: 600 });
        await untilSo(() => expect(ap.air()).toContain(`channel=${channel}`));
        ap.agent.killAll();
        await ap.agent.gone;
        expect(readdirSync(join(ap.home, 'state'))).toContain('settings-trial');
        ap.begin();
        await ap.ends('reverted', 'the access point was restarted during the trial');
        expect(ap.air()).toContain('channel=36\n');
        expect(readdirSync(join(ap.home, 'state'))).not.toContain('settings-trial');
      }),
    );
  });

  test('confirmed settings that cannot be kept are kept later, whatever is refused meanwhile, and the reason is in the log', async () => {
    const ap = await settable('set-8');
    writeFileSync(join(ap.home, 'air-full'), '');
    await ap.give({ channel: 6 });
    await ap.ends('in_sync', null);
    const reason = 'they cannot be kept for the next start: exit code 3 without a reason. Retrying.';
    await untilSo(() => expect(ap.agent.said().split(reason).length, ap.agent.said()).toBeGreaterThan(3));
    await ap.give({ channel: 13 });
    await ap.ends('refused', 'there is radar on 13');
    rmSync(join(ap.home, 'air-full'));
    await untilSo(() => expect(readFileSync(join(ap.home, 'air-kept'), 'utf8')).toContain('channel=6\n'));
    await untilSo(() => expect(readdirSync(join(ap.home, 'state'))).toContain('boot'));
  });

  const answering = () =>
    pretend((path, _body, response) => {
      if (!path.startsWith('GET ')) response.end('{"access_token":"a","expires_in":3600}');
    });
  const shells = { dash: [pathOf('dash')], 'busybox ash': [busybox], bash: [pathOf('bash'), '--posix'] };
  for (const [name, shell] of Object.entries(shells)) {
    const missesShell = shell[0] === '';
    if (missesShell) process.stderr.write(`The lock of the shell agent is NOT tested under ${name}.\n`);
    /** Busybox does all but JSON there. */
    const startIn = (env: Record<string, string>) =>
      shell[0] === busybox
        ? start(env, { 'uclient-fetch': uclientFetch }, busybox)
        : start(env, {}, '', shell as string[]);

    test.skipIf(missesShell)(
      `a second one in its folders is refused, and one after it was killed is not: ${name}`,
      async () => {
        const env = { WEFT_URL: await answering(), WEFT_AP_ID: 'ap-1', WEFT_AGENT_ALLOW: 'settings' };
        const first = startIn(env);
        await untilSo(() => expect(first.said()).toContain('connected to'));
        const parts = await untilSo(() => {
          const lines = readFileSync(join(first.state, 'lock-1'), 'utf8').trim().split('\n').slice(1);
          expect(lines.length).toBe(2);
          return lines.map((line) => line.split(' ')[0]!);
        });
        const state = { WEFT_AGENT_STATE_DIR: first.state };
        const run = { WEFT_AGENT_RUN_DIR: first.run };
        for (const [same, folder, variable] of [
          [{ ...state, ...run }, first.state, 'STATE'],
          [state, first.state, 'STATE'],
          [run, first.run, 'RUN'],
        ] as const) {
          const second = startIn({ ...env, ...same });
          expect(await second.ended).toBe(2);
          expect(second.said()).toBe(
            `weft-agent: another weft-agent.sh, process ${first.pid}, uses the folder ${folder}: stop it, or choose another folder with WEFT_AGENT_${variable}_DIR\n`,
          );
        }
        first.kill();
        await first.gone;
        const next = startIn({ ...env, ...state, ...run });
        await untilSo(() => expect(next.said()).toContain('connected to'));
        await untilSo(() => expect(parts.filter((pid) => readdirSync('/proc').includes(pid))).toEqual([]));
        for (const folder of [first.state, first.run])
          expect(readdirSync(folder).filter((file) => file.startsWith('lock'))).toEqual(['lock-2']);
      },
    );

    test.skipIf(missesShell)(`of several that start at once after a power cut, one runs: ${name}`, async () => {
      const [, start] = /\) (?:\S+ ){19}(\d+)/.exec(readFileSync(`/proc/${process.pid}/stat`, 'utf8'))!;
      const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
      const env = { WEFT_URL: await answering(), WEFT_AP_ID: 'ap-1' };
      // The pid is this process's now: of another boot, of another start, and lost with the power.
      for (const left of [`${process.pid} ${start} ${boot.replace(/^./, 'x')}\n`, `${process.pid} 1 ${boot}\n`, '']) {
        const folders = { WEFT_AGENT_STATE_DIR: newFolder(), WEFT_AGENT_RUN_DIR: newFolder() };
        for (const folder of Object.values(folders)) writeFileSync(join(folder, 'lock-9'), left);
        const all = [1, 2, 3, 4].map(() => startIn({ ...env, ...folders }));
        const codes: (number | null)[] = [];
        for (const one of all) void one.gone.then((code) => codes.push(code));
        await untilSo(() => expect(all.filter((one) => one.said().includes('connected to')).length).toBe(1));
        await untilSo(() => expect(codes).toEqual([2, 2, 2]));
      }
    });
  }

  test('where a folder cannot be locked, it says so and runs', async () => {
    const agent = start({ WEFT_URL: await answering(), WEFT_AP_ID: 'ap-1' }, { ln: 'exit 1' });
    await untilSo(() => expect(agent.said()).toContain('connected to'));
    for (const folder of [agent.state, agent.run]) {
      expect(agent.said()).toContain(`${folder} cannot be locked`);
      expect(readdirSync(folder).filter((file) => file.startsWith('lock'))).toEqual([]);
    }
  });

  test('has a name in any script, with spaces', async () => {
    await named('Dach 1 屋顶+ä');
    for (const name of ['a/b', '..', '-a', 'a"b', 'a\nb', 'a\\b']) {
      const refused = start({ WEFT_URL: weft.url, WEFT_AP_ID: name });
      expect([name, await refused.ended, refused.said()]).toEqual([
        name,
        2,
        expect.stringContaining('is not the name'),
      ]);
    }
  });

  test('reports the devices of its radios', async () => {
    const bodies: string[] = [];
    const url = await pretend((path, body, response) => {
      if (path.includes('agent_update')) bodies.push(body);
      if (!path.startsWith('GET ')) response.end('{"access_token":"a","expires_in":3600}');
    });
    const iw = `case $* in dev) cat <<'E'\n${oneRadio}E\n;; *station*) cat <<'E'\n${stations(1)}E\n;; esac`;
    const agent = start({ WEFT_URL: url, WEFT_AP_ID: 'shell-2' }, { iw });
    await untilSo(() => expect(bodies.length).toBeGreaterThan(0));
    expect(JSON.parse(bodies[0]!).samples[0]).toMatchObject({
      active: 1,
      connected_devices: 2,
      channel: 36,
      devices: [{ device: '02:00:00:00:01:00' }, { device: '02:00:00:00:02:00' }],
      configuration: { access_point_type: 'WiFi', radios: [{ interface: 'wlan0' }] },
    });
    expect(agent.said()).toContain('hostapd_cli is missing');
  });

  test('ends with the reason where there is no token, and the name is not known', async () => {
    const agent = start({ WEFT_URL: weft.url, WEFT_AP_ID: 'shell-3' });
    expect(await agent.ended).toBe(1);
    expect(agent.said()).toContain('No enrolment token is set');
    expect(agent.said()).toContain('weft agent line shell-3');
  });

  test('a setting that is missing or wrong is named, and what it may be', async () => {
    const settings = { WEFT_URL: 'http://127.0.0.1:1', WEFT_AP_ID: 'shell-8' };
    const all = 'set_tx_power,set_channel,steer_device,sleep,wake,reboot,settings';
    const cases: [Record<string, string>, string][] = [
      [{ ...settings, WEFT_URL: '' }, 'WEFT_URL is missing: the address of Weft'],
      [{ WEFT_URL: settings.WEFT_URL }, 'WEFT_AP_ID is missing: the name of this access point'],
      [{ ...settings, WEFT_AGENT_ALLOW: 'wake, slep' }, `WEFT_AGENT_ALLOW: unknown command slep: use ${all}`],
      [{ ...settings, WEFT_AGENT_ALLOW: '*' }, `WEFT_AGENT_ALLOW: unknown command *: use ${all}`],
    ];
    const results = cases.map(async ([env]) => {
      const agent = start(env);
      return [await agent.ended, agent.said()];
    });
    expect(await Promise.all(results)).toEqual(cases.map(([, said]) => [2, `weft-agent: ${said}\n`]));
  });

  test('a token that Weft refuses is the reason', async () => {
    const agent = start({ WEFT_URL: weft.url, WEFT_AP_ID: 'shell-4', WEFT_ENROLMENT_TOKEN: 'weft-enrol-none' });
    expect(await agent.ended).toBe(1);
    expect(agent.said()).toMatch(/registration was refused: .*token/);
  });

  test('a folder that others can write to, and a link, are refused and stay as they are', async () => {
    const url = 'http://127.0.0.1:1';
    const open = newFolder();
    chmodSync(open, 0o777);
    const opened = start({ WEFT_URL: url, WEFT_AP_ID: 'shell-5', WEFT_AGENT_RUN_DIR: open });
    expect(await opened.ended).toBe(2);
    expect(opened.said()).toContain('WEFT_AGENT_RUN_DIR');
    expect(readdirSync(open)).toEqual([]);
    const target = newFolder();
    writeFileSync(join(target, 'header'), 'mine');
    const link = join(newFolder(), 'link');
    symlinkSync(target, link);
    const linked = start({ WEFT_URL: url, WEFT_AP_ID: 'shell-5', WEFT_AGENT_RUN_DIR: link });
    expect(await linked.ended).toBe(2);
    expect(readFileSync(join(target, 'header'), 'utf8')).toBe('mine');
  });

  test('nothing of it is in a folder under /tmp that somebody made first', async () => {
    const name = `shell-${process.pid}-${Date.now()}`;
    const trap = join('/tmp', `weft-agent-${name}`);
    mkdirSync(trap, { mode: 0o777 });
    onTestFinished(() => {
      for (const folder of [trap, `/var/run/weft-agent-${name}`]) rmSync(folder, { recursive: true, force: true });
    });
    // Who is not root has no place under /var/run, and is told so.
    const agent = start({ WEFT_URL: weft.url, WEFT_AP_ID: name, WEFT_AGENT_RUN_DIR: '' });
    expect(await agent.ended).toBe(process.getuid?.() === 0 ? 1 : 2);
    expect(readdirSync(trap)).toEqual([]);
  });

  test('an answer that does not end is cut off', async () => {
    let sent = 0;
    const closed = Promise.withResolvers<void>();
    const url = await pretend((_path, _body, response) => {
      const piece = Buffer.alloc(64 * 1024, 0x61);
      const more = () => {
        // The script of before took all of it.
        while (sent < 64 * 1024 * 1024) {
          sent += piece.length;
          if (!response.write(piece)) return;
        }
        response.end();
      };
      response.on('drain', more);
      response.on('close', () => closed.resolve());
      more();
    });
    start({ WEFT_URL: url, WEFT_AP_ID: 'shell-6' });
    await closed.promise;
    // What it takes, and what waits in the buffers of the connection.
    expect(sent).toBeLessThan(32 * 1024 * 1024);
  });

  test('values out of their range and addresses of two lines are refused', async () => {
    const seconds = ['0.0', 3601, '1\n2', 99999999999999999999n.toString()];
    const device = '02:00:00:00:01:00\n02:00:00:00:02:00';
    const { url, answers } = await giveCommands([
      ...seconds.map((each) => ({ name: 'set_report_interval', args: { seconds: each } })),
      { name: 'steer_device', args: { device, target_radios: [{ bssid: '02:00:00:00:00:01', channel: 6 }] } },
      { name: 'set_report_interval', args: { seconds: 90 } },
    ]);
    const agent = start({ WEFT_URL: url, WEFT_AP_ID: 'shell-7', WEFT_AGENT_ALLOW: 'wake, steer_device' });
    await untilSo(() => expect(answers).toHaveLength(seconds.length + 2));
    for (const answer of answers.slice(0, -1)) expect(JSON.parse(answer)).toMatchObject({ state: 'failed' });
    expect(JSON.parse(answers.at(-2)!).result.error).toContain('hardware address');
    expect(JSON.parse(answers.at(-1)!)).toEqual({ state: 'succeeded' });
    expect(readFileSync(join(agent.run, 'interval'), 'utf8')).toBe('90\n');
  });
});
