// Starts what a benchmark measures, each in a process of its own: the product as `npm start` runs it, and floors.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

export interface Measured {
  url: string;
  pid: number;
  /** Seconds of processor time used so far. */
  cpuSeconds(): Promise<number>;
  /** Resident memory in MiB. */
  memoryMiB(): Promise<number>;
  stop(): Promise<void>;
}

/** A fresh Weft on a free port, with the settings of a first start but for `env`. Its data folder goes with it, unless it is kept. */
export async function startWeft(
  env: Record<string, string> = {},
  dataDir = createDataDir(),
  { isKept = false } = {},
): Promise<Measured & { dataDir: string }> {
  const settings = { WEFT_PORT: '0', WEFT_DATA_DIR: dataDir, ...env };
  // As npm start does.
  const flags = ['--max-semi-space-size=16', '--v8-pool-size=1'];
  const weft = await start([...flags, join(root, 'controller/dist/weft.js'), 'serve'], settings);
  return {
    ...weft,
    dataDir,
    async stop() {
      await weft.stop();
      if (!isKept) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export function createDataDir(): string {
  return mkdtempSync(join(tmpdir(), 'weft-bench-'));
}

/** A file of this folder that prints its address once it listens. */
export function startFloor(file: string, args: string[] = []): Promise<Measured> {
  return start([join(import.meta.dirname, file), ...args], {});
}

async function start(args: string[], env: Record<string, string>): Promise<Measured> {
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'ignore'] });
  const url = await firstAddress(child);
  return {
    url,
    pid: child.pid!,
    cpuSeconds: () => cpuSecondsOf(child.pid!),
    memoryMiB: async () =>
      Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${child.pid}/status`, 'utf8'))![1]) / 1024,
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.kill('SIGTERM');
      }),
  };
}

function firstAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stdout!.on('data', (chunk: Buffer) => {
      said += chunk;
      const address = /https?:\/\/[\w.:[\]-]+/.exec(said);
      if (address) resolve(address[0]);
    });
    child.once('exit', (code) => reject(new Error(`ended with ${code} before it listened: ${said}`)));
  });
}

/** Of a server with its children and theirs, those that have ended included. */
export async function cpuSecondsOfFamily(pid: number): Promise<number> {
  const own = await statOf(pid);
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const all = (await Promise.all(processes.map((each) => statOf(each).catch(() => undefined)))).filter(
    (each) => each !== undefined,
  );
  const below = (parent: number): number =>
    all
      .filter((each) => each.parent === parent)
      .reduce((sum, each) => sum + each.seconds + each.endedSeconds + below(each.pid), 0);
  return own.seconds + own.endedSeconds + below(pid);
}

export async function parentOf(pid: number): Promise<number> {
  return (await statOf(pid)).parent;
}

async function cpuSecondsOf(pid: number): Promise<number> {
  return (await statOf(pid)).seconds;
}

async function statOf(pid: number): Promise<{ pid: number; parent: number; seconds: number; endedSeconds: number }> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]!.split(' ');
  const [used, kernel, ended, endedKernel] = fields.slice(11, 15).map((ticks) => Number(ticks) / 100);
  return { pid, parent: Number(fields[1]), seconds: used! + kernel!, endedSeconds: ended! + endedKernel! };
}

export function describeHost(): Record<string, string | number> {
  const [cpu] = cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    arch: process.arch,
    cpu: cpu?.model && cpu.model !== 'unknown' ? cpu.model : process.arch,
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
  };
}
