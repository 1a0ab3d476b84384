// Whatever comes in, no name of a stranger becomes a property of all objects: in no process and no thread of Weft.
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { nameOfBuild } from '../../../test/compile-cache.ts';

const root = resolve(import.meta.dirname, '../../..');
const sources = globSync('{broker,cli,contract,controller,emulator,sdk,timeseries}/src/**/*.ts', { cwd: root }).filter(
  (file) => !/\.(test|contract)\.ts$/.test(file),
);
const textOf = (file: string) => readFileSync(join(root, file), 'utf8');
const built = join('controller/dist', nameOfBuild());

/** All that Node is told to start, as the sources say it. */
const processes = [...sources.filter((file) => textOf(file).startsWith('#!')), 'deploy/health.mjs'];
const threads = sources.flatMap((file) =>
  [...textOf(file).matchAll(/new Worker\((?:new URL\('([^']+)', import\.meta\.url\))?/g)].map(([call, module]) => {
    if (module === undefined) throw new Error(`${file} starts a thread that this test does not find: ${call}`);
    return join(dirname(file), module);
  }),
);
const builtProcesses = [join(built, 'weft.js'), 'dashboard/dist/install/weft.mjs'];
const builtThreads = globSync('*-thread.js', { cwd: join(root, built) }).map((file) => join(built, file));

/** In strict mode, as all of Weft. */
const attempt = `'use strict';
const added = () => {
  try { Object.prototype.weftZzz = 'polluted'; } catch (error) { return error.constructor.name + ({}).weftZzz; }
  return 'added';
};`;
const refused = 'TypeErrorundefined';

test('all of them are found', () => {
  expect(processes.length).toBeGreaterThanOrEqual(3);
  expect(threads.length).toBeGreaterThanOrEqual(4);
  expect(builtThreads.length).toBe(threads.length);
});

test.each([...processes, ...threads])('%s says so before it reads anything else', (file) => {
  const [first] =
    /^(import|export|const|let|Object)\b.*/m.exec(textOf(file).replace(/^import .*'node:.*;\n/gm, '')) ?? [];
  expect(first).toMatch(
    /^import '(@weft\/contract|\.)\/closed-prototype(\.ts)?';$|^Object\.preventExtensions\(Object\.prototype\);$/,
  );
});

test.each([...processes, ...builtProcesses])('no process of %s takes a name that is added to all objects', (file) => {
  const folder = mkdtempSync(join(tmpdir(), 'weft-closed-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const probe = join(folder, 'probe.mjs');
  const told = join(folder, 'told');
  writeFileSync(
    probe,
    `import { writeFileSync } from 'node:fs';\n${attempt}\nprocess.on('exit', () => writeFileSync(${JSON.stringify(told)}, added()));`,
  );
  const env = { PATH: process.env.PATH, HOME: folder, WEFT_PORT: '1' };
  spawnSync(process.execPath, ['--import', pathToFileURL(probe).href, join(root, file), 'version'], {
    cwd: folder,
    env,
  });
  expect(readFileSync(told, 'utf8')).toBe(refused);
});

test.each([...threads, ...builtThreads])('no thread of %s does', async (file) => {
  // Without its work it fails to begin; what is imported first has been by then.
  const code = `${attempt}
    const { parentPort, workerData } = require('node:worker_threads');
    const said = parentPort.postMessage.bind(parentPort);
    process.on('uncaughtException', () => {});
    import(workerData.entry).catch(() => {}).then(() => said({ added: added() }));`;
  const entry = pathToFileURL(join(root, file)).href;
  const thread = new Worker(code, { eval: true, workerData: { entry }, stderr: true });
  const answer = await new Promise((done) => {
    thread.on('message', (message) => message.added !== undefined && done(message.added));
    thread.on('exit', (status) => done(`ended with ${status}`));
  });
  await thread.terminate();
  expect(answer).toBe(refused);
});
