// The pages that need `weft demo`, done unchanged by somebody who has it and the Node of the machine: the tutorial, the examples
// of the SDK and those of control programs.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildCache } from '../test/compile-cache.ts';
import { documentedCommands } from '../test/pure/documented-commands.ts';
import { isLong } from '../test/rounds.ts';
import { demoPages } from './document-pages.ts';
import { type Done, runPage } from './document-steps.ts';
import { folderOfNode } from './other-node.ts';
import { command, root, temporaryFolder, WeftProcess } from './weft-process.ts';

const allExamples = demoPages.filter((page) => page.startsWith('examples/'));
/** If the run is long: one of the programs is run as people start it by control-programs.test.ts each time. */
const examplePages = isLong ? allExamples : [];

describe('with one demonstration', () => {
  let demo: WeftProcess;
  let kept: string[];
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'weft-demo-'));
    mkdirSync(join(folder, 'bin'));
    // What npx runs, without the second that it takes to look for it; the trials below are run by npx itself.
    const npx = `#!/bin/sh\nshift\nexec ${process.execPath} ${command} "$@"\n`;
    writeFileSync(join(folder, 'bin', 'npx'), npx, { mode: 0o755 });
    // What npm does with a package that depends on nothing, without the seconds that it takes; the tutorial has npm itself.
    const npm = `#!/bin/sh\nto=node_modules/@weft/sdk\nmkdir -p $to\ncurl -fsS "$2" | tar xz -C $to --strip-components 1\n`;
    mkdirSync(join(folder, 'without-npm'));
    writeFileSync(join(folder, 'without-npm', 'npm'), npm, { mode: 0o755 });
    kept = ['demo', '--port', '0', '--data-dir', join(folder, 'kept')];
    demo = new WeftProcess(kept, { folder, isShared: true });
    await demo.until('sign-in', () => demo.out.includes('Stop'));
    // Long before the control program decides for the first time.
    await demo.until('the state of the network', () => demo.out.includes('network: 12 access points serve '));
  });
  // It ends its control program only if it is asked to end.
  afterAll(async () => {
    await demo?.end('SIGINT');
    rmSync(folder, { recursive: true, force: true });
  });

  async function run(page: string, where?: string, programs: string[] = []): Promise<Done[]> {
    const [, url = ''] = /running: (\S+)/.exec(demo.out) ?? [];
    const [, password = ''] = /Password +(\S+)/.exec(demo.out) ?? [];
    const home = temporaryFolder();
    const PATH = ['bin', ...programs].map((name) => join(folder, name)).join(':');
    const env = { ...buildCache(), HOME: home, PATH };
    return runPage(page, { url, password, folder: where ?? home, env });
  }

  test('docs/tutorial.md: from an empty folder to a control program that gets a command through', async () => {
    const done = await run('docs/tutorial.md');
    const printed = done.map(({ prints }) => prints);
    expect(printed).toHaveLength(6);
    expect(printed[1]).toMatch(/NAME +ACCESS POINT +TYPE +STATE +SITE(.*\n){12}/);
    expect(printed[1]?.match(/^\{"ap_id":"emu-5g-.*"power_w":/gm)).toHaveLength(2);
    expect(printed[4]).toMatch(/^accepted succeeded$/m);
    expect(printed[5]).toMatch(/^succeeded.*\nexit code 3$/m);
    expect(done[3]?.commands.split('\n').filter((line) => !/^import|^$/.test(line))).toHaveLength(8);
  });

  test('docs/sdk.md: every example prints something', async () => {
    const done = await run('docs/sdk.md', undefined, isLong ? [] : ['without-npm']);
    const runs = done.filter(({ commands }) => /^node \w+\.mjs$/.test(commands.trim()));
    expect(runs).toHaveLength(4);
    for (const each of runs) expect(each).toMatchObject({ prints: expect.stringMatching(/\S/) });
  });

  test.each(examplePages)('%s: the program decides until it is stopped', async (page) => {
    const [, program, ...more] = await run(page, root);
    expect(more).toEqual([]);
    expect(program?.prints).toMatch(/decisions, \d+ orders/);
    expect(program?.prints).not.toMatch(/error/i);
  });

  test('the demonstration names access points as people do, and what it kept is used again', async () => {
    expect(demo.out).not.toMatch(/^energy-saver: .*emu-/m);
    expect(await demo.end('SIGINT')).toBe(0);
    // With a password of today.
    const again = new WeftProcess(kept);
    await again.until('sign-in', () => again.out.includes('Stop'));
    expect(again.out).toMatch(/12 emulated access points/);
    for (const { err } of [demo, again]) expect(err).not.toContain('not built');
    await again.end('SIGINT');
  });
});

test('the trials of the examples start with the Node of the machine', async () => {
  const trials = documentedCommands(root)
    .map(({ command }) => command)
    .filter((command) => /^npx weft run examples\/.*\/day\.ts/.test(command));
  expect(new Set(trials).size).toBeGreaterThanOrEqual(3);
  // All of them with the long run: each takes a demonstration of its own.
  for (const line of [...new Set(trials)].slice(0, isLong ? undefined : 1)) {
    const env = { PATH: `${folderOfNode}:${process.env.PATH}`, TMPDIR: temporaryFolder() };
    const run = new WeftProcess(['-c', `exec ${line}`], { launcher: ['sh'], folder: root, env });
    await run.until('first words', () => (run.out + run.err).length > 0);
    expect([line, run.code, run.err.match(/error/i)]).toEqual([line, undefined, null]);
    process.kill(-run.child.pid!, 'SIGKILL');
    await run.ended();
  }
});

test('weft run gives the program its arguments, and its exit code back', async () => {
  const folder = temporaryFolder();
  writeFileSync(
    join(folder, 'program.ts'),
    'const codes: string[] = process.argv.slice(2);\nconsole.log(codes);\nprocess.exit(Number(codes[1]));\n',
  );
  const run = new WeftProcess(['run', 'program.ts', '--help', '7'], { folder });
  expect([await run.ended(), run.out]).toEqual([7, "[ '--help', '7' ]\n"]);
  const missing = new WeftProcess(['run', 'nothing.ts'], { folder });
  expect([await missing.ended(), missing.err]).toEqual([
    2,
    'weft: The file nothing.ts does not exist.\nSee weft --help\n',
  ]);
});
