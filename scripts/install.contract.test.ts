import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { isLong } from '../test/rounds.ts';

const script = join(import.meta.dirname, 'install.mjs');
let folder: string;
/** Where it has been installed once, by two at the same time, and what they said. */
let first: { folder: string; said: string[] };
/** Does what npm does with such a package, which takes npm a second: for tests of when and where it is run. */
let quick: string;

beforeAll(async () => {
  createFolder();
  first = { folder, said: await Promise.all([install(), install()]) };
  quick = mkdtempSync(join(tmpdir(), 'weft-quick-npm-'));
  writeFileSync(
    join(quick, 'npm-cli.js'),
    `const { mkdirSync, rmSync, symlinkSync, writeFileSync } = require('node:fs');
    mkdirSync('node_modules', { recursive: true });
    rmSync('node_modules/part', { force: true });
    symlinkSync('../part', 'node_modules/part');
    writeFileSync('node_modules/.package-lock.json', '{}');`,
  );
});
afterAll(() => {
  for (const each of [first.folder, quick]) rmSync(each, { recursive: true });
});
beforeEach(createFolder);
afterEach(() => rmSync(folder, { recursive: true }));

function createFolder(): void {
  folder = mkdtempSync(join(tmpdir(), 'weft-install-'));
  mkdirSync(join(folder, 'part'));
  const lock = {
    name: 'x',
    lockfileVersion: 3,
    packages: { '': { workspaces: ['part'] }, 'node_modules/part': { resolved: 'part', link: true }, part: {} },
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'x', workspaces: ['part'] }));
  writeFileSync(join(folder, 'part', 'package.json'), JSON.stringify({ name: 'part', version: '1.0.0' }));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
}

/** As after the first install. */
function copyInstalled(): void {
  cpSync(first.folder, folder, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
}

const installQuickly = () =>
  install(isLong ? {} : { npm_execpath: join(quick, 'npm-cli.js'), npm_node_execpath: process.execPath });

/** Resolves what the install said. */
async function install(env: Record<string, string> = {}): Promise<string> {
  const code = `import { ensureInstalled } from ${JSON.stringify(script)}; await ensureInstalled(process.argv[1]);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code, folder], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...env },
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  await new Promise((resolve) => child.on('close', resolve));
  return said;
}

// npm leaves names with a dot alone, so only a folder begun anew is without them.
const modules = (name: string) => join(folder, 'node_modules', name);

test('installs once, and again only when the lock file has changed', async () => {
  copyInstalled();
  expect(existsSync(modules('part'))).toBe(true);
  expect(await install()).toBe('');
  writeFileSync(join(folder, 'package-lock.json'), `${readFileSync(join(folder, 'package-lock.json'), 'utf8')}\n`);
  rmSync(modules('part'));
  expect(await installQuickly()).toContain('done');
  expect(existsSync(modules('part'))).toBe(true);
});

test('an install that was cut short is begun anew', async () => {
  copyInstalled();
  const dead = spawnSync(process.execPath, ['-e', '']).pid;
  rmSync(modules('.weft-installed'));
  writeFileSync(modules('.half-a-package'), '');
  writeFileSync(modules('.weft-install.lock'), String(dead));
  expect(await installQuickly()).toContain('done');
  expect(existsSync(modules('.half-a-package'))).toBe(false);
  expect(existsSync(modules('.weft-install.lock'))).toBe(false);
});

test('packages made for another kind of machine are replaced', async () => {
  copyInstalled();
  writeFileSync(
    modules('.weft-installed'),
    readFileSync(modules('.weft-installed'), 'utf8').replace(/^\S+/, 'plan9-mips'),
  );
  writeFileSync(modules('.for-mips'), '');
  expect(await installQuickly()).toContain('done');
  expect(existsSync(modules('.for-mips'))).toBe(false);
});

test('of two installs at once, one waits and finds it done', () => {
  expect(first.said.filter((text) => text.includes('done in'))).toHaveLength(1);
});

test('a failed install shows what npm said and is tried again', async () => {
  writeFileSync(join(folder, 'package.json'), '{ broken');
  const said = await install();
  for (const part of ['failed', 'JSON', 'npm could not install']) expect(said).toContain(part);
  expect(existsSync(modules('.weft-installed'))).toBe(false);
  expect(await install()).toContain('failed');
});
