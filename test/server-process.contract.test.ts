import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findRabbit } from './rabbitmq.ts';

const fixture = JSON.stringify(join(import.meta.dirname, 'server-process.ts'));

test('what a process has left to do is done when it is killed, and not what it called off', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weft-own-end-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const program = `
    import { afterOwnEnd } from ${fixture};
    const callOff = afterOwnEnd('touch "$1"/wrong', process.argv[1]);
    afterOwnEnd('touch "$1"/done', process.argv[1]);
    callOff();
    process.stdout.write('ready');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program, folder]);
  await once(child.stdout, 'data');
  expect(existsSync(join(folder, 'done'))).toBe(false);
  child.kill('SIGKILL');
  await expect.poll(() => existsSync(join(folder, 'done'))).toBe(true);
  expect(existsSync(join(folder, 'wrong'))).toBe(false);
});

/** Those of a group of processes that run. */
function running(group: string): string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      const [state, , own] = /^\d+ \(.*\) (.*)/s.exec(readFileSync(`/proc/${name}/stat`, 'utf8'))![1]!.split(' ');
      return own === group && state !== 'Z';
    } catch {
      return false;
    }
  });
}

test.skipIf(findRabbit() === undefined)('a RabbitMQ that has just been started ends with who is killed', async () => {
  const program = `
    import { subscribe } from 'node:diagnostics_channel';
    import { startRabbit } from ${JSON.stringify(join(import.meta.dirname, 'rabbitmq.ts'))};
    subscribe('child_process', ({ process: child }) => {
      const tell = () => child.spawnargs.some((arg) => arg.endsWith('rabbitmq-server')) && process.stdout.write(String(child.pid));
      setImmediate(tell);
    });
    await startRabbit();`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program]);
  const [group] = await once(child.stdout.setEncoding('utf8'), 'data');
  await expect.poll(() => running(group).length).toBeGreaterThan(0);
  // So that it cannot end by itself, as it would for want of its name server and its folder.
  process.kill(-Number(group), 'SIGSTOP');
  onTestFinished(() => void (running(group).length > 0 && process.kill(-Number(group), 'SIGKILL')));
  child.kill('SIGKILL');
  await expect.poll(() => running(group)).toEqual([]);
});
