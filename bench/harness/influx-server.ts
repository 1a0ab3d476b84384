// A private InfluxDB for benchmarks: own folder, own ports, loopback only, gone when stopped.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { endProcess, findFreePort } from '../../test/server-process.ts';

const program = '/usr/bin/influxd';
const startAttempts = 200;

/** `url` is without a slash at the end. `stop` removes everything that it has on disk. */
export async function startInflux(): Promise<{ url: string; stop(): Promise<void> }> {
  if (!existsSync(program)) {
    throw new Error(
      `There is no InfluxDB at ${program} to compare with: apt-get install influxdb (the benchmark starts its own)`,
    );
  }
  const folder = mkdtempSync(join(tmpdir(), 'weft-influx-'));
  const [port, rpcPort] = [await findFreePort(), await findFreePort()];
  const [log, settings] = [join(folder, 'log'), join(folder, 'influxdb.conf')];
  writeFileSync(settings, settingsText(folder, port, rpcPort));
  const child = spawn('/bin/sh', ['-c', 'exec "$0" -config "$1" >>"$2" 2>&1', program, settings, log], {
    stdio: 'ignore',
  });
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    await endProcess(child, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  for (let attempt = 1; attempt <= startAttempts && child.exitCode === null; attempt++) {
    const answer = await fetch(`${url}/ping`).catch(() => undefined);
    if (answer?.status === 204) return { url, stop };
    await pause(50);
  }
  const told = existsSync(log) ? readFileSync(log, 'utf8') : '';
  await stop();
  throw new Error(`InfluxDB did not start:\n${told}`);
}

function settingsText(folder: string, port: number, rpcPort: number): string {
  return `reporting-disabled = true
bind-address = "127.0.0.1:${rpcPort}"
[meta]
dir = "${folder}/meta"
[data]
dir = "${folder}/data"
wal-dir = "${folder}/wal"
query-log-enabled = false
[monitor]
store-enabled = false
[http]
bind-address = "127.0.0.1:${port}"
log-enabled = false
`;
}
