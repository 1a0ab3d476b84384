// `weft demo`: a server, an emulated network and a control program with one command; deletes its data at the end.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { CommandLine, Surroundings } from '@weft/cli';
import { emulatedTechnologies } from '@weft/contract/emulated-model';
import { App, type EmulatorRun } from '@weft/sdk';
import type { Config } from '../core/base/config.ts';
import { StartError } from '../core/base/errors.ts';
import { lockDataFolder, prepareDataFolder } from '../core/base/storage/data-folder.ts';
import type { RunningWeft } from '../serve.ts';
import { Ending } from './ending.ts';
import { openFileLimit } from './open-file-limit.ts';
import { readConfig } from './read-config.ts';

const program = resolve(import.meta.dirname, '../../../examples/energy-saver/main.ts');
const username = 'demo@weft.test';
const appName = 'energy-saver';
const hours = 24;
/** So many access points have reported before the first line about them. */
const shownFrom = 12;

export async function demoCommand(line: CommandLine, around: Surroundings): Promise<number> {
  const chosen = line.get('data-dir') ?? around.env.WEFT_DATA_DIR;
  const dataDir = chosen ?? mkdtempSync(join(tmpdir(), 'weft-demo-'));
  const password = randomBytes(9).toString('base64url');
  const admin = { WEFT_ADMIN_USERNAME: username, WEFT_ADMIN_PASSWORD: password };
  const quiet = { WEFT_LOG_LEVEL: around.env.WEFT_LOG_LEVEL ?? 'warn', WEFT_DATA_DIR: dataDir };
  const removeData = () => chosen === undefined && rmSync(dataDir, { recursive: true, force: true });
  process.once('exit', removeData);
  const config = readConfig(line, { ...around.env, ...quiet, ...admin });

  if (chosen !== undefined) await renewPassword(config, password);
  const ending = new Ending(config, around);
  const { serve } = await import('../serve.ts');
  const weft = await serve({ ...config, maxConnections: openFileLimit(config.maxConnections).maxConnections });
  let saver: ChildProcess | undefined;
  process.once('exit', () => saver?.kill());
  ending.watch({ ...weft, stop: () => stopAll(weft, () => saver) });
  if (weft.firstAdminNeeded !== false)
    throw new StartError('the demonstration needs a database, and it does not answer');

  const app = new App({ url: weft.url, username, password });
  const { agents, key } = await prepare(app, line.get('at') ?? 'Bristol').catch(async (error) => {
    await weft.stop();
    throw error;
  });
  around.stdout.write(welcome(weft.url, password, agents, chosen));
  if (!(await fetch(`${weft.url}/install/weft.mjs`, { method: 'HEAD' })).ok) {
    around.stderr.write('weft: the dashboard and weft.mjs are not built yet: run npm start once\n');
  }
  const names = new Map((await app.select('').toArray()).map((each) => [each.ap_id, each.display_name ?? each.ap_id]));
  saver = startSaver(weft.url, key, names, around);
  tellFirst(app, around).catch(() => {});
  return ending.code;
}

/** For a data folder that was kept: the earlier password is not stored anywhere. */
async function renewPassword(config: Config, password: string): Promise<void> {
  const { openAccounts } = await import('../offline.ts');
  prepareDataFolder(config.dataDir);
  // Fails if a server uses the folder, so that its password is not changed.
  const lock = lockDataFolder(config.dataDir);
  const accounts = await openAccounts(config, 'weft demo');
  try {
    const users = await accounts.users.list();
    if (users.some((user) => user.username === username)) await accounts.users.setPassword(username, password);
    else if (users.length > 0) {
      throw new StartError(`${config.dataDir} contains a Weft that is not a demonstration: choose another folder`);
    }
  } finally {
    await accounts.close();
    lock.release();
  }
}

/** Uses the app and the run of an earlier demonstration if they exist. */
async function prepare(app: App, place: string): Promise<{ agents: number; key: string }> {
  const key = randomBytes(24).toString('base64url');
  const apps = '/api/v1/third_party_apps/';
  const known = await app.request<{ app_name: string }[]>('GET', apps);
  if (known.some(({ app_name }) => app_name === appName)) {
    await app.request('PUT', apps + appName, { json: { api_key: key } });
  } else {
    await app.request('POST', apps, { json: { app_name: appName, api_key: key, permissions: {} } });
  }
  const runs = await app.request<EmulatorRun[]>('GET', '/api/v1/emulator');
  const running = runs.find(({ state }) => state === 'queued' || state === 'running');
  return { agents: running ? countOf(running) : await spinUp(app, place), key };
}

function countOf({ by_type }: EmulatorRun): number {
  return Object.values(by_type).reduce((sum, count) => sum + count, 0);
}

async function spinUp(app: App, place: string): Promise<number> {
  const { agents } = await app.emulate({
    sites: true,
    emulators: emulatedTechnologies.map((access_point_type) => ({
      access_point_type,
      num_access_points: 4,
      locations: [place],
      // So few that cells are idle: the program lets some sleep within minutes.
      num_devices: 2,
      duration: hours * 3600,
      profile: 'always' as const,
    })),
  });
  return agents.length;
}

/** Starts the example like any third-party program: a separate process with an address, a name and a key. */
function startSaver(
  url: string,
  key: string,
  names: ReadonlyMap<string, string>,
  around: Surroundings,
): ChildProcess | undefined {
  if (!existsSync(program)) {
    around.stderr.write('weft: the energy saver is not installed, so no program controls the network\n');
    return undefined;
  }
  const saver = spawn(process.execPath, [program], {
    env: { PATH: around.env.PATH, WEFT_URL: url, WEFT_APP_NAME: appName, WEFT_APP_KEY: key },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Ctrl+C goes to every process in the foreground; this one is stopped separately, before the server.
    detached: true,
  });
  const named = (text: string) => text.replaceAll(/emu-[a-z0-9]+-[0-9a-f]+-\d+/g, (id) => names.get(id) ?? id);
  createInterface(saver.stdout!).on('line', (text) => around.stdout.write(`${appName}: ${named(text)}\n`));
  createInterface(saver.stderr!).on('line', (text) => around.stderr.write(`${appName}: ${text}\n`));
  return saver;
}

/** The program waits for minutes before it decides: until then people see what the network does. */
async function tellFirst(app: App, around: Surroundings): Promise<void> {
  const metrics = ['served_devices', 'power_w'];
  const sum = new Map<string, Record<string, number>>();
  for await (const sample of app.live({ metrics })) {
    sum.set(sample.ap_id, sample.metrics);
    const total = (name: string) => [...sum.values()].reduce((all, values) => all + (values[name] ?? 0), 0);
    if (sum.size < shownFrom || total('served_devices') === 0) continue;
    const [served, watts] = metrics.map((name) => Math.round(total(name)));
    around.stdout.write(`network: ${sum.size} access points serve ${served} devices with ${watts} W\n`);
    return;
  }
}

async function stopAll(weft: RunningWeft, saver: () => ChildProcess | undefined): Promise<void> {
  const child = saver();
  if (child && child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
    await ended;
    clearTimeout(timer);
  }
  await weft.stop();
}

function welcome(url: string, password: string, agents: number, kept: string | undefined): string {
  const afterwards = kept === undefined ? 'deletes all data' : `keeps ${kept}`;
  return `Weft is running: ${url}

  Sign in    ${username}
  Password   ${password}
  Network    ${agents} emulated access points: ${emulatedTechnologies.join(', ')}
  Program    ${appName} lets idle cells sleep and wakes them; its decisions are shown below
  Stop       Ctrl+C; ${afterwards}

`;
}
