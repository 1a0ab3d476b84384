// docs/agents.md, done as it stands there.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { installedPaths } from '../cli/src/access-point/service/install.ts';
import { runSteps, stepsIn } from './document-steps.ts';
import { serve } from './weft-here.ts';
import { adminUsername, password, root, temporaryFolder } from './weft-process.ts';

test('the commands print what the page shows, and taking an agent away leaves nothing behind', async () => {
  const server = await serve();
  await server.createAdmin();
  const folder = temporaryFolder();
  const program = (name: string, text: string) =>
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  program('weft', `exec ${process.execPath} ${join(root, 'cli', 'src', 'bin', 'weft.ts')} "$@"`);
  // What changes a whole machine is only noted.
  program('sudo', `echo "$@" >> ${folder}/sudo.log`);
  writeFileSync(join(folder, 'password.txt'), password);
  const steps = stepsIn(readFileSync(join(root, 'docs', 'agents.md'), 'utf8'));
  expect(steps.length).toBeGreaterThan(8);
  const printed = await runSteps(steps, { url: server.url, folder, path: folder, env: { HOME: folder } });
  expect(printed).toEqual(steps.map(({ commands, shown }) => ({ commands, prints: shown })));

  const lines = readFileSync(join(folder, 'lines.csv'), 'utf8').split('\n');
  expect([lines.length, lines[2]]).toEqual([4, expect.stringMatching(/^hall-2,.*--set geolocation.latitude=51.4546/)]);
  const { body } = await server.request('GET', '/api/v1/metrics/agent_details', {
    token: (await server.login(adminUsername, password)).body.access_token,
  });
  expect(body.map(({ ap_id }: { ap_id: string }) => ap_id)).toEqual(['desk-1', 'lamp-1']);
  const taken = readFileSync(join(folder, 'sudo.log'), 'utf8');
  for (const path of Object.values(installedPaths)) {
    expect([path, taken.split(/\s/).some((word) => word.startsWith('/') && path.startsWith(word))]).toEqual([
      path,
      true,
    ]);
  }
});
