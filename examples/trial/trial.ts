// Tests control programs: starts its own Weft with an emulated network, and runs programs on it. Everything is
// deleted afterwards, except the figures.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { App, type EmulationRequest } from '@weft/sdk';
import { ControlLoop, type LoopSummary } from '../fleet/control-loop.ts';
import type { ControlProgram } from '../fleet/control-program.ts';
import { type Course, courseOf } from './course.ts';

const root = resolve(import.meta.dirname, '../..');
const admin = { username: 'admin@weft.test', password: 'correct horse battery' };

/** Conflict rules in the format of Weft; only the fields that trials change. */
export interface Rules {
  groups: { hold_s: number; min_interval_ms: number; policy: string; [other: string]: unknown }[];
  oscillation: { reversals: number; window_s: number; freeze_s: number };
  blast_radius: { fraction: number; minimum: number; window_s: number };
  [other: string]: unknown;
}

export interface Contestant {
  name: string;
  program: ControlProgram;
  /** Default: 50. */
  priority?: number;
}

export interface TrialRequest {
  network: EmulationRequest & { speed: number; report_interval_seconds: number; start_time: string };
  contestants: readonly Contestant[];
  rules(rules: Rules): Rules;
  onProgress?(modelTime: string, lateBySeconds: number): void;
}

export interface TrialResult {
  course: Course;
  summaries: Record<string, LoopSummary>;
  clockSeconds: number;
}

export async function runTrial({ network, contestants, rules, onProgress }: TrialRequest): Promise<TrialResult> {
  const folder = mkdtempSync(join(tmpdir(), 'weft-trial-'));
  const { child, url } = await startWeft(folder);
  try {
    const owner = new App({ url, ...admin });
    const ask = await administrator(url);
    await ask('PUT', '/api/v1/conflicts/rules', rules((await ask('GET', '/api/v1/conflicts/rules')) as Rules));
    const startedAtMs = performance.now();
    const running = await owner.emulate(network);
    const ending = new AbortController();
    const key = randomBytes(32).toString('base64url');
    for (const { name, priority = 50 } of contestants) {
      const permissions = { agents: [`emu-*-${running.job_number.slice(0, 8)}-*`], priority };
      await ask('POST', '/api/v1/third_party_apps', { app_name: name, api_key: key, permissions });
    }
    const loops = Promise.all(
      contestants.map(async ({ name, program }): Promise<[string, LoopSummary]> => {
        return [name, await new ControlLoop(new App({ url, name, key }), program).run(ending.signal)];
      }),
    );
    // A program that fails ends the trial, at its end.
    loops.catch(() => {});
    for await (const { model_time, late_by_seconds } of running.progress()) onProgress?.(model_time, late_by_seconds);
    const clockSeconds = (performance.now() - startedAtMs) / 1000;
    ending.abort();
    const summaries = Object.fromEntries(await loops);
    return { course: await courseOf(owner, running.agents, network), summaries, clockSeconds };
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Rules count seconds of the clock. In a faster network they must be shorter by its speed; and an app must not
 * be limited by its blast radius because all commands are close together by the clock.
 */
export function atSpeed(rules: Rules, speed: number): Rules {
  const { groups, oscillation, blast_radius } = rules;
  return {
    ...rules,
    groups: groups.map((group) => ({
      ...group,
      hold_s: group.hold_s / speed,
      min_interval_ms: Math.round(group.min_interval_ms / speed),
    })),
    oscillation: {
      ...oscillation,
      window_s: oscillation.window_s / speed,
      freeze_s: oscillation.freeze_s / speed,
    },
    blast_radius: { ...blast_radius, window_s: Math.max(0.01, blast_radius.window_s / speed) },
  };
}

async function startWeft(folder: string): Promise<{ child: ChildProcess; url: string }> {
  const args = ['--max-semi-space-size=16', '--v8-pool-size=1', join(root, 'controller/src/bin/weft.ts'), 'serve'];
  const settings = { WEFT_PORT: '0', WEFT_DATA_DIR: folder, WEFT_LOG_LEVEL: 'warn' };
  const owner = { WEFT_ADMIN_USERNAME: admin.username, WEFT_ADMIN_PASSWORD: admin.password };
  const env = { ...process.env, ...settings, ...owner };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  // Also if one of several trials fails and ends the others.
  process.once('exit', () => child.kill('SIGTERM'));
  const url = await new Promise<string>((resolve, reject) => {
    let said = '';
    // Read all its output, so that the pipe does not fill up.
    child.stdout.setEncoding('utf8').on('data', (text) => {
      said += text;
      const address = /ready: .*?(https?:\/\/[^\s)]+)\)?\n/.exec(said)?.[1];
      if (address !== undefined) resolve(address);
    });
    child.once('exit', () => reject(new Error(`Weft did not start: ${said}`)));
  });
  return { child, url };
}

async function administrator(url: string) {
  const login = await fetch(`${url}/api/v1/token/?login_type=user`, {
    method: 'POST',
    body: new URLSearchParams(admin),
  });
  const { access_token } = (await login.json()) as { access_token: string };
  return async (method: string, path: string, json?: unknown): Promise<unknown> => {
    const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' };
    const answer = await fetch(url + path, {
      method,
      headers,
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status}: ${await answer.text()}`);
    return answer.json();
  };
}
