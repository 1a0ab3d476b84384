// The tutorial, done by somebody who has nothing but its text, an empty folder and a Node of their own.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runSteps, stepsIn } from './document-steps.ts';
import { root, temporaryFolder, WeftProcess } from './weft-process.ts';

test('from an empty folder to a control program that gets a command through', async () => {
  const steps = stepsIn(readFileSync(join(root, 'docs', 'tutorial.md'), 'utf8'));
  expect(steps).toHaveLength(6);
  const kept = ['demo', '--port', '0', '--data-dir', join(temporaryFolder(), 'kept')];
  const demo = new WeftProcess(kept);
  await demo.until('sign-in', () => demo.out.includes('Stop'));
  // Long before the control program decides for the first time.
  await demo.until('the state of the network', () => demo.out.includes('network: 12 access points serve '));
  const [, url = ''] = /running: (\S+)/.exec(demo.out) ?? [];
  const [, password = ''] = /Password +(\S+)/.exec(demo.out) ?? [];
  const folder = temporaryFolder();
  // A terminal would be asked.
  const login = steps[0]!;
  login.commands = login.commands.replace('demo@weft.test', 'demo@weft.test --password-stdin <<< "$DEMO_PASSWORD"');
  const done = await runSteps(steps, { url, folder, env: { HOME: folder, DEMO_PASSWORD: password } });
  const printed = done.map(({ prints }) => prints);
  expect(printed[1]).toMatch(/NAME +ACCESS POINT +TYPE +STATE +SITE(.*\n){12}/);
  expect(printed[1]?.match(/^\{"ap_id":"emu-5g-.*"power_w":/gm)).toHaveLength(2);
  expect(printed[4]).toMatch(/^accepted succeeded$/m);
  expect(printed[5]).toMatch(/^succeeded.*\nexit code 3$/m);

  const ownLines = steps[3]!.commands.split('\n').filter((line) => !/^(import|cat >|END OF FILE)|^$/.test(line));
  expect(ownLines).toHaveLength(8);

  expect(demo.out).not.toMatch(/^energy-saver: .*emu-/m);
  demo.child.kill('SIGINT');
  expect(await demo.ended()).toBe(0);
  // What was kept is used again, with a password of today.
  const again = new WeftProcess(kept);
  await again.until('sign-in', () => again.out.includes('Stop'));
  expect(again.out).toMatch(/12 emulated access points/);
  for (const { err } of [demo, again]) expect(err).not.toContain('not built');
});
