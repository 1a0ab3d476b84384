// Every command against a real server, as a shell would see it: what is on which stream, and the exit code.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Agent, App } from '../../sdk/src/index.ts';
import { untilSo } from '../../test/pure/until-so.ts';
import { adminUsername, password, startWeft, type TestWeft } from '../../test/weft.ts';
import { clientWeft } from './client-commands.ts';
import { tellFailure } from './failures.ts';
import { commandsCalled, execute, helpOn, namesOf } from './run-weft.ts';
import type { Surroundings } from './surroundings.ts';

let weft: TestWeft;
let agent: Agent;
let home: string;
let reporting: NodeJS.Timeout;

let tooEarly: Awaited<ReturnType<typeof run>>;

beforeAll(async () => {
  weft = await startWeft();
  home = mkdtempSync(join(tmpdir(), 'weft-cli-'));
  tooEarly = await logIn();
  rmSync(home, { recursive: true });
  await weft.admin();
  await weft.app('saver');
  await weft.app('rival');
  for (const ap_id of ['roof-1', 'roof-2']) await weft.agent(ap_id);
  agent = new Agent({ url: weft.url, ap_id: 'roof-1', password, configuration: { access_point_type: 'WiFi' } })
    .metric('rssi_dbm', { label: 'Signal', unit: 'dBm' })
    .command('set_tx_power', ({ dbm }) => ({ applied: { dbm } }))
    .command('break', () => {
      throw new Error('it broke');
    });
  await agent.start();
  reporting = setInterval(() => void agent.post({ rssi_dbm: -60, load: 0.5 }).catch(() => {}), 100);
});
afterAll(async () => {
  clearInterval(reporting);
  await agent.stop();
  await weft.stop();
});

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'weft-cli-'));
  return () => rmSync(home, { recursive: true });
});

async function run(
  args: string[],
  options: {
    input?: string;
    env?: Record<string, string>;
    signal?: AbortSignal;
    said?: { out: string; err: string };
  } = {},
) {
  const { said = { out: '', err: '' } } = options;
  const stdin = new PassThrough();
  stdin.end(options.input ?? '');
  const note = (stream: 'out' | 'err') => ({
    write: (text: string | Uint8Array) => {
      said[stream] += Buffer.from(text as string).toString();
    },
  });
  const around = {
    env: { HOME: home, WEFT_URL: weft.url, ...options.env },
    stdin,
    stdout: note('out'),
    stderr: note('err'),
    ...(options.signal && { interruption: () => options.signal! }),
  };
  const [name = '', ...rest] = args;
  try {
    const [command] = await commandsCalled(clientWeft, name);
    return { code: await execute(command!, rest, around), ...said };
  } catch (error) {
    const code = tellFailure(error, around);
    if (code === undefined) throw error;
    return { code, ...said };
  }
}

const asApp = { WEFT_APP_NAME: 'saver', WEFT_APP_KEY: password };
const logIn = () => run(['login', weft.url, '--user', adminUsername, '--password-stdin'], { input: `${password}\n` });

test('login keeps the token and not the password, for its owner only; logout ends it, or says that it could not', async () => {
  expect(await logIn()).toMatchObject({ code: 0, out: '', err: expect.stringContaining(`as ${adminUsername} until`) });
  const path = join(home, '.config/weft/login.json');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readFileSync(path, 'utf8')).not.toContain(password);
  expect(await run(['agents'])).toMatchObject({ code: 0, out: expect.stringContaining('roof-1') });
  const stored = JSON.parse(readFileSync(path, 'utf8'));
  const statusOf = async () => (await weft.request('GET', '/api/v1/users/me', { token: stored.token })).status;
  expect(await statusOf()).toBe(200);
  expect((await run(['logout'])).err).toBe('Logged out.\n');
  expect(await statusOf()).toBe(401);
  expect(await run(['agents'])).toMatchObject({ code: 1, out: '', err: expect.stringContaining('weft login') });
  expect((await run(['logout'])).err).toBe('You were not logged in.\n');
  writeFileSync(path, JSON.stringify({ ...stored, url: 'http://127.0.0.1:9' }));
  expect((await run(['logout'])).err).toContain(`remains valid there until ${stored.expires_at}`);
});

test('an app may log in and keep its key', async () => {
  const login = ['login', '--app', 'saver', '--keep', '--password-stdin'];
  expect(await run(login, { input: password })).toMatchObject({ code: 0 });
  // Even when the token has ended.
  const path = join(home, '.config/weft/login.json');
  const kept = { ...JSON.parse(readFileSync(path, 'utf8')), token: 'gone', expires_at: '2026-01-01T00:00:00Z' };
  writeFileSync(path, JSON.stringify(kept));
  expect(await run(['agents'])).toMatchObject({ code: 0, out: expect.stringContaining('roof-1') });
});

test('a wrong password, an ended login, another address: a sentence with what to do', async () => {
  expect(tooEarly).toMatchObject({ code: 1, err: expect.stringContaining(`There is no account at ${weft.url} yet.`) });
  const wrong = await run(['login', '--user', adminUsername, '--password-stdin'], { input: 'not the password' });
  expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('knows no such user with this password') });
  await logIn();
  const path = join(home, '.config/weft/login.json');
  writeFileSync(
    path,
    readFileSync(path, 'utf8').replace(/"expires_at": "[^"]*"/, '"expires_at": "2026-01-01T00:00:00Z"'),
  );
  expect(await run(['agents'])).toMatchObject({ code: 1, err: expect.stringContaining('has expired') });
  await logIn();
  const elsewhere = await run(['agents', '--url', 'http://127.0.0.1:9']);
  expect(elsewhere).toMatchObject({
    code: 1,
    err: expect.stringContaining('You are not logged in at http://127.0.0.1:9'),
  });
});

describe('a login at a second Weft', () => {
  const first = 'https://first.example.org';
  const path = () => join(home, '.config/weft/login.json');
  const login = ['login', '--user', adminUsername, '--password-stdin'];
  beforeEach(() => {
    const expires_at = '2126-01-01T00:00:00.000Z';
    mkdirSync(join(home, '.config/weft'), { recursive: true });
    writeFileSync(path(), JSON.stringify({ url: first, kind: 'user', name: 'ada@first', token: 'x', expires_at }));
  });

  test('changes nothing without --force where nobody can be asked, and names both', async () => {
    const before = readFileSync(path(), 'utf8');
    const { code, err } = await run(login, { input: password });
    expect(code).toBe(1);
    for (const text of [first, 'ada@first', weft.url, '--force']) expect(err).toContain(text);
    expect(readFileSync(path(), 'utf8')).toBe(before);
    expect(await run([...login, '--force'], { input: password })).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(path(), 'utf8')).url).toBe(weft.url);
    // The same again is no other Weft.
    expect(await run(login, { input: password })).toMatchObject({ code: 0 });
  });

  test.each([
    ['n\n', 1],
    ['\n', 1],
    ['y\n', 0],
  ])('is asked about at a terminal: %j', async (answer, code) => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin });
    let said = '';
    const stderr = {
      isTTY: true,
      write(text: string | Uint8Array) {
        said += Buffer.from(text as string).toString();
        // Each question is answered once it is there.
        if (said.endsWith('[y/N] ')) stdin.write(answer);
        if (said.endsWith('Password: ')) stdin.write(`${password}\n`);
      },
    };
    const around = {
      env: { HOME: home, WEFT_URL: weft.url },
      stdin,
      stdout: stderr,
      stderr,
    } as unknown as Surroundings;
    const { loginCommand } = await import('./commands/login-command.ts');
    const ended = await execute(loginCommand, ['--user', adminUsername], around).catch((error) =>
      tellFailure(error, around),
    );
    expect(ended).toBe(code);
    expect(said).toContain(first);
    expect(said).toContain(weft.url);
    expect(JSON.parse(readFileSync(path(), 'utf8')).url).toBe(code === 0 ? weft.url : first);
  });
});

test('what a command says of a failure names the Weft that it has asked', async () => {
  await logIn();
  const failures = [
    ['watch', 'nobody'],
    ['agents', '--where', 'site:('],
    ['jobs', 'nothing'],
    ['command', 'nobody', 'set_tx_power', 'dbm=17'],
    ['emulate', 'stop', 'nothing'],
  ];
  for (const words of failures) {
    const { code, err } = await run(words);
    expect([words, code === 0]).toEqual([words, false]);
    expect(err.includes('--help') || err.includes(weft.url), err).toBe(true);
    expect(err.split(weft.url).length).toBeLessThan(3);
  }
  const away = await run(['agents'], { env: { WEFT_URL: 'http://127.0.0.1:9', WEFT_TOKEN: 'x' } });
  expect(away.err).toContain('(Weft at http://127.0.0.1:9)');
});

test('a login that cannot be used is told, and gives way to a new one and to logout', async () => {
  const path = join(home, '.config/weft/login.json');
  for (const text of ['not json', '{"url":5}']) {
    await logIn();
    writeFileSync(path, text);
    expect(await run(['agents'])).toMatchObject({ code: 1, err: expect.stringContaining('login.json is invalid') });
    const again = ['login', '--user', adminUsername, '--password-stdin'];
    expect(await run(again, { input: password })).toMatchObject({ code: 0 });
    writeFileSync(path, text);
    expect((await run(['logout'])).err).toBe('Logged out.\n');
  }
});

test('what agents call themselves cannot move the cursor of a terminal, in JSON neither', async () => {
  await weft.agent('evil-1', { access_point_type: '\x1b[2J\x9b31m\u202e' });
  const { out } = await run(['agents', 'evil-1', '--json'], { env: asApp });
  expect(out).toContain(String.raw`\u001b[2J\u009b31m\u202e`);
  expect(JSON.parse(out)).toMatchObject([{ configuration: { access_point_type: '\x1b[2J\x9b31m\u202e' } }]);
});

test('new: what cannot be written is not made known to Weft either; an app can be made afterwards', async () => {
  await logIn();
  const folder = join(home, 'file', 'night-watch');
  writeFileSync(join(home, 'file'), '');
  expect(await run(['new', 'app', folder])).toMatchObject({
    code: 1,
    err: expect.stringContaining('cannot be written'),
  });
  rmSync(join(home, 'file'));
  // What there is now, and what to do next.
  expect(await run(['new', 'app', folder])).toMatchObject({
    code: 0,
    err: expect.stringMatching(/: app\.mjs, decide\.mjs, .*Its key.*is in \.env\..*npm install\n {2}npm start\n/s),
  });
  expect(readFileSync(join(folder, '.env'), 'utf8')).toMatch(/^WEFT_APP_KEY=\S{32}$/m);
  // The name is taken, and what was begun for it is gone.
  const elsewhere = join(home, 'other', 'night-watch');
  expect(await run(['new', 'app', elsewhere])).toMatchObject({ code: 1, err: expect.stringContaining('exists') });
  expect(existsSync(elsewhere)).toBe(false);
});

test('nothing answers: says so and where to look', async () => {
  const answer = await run(['agents', '--url', 'http://127.0.0.1:9'], { env: { WEFT_TOKEN: 'x' } });
  expect(answer).toMatchObject({ code: 1, out: '', err: expect.stringContaining('WEFT_URL') });
});

test('agents: a table for people, JSON for programs, by pattern and state', async () => {
  const { out } = await run(['agents'], { env: asApp });
  expect(out.split('\n')[0]).toMatch(/^NAME +ACCESS POINT +TYPE +STATE +SITE/);
  expect(out).toMatch(/– +roof-1 +WiFi +online/);
  const json = await run(['agents', '--json', '*-2'], { env: asApp });
  expect(JSON.parse(json.out)).toMatchObject([{ ap_id: 'roof-2', presence: 'offline' }]);
  const never = await run(['agents', 'roof-*', '--state', 'never', '--json'], { env: asApp });
  expect(JSON.parse(never.out).map(({ ap_id }: { ap_id: string }) => ap_id)).toEqual(['roof-2']);
});

test('an access point is found by its display name, and by a pattern of them; several are named', async () => {
  const token = await weft.admin();
  for (const [ap_id, display_name] of [
    ['long-id-1', 'porch-1'],
    ['long-id-2', 'porch-2'],
    ['long-id-3', 'twins'],
    ['long-id-4', 'twins'],
  ] as const) {
    await weft.agent(ap_id, { commands: ['identify'] });
    await weft.request('PATCH', `/api/v1/agents/${ap_id}/labels`, { token, json: { display_name } });
  }
  const one = await run(['command', 'porch-1', 'identify', '--dry-run'], { env: asApp });
  expect(one).toMatchObject({ code: 0, out: expect.stringContaining('accepted') });
  const many = await run(['command', 'porch-*', 'identify', '--dry-run', '--json'], { env: asApp });
  expect(JSON.parse(many.out).targets.map(({ ap_id }: { ap_id: string }) => ap_id)).toEqual(['long-id-1', 'long-id-2']);
  expect((await run(['command', 'porch-*', 'identify', '--dry-run'], { env: asApp })).out).toMatch(
    /^NAME +ACCESS POINT +VERDICT.*\nporch-1 +long-id-1 +accepted/,
  );
  const { out: events } = await run(['events', '--agent', 'porch-1', '--kind', 'config.*'], { env: asApp });
  expect(events).toMatch(/porch-1 \(long-id-1\)/);
  const json = { devices: [{ device: '00:1b:44:11:3a:b7', rssi_dbm: -60 }] };
  const asAgent = await weft.login('agent', 'long-id-1');
  await weft.request('POST', '/api/v1/agent_update/update', { token: asAgent, json });
  const device = await untilSo(async () => {
    const { out } = await run(['devices'], { env: asApp });
    expect(out).toMatch(/\ndev-\S+ .* porch-1 +-60 dBm/);
    return /dev-\S+/.exec(out)![0];
  });
  expect((await run(['devices', device], { env: asApp })).out).toMatch(/\nporch-1 .*-60 dBm/);
  expect(JSON.parse((await run(['agents', 'porch-*', '--json'], { env: asApp })).out)).toHaveLength(2);
  expect(await run(['watch', 'twins'], { env: asApp })).toMatchObject({
    code: 1,
    err: `weft: Several are called twins: long-id-3, long-id-4. (Weft at ${weft.url})\n`,
  });
  expect((await run(['data', 'porch-3'], { env: asApp })).err).toContain('Did you mean porch-');
});

test('a command that an access point does not know: one exit code and one text, for one and for many', async () => {
  const dim = {
    name: 'dim',
    params: { percent: { type: 'integer', minimum: 0, maximum: 100 }, slow: { optional: true } },
  };
  await weft.agent('lamp-1', { commands: ['identify', dim] });
  const hint = 'the agent does not know this command. Did you mean identify?';
  const one = await run(['command', 'lamp-1', 'identfy'], { env: asApp });
  expect(one).toMatchObject({ code: 2, err: expect.stringContaining(hint) });
  const many = await run(['command', 'lamp-*', 'identfy'], { env: asApp });
  expect(many).toMatchObject({ code: 2, out: expect.stringContaining(hint) });
  for (const { out, err } of [one, many]) expect(out + err).not.toContain('Value error');
  for (const { err } of [one, many]) expect(err).toContain('lamp-1 knows these commands: dim, identify.');
  expect(await run(['command', 'lamp-1', 'dim', 'pct=5'], { env: asApp })).toMatchObject({
    code: 2,
    err: expect.stringContaining('dim takes percent (integer, 0..100), slow (optional).'),
  });
});

test('agent line --replace: new credentials, the old ones end, and the access point stays', async () => {
  await logIn();
  const old = await weft.agent('worn-1');
  const made = await run(['agent', 'line', 'worn-1', '--json']);
  expect(made).toMatchObject({ code: 1, err: expect.stringContaining('add --replace: its history is kept') });
  expect((await run(['agent', 'line', 'nobody-1', '--replace'])).err).toContain('leave out --replace');
  // The site is the administrators'.
  const suggested = await run(['agent', 'line', 'nobody-1', '--set', 'site=uk/roof']);
  expect(suggested.err).toContain('weft label nobody-1 --site');
  const { line, token } = JSON.parse((await run(['agent', 'line', 'worn-1', '--replace', '--json'])).out);
  expect(line).toContain(`printf %s ${token} |`);
  expect((await weft.request('GET', '/api/v1/agents/worn-1', { token: old })).status).toBe(401);
  const stateDir = join(home, 'worn');
  const stopping = new AbortController();
  const url = ['--url', weft.url, '--ap-id', 'worn-1', '--interval', '1', '--spool-dir', stateDir];
  const running = run(['agent', 'run', ...url], { env: { WEFT_ENROLMENT_TOKEN: token }, signal: stopping.signal });
  // It has got a password of its own: that of the line is no longer good.
  await untilSo(async () => {
    expect(readFileSync(join(stateDir, 'worn-1', 'password'), 'utf8').split('\n')[1]).toBe(token);
    await expect(weft.login('agent', 'worn-1', token)).rejects.toThrow();
  });
  stopping.abort();
  expect((await running).code).toBe(0);
});

test('watch prints a JSON object a line where there is no terminal, and ends quietly when interrupted', async () => {
  const { out, code } = await run(['watch', 'roof-1', '--metric', 'load', '--count', '2'], { env: asApp });
  const samples = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect([code, samples]).toMatchObject([0, [{ ap_id: 'roof-1', metrics: { load: 0.5 } }, { ap_id: 'roof-1' }]]);
  expect(samples[0].metrics).not.toHaveProperty('rssi_dbm');
  const interrupted = await run(['watch', 'roof-1'], { env: asApp, signal: AbortSignal.timeout(300) });
  expect(interrupted).toMatchObject({ code: 0, err: '' });
  const offline = await run(['watch', 'roof-2'], { env: asApp, signal: AbortSignal.timeout(300) });
  expect(offline).toMatchObject({ code: 0, err: 'roof-2 has never reported; waiting.\n' });
  expect(await run(['watch', 'nobody'], { env: asApp })).toMatchObject({
    code: 1,
    err: `weft: There is no access point nobody. weft agents lists them. (Weft at ${weft.url})\n`,
  });
});

test('wrong usage has one exit code, and a mistyped name a hint', async () => {
  for (const [args, hint] of [
    [['jobs', '--state', 'runing'], 'Did you mean running?'],
    [['jobs', '--limit', '0'], 'from 1 to 200'],
    [['agents', '--state', 'ofline'], 'Did you mean offline?'],
    [['jobs', 'folow', 'x'], 'Did you mean follow?'],
    [['agents', '--state', 'of line'], 'online, late, offline or never'],
    [['emulate', '--at', 'Nowhereville Upon Nothing'], 'the name of a known place'],
  ] as const) {
    expect(await run([...args], { env: asApp })).toMatchObject({ code: 2, err: expect.stringContaining(hint) });
  }
  for (const args of [
    ['command', 'rof-1', 'sleep'],
    ['watch', 'rof-1'],
    ['data', 'rof-1'],
    ['events', '--agent', 'rof-1'],
    ['events', '--follow', '--agent', 'rof-1'],
  ]) {
    expect(await run(args, { env: asApp })).toMatchObject({
      code: 1,
      err: `weft: There is no access point rof-1. Did you mean roof-1? weft agents lists them. (Weft at ${weft.url})\n`,
    });
  }
});

test('data: CSV, JSON lines, a file', async () => {
  await agent.post({ rssi_dbm: -61, load: 0.5 });
  const csv = await run(['data', 'roof-1', '--from', '5m', '--metric', 'load'], { env: asApp });
  expect([csv.code, csv.out.split('\r\n')[0]]).toEqual([0, 'ts,load']);
  expect(csv.out.split('\n').length).toBeGreaterThan(2);
  const json = await run(['data', 'roof-1', '--from', '5m', '--json'], { env: asApp });
  expect(JSON.parse(json.out.split('\n')[0]!)).toHaveProperty('ts');
  const path = join(home, 'roof.csv');
  expect(await run(['data', 'roof-1', '--out', path], { env: asApp })).toMatchObject({ code: 0, out: '' });
  expect(readFileSync(path, 'utf8')).toContain('rssi_dbm');
  const nowhere = await run(['data', 'roof-1', '--out', join(home, 'no/such/folder')], { env: asApp });
  expect(nowhere).toMatchObject({ code: 1, err: expect.stringContaining('cannot be written') });
  const full = await run(['data', 'roof-1', '--out', '/dev/full'], { env: asApp });
  expect(full).toMatchObject({ code: 1, err: expect.stringContaining('/dev/full cannot be written: ENOSPC') });
});

test('watch and data say which metrics there are if one is not', async () => {
  await agent.post({ rssi_dbm: -61, load: 0.5, state: 'up' });
  const there = 'weft: roof-1: no metric laod. Did you mean load? There are: load, rssi_dbm, state.\n';
  const data = await run(['data', 'roof-1', '--from', '5m', '--metric', 'laod'], { env: asApp });
  expect(data).toMatchObject({ code: 0, err: there });
  const watch = ['watch', 'roof-1', '--metric', 'laod', '--metric', 'load', '--count', '1'];
  expect(await run(watch, { env: asApp })).toMatchObject({ code: 0, err: there });
  expect(await run(['data', 'roof-1', '--metric', 'state'], { env: asApp })).toMatchObject({ code: 0, err: '' });
});

test('agents: a selector with a metric that nobody reports says so', async () => {
  await agent.post({ rssi_dbm: -61 });
  expect(await run(['agents', '--select', 'rssi_dmb<-10'], { env: asApp })).toMatchObject({
    code: 0,
    err: 'weft: No access point has reported rssi_dmb. Did you mean rssi_dbm?\nNo access point matches.\n',
  });
  expect((await run(['agents', '--select', 'rssi_dbm<-10'], { env: asApp })).err).toBe('');
});

test('data: a file has its name when all of it is there', async () => {
  const cut = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/csv' }).write('ts,load\n', () => response.destroy());
  });
  const url = await new Promise<string>((resolve) => {
    cut.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(cut.address() as AddressInfo).port}`));
  });
  const answer = await run(['data', 'roof-1', '--out', join(home, 'roof.csv')], {
    env: { WEFT_URL: url, WEFT_TOKEN: 'x' },
  });
  expect(answer).toMatchObject({ code: 1, err: expect.stringContaining('unreachable') });
  expect(readdirSync(home)).toEqual([]);
  cut.close();
});

describe('command', () => {
  test('waits for what becomes of it: succeeded is 0, failed is 1', async () => {
    const { code, out } = await run(['command', 'roof-1', 'set_tx_power', 'dbm=17', '--hold', '0'], { env: asApp });
    expect([code, out.trim().split('\n').at(-1)]).toEqual([0, 'succeeded  {"dbm":17}']);
    const broken = await run(['command', 'roof-1', 'break', '--json'], { env: asApp });
    expect([broken.code, JSON.parse(broken.out)]).toMatchObject([1, { state: 'failed', verdict: 'accepted' }]);
  });

  test('a conflict is 3, and says who and until when; a dry run changes nothing', async () => {
    const app = new App({ url: weft.url, name: 'rival', key: password });
    await app.command('roof-2', 'set_tx_power', { dbm: 5 }, { holdSeconds: 60 });
    const { code, out, err } = await run(['command', 'roof-2', 'set_tx_power', 'dbm=6'], { env: asApp });
    expect([code, out]).toEqual([3, '']);
    expect(err).toMatch(/^weft: Rejected: .*rival.* Retry after 2/);
    const token = await weft.admin();
    const all = async () => (await weft.request('GET', '/api/v1/commands?agent=roof-2', { token })).body;
    const before = await all();
    expect(before.length).toBeGreaterThan(0);
    const dry = await run(['command', 'roof-2', 'set_tx_power', 'dbm=6', '--dry-run', '--json'], { env: asApp });
    expect([dry.code, JSON.parse(dry.out)]).toMatchObject([3, { verdict: 'rejected', dry_run: true }]);
    expect(await all()).toEqual(before);
  });

  test('whoever stops waiting learns that the command goes on, and its number', async () => {
    const interruption = new AbortController();
    const { signal } = interruption;
    const said = { out: '', err: '' };
    const waiting = run(['command', 'roof-2', 'set_channel', 'channel=1'], { env: asApp, signal, said });
    await untilSo(() => expect(said.err).toContain('leaves the command queued'));
    interruption.abort();
    const { code, err } = await waiting;
    expect([code, err]).toEqual([130, expect.stringMatching(/The command continues: [0-9a-f-]{36}\n$/)]);
    expect(err).toContain('\nroof-2 has never reported; waiting up to 10 min, Ctrl+C leaves the command queued.\n');
  });

  test('--no-wait prints the number of the command; a pattern gives a verdict for each', async () => {
    const { code, out } = await run(['command', 'roof-2', 'reboot', '--no-wait'], { env: asApp });
    expect([code, out]).toEqual([0, expect.stringMatching(/^[0-9a-f-]{36}\n$/)]);
    const many = await run(['command', 'roof-?', 'set_channel', 'channel=36', '--json', '--dry-run'], { env: asApp });
    expect(JSON.parse(many.out).targets).toHaveLength(2);
  });
});

test('emulate starts, lists and ends a network', async () => {
  const start = await run(['emulate', '--wifi', '2', '--for', '10m', '--seed', '7', '--json'], { env: asApp });
  const { job_number, agents, seed } = JSON.parse(start.out);
  expect([start.code, agents.length, seed]).toEqual([0, 2, 7]);
  expect(JSON.parse((await run(['emulate', 'list', '--json'], { env: asApp })).out)).toMatchObject([{ job_number }]);
  expect((await run(['emulate', 'list'], { env: asApp })).out).toContain('2 WiFi');
  const map = await untilSo(async () => {
    const printed = await run(['emulate', 'map', job_number, '--type', 'wifi', '--size', '3'], { env: asApp });
    expect(printed.code, printed.err).toBe(0);
    return printed.out.split('\n');
  });
  expect(map[0]).toBe('latitude,longitude,signal (dBm)');
  expect(map.slice(1, -1)).toHaveLength(9);
  expect(map[5]).toMatch(/^51\.4\d{6},-2\.5\d{6},-\d+(\.\d+)?$/);
  expect(await run(['emulate', 'stop', job_number], { env: asApp })).toMatchObject({ code: 0 });
  const busy = [
    '--profile',
    'always',
    '--mbps',
    '2.5',
    '--mix',
    'video=3,web=1',
    '--mix',
    'voice=0',
    '--links',
    'redundant',
  ];
  const { out } = await run(['emulate', '--wifi', '1', ...busy, '--json'], { env: asApp });
  const second = JSON.parse(out);
  expect(second).toMatchObject({ model: 3, demand: [{ mbps_per_device: 2.5, mix: { video: 0.75, web: 0.25 } }] });
  await run(['emulate', 'stop', second.job_number], { env: asApp });
});

test('jobs are listed, followed and cancelled', async () => {
  const app = new App({ url: weft.url, name: 'saver', key: password });
  const { job_number } = await app.request('POST', '/api/v1/agent_details/request_all_agents_details');
  const followed = await run(['jobs', 'follow', job_number], { env: asApp });
  expect([followed.code, JSON.parse(followed.out.split('\n')[0]!)]).toMatchObject([
    0,
    { seq: 1, type: 'agent_details' },
  ]);
  expect((await run(['jobs'], { env: asApp })).out).toMatch(new RegExp(`${job_number} +agent_details +succeeded`));
  expect(await run(['jobs', 'cancel', job_number], { env: asApp })).toMatchObject({ code: 1 });
  expect(await run(['jobs', 'cancel', 'nothing'], { env: asApp })).toMatchObject({ code: 1 });
  // Which opens no job of that name, though an administrator could.
  await logIn();
  for (const action of ['follow', 'cancel']) {
    expect(await run(['jobs', action, 'nothing'])).toMatchObject({
      code: 1,
      err: `weft: Job not found. weft jobs lists your jobs. (Weft at ${weft.url})\n`,
    });
  }
});

test('apps: made with a key that works, rotated, removed; only administrators', async () => {
  await logIn();
  const { code, out } = await run(['apps', 'add', 'planner', '--agents', 'roof-*', '--read-only']);
  expect([code, out]).toEqual([0, expect.stringMatching(/^\S{43}\n$/)]);
  const planner = { WEFT_APP_NAME: 'planner', WEFT_APP_KEY: out.trim() };
  expect((await run(['agents'], { env: planner })).code).toBe(0);
  expect(await run(['command', 'roof-1', 'set_tx_power', 'dbm=1'], { env: planner })).toMatchObject({ code: 1 });
  expect((await run(['apps'])).out).toMatch(/planner +read, emulator; roof-\*/);
  const rotated = await run(['apps', 'rotate', 'planner']);
  expect(rotated.out).not.toBe(out);
  expect(await run(['agents'], { env: planner })).toMatchObject({
    code: 1,
    err: expect.stringContaining('weft login'),
  });
  expect((await run(['apps', 'remove', 'planner'])).code).toBe(0);
  expect(await run(['apps'], { env: asApp })).toMatchObject({ code: 1, out: '' });
});

test('sites, labels and selectors: an access point is placed, found and named', async () => {
  await logIn();
  expect(await run(['sites'])).toMatchObject({ code: 0, out: '', err: expect.stringContaining('weft sites add') });
  expect((await run(['sites', 'add', 'uk/hall', '--zone', 'Europe/London'])).code).toBe(0);
  expect((await run(['label', 'roof-2', '--site', 'uk/hall', '--tag', 'lobby', '--name', 'Lobby'])).code).toBe(0);
  const { out } = await run(['agents', '--select', 'site:uk/** tag:lobby']);
  expect(out).toMatch(/Lobby +roof-2 .*uk\/hall/);
  expect(out).not.toContain('roof-1');
  expect(JSON.parse((await run(['label', 'roof-2', '--json'])).out)).toMatchObject({
    tags: ['lobby'],
    site: 'uk/hall',
  });
  expect(await run(['sites', 'remove', 'uk/hall'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('access point'),
  });
  expect((await run(['sites', 'move', 'uk/hall', 'uk/bath'])).code).toBe(0);
  expect((await run(['label', 'roof-2', '--site', '', '--untag', 'lobby', '--name', ''])).out).toMatch(
    /roof-2 +– +– +–/,
  );
  expect((await run(['sites', 'remove', 'uk/bath'])).code).toBe(0);
  for (const wrong of [
    ['sites', 'add', 'de/Büro Süd'],
    ['label', 'roof-2', '--tag', 'two words'],
  ]) {
    const words = /letters, digits and .*begins? with a letter or digit; no spaces/;
    expect(await run(wrong)).toMatchObject({ code: 2, err: expect.stringMatching(words) });
    expect((await run(wrong)).err).not.toContain('\\p{');
  }
  expect(await run(['agents', '--select', 'site:'])).toMatchObject({ code: 2, err: expect.stringContaining('column') });
});

test('events show what happened, and follow what happens until they are interrupted', async () => {
  await logIn();
  await run(['label', 'roof-2', '--tag', 'seen']);
  const shown = async (...more: string[]) => (await run(['events', '--json', ...more])).out;
  expect(await shown('--select', 'name:roof-2')).toContain('config.changed');
  expect(await shown('--select', 'name:roof-1')).not.toContain('"ap_id":"roof-2"');
  const { out } = await run(['events', '--kind', 'config.*', '--agent', 'roof-2', '--json']);
  const events = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(events.at(-1)).toMatchObject({ kind: 'config.changed', ap_id: 'roof-2' });
  const controller = new AbortController();
  const after = String(events.at(-1).id - 1);
  const said = { out: '', err: '' };
  const { signal } = controller;
  const following = run(['events', '--follow', '--after', after, '--agent', 'roof-2'], { signal, said });
  await untilSo(() => expect(said.out).toContain('config.changed'));
  controller.abort();
  expect((await following).code).toBe(0);
  await run(['label', 'roof-2', '--untag', 'seen']);
});

test('incidents: what broke is listed, shown with its cause, acknowledged and silenced', async () => {
  await weft.app('watcher', { alarms: true });
  const watcher = new App({ url: weft.url, name: 'watcher', key: password });
  await logIn();
  const json = async (...more: string[]) => JSON.parse((await run(['incidents', ...more, '--json'])).out);
  expect(await run(['incidents', '--state', 'open'])).toMatchObject({ code: 0, err: 'No incidents.\n' });
  const { id } = await watcher.raise({
    ap_id: 'roof-2',
    severity: 'major',
    key: 'hole',
    text: 'nobody covers the hall',
  });
  await weft.parts.incidents.keeper.once();
  const table = await run(['incidents', '--window', '1h', '--select', 'name:roof-2']);
  expect(table).toMatchObject({
    code: 0,
    out: expect.stringMatching(new RegExp(`${id} +open .* 1 .*Alarms on roof-2`)),
  });
  expect(await json('--state', 'open', '--state', 'ended')).toMatchObject([{ id, state: 'open', alarms: [id] }]);
  expect(await json('--select', 'name:roof-1')).toEqual([]);
  const { err } = await run(['incidents', 'show', id]);
  for (const words of ['1 access points, 0 devices affected', 'Cause: No cause found', 'hall'])
    expect(err).toContain(words);
  expect((await run(['incidents', 'ack', id])).err).toBe('Alarms on roof-2: acknowledged.\n');
  expect((await run(['incidents', 'silence', id, '--for', '8h'])).err).toContain('nobody is told until');
  expect(await json('show', id)).toMatchObject({ id, state: 'acknowledged', timeline: expect.any(Array) });
  const alarm = (await weft.request('GET', `/api/v1/alarms/${id}`, { token: await weft.admin() })).body;
  expect(Date.parse(alarm.shelved_until) - Date.now()).toBeGreaterThan(7 * 3_600_000);
  await watcher.clear('hole');
  expect(await run(['incidents', 'ack', id])).toMatchObject({ code: 1, err: expect.stringContaining('have cleared') });
});

test('energy: what was drawn as a table, by technology or site, with the hours that nobody measured', async () => {
  await weft.app('metered');
  for (const [ap_id, configuration] of [
    ['meter-1', { access_point_type: 'LiFi' }],
    ['meter-2', { access_point_type: 'LiFi' }],
  ] as const) {
    await weft.agent(ap_id, configuration);
  }
  const admin = await weft.admin();
  await weft.request('POST', '/api/v1/sites', { token: admin, json: { path: 'mill' } });
  await weft.request('PATCH', '/api/v1/agents/meter-1/labels', { token: admin, json: { site: 'mill' } });
  // Twenty minutes of the last thirty, at 60 W.
  const now = Date.now();
  const samples = Array.from({ length: 120 }, (_, n) => {
    return { ts: now - 1_500_000 + n * 10_000, names: ['power_w'], values: [60], texts: [] };
  });
  await weft.record('meter-1', samples, now);
  await logIn();
  const asked = ['energy', '--window', '30m', '--select', 'name:meter-*'];
  const found = JSON.parse((await run([...asked, '--json'])).out);
  expect(found.total).toMatchObject({ access_points: 1, kwh: expect.closeTo(0.02, 6) });
  const cells = String.raw` +1 +0\.020 +0\.\d\d [A-Z]{3} +0\.0 +0\.3 +0\.2\n`;
  for (const [by, name] of [
    [[], 'LiFi'],
    [['--by', 'site'], 'mill'],
  ] as const) {
    const { code, out, err } = await run([...asked, ...by]);
    expect({ code, err }).toEqual({ code: 0, err: '1 access point reported no power.\n' });
    expect(out).toMatch(new RegExp(`^NAME +ACCESS POINTS +KWH.*\n${name}${cells}all${cells}$`));
  }
});

test.each([
  [['energy', '--by', 'colour'], '--by'],
  [['agents', '--sate', 'x'], 'Did you mean --state?'],
  [['agents', '--state', 'asleep'], '--state must be'],
  [['login', '--password', 'hunter2'], 'everybody on this machine'],
  [['login', '--user', 'a@b.c'], '--password-stdin'],
  [['login', 'http://a:b@c'], 'must not contain a username or password'],
  [['watch'], 'Give at least one access point'],
  [['data', 'a', '--from', 'yesterday'], '--from must be a time'],
  [['data', 'a', '--from', '1h', '--to', '2h'], '--from must be before --to'],
  [['data', 'a', '--csv', '--json'], 'not both'],
  [['command', 'a'], 'Give the access point and the command.'],
  [['command', 'a', 'b', 'c'], 'name=value'],
  [['command', 'a', 'b', '--hold', 'long'], '--hold must be a duration'],
  [['emulate', '--wifi', 'many'], '--wifi must be a whole number'],
  [['emulate', '--wifi', '0'], 'has no access points'],
  [['emulate', '--mbps', '1001'], '--mbps must be a number from 0 to 1000'],
  [['emulate', '--links', 'single'], '--links must be one of active_standby'],
  [['emulate', '--mix', 'fax=1'], '--mix must be like video=3'],
  [['emulate', '--mix', 'video'], '--mix must be like video=3'],
  [['emulate', '--profile', 'quiet'], '--profile must be one of office, home'],
  [['jobs', 'eat', 'x'], 'Unknown action eat'],
  [['apps', 'add'], 'Usage: weft apps'],
  [['apps', 'rotate', 'a', '--read-only'], 'weft apps rotate takes no --read-only'],
  [['jobs', '--after', '3'], 'weft jobs takes no --after'],
  [['emulate', 'list', '--wifi', '3'], 'weft emulate list takes no --wifi'],
  [['emulate', 'map', 'a', '--layer', 'beauty'], '--layer must be one of best_server'],
  [['emulate', 'map', 'a', '--type', '4G'], '--type must be 5G'],
  [['logout', 'now'], 'weft logout takes no now'],
  [['events', 'now'], 'weft events takes options only'],
  [['events', '--after', '3'], 'weft events takes no --after'],
  [['events', '--follow', '--after', 'x'], '--after must be the id of an event'],
  [['devices', 'steer', 'x'], 'give a device and the access point'],
  [['devices', '--limit', 'x'], '--limit'],
  [['alarms', 'eat', 'x'], 'Unknown action eat'],
  [['alarms', 'ack'], 'Give at least one alarm'],
  [['alarms', 'shelve', 'x'], 'Give --for'],
  [['alarms', '--severity', 'bad'], '--severity'],
  [['incidents', 'eat', 'x'], 'Unknown action eat'],
  [['incidents', 'ack', 'a', 'b'], 'Give one incident'],
  [['incidents', 'silence', 'x'], 'Give --for'],
  [['incidents', 'ack', 'x', '--for', '8h'], 'weft incidents ack takes no --for'],
  [['incidents', '--state', 'firing'], '--state must be open, acknowledged or ended'],
  [['sites', 'move', 'a'], 'Usage: weft sites'],
  [['label'], 'Give one access point'],
  [['agents', '--url', 'ftp://weft.example.org'], 'use http or https'],
  [['command', 'a', 'b', 'c=1', 'c=2'], 'c was given twice'],
  [['watch', 'a', '--count', '0.5'], '--count must be a whole number'],
  [['agent', 'line', 'a', '--interval', '0'], '--interval must be'],
])('%j is a usage error, and no secret is repeated', async (args, sentence) => {
  const { code, out, err } = await run(args);
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain(sentence);
  expect(err).not.toContain('hunter2');
});

test.each(namesOf(clientWeft))('the help on %s has a usage and an example, and fits a terminal', async (name) => {
  const help = await helpOn(clientWeft, name);
  expect(help).toMatch(/^Usage:$/m);
  expect(help).toMatch(/^Examples:\n {2}weft /m);
  for (const line of help.split('\n')) expect(line.length).toBeLessThanOrEqual(120);
});
