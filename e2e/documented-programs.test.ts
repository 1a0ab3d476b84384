// The programs that documents show, run by somebody who has `weft demo` and the Node of the machine: each prints something.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { App } from '../sdk/src/index.ts';
import { documentedCommands } from '../test/pure/documented-commands.ts';
import { folderOfNode } from './other-node.ts';
import { root, temporaryFolder, WeftProcess } from './weft-process.ts';

const key = 'a key that is long enough for an app';
/** Other programs on the PATH come after the Node of the machine, as in the shell of a reader. */
const env = { PATH: `${folderOfNode}:${process.env.PATH}` };

interface Demo {
  url: string;
  admin: App;
}

async function startDemo(): Promise<Demo> {
  const demo = new WeftProcess(['demo', '--port', '0']);
  await demo.until('sign-in', () => demo.out.includes('Stop'));
  // It ends its control program only if it is asked to end.
  onTestFinished(async () => {
    demo.child.kill('SIGINT');
    await demo.ended();
  });
  const [, url = ''] = /running: (\S+)/.exec(demo.out) ?? [];
  const [, password = ''] = /Password +(\S+)/.exec(demo.out) ?? [];
  const admin = new App({ url, username: 'demo@weft.test', password });
  const permissions = {};
  for (const app_name of ['saver', 'balancer']) {
    const path = '/api/v1/third_party_apps/';
    const known = await admin.request<{ app_name: string }[]>('GET', path);
    if (known.some((app) => app.app_name === app_name)) continue;
    await admin.request('POST', path, { json: { app_name, api_key: key, permissions } });
  }
  return { url, admin };
}

let commands: string[];
beforeAll(() => {
  commands = documentedCommands(root)
    .map(({ command }) => command)
    .filter((command) => command.startsWith('npx weft run examples/'));
});

test('every example of docs/sdk.md prints something', async () => {
  const { url, admin } = await startDemo();
  const name = 'reader';
  await admin.request('POST', '/api/v1/third_party_apps/', {
    json: { app_name: name, api_key: key, permissions: { priority: 90 } },
  });
  const { token } = await admin.request<{ token: string }>('POST', '/api/v1/enrolment_tokens', {
    json: { ap_id_pattern: 'roof-*' },
  });
  const text = readFileSync(join(root, 'docs', 'sdk.md'), 'utf8');
  const folder = temporaryFolder();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'mine', private: true, type: 'module' }));
  const [install = ''] = /npm install \S+/.exec(text) ?? [];
  const [npm = '', ...args] = install.replace('http://127.0.0.1:8000', url).split(' ');
  execFileSync(npm, [...args, '--no-audit', '--no-fund', '--ignore-scripts'], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: 'pipe',
  });
  const examples = [...text.matchAll(/```ts\n(.*?)```/gs)].map(([, code = '']) => code);
  expect(examples).toHaveLength(4);
  const given = { url, key, password: 'a password for roof-1', enrolmentToken: token };
  for (const [index, code] of examples.entries()) {
    const imports = code.includes('import ') ? '' : "import { App } from '@weft/sdk';\n";
    const constants = Object.entries(given).map(([name, value]) => `const ${name} = ${JSON.stringify(value)};\n`);
    const program = `${imports}${code.replace(/(^import .*\n)?/, `$1${constants.join('')}`)}`;
    writeFileSync(join(folder, `example-${index}.mjs`), program.replaceAll("name: 'saver'", `name: '${name}'`));
    const run = new WeftProcess([`example-${index}.mjs`], { launcher: [join(folderOfNode, 'node')], folder });
    expect([code, await run.ended(), run.err]).toEqual([code, 0, '']);
    expect([code, run.out.trim()]).toEqual([code, expect.stringMatching(/\S/)]);
  }
});

test('the control programs of the examples run with the Node of the machine', async () => {
  const { url } = await startDemo();
  const programs = [...new Set(commands.filter((command) => command.includes('/main.ts')))];
  expect(programs).toHaveLength(3);
  for (const line of programs) {
    const settings = { ...env, WEFT_URL: url, WEFT_APP_NAME: 'balancer', WEFT_APP_KEY: key };
    const run = new WeftProcess(['-c', `exec ${line}`], { launcher: ['sh'], folder: root, env: settings });
    await run.until('first line', () => run.out.includes('access points'));
    expect([line, run.code, run.err.match(/error/i)]).toEqual([line, undefined, null]);
    process.kill(-run.child.pid!, 'SIGINT');
    await run.until('summary', () => /decisions, \d+ orders/.test(run.out));
    await run.ended();
  }
});

test('the trials of the examples start with the Node of the machine', async () => {
  const trials = [...new Set(commands.filter((command) => command.includes('/day.ts')))];
  expect(trials.length).toBeGreaterThanOrEqual(3);
  for (const line of trials) {
    const run = new WeftProcess(['-c', `exec ${line}`], {
      launcher: ['sh'],
      folder: root,
      env: { ...env, TMPDIR: temporaryFolder() },
    });
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
