import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

const script = join(import.meta.dirname, 'install.mjs');
let folder: string;
/** Where it has been installed once, and what that said. */
let first: { folder: string; said: string };

beforeAll(async () => {
  createFolder();
  first = { folder, said: await install() };
});
afterAll(() => rmSync(first.folder, { recursive: true }));
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

/** Resolves what the install said. */
async function install(): Promise<string> {
  const code = `import { ensureInstalled } from ${JSON.stringify(script)}; await ensureInstalled(process.argv[1]);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code, folder], {
    stdio: ['ignore', 'ignore', 'pipe'],
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
  expect(first.said).toContain('done');
  expect(existsSync(modules('part'))).toBe(true);
  expect(await install()).toBe('');
  writeFileSync(join(folder, 'package-lock.json'), `${readFileSync(join(folder, 'package-lock.json'), 'utf8')}\n`);
  expect(await install()).toContain('done');
});

test('an install that was cut short is begun anew', async () => {
  copyInstalled();
  const dead = spawnSync(process.execPath, ['-e', '']).pid;
  rmSync(modules('.weft-installed'));
  writeFileSync(modules('.half-a-package'), '');
  writeFileSync(modules('.weft-install.lock'), String(dead));
  expect(await install()).toContain('done');
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
  expect(await install()).toContain('done');
  expect(existsSync(modules('.for-mips'))).toBe(false);
});

test('of two installs at once, one waits and finds it done', async () => {
  const said = (await Promise.all([install(), install()])).toSorted((a, b) => a.length - b.length);
  expect(said.filter((text) => text.includes('done in'))).toHaveLength(1);
  expect(await install()).toBe('');
});

test('a failed install shows what npm said and is tried again', async () => {
  writeFileSync(join(folder, 'package.json'), '{ broken');
  const said = await install();
  for (const part of ['failed', 'JSON', 'npm could not install']) expect(said).toContain(part);
  expect(existsSync(modules('.weft-installed'))).toBe(false);
  expect(await install()).toContain('failed');
});
