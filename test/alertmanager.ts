// A private Prometheus Alertmanager for the tests: own folder, own port, loopback only, gone when stopped.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { endProcess, findFreePort } from './server-process.ts';

const program = '/usr/bin/prometheus-alertmanager';
const attempts = 200;

export interface Alert {
  labels: Record<string, string>;
  annotations: Record<string, string>;
  startsAt: string;
  endsAt: string;
  status: { state: string };
}

export interface TestAlertmanager {
  url: string;
  /** Those that are firing now. */
  alerts(): Promise<Alert[]>;
  stop(): Promise<void>;
}

export function hasAlertmanager(): boolean {
  return existsSync(program);
}

export async function startAlertmanager(): Promise<TestAlertmanager> {
  const folder = mkdtempSync(join(tmpdir(), 'weft-alertmanager-'));
  const config = join(folder, 'alertmanager.yml');
  writeFileSync(config, 'route:\n  receiver: none\nreceivers:\n  - name: none\n');
  const port = await findFreePort();
  const args = [
    `--config.file=${config}`,
    `--storage.path=${join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--cluster.listen-address=',
  ];
  const child = spawn(program, args, { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    await endProcess(child, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  for (let attempt = 0; ; attempt++) {
    const answer = await fetch(`${url}/-/ready`).catch(() => undefined);
    if (answer?.ok) break;
    if (attempt === attempts || child.exitCode !== null) {
      await stop();
      throw new Error('Alertmanager did not start');
    }
    await pause(50);
  }
  return {
    url,
    alerts: async () => (await (await fetch(`${url}/api/v2/alerts`)).json()) as Alert[],
    stop,
  };
}
