// `weft demo`: a server, an emulated network and a control program, with one command; all of it is gone afterwards.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { type Surroundings, UsageError } from '@weft/cli';
import { App } from '@weft/sdk';
import { StartError } from '../start-error.ts';
import type { RunningWeft } from '../wire.ts';
import { parseCommandLine } from './command-line.ts';
import { Ending } from './ending.ts';
import { readConfig } from './read-config.ts';

const program = resolve(import.meta.dirname, '../../../examples/energy-saver/main.ts');
const username = 'demo@weft.test';
const appName = 'energy-saver';
const hours = 24;

export async function demoCommand(args: string[], around: Surroundings): Promise<number> {
  const line = parseCommandLine(args, { valued: ['at'] });
  if (line.words.length > 0) throw new UsageError(`weft demo takes no ${line.words[0]}.`);
  const chosen = line.flags['data-dir'] ?? around.env.WEFT_DATA_DIR;
  const dataDir = chosen ?? mkdtempSync(join(tmpdir(), 'weft-demo-'));
  const password = randomBytes(9).toString('base64url');
  const admin = { WEFT_ADMIN_USERNAME: username, WEFT_ADMIN_PASSWORD: password };
  const quiet = { WEFT_LOG_LEVEL: around.env.WEFT_LOG_LEVEL ?? 'warn', WEFT_DATA_DIR: dataDir };
  const removeData = () => chosen === undefined && rmSync(dataDir, { recursive: true, force: true });
  process.once('exit', removeData);
  const config = readConfig(line, { ...around.env, ...quiet, ...admin });

  const ending = new Ending(config, around);
  const { serve } = await import('../wire.ts');
  const weft = await serve(config);
  let saver: ChildProcess | undefined;
  ending.watch({ ...weft, stop: () => stopAll(weft, () => saver) });
  if (weft.firstAdminNeeded !== false) throw new StartError('the demonstration needs a database that answers');

  const app = new App({ url: weft.url, username, password });
  const { agents, key } = await prepare(app, line.options.get('at') ?? 'Bristol').catch(async (error) => {
    await weft.stop();
    throw error;
  });
  around.stdout.write(welcome(weft.url, password, agents));
  saver = startSaver(weft.url, key, around);
  return ending.code;
}

async function prepare(app: App, place: string): Promise<{ agents: number; key: string }> {
  const types = ['5G', 'WiFi', 'LiFi'] as const;
  const { agents } = await app.emulate({
    emulators: types.map((access_point_type) => ({
      ...{ access_point_type, num_access_points: 4, locations: [place], num_devices: 6, duration: hours * 3600 },
    })),
  });
  const key = randomBytes(24).toString('base64url');
  await app.request('POST', '/api/v1/third_party_apps/', {
    json: { app_name: appName, api_key: key, permissions: {} },
  });
  return { agents: agents.length, key };
}

/** The example as anybody would start it: a program of its own that knows an address, a name and a key. */
function startSaver(url: string, key: string, around: Surroundings): ChildProcess | undefined {
  if (!existsSync(program)) {
    around.stderr.write('weft: the energy saver is not here, so nobody controls the network\n');
    return undefined;
  }
  const saver = spawn(process.execPath, [program], {
    env: { PATH: around.env.PATH, WEFT_URL: url, WEFT_APP_NAME: appName, WEFT_APP_KEY: key },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Ctrl+C goes to every process in the foreground; this one is told when it is its turn.
    detached: true,
  });
  createInterface(saver.stdout!).on('line', (text) => around.stdout.write(`${appName}: ${text}\n`));
  createInterface(saver.stderr!).on('line', (text) => around.stderr.write(`${appName}: ${text}\n`));
  return saver;
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

function welcome(url: string, password: string, agents: number): string {
  return `Weft is running: ${url}

  Sign in    ${username}
  Password   ${password}
  Network    ${agents} emulated access points: 5G, WiFi and LiFi
  Program    ${appName} lets idle cells sleep and wakes them; what it decides is told below
  Stop       Ctrl+C; nothing is kept

`;
}
