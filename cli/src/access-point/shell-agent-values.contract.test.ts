// What Weft holds is what an access point's own setting file, or its own setting program, gets from weft-agent.sh: byte for byte, in
// every shell, whatever people call their networks and passphrases.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { draw } from '../../../test/draw.ts';
import type { Random } from '../../../test/pure/random.ts';
import { untilSo } from '../../../test/pure/until-so.ts';
import { rounds } from '../../../test/rounds.ts';

const script = join(import.meta.dirname, '../../install/weft-agent.sh');
const tools =
  'sh awk cat chmod cmp cp curl cut date dirname echo grep head id jq kill ln ls mkdir mkfifo mv od paste ps rm sed seq sha256sum sleep sync tail tr wc';
const found = spawnSync(
  'sh',
  ['-c', `for tool in dash busybox bash ${tools}; do echo "$tool $(command -v "$tool")"; done`],
  {
    encoding: 'utf8',
  },
);
const paths = new Map(
  found.stdout
    .trim()
    .split('\n')
    .map((line) => line.split(' ') as [string, string]),
);
const hasTools = ['curl', 'jq', 'awk'].every((tool) => paths.get(tool)?.startsWith('/'));
if (!hasTools) process.stderr.write('What the shell agent writes is NOT tested: curl, jq or awk is not installed.\n');

const shells = { dash: ['dash'], 'busybox ash': ['busybox', 'ash'], bash: ['bash', '--posix'] };

interface Given {
  ssid: string;
  passphrase: string;
}
type Ending = { kept: string[] } | { refused: string };

/** Settings of a conf or of lines, without what the tests do not give. */
const linesOf = (text: string, names: string[]) =>
  names.map((name) => text.split('\n').filter((line) => line.startsWith(`${name}=`)));

/** Runs the agent in this shell, gives it one after the other, and resolves what it made of each. */
async function giveAll(shell: string[], all: readonly Given[], kind: 'file' | 'program', lie = ''): Promise<Ending[]> {
  const home = mkdtempSync(join(tmpdir(), 'weft-values-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const bin = join(home, 'bin');
  mkdirSync(bin);
  for (const tool of tools.split(' ')) {
    const path = shell[0] === 'busybox' && !['curl', 'jq'].includes(tool) ? paths.get('busybox')! : paths.get(tool)!;
    if (path.startsWith('/')) symlinkSync(path, join(bin, tool));
  }
  const program = (name: string, text: string) =>
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  // A disk that is busy is not what this is about.
  rmSync(join(bin, 'sync'));
  program('sync', ':');
  const conf = join(home, 'hostapd.conf');
  const air = join(home, 'air');
  let env: Record<string, string> = { WEFT_AGENT_HOSTAPD_CONF: conf };
  let read: () => string[][];
  if (kind === 'file') {
    writeFileSync(conf, 'interface=wlan0\nssid=before\nchannel=6\nwpa=2\nwpa_passphrase=of before\n');
    symlinkSync(conf, join(home, 'link'));
    writeFileSync(air, readFileSync(conf));
    const hostapd = spawn(
      'sh',
      ['-c', 'trap \'cp "$1" "$2"\' HUP; while :; do sleep 5 & wait $!; done', 'hostapd', conf, air],
      { stdio: 'ignore', detached: true },
    );
    onTestFinished(() => void process.kill(-hostapd.pid!, 'SIGKILL'));
    program('pidof', `echo ${hostapd.pid}`);
    const dev = `phy#0
	Interface wlan0
		addr 02:00:00:00:00:00
		type AP
		channel 6 (2437 MHz), width: 20 MHz, center1: 2437 MHz
		txpower 20.00 dBm`;
    program('iw', `case $* in dev) cat <<'E'\n${dev}\nE\n;; esac`);
    // As hostapd writes a name (printf_encode).
    program(
      'hostapd_cli',
      `case $3 in status) ;; *) exec sleep 600 ;; esac
echo state=ENABLED
printf 'ssid[0]='
sed -n 's/^ssid=//p' '${air}' | head -n 1 | tr -d '\\n' | od -An -v -tu1 | LC_ALL=C awk '{ for (i = 1; i <= NF; i++) {
  if ($i == 34 || $i == 92) printf "\\\\%c", $i
  else if ($i < 127) printf "%c", $i
  else printf "\\\\x%02x", $i
} } END { print "" }'`,
    );
    read = () => linesOf(readFileSync(conf, 'latin1'), ['ssid', 'wpa_passphrase', 'channel']);
  } else {
    writeFileSync(air, 'ssid=before\npassphrase=of before\n');
    program(
      'setter',
      `case $1 in running) cat '${air}' ;; *) cat "$2" ${lie} > '${air}'; cp '${air}' '${air}-kept' ;; esac`,
    );
    env = { WEFT_AGENT_SETTER: join(bin, 'setter') };
    read = () => linesOf(readFileSync(`${air}-kept`, 'latin1'), ['ssid', 'passphrase', 'channel']);
  }

  const endings: Ending[] = [];
  const current = () => ({ id: `t-${endings.length}`, hash: String(endings.length + 1000) });
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    const path = `${request.method} ${request.url}`;
    const next = (message: object | null) => response.end(JSON.stringify({ next: message }));
    const given = all[endings.length];
    const { id, hash } = current();
    if (path.startsWith('POST /api/v1/token')) response.end('{"access_token":"a","expires_in":3600}');
    else if (path.endsWith('/config/running')) {
      // Must be JSON, whatever it runs.
      const said = JSON.parse(body) as { trial?: string; hash: string | null };
      if (said.trial === id) next({ type: 'config_confirm', id, hash });
      else {
        if (said.hash === hash) endings.push({ kept: read().flat() });
        next(null);
      }
    } else if (path.endsWith('/result')) {
      const { state, reason } = JSON.parse(body) as { state: string; reason: string };
      if (state === 'refused') endings.push({ refused: reason });
      next(null);
    } else if (path.includes('/config/next')) {
      if (!given) return;
      const { ssid, passphrase } = given;
      const networks = [{ ssid, passphrase: { secret: 'psk', of: 'site "a"', version: 3, value: passphrase } }];
      next({ type: 'config', ...current(), settings: { networks }, trial_seconds: 60 });
    } else if (!path.startsWith('GET ')) response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  let said = '';
  const agent = spawn(paths.get(shell[0]!)!, [...shell.slice(1), script], {
    env: {
      PATH: bin,
      WEFT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      WEFT_AP_ID: 'ap-1',
      WEFT_AGENT_ALLOW: 'settings',
      WEFT_AGENT_INTERVAL: '60',
      WEFT_AGENT_RUN_DIR: join(home, 'run'),
      WEFT_AGENT_STATE_DIR: join(home, 'state'),
      ...env,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  agent.stderr.on('data', (piece) => {
    said += piece;
  });
  onTestFinished(() => void process.kill(-agent.pid!, 'SIGKILL'));
  await untilSo(() => expect(endings.length, said).toBe(all.length));
  return endings;
}

const nasty: Given[] = [
  { ssid: 'a\\nb\\tc\\\\d', passphrase: 'pass\\new\\table' },
  { ssid: '\\c gone', passphrase: 'x\\nnew channel=11' },
  { ssid: '-n', passphrase: '-e $HOME `id` $(id)' },
  { ssid: ' spaces  at ends ', passphrase: "  \"'%s%n%' &|;  " },
  { ssid: 'Gäste 屋顶 \\x41\\e', passphrase: '*?[a-z]~#!=/\\0101' },
];
/** Refused before anything is touched. */
const refused: Given[] = [
  { ssid: 'x\nnew channel=11', passphrase: 'good enough' },
  { ssid: 'good', passphrase: 'good enough\n' },
  { ssid: 'good\n', passphrase: 'good enough' },
  { ssid: 'good', passphrase: 'nul\0nul\0nul' },
  { ssid: 'e\x1bsc', passphrase: 'good enough' },
  { ssid: 'good', passphrase: 'delete\x7fdelete' },
];

function randomGiven(random: Random): Given {
  const printable = () => String.fromCharCode(32 + random.below(95));
  const risky = ['\\', '\\n', '\\c', '\\0', '"', "'", '$', '`', '%', '-', ' ', '&', '/', '='];
  const passphrase = Array.from({ length: 31 }, () => (random.below(2) ? random.of(risky) : printable())).join('');
  let ssid = '';
  for (;;) {
    const more = ssid + random.of([printable(), random.of(risky), String.fromCodePoint(0xa1 + random.below(0xd000))]);
    if (Buffer.byteLength(more) > 32) return { ssid, passphrase: passphrase.slice(0, 63) };
    ssid = more;
  }
}

const bytes = (text: string) => Buffer.from(text).toString('latin1');

for (const [name, shell] of Object.entries(shells)) {
  const isHere = hasTools && paths.get(shell[0]!)?.startsWith('/');
  if (!isHere)
    process.stderr.write(`What the shell agent writes is NOT tested under ${name}, which is not installed.\n`);
  const kind = name === 'bash' ? 'program' : 'file';
  const keys = kind === 'file' ? ['ssid', 'wpa_passphrase'] : ['ssid', 'passphrase'];
  test.skipIf(!isHere)(
    `names and passphrases of people reach the setting ${kind} byte for byte, and nothing else does: ${name}`,
    async () => {
      const endings = await giveAll(shell, [...nasty, ...refused], kind);
      const channel = kind === 'file' ? ['channel=6'] : [];
      const kept = nasty.map(({ ssid, passphrase }) => ({
        kept: [`${keys[0]}=${bytes(ssid)}`, `${keys[1]}=${bytes(passphrase)}`, ...channel],
      }));
      expect(endings).toEqual([...kept, ...refused.map(() => ({ refused: 'settings have no control characters' }))]);
    },
    180_000,
  );

  // The functions of the script alone, without its requests.
  test.skipIf(!isHere)(`any printable name and passphrase is written, read back and told as it is: ${name}`, () => {
    const home = mkdtempSync(join(tmpdir(), 'weft-values-'));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    const random = draw('given');
    const all = Array.from({ length: rounds(200, 5) }, () => randomGiven(random));
    for (const [at, { ssid, passphrase }] of all.entries()) {
      const networks = [{ ssid, passphrase: { secret: 'psk', of: ssid, version: 3, value: passphrase } }];
      writeFileSync(join(home, `given-${at}`), JSON.stringify({ next: { settings: { networks } } }));
    }
    writeFileSync(
      join(home, 'hostapd.conf'),
      'interface=wlan0\nssid=before\nchannel=6\nwpa=2\nwpa_passphrase=of before\n',
    );
    const [functions] = readFileSync(script, 'utf8').split('# --- Parts that run side by side');
    const law = `${functions}
part=law at=0
now_set() { sed 's/^wpa_//' "$run/written"; }
while [ -e "${home}/given-$at" ]; do
  cp "${home}/given-$at" "$run/answer-law"
  given_settings > "$run/given" || { put "$at: $said"; exit 1; }
  cp "$run/given" "$journal"
  noted new "$journal" > "$run/lines"
  edited "$run/lines" > "$run/written" && reads_back "$run/lines" || { put "$at: $said"; exit 1; }
  cp "$run/written" "${home}/written-$at"
  settings_json "$journal" > "${home}/told-$at"
  at=$((at + 1))
done`;
    writeFileSync(join(home, 'law.sh'), law);
    const env = {
      PATH: process.env.PATH,
      WEFT_URL: 'http://127.0.0.1:1',
      WEFT_AP_ID: 'ap-1',
      WEFT_AGENT_RUN_DIR: join(home, 'run'),
      WEFT_AGENT_STATE_DIR: join(home, 'state'),
      WEFT_AGENT_HOSTAPD_CONF: join(home, 'hostapd.conf'),
    };
    const ran = spawnSync(paths.get(shell[0]!)!, [...shell.slice(1), join(home, 'law.sh')], {
      env,
      encoding: 'utf8',
    });
    expect([ran.status, ran.stdout, ran.stderr]).toEqual([0, '', '']);
    for (const [at, { ssid, passphrase }] of all.entries()) {
      expect(readFileSync(join(home, `written-${at}`), 'utf8')).toBe(
        `interface=wlan0\nssid=${ssid}\nchannel=6\nwpa=2\nwpa_passphrase=${passphrase}\n`,
      );
      expect(JSON.parse(readFileSync(join(home, `told-${at}`), 'utf8'))).toEqual({
        channel: 6,
        networks: [{ ssid, passphrase: { secret: 'psk', of: ssid, version: 3 } }],
      });
    }
  });
}

for (const [name, shell] of Object.entries(shells)) {
  const isHere = hasTools && paths.get(shell[0]!)?.startsWith('/');
  test.skipIf(!isHere)(`a setting program that has ended is not waited for: ${name}`, () => {
    const [setter] = /^setter\(\) \{.*?^\}$/ms.exec(readFileSync(script, 'utf8'))!;
    const often = `put() { printf '%s\\n' "$*"; }
${setter}
setter_seconds=100000 WEFT_AGENT_SETTER=true n=0
while [ $n -lt ${rounds(200, 60)} ]; do said=$(setter running); n=$((n + 1)); done`;
    const ran = spawnSync(paths.get(shell[0]!)!, [...shell.slice(1), '-c', often], { timeout: 100_000 });
    expect(ran.status).toBe(0);
  });
}

test.skipIf(!hasTools)(
  'what the access point says otherwise than it was set is refused, with the name of the setting',
  async () => {
    const endings = await giveAll(['dash'], [{ ssid: 'a\\b', passphrase: 'good enough' }], 'program', "| tr -d '\\\\'");
    expect(endings).toEqual([{ refused: 'ssid was set, but the access point says that it has another value' }]);
  },
);

test('no value reaches a program that reads it', () => {
  const lines = readFileSync(script, 'utf8')
    .split('\n')
    .filter((line) => !/^\s*#/.test(line));
  const unsafe = /(?<!\/bin\/)\becho\b|\beval\b|awk -v|%b|printf (-- )?["$](?!%)(?!\\\\n)/;
  expect(lines.filter((line) => unsafe.test(line))).toEqual([]);
});
