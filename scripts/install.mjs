// Installs what Weft needs: the packages of the lock file, including a Node of the pinned version. Runs on the
// system's Node before anything is installed, so it is plain JavaScript without dependencies.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const neededNode = 24;

/**
 * Installs if the packages differ from the lock file, or are for another platform.
 * @param {string} [folder]
 * @param {(message: string) => void} [onFailure]
 */
export async function ensureInstalled(folder = root, onFailure = fail) {
  if (isInstalled(folder)) return;
  const modules = join(folder, 'node_modules');
  mkdirSync(modules, { recursive: true });
  const { wasInterrupted, release } = await takeLock(join(modules, '.weft-install.lock'));
  try {
    // Another process may have installed while this one waited.
    if (!isInstalled(folder)) await install(folder, modules, wasInterrupted, onFailure);
  } finally {
    release();
  }
}

/** The Node to run TypeScript with: the pinned one, or the current one if it is new enough. */
export function node24(folder = root) {
  const pinned = join(folder, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  if (existsSync(pinned)) return pinned;
  if (isNode24()) return process.execPath;
  return fail(`Weft needs Node ${neededNode} or newer. This is ${process.version}, and no Node comes with it for \
${process.platform} on ${process.arch}: install Node ${neededNode} and try again.`);
}

export function isNode24() {
  return Number(process.versions.node.split('.')[0]) >= neededNode;
}

/**
 * Runs a command in the foreground, forwards signals, and resolves its exit code.
 * @param {string} command
 * @param {string[]} args
 * @param {Record<string, string>} [env]
 * @returns {Promise<number>}
 */
export function runInForeground(command, args, env = {}) {
  const child = spawn(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } });
  const passOn = (/** @type {NodeJS.Signals} */ signal) => child.kill(signal);
  process.on('SIGINT', passOn).on('SIGTERM', passOn).on('SIGHUP', passOn);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      process.off('SIGINT', passOn).off('SIGTERM', passOn).off('SIGHUP', passOn);
      resolve(code ?? (signal === 'SIGINT' ? 130 : 143));
    });
  });
}

/**
 * Exits with one line instead of a stack trace.
 * @param {string} message
 * @returns {never}
 */
export function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

/** @param {string} folder */
function stampOf(folder) {
  const lock = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
  return `${machine()} ${lock}\n`;
}

function machine() {
  return `${process.platform}-${process.arch}`;
}

/** @param {string} folder */
function stampFile(folder) {
  return join(folder, 'node_modules', '.weft-installed');
}

/** @param {string} folder */
function isInstalled(folder) {
  return readOrEmpty(stampFile(folder)) === stampOf(folder);
}

/**
 * @param {string} folder
 * @param {string} modules
 * @param {boolean} wasInterrupted
 * @param {(message: string) => void} onFailure
 */
async function install(folder, modules, wasInterrupted, onFailure) {
  const stamp = readOrEmpty(stampFile(folder));
  const isForOtherMachine = stamp !== '' && !stamp.startsWith(`${machine()} `);
  // npm writes this file last; without it a package may be incomplete, which npm would not detect.
  const isPartial = !existsSync(join(modules, '.package-lock.json'));
  if (wasInterrupted || isForOtherMachine || isPartial) {
    for (const name of readdirSync(modules)) {
      if (name !== '.weft-install.lock') rmSync(join(modules, name), { recursive: true, force: true });
    }
  }
  rmSync(stampFile(folder), { force: true });
  const startedAt = Date.now();
  process.stderr.write('Installing packages (once, about a minute) ... ');
  const { code, output } = await npmInstall(folder);
  if (code !== 0) {
    process.stderr.write(`failed\n${output}\n`);
    return onFailure('npm could not install the packages: see above. Is the network there?');
  }
  process.stderr.write(`done in ${Math.round((Date.now() - startedAt) / 1000)} s\n`);
  writeFileSync(stampFile(folder), stampOf(folder));
}

/**
 * @param {string} folder
 * @returns {Promise<{ code: number, output: string }>}
 */
function npmInstall(folder) {
  const { npm_execpath: npmScript = '', npm_node_execpath: npmNode = '' } = process.env;
  // The Node that runs npm: the one that runs this may be inside the folder being replaced.
  const isGivenNpm = npmScript.endsWith('npm-cli.js') && existsSync(npmNode);
  const args = [...(isGivenNpm ? [npmScript] : []), 'install', '--no-save', '--no-audit', '--no-fund'];
  const child = spawn(isGivenNpm ? npmNode : 'npm', args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  // The lock file is kept on purpose: it tells the next start that this install was interrupted.
  const stop = (/** @type {NodeJS.Signals} */ signal) => {
    child.kill(signal);
    process.exit(signal === 'SIGINT' ? 130 : 143);
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  return new Promise((resolve) => {
    const finish = (/** @type {{ code: number, output: string }} */ result) => {
      process.off('SIGINT', stop).off('SIGTERM', stop);
      resolve(result);
    };
    child.on('error', (error) => finish({ code: 1, output: `npm cannot be run: ${error.message}` }));
    child.on('close', (code) => finish({ code: code ?? 1, output }));
  });
}

/**
 * Waits while another running process holds the lock. A lock of an ended process means that its install was interrupted.
 * @param {string} path
 */
async function takeLock(path) {
  let wasInterrupted = false;
  let hasSaidSo = false;
  for (;;) {
    try {
      // Written under another name first, so that it is never read while empty.
      const own = `${path}.${process.pid}`;
      writeFileSync(own, String(process.pid));
      try {
        linkSync(own, path);
      } finally {
        rmSync(own, { force: true });
      }
      return { wasInterrupted, release: () => rmSync(path, { force: true }) };
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') {
        return fail(`The packages cannot be installed here: ${/** @type {Error} */ (error).message}`);
      }
    }
    const holder = readOrEmpty(path);
    // Released just now.
    if (holder === '' && !existsSync(path)) continue;
    if (isAlive(Number(holder))) {
      if (!hasSaidSo) process.stderr.write('Another install is running here; waiting for it.\n');
      hasSaidSo = true;
      await sleep(300);
    } else {
      wasInterrupted = true;
      rmSync(path, { force: true });
    }
  }
}

/** @param {number} pid */
function isAlive(pid) {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}

/** @param {string} path */
function readOrEmpty(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
