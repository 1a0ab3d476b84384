import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startWeft } from '../../../test/weft.ts';
import { runCommand } from './commands.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-conflicts-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function weft(...args: string[]) {
  let [out, err] = ['', ''];
  const code = await runCommand(args, {
    env: { WEFT_DATA_DIR: join(folder, 'data') },
    stdin: new PassThrough(),
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text) },
  });
  return { code, out, err };
}

test('what was decided is decided again: alike by its own rules, otherwise by others', async () => {
  const server = await startWeft({ WEFT_DATA_DIR: join(folder, 'data') });
  const admin = await server.admin();
  await server.agent('ap-1');
  for (const name of ['ann', 'bob']) {
    const token = await server.app(name);
    await server.request('POST', `/api/v1/send_command?agent_id=ap-1&command=${name === 'ann' ? 'sleep' : 'wake'}`, {
      token,
    });
  }
  const rules = (await server.request('GET', '/api/v1/conflicts/rules', { token: admin })).body;
  await server.stop();
  expect(await weft('conflicts', 'replay')).toMatchObject({
    code: 0,
    err: '',
    out: expect.stringMatching(/^2 decisions, 0 of them would have been different\./),
  });
  const group = { name: 'power', parameters: ['power_state'], policy: 'last_wins', min_interval_ms: 0 };
  const file = join(folder, 'rules.json');
  writeFileSync(file, JSON.stringify({ ...rules, groups: [...rules.groups, group] }));
  const { code, out } = await weft('conflicts', 'replay', '--rules', file);
  expect([code, out]).toEqual([0, expect.stringContaining('rejected (held_by_other) → accepted (last_wins)')]);
  const report = JSON.parse((await weft('conflicts', 'replay', '--rules', file, '--json')).out);
  expect(report).toMatchObject({ decisions: 2, differing: 1, before: { rejected: 1 }, after: { accepted: 2 } });
  expect((await weft('conflicts', 'verify')).out).toMatch(/^The audit log is intact/);
});

test('rules that make no sense are told with all that is wrong', async () => {
  const file = join(folder, 'rules.json');
  writeFileSync(file, '{"groups":[]}');
  const { code, err } = await weft('conflicts', 'replay', '--rules', file);
  expect([code, err]).toEqual([1, expect.stringContaining('blast_radius: Field required')]);
  writeFileSync(file, '{');
  expect((await weft('conflicts', 'replay', '--rules', file)).code).toBe(2);
});
