// Weft as its operators run it: a process of its own, seen through its exit code, its output and its HTTP interface.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { inject, onTestFinished } from 'vitest';
import { buildCache } from '../test/compile-cache.ts';
import { countCost } from '../test/costs/file-costs.ts';
import { findFreePort } from '../test/server-process.ts';
import { usualPriority } from '../test/threads/shared-thread.ts';

export const root = resolve(import.meta.dirname, '..');
/** As `npm start` runs it. */
export const command = join(root, 'controller', 'dist', 'weft.js');
/** Those of `npm start`, and room for what a start leaves behind: to collect it is a twelfth of its work. */
const nodeOptions = ['--max-semi-space-size=16', '--v8-pool-size=1', '--min-semi-space-size=16', ...usualPriority];
const patienceMs = 240_000;

type Env = Record<string, string>;

export interface RunOptions {
  env?: Env;
  /** Where it runs; a fresh folder unless given. */
  folder?: string;
  /** Sent to standard input, which then ends. */
  input?: string;
  /** What stands before the arguments of `weft`. */
  launcher?: string[];
  /** Whoever started it ends it; else it ends with the test. */
  isShared?: boolean;
}

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any;
}

/** What every process gets; all settings are given by the tests. */
function surroundings() {
  const { PATH, HOME } = process.env;
  return { PATH, HOME, TZ: 'UTC', ...buildCache() };
}

/** A folder that goes with the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'weft-e2e-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** What is asked of a server, wherever it runs. */
export class Weft {
  url = '';
  folder = '';

  async request(
    method: string,
    path: string,
    options: { token?: string; json?: unknown; form?: Env; headers?: Env } = {},
  ) {
    const { token, json, form, headers } = options;
    const response = await fetch(this.url + path, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: json !== undefined ? JSON.stringify(json) : form ? new URLSearchParams(form) : null,
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    const answer: Answer = {
      status: response.status,
      headers: response.headers,
      body: isJson ? JSON.parse(text) : text,
    };
    return answer;
  }

  login(username: string, password: string, kind = 'user'): Promise<Answer> {
    return this.request('POST', `/api/v1/token/?login_type=${kind}`, { form: { username, password } });
  }

  /** It listens while it waits for PostgreSQL, which a busy machine may keep from answering the first time. */
  async untilStarted(): Promise<void> {
    await eventually(
      () => this.request('GET', '/api/v1/users/me'),
      ({ body }) => body.code !== 'starting',
    );
  }

  /** The administrator's token; there must be none yet. */
  async createAdmin(query = ''): Promise<string> {
    await this.untilStarted();
    const json = { username: adminUsername, password, roles: ['admin'] };
    const { status, body } = await this.request('POST', `/api/v1/users/public${query}`, { json });
    if (status !== 200) throw new Error(`no administrator: ${status} ${JSON.stringify(body)}`);
    return (await this.login(adminUsername, password)).body.access_token;
  }
}

export class WeftProcess extends Weft {
  readonly child: ChildProcessWithoutNullStreams;
  out = '';
  err = '';
  code: number | null | undefined;
  readonly #changes = new EventEmitter();

  constructor(args: string[], options: RunOptions = {}) {
    const { env = {}, folder = temporaryFolder(), input = '', launcher, isShared = false } = options;
    super();
    countCost('process');
    this.folder = folder;
    const [program = '', ...before] = launcher ?? [process.execPath, ...nodeOptions, command];
    this.child = spawn(program, [...before, ...args], {
      cwd: folder,
      // A launcher has children of its own: as a group they can be ended together.
      detached: launcher !== undefined,
      env: { ...surroundings(), WEFT_PORT: '0', ...env },
    });
    this.child.stdin.on('error', () => {});
    this.child.stdin.end(input);
    const listen = (stream: 'stdout' | 'stderr', add: (text: string) => void) =>
      this.child[stream].setEncoding('utf8').on('data', (text: string) => {
        add(text);
        this.#changes.emit('change');
      });
    listen('stdout', (text) => {
      this.out += text;
    });
    listen('stderr', (text) => {
      this.err += text;
    });
    this.child.on('close', (code) => {
      this.code = code;
      this.#changes.emit('change');
    });
    if (!isShared) onTestFinished(() => this.#kill(launcher !== undefined));
  }

  async #kill(isGroup: boolean): Promise<void> {
    const { pid } = this.child;
    try {
      if (isGroup && pid !== undefined) process.kill(-pid, 'SIGKILL');
    } catch {
      // All of the group has ended.
    }
    await this.end('SIGKILL');
  }

  /** Resolves once it is so, which is looked at whenever something was said or the process has ended. */
  async until<Value>(what: string, find: () => Value | undefined | false): Promise<Value> {
    const deadline = AbortSignal.timeout(patienceMs);
    for (;;) {
      const found = find();
      if (found !== undefined && found !== false) return found;
      if (this.code !== undefined || deadline.aborted) {
        throw new Error(`no ${what}; exit code ${this.code}, said:\n${this.out}\n${this.err}`);
      }
      await once(this.#changes, 'change', { signal: deadline }).catch(() => {});
    }
  }

  /** Where it listens, once it says so. */
  async ready(): Promise<string> {
    return await this.until('address', () => /ready(?: yet)?: .*?(https?:\/\/[^\s)]+)\)?\n/.exec(this.out)?.[1]);
  }

  async ended(): Promise<number | null> {
    return await this.until('end', () => this.code !== undefined && { code: this.code }).then(({ code }) => code);
  }

  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    if (this.code !== undefined) return this.code;
    this.child.kill(signal);
    return await this.ended();
  }
}

/** `weft serve`, once it listens. */
export type WeftServer = WeftProcess;

export const adminUsername = 'ada@example.org';
/** Of the form that is checked fast for agents. */
export const password = 'wfs_59f1ca858435af0d0440bb4ec16a220fed7fdaeec22554c479239e32a3f20389d5b75d53';

/** `weft` with these arguments, to its end. */
export async function runWeft(args: string[], options: RunOptions = {}) {
  const weft = new WeftProcess(args, options);
  const code = await weft.ended();
  return { code, out: weft.out, err: weft.err, folder: weft.folder };
}

/** To make all tables is a tenth of a first start, which has a folder that its test has made. */
function copyMigrated(dataDir: string): void {
  mkdirSync(dataDir, { mode: 0o700 });
  copyFileSync(inject('migrated').sqliteFile, join(dataDir, 'weft.db'));
}

/** `weft serve`, once it listens. */
export async function serve(options: RunOptions = {}): Promise<WeftServer> {
  // Not any port: one that is started again on the same port must find it free.
  const env: Env = { WEFT_PORT: String(await findFreePort()), ...options.env };
  const isFresh = options.folder === undefined && !('WEFT_DATA_DIR' in env || 'WEFT_DATABASE_URL' in env);
  const folder = options.folder ?? temporaryFolder();
  if (isFresh) copyMigrated(join(folder, 'data'));
  const weft = new WeftProcess(options.launcher?.[0] === 'npm' ? [] : ['serve'], { ...options, folder, env });
  weft.url = await weft.ready();
  return weft;
}

/** Asks again until the answer is as wanted, at first often. */
export async function eventually<Value>(ask: () => Promise<Value>, isSo: (value: Value) => boolean): Promise<Value> {
  const deadline = Date.now() + patienceMs;
  for (let pauseMs = 20; ; pauseMs = Math.min(200, pauseMs * 1.2)) {
    const value = await ask();
    if (isSo(value)) return value;
    if (Date.now() > deadline) throw new Error(`still ${JSON.stringify(value)} after ${patienceMs} ms`);
    await new Promise((next) => setTimeout(next, pauseMs));
  }
}
