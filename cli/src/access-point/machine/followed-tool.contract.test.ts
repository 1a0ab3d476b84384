// Tools that go on, as real processes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { untilSo } from '../../../../test/pure/until-so.ts';
import { Hostapd, type HostapdEvent } from '../hostapd/hostapd.ts';
import { followTool } from './followed-tool.ts';
import { thisMachine } from './machine.ts';
import { ToolFailure, ToolMissing } from './tool.ts';

const folder = mkdtempSync(join(tmpdir(), 'weft-follow-'));
afterAll(() => rmSync(folder, { recursive: true }));

function program(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${text}`, { mode: 0o755 });
  return path;
}

const isAlive = (pid: number) => {
  try {
    // A process that has ended but was not waited for is dead too.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};
const pidIn = (name: string) => Number(readFileSync(join(folder, name), 'utf8'));

test('each line is told, and the signal ends it with all that it has started', async () => {
  const path = program('talk', `sleep 300 & echo $! > ${folder}/inner\necho "one $1"\necho two\nwait\n`);
  const lines: string[] = [];
  const stopping = new AbortController();
  const running = followTool(path, ['$(touch x); a'], (line) => lines.push(line), stopping.signal);
  await untilSo(() => expect(lines).toEqual(['one $(touch x); a', 'two']));
  stopping.abort();
  await running;
  await untilSo(() => expect(isAlive(pidIn('inner'))).toBe(false));
});

test('one that ends by itself, and one that is not there, are told apart', async () => {
  const { signal } = new AbortController();
  const path = program('end', 'echo "no such interface" >&2\nexit 3\n');
  const ended = followTool(path, [], () => {}, signal);
  await expect(ended).rejects.toThrow('ended with exit code 3: no such interface');
  await expect(ended).rejects.toBeInstanceOf(ToolFailure);
  await expect(followTool('weft-no-such-tool', [], () => {}, signal)).rejects.toBeInstanceOf(ToolMissing);
  await followTool(path, [], () => {}, AbortSignal.abort());
});

test('it ends when the agent is killed', async () => {
  const path = program('stay', `echo $$ > ${folder}/stay.pid\nexec sleep 300\n`);
  const text = `import { followTool } from ${JSON.stringify(join(import.meta.dirname, 'followed-tool.ts'))};
    await followTool(${JSON.stringify(path)}, [], () => {}, new AbortController().signal);`;
  const file = join(folder, 'agent.ts');
  writeFileSync(file, text);
  const agent = spawn(process.execPath, [file], { stdio: 'ignore' });
  onTestFinished(() => void agent.kill('SIGKILL'));
  await untilSo(() => expect(isAlive(pidIn('stay.pid'))).toBe(true));
  agent.kill('SIGKILL');
  await once(agent, 'exit');
  await untilSo(() => expect(isAlive(pidIn('stay.pid'))).toBe(false));
});

test('events of hostapd arrive again after hostapd was restarted', async () => {
  // As hostapd_cli -a: it prints what happens, and ends when hostapd does.
  const path = program(
    'hostapd_cli',
    `echo "$*" >> ${folder}/asked\necho $$ > ${folder}/cli.pid\necho "wlan0 AP-STA-CONNECTED 02:00:00:00:01:00"\nexec sleep 300\n`,
  );
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const said: string[] = [];
  const machine: typeof thisMachine = {
    ...thisMachine,
    runtimeDir: '/run/weft',
    follow: (command, ...rest) => thisMachine.follow(command === 'hostapd_cli' ? path : command, ...rest),
  };
  const hostapd = new Hostapd({ machine, signal: stopping.signal, say: (text) => said.push(text) });
  const events: HostapdEvent[] = [];
  hostapd.onEvent((event) => events.push(event));
  hostapd.follow('wlan0');
  hostapd.follow('wlan0');
  await untilSo(() => expect(events).toHaveLength(1));
  await untilSo(() => expect(hostapd.isHeard('wlan0')).toBe(true));
  process.kill(pidIn('cli.pid'), 'SIGTERM');
  await untilSo(() => expect(events).toHaveLength(2));
  expect(events[1]).toMatchObject({ name: 'AP-STA-CONNECTED', address: '02:00:00:00:01:00' });
  expect(readFileSync(join(folder, 'asked'), 'utf8')).toBe('-s /run/weft -i wlan0 -G 1 -a /bin/echo\n'.repeat(2));
  expect(said).toHaveLength(1);
  expect(said[0]).toContain('events of hostapd do not arrive: ');
});
