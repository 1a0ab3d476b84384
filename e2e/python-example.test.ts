// Programs in other languages need nothing of ours: login, job and command with Python's standard library alone.
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Agent, App } from '../sdk/src/index.ts';
import { serve } from './weft-here.ts';
import { password, root } from './weft-process.ts';

const hasPython = spawnSync('python3', ['--version']).status === 0;

test.runIf(hasPython)('a Python program logs in, reads a job and gets a command through', async () => {
  const weft = await serve();
  const token = await weft.createAdmin();
  const create = (path: string, json: unknown) => weft.request('POST', path, { token, json });
  for (const app_name of ['saver', 'rival']) {
    await create('/api/v1/third_party_apps/', { app_name, api_key: password, permissions: {} });
  }
  for (const ap_id of ['ap-1', 'ap-2']) await create('/api/v1/agents/', { ap_id, password, configuration: {} });
  const intervals: unknown[] = [];
  const connect = async (ap_id: string) => {
    const agent = new Agent({ url: weft.url, ap_id, password }).command('set_report_interval', ({ seconds }) => {
      intervals.push(seconds);
    });
    await agent.start();
    onTestFinished(() => agent.stop());
  };

  const run = async (name: string) => {
    const env = { PATH: process.env.PATH, WEFT_URL: weft.url, WEFT_APP_NAME: name, WEFT_APP_KEY: password };
    const child = spawn('python3', [join(root, 'examples', 'python', 'control.py')], { env });
    const said = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (text) => {
      said.out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      said.err += text;
    });
    return { code: await new Promise((resolve) => child.on('close', resolve)), ...said };
  };
  expect(await run('saver')).toMatchObject({
    code: 1,
    out: '2 agents\n',
    err: expect.stringContaining('no access point'),
  });
  await connect('ap-2');
  const rival = new App({ url: weft.url, name: 'rival', key: password });
  await rival.command('ap-2', 'set_report_interval', { seconds: 9 }, { holdSeconds: 600 });
  expect(await run('saver')).toMatchObject({ code: 1, err: expect.stringMatching(/^refused: /) });
  await connect('ap-1');
  const lines = /^2 agents\nap-1: accepted\n(ap-1: \w+\n)*ap-1: succeeded\n$/;
  expect(await run('saver')).toEqual({ code: 0, err: '', out: expect.stringMatching(lines) });
  expect(intervals).toEqual([9, 2]);
});
