// The SDK as others get it: built, packed, installed from the tarball into an empty folder, and used there by the system's
// own Node, by a TypeScript compiler, and in a browser.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import packageJson from '../sdk/package.json' with { type: 'json' };
import { Agent } from '../sdk/src/index.ts';
import { isLong } from '../test/rounds.ts';
import { hasBrowser, visit } from './browser.ts';
import { otherNode } from './other-node.ts';
import { sharedServer } from './weft-here.ts';
import { eventually, password, root } from './weft-process.ts';

const node = otherNode;

let folder: string;
const installed = () => join(folder, 'node_modules', '@weft', 'sdk');

/** As Weft serves it, built before the tests. */
const tarball = `weft-sdk-${packageJson.version}.tgz`;
const served = join(root, 'dashboard', 'dist', 'install', tarball);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-sdk-user-'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'mine', private: true, type: 'module' }));
  // Its one dependency is in it, so that no registry is needed.
  const args = ['install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts', served];
  execFileSync('npm', args, { cwd: folder, stdio: 'pipe' });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A Weft with two apps. */
const shared = sharedServer(async (weft) => {
  const token = await weft.createAdmin();
  for (const app_name of ['saver', 'coverer']) {
    const json = { app_name, api_key: password, permissions: {} };
    expect((await weft.request('POST', '/api/v1/third_party_apps/', { token, json })).status).toBe(200);
  }
  return { weft, token };
});

let accessPoints = 0;

/** It, and an access point for one test. */
async function prepare() {
  const { weft, token } = await shared();
  const ap_id = `ap-${++accessPoints}`;
  const json = { ap_id, password, configuration: {} };
  expect((await weft.request('POST', '/api/v1/agents/', { token, json })).status).toBe(200);
  return { weft, token, ap_id };
}

/** What the program prints, read as JSON. */
async function run(program: string, args: string[]) {
  const file = join(folder, `program-${randomUUID()}.js`);
  writeFileSync(file, program);
  const child = spawn(node!, [file, ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said.err += text;
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect([code, said.err]).toEqual([0, '']);
  return JSON.parse(said.out);
}

test('the package stands alone: plain JavaScript, types, one dependency', () => {
  const told = JSON.parse(readFileSync(join(installed(), 'package.json'), 'utf8'));
  expect(told).toMatchObject({
    name: '@weft/sdk',
    version: packageJson.version,
    license: 'Apache-2.0',
    keywords: expect.arrayContaining(['weft', 'access-point']),
    engines: { node: '>=20' },
  });
  expect(told.dependencies).toEqual({ ws: expect.any(String) });
  expect(told.private).toBeUndefined();
  expect(Object.keys(told.exports)).toEqual(['.', './browser', './testing']);
  const files = readdirSync(installed(), { recursive: true, encoding: 'utf8' });
  expect(files).toEqual(expect.arrayContaining(['index.js', 'index.d.ts', 'browser.js', 'README.md', 'LICENSE']));
  expect(files.filter((file) => /(?<!\.d)\.ts$|\.test\./.test(file))).toEqual([]);
  const texts = files
    .filter((file) => /\.(js|ts)$/.test(file))
    .map((file) => readFileSync(join(installed(), file), 'utf8'));
  expect(texts.filter((text) => /typebox|@weft\/contract|from '\.[^']*\.ts'/.test(text))).toEqual([]);
});

test('what runs in browsers asks for nothing of Node', () => {
  const seen = new Set<string>();
  const follow = (file: string) => {
    if (seen.has(file)) return;
    seen.add(file);
    const text = readFileSync(join(installed(), file), 'utf8');
    for (const [, from = ''] of text.matchAll(/(?:from|import\() ?'([^']+)'/g)) {
      expect([file, from]).toEqual([file, expect.stringMatching(/^\./)]);
      follow(join(dirname(file), from));
    }
  };
  follow('browser.js');
  expect(seen.size).toBeGreaterThan(5);
});

test.runIf(isLong)(
  'npm run build:sdk makes the same tarball in a checkout, to the last byte, named by its version',
  () => {
    const built = join(root, 'sdk', 'dist');
    execFileSync(process.execPath, [join(root, 'scripts', 'build-sdk.mjs')], { stdio: 'pipe' });
    expect(readdirSync(built).filter((name) => name.endsWith('.tgz'))).toEqual([tarball]);
    const digest = (path: string) => createHash('sha512').update(readFileSync(path)).digest('hex');
    expect(digest(join(built, tarball))).toBe(digest(served));
  },
);

describe.skipIf(!node)('under the Node of the system', () => {
  test('both kinds of modules have the same names', async () => {
    const entries = ['@weft/sdk', '@weft/sdk/browser'];
    const program = `
      const names = (module) => Object.keys(module).filter((name) => name !== '__esModule').sort();
      Promise.all(${JSON.stringify(entries)}.map(async (entry) => [names(require(entry)), names(await import(entry))]))
        .then((all) => console.log(JSON.stringify(all)));
    `;
    writeFileSync(join(folder, 'names.cjs'), program);
    const found = JSON.parse(execFileSync(node!, [join(folder, 'names.cjs')], { cwd: folder, encoding: 'utf8' }));
    expect(found).toHaveLength(2);
    for (const [required, imported] of found) {
      expect(imported).toContain('App');
      expect(required).toEqual(imported);
    }
  });

  test('an access point reports, an app reads along, and a command gets through', async () => {
    const { weft, ap_id } = await prepare();
    const program = `
      import { Agent, App, CommandConflict, CommandFailed } from '@weft/sdk';
      const [url, key] = process.argv.slice(2);
      const agent = new Agent({ url, ap_id: '${ap_id}', password: key, spoolDir: './spool-${ap_id}' })
        .command({ name: 'set_tx_power', params: { dbm: { type: 'number' } } }, ({ dbm }) => ({ applied: { dbm: dbm - 1 } }));
      await agent.start();
      const app = new App({ url, name: 'saver', key });
      const live = app.live({ onOpen: () => void agent.post({ load: 0.9 }) });
      const { value: sample } = await live.next();
      await live.return();
      const command = await app.command('${ap_id}', 'set_tx_power', { dbm: 18 }, { holdSeconds: 60 });
      const { state, applied } = await command.result();
      const rival = new App({ url, name: 'coverer', key });
      const conflict = await rival.command('${ap_id}', 'set_tx_power', { dbm: 5 }).catch((error) => error);
      const records = await app.history('${ap_id}', { from: Date.now() - 60_000, to: Date.now() + 1 }).toArray();
      await agent.stop();
      console.log(JSON.stringify({
        sample, verdict: command.verdict, state, applied, records: records.length,
        isConflict: conflict instanceof CommandConflict, rival: conflict.rival?.caller_name,
      }));
    `;
    expect(await run(program, [weft.url, password])).toEqual({
      ...{ sample: { ap_id, ts: expect.any(String), metrics: { load: 0.9 } }, verdict: 'accepted' },
      state: 'succeeded',
      applied: { dbm: 17 },
      records: 1,
      isConflict: true,
      rival: 'saver',
    });
  });

  test('an abort ends what is read, also after a garbage collection', async ({ skip }) => {
    const version = execFileSync(node!, ['-v'], { encoding: 'utf8' });
    if (!version.startsWith('v20.')) {
      process.stderr.write(`\n!!! NO NODE 20 ON THE PATH (${version.trim()}): its collection is NOT tested.\n\n`);
      skip();
    }
    const { weft } = await shared();
    const program = `
      import { setFlagsFromString } from 'node:v8';
      import { runInNewContext } from 'node:vm';
      import { App } from '@weft/sdk';
      setFlagsFromString('--expose-gc');
      const collect = runInNewContext('gc');
      const [url, key] = process.argv.slice(2);
      const app = new App({ url, name: 'saver', key });
      const turn = () => new Promise((next) => setImmediate(next));
      const settle = async (start) => {
        const controller = new AbortController();
        const opened = Promise.withResolvers?.() ?? {};
        const isOpen = new Promise((resolve) => { opened.resolve = resolve; });
        const done = start(controller.signal, opened.resolve);
        await isOpen;
        for (let i = 0; i < 20; i++) { collect(); await turn(); }
        controller.abort(new Error('enough'));
        return await done;
      };
      const read = async (stream) => { for await (const _ of stream); return 'ended'; };
      const answers = [
        await settle((signal, onOpen) => read(app.live({ signal, onOpen }))),
        await settle((signal, onOpen) => read(app.events({ signal, onOpen }))),
        await settle(async (signal, onOpen) => {
          const response = await app.open('GET', '/api/v1/metrics/stream', { signal });
          const reader = response.body.getReader();
          await reader.read();
          onOpen();
          // A word of the server that all is well may come first.
          const rest = async () => { while (!(await reader.read()).done); return 'ended'; };
          return await rest().catch((error) => error.message);
        }),
      ];
      console.log(JSON.stringify(answers));
    `;
    expect(await run(program, [weft.url, password])).toEqual(['ended', 'ended', 'enough']);
  });

  test('an error is of its class, whichever copy of the SDK has thrown it', async () => {
    const program = `
      import { createRequire } from 'node:module';
      import * as one from '@weft/sdk';
      const other = createRequire(import.meta.url)('@weft/sdk');
      const refusal = new other.WeftRefusal(404, 'a', 'b');
      class Own extends one.WeftRefusal {}
      console.log(JSON.stringify([
        one.WeftRefusal === other.WeftRefusal, refusal instanceof one.WeftRefusal, refusal instanceof Error,
        refusal instanceof one.CommandConflict, refusal instanceof Own, new Own(1, 'a', 'b') instanceof other.WeftRefusal,
      ]));
    `;
    expect(await run(program, [])).toEqual([false, true, true, false, false, true]);
  });

  test('an access point that lives in 1970 reports with the right time, also what it had before it knew', async () => {
    const program = `
      const start = Date.now();
      Date.now = () => Math.floor(performance.now());
      const { Agent } = await import('@weft/sdk');
      const [url, ap_id, password, spoolDir] = process.argv.slice(2);
      const agent = new Agent({ url, ap_id, password, ...(spoolDir && { spoolDir }) });
      const before = agent.post({ n: 1 });
      if (spoolDir) await before;
      await agent.start();
      await Promise.all([before, agent.post({ n: 2 })]);
      while (agent.waitingReports > 0) await new Promise((next) => setTimeout(next, 20));
      await agent.stop();
      console.log(JSON.stringify({ start }));
    `;
    // Each with one of its own: it knows the time to the second, and would come between the reports of the other.
    for (const hasSpool of [false, true]) {
      const { weft, token, ap_id } = await prepare();
      const more = hasSpool ? [join(folder, `spool-${ap_id}`)] : [];
      const { start } = await run(program, [weft.url, ap_id, password, ...more]);
      const isThere = async () => {
        const path = `/api/v1/metrics/agent_multi_metric_data?agent=${ap_id}&metrics=n&window=1h`;
        return (await weft.request('GET', path, { token })).body.series[0].points as { ts: string; value: number }[];
      };
      const points = await eventually(isThere, ({ length }) => length === 2);
      expect(points.map(({ value }) => value)).toEqual([1, 2]);
      // As long as the program took, on whatever machine.
      for (const { ts } of points) {
        expect(Date.parse(ts)).toBeGreaterThan(start - 10_000);
        expect(Date.parse(ts)).toBeLessThan(Date.now() + 10_000);
      }
    }
  });
});

test('a TypeScript compiler is content with the types and with every example', () => {
  const sources = ['docs/sdk.md', ...sourcesOf('sdk/src')];
  const examples = sources.flatMap((path) => {
    const blocks = readFileSync(join(root, path), 'utf8').matchAll(/```(?:ts|js \S+)\n(.*?)\n(?: +\* )?```/gs);
    return [...blocks].map(([, block = '']) => block.replaceAll(/^ +\* ?/gm, '').replaceAll(/^import .*$/gm, ''));
  });
  expect(examples.length).toBeGreaterThan(30);
  const functions = examples.map((code, index) => {
    const needed = ['app', 'agent', 'network'].filter((name) => !code.includes(`const ${name} =`));
    const types = { app: 'App', agent: 'Agent', network: 'EmulatedNetwork' } as Record<string, string>;
    return `export async function example${index}(${needed.map((name) => `${name}: ${types[name]}`)}) {\n${code}\n}`;
  });
  writeFileSync(
    join(folder, 'examples.ts'),
    `import { Agent, App, CommandConflict, CommandFailed, CommandHeld, type EmulatedNetwork, verifyWebhook } from '@weft/sdk';
     import { FakeWeft, recordAnswers } from '@weft/sdk/testing';
     export { CommandConflict, CommandFailed, CommandHeld, FakeWeft, recordAnswers, verifyWebhook };
     declare const url: string, key: string, password: string, enrolmentToken: string;
     ${functions.join('\n')}`,
  );
  writeFileSync(
    join(folder, 'page.ts'),
    `import { App, type LiveSample } from '@weft/sdk/browser';
     export const app = new App({ url: location.origin, username: 'a', password: 'b' });
     export async function first(): Promise<LiveSample | undefined> {
       for await (const sample of app.live()) return sample;
     }`,
  );
  writeFileSync(
    join(folder, 'misspelt.ts'),
    `import { App } from '@weft/sdk';
     declare const app: App, name: string, isDry: boolean, device: string;
     // @ts-expect-error
     void app.command('ap-1', 'set_tx_pwer', { dbm: 1 });
     // @ts-expect-error
     void app.command('ap-1', 'set_tx_power', { dBm: 1 });
     // @ts-expect-error
     void app.events({ kinds: ['alrm.*'] });
     // @ts-expect-error
     void app.emulate({ emulators: [{ access_point_type: '6G', num_access_points: 1, locations: ['Bristol'], num_devices: 1, duration: 60 }] });
     // @ts-expect-error
     void app.command('ap-1', 'sleep', {}, { dryRun: isDry }).then(({ job_number }) => job_number);
     // @ts-expect-error
     void app.request('GET', '/api/v1/jobs', { query: { limitt: 5 } });
     // @ts-expect-error
     void app.request('POST', '/api/v1/sites', { json: { name: 'Hall' } });
     // @ts-expect-error
     void app.request('POST', '/api/v1/sites');
     // @ts-expect-error
     void app.request('GET', \`/api/v1/jobs/\${name}\`).then(({ job_nmber }) => job_nmber);
     void app.request('GET', \`/api/v1/jobs/\${name}\`, { query: { after: 1 } }).then(({ messages }) => messages.length);
     void app.request('GET', '/api/v1/users/me').then(({ username }) => username);
     void app.request('POST', '/api/v1/sites', { json: { path: 'uk' }, signal: undefined }).then(({ id }) => id.length);
     void app.request('GET', name, { query: { any: 1 } }).then((found) => found.anything);
     void app.request<{ found: number }>('GET', '/api/v1/new').then(({ found }) => found);
     void app.command('ap-1', name, { any: 1 }, { signal: undefined });
     void app.command<string>('ap-1', 'blink', { times: 3 });
     void app.events({ kinds: ['alarm.*', 'agent.offline'] });
     void app.steer(device, 'ap-2', { dryRun: true, guard: 'rssi_dbm>-80' }).then(({ dry_run }) => dry_run);
     void app.steer(device, 'ap-2').then((sent) => sent.result()).then(({ result }) => result.outcome === 'moved');
     void app.agent('ap-1').then(({ configuration }) => configuration.geolocation?.latitude.toFixed(3));
     export async function inBlock(): Promise<void> {
       await using short = new App({ url: 'https://weft.example.org', token: 'a' });
       await short.agents({ selector: 'site:roof' }).then((agents) => agents.map(({ display_name }) => display_name));
     }`,
  );
  // What comes with the compiler is not looked at, which is half of the work; the package is.
  const own = ['--ignoreConfig', '--skipDefaultLibCheck'];
  const shared = ['--noEmit', '--strict', '--module', 'nodenext', ...own, '--noUncheckedIndexedAccess'];
  const check = (args: string[]) =>
    spawnSync(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), ...shared, ...args], {
      cwd: folder,
      encoding: 'utf8',
    }).stdout;
  const nodeTypes = ['--typeRoots', join(root, 'node_modules', '@types'), '--types', 'node'];
  const asWritten = ['--exactOptionalPropertyTypes', '--lib', 'es2023,esnext.disposable', ...nodeTypes];
  expect(check(['--target', 'es2023', ...asWritten, 'examples.ts', 'misspelt.ts'])).toBe('');
  // Without those of Node, and with everything looked at.
  expect(check(['--target', 'es2023', '--lib', 'es2023,dom,dom.asynciterable', '--types', '', 'page.ts'])).toBe('');
});

test.skipIf(!hasBrowser)('in a browser an app reads along and gets a command through', async () => {
  const { weft, ap_id } = await prepare();
  const agent = new Agent({ url: weft.url, ap_id, password }).command('set_tx_power', () => undefined);
  await agent.start();
  onTestFinished(() => agent.stop());
  // A real page of Weft, so that the browser lets it open sockets there; only the modules come from the package.
  const { page, context } = await visit(weft.url, { path: '/healthz', bypassCSP: true });
  await context.route(`${weft.url}/package/**`, (route) => {
    const name = new URL(route.request().url()).pathname.slice('/package/'.length);
    return route.fulfill({ path: join(installed(), name), contentType: 'text/javascript' });
  });
  const reporting = setInterval(() => void agent.post({ load: 1 }).catch(() => {}), 100);
  onTestFinished(() => clearInterval(reporting));
  const found = await page.evaluate(
    `(async () => {
      const { App } = await import('/package/browser.js');
      const app = new App({ url: location.origin, name: 'saver', key: ${JSON.stringify(password)} });
      const { value: sample } = await app.live({ agents: ['${ap_id}'], metrics: ['load'] }).next();
      const command = await app.command('${ap_id}', 'set_tx_power', { dbm: 18 });
      const { state } = await command.result();
      const details = await app.agentDetails().toArray();
      return { ap_id: sample.ap_id, state, agents: details.map(({ ap_id }) => ap_id) };
    })()`,
  );
  expect(found).toEqual({ ap_id, state: 'succeeded', agents: expect.arrayContaining([ap_id]) });
});

function sourcesOf(folderInRoot: string): string[] {
  return readdirSync(join(root, folderInRoot), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => join(folderInRoot, name));
}
