// Builds what Weft serves (the dashboard, the command line as one file, the SDK and the manual), and Weft itself in few files.
// Skips what was built from the same sources. This is `npm run build`; `npm start` and `npm test` run it too. `npm run docs`
// builds the manual alone.
import { spawnSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import {
  buildState,
  controllerBuild,
  dashboardBuild,
  hasSources,
  manualBuild,
  sourcesStamp,
  stampFile,
} from './build-state.mjs';
import { ensureInstalled, node24, root, runInForeground } from './install.mjs';

/** Resolves true if everything is built from the current sources. What has no sources here stays as it is. */
export async function ensureBuilt() {
  const isDashboardBuilt = await ensure('the dashboard', dashboardBuild, buildDashboard, 'continues without it');
  const isWeftBuilt = await ensure('Weft', controllerBuild, buildController, 'runs from its sources');
  return (await ensureManual()) && isDashboardBuilt && isWeftBuilt;
}

function ensureManual() {
  return ensure('the manual', manualBuild, buildManual, 'has none then');
}

/**
 * @param {string} title
 * @param {import('./build-state.mjs').Build} build
 * @param {(folder: string, stamp: string) => Promise<boolean>} make
 * @param {string} otherwise What Weft does if it fails.
 */
async function ensure(title, build, make, otherwise) {
  if (buildState(build) === 'current') return true;
  if (!hasSources(build)) return false;
  const startedAt = Date.now();
  process.stderr.write(`Building ${title} ... `);
  const isMade = await make(build.folder, sourcesStamp(build));
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  process.stderr.write(isMade ? `done in ${seconds} s\n` : `failed: see above. Weft ${otherwise}.\n`);
  return isMade;
}

/**
 * @param {string} folder
 * @param {string} stamp
 */
function buildDashboard(folder, stamp) {
  return replaceFolder(dashboardBuild, folder, stamp, async (fresh) => {
    const install = join(fresh, 'install');
    if (!(await runVite(dirname(folder), fresh)) || !(await runVite(join(root, 'cli'), install))) return false;
    const sdk = [join(root, 'scripts', 'build-sdk.mjs'), '--pack', install];
    if ((await runInForeground(node24(), sdk)) !== 0) return false;
    copyFileSync(join(root, 'cli', 'install', 'weft-agent.sh'), join(install, 'weft-agent.sh'));
    // 11 would be a sixtieth smaller, and take more time than all the rest of the build.
    await compress(fresh, 10);
    return true;
  });
}

/**
 * @param {string} folder
 * @param {string} stamp
 */
function buildManual(folder, stamp) {
  return replaceFolder(manualBuild, folder, stamp, async (fresh) => {
    if ((await runInForeground(node24(), [join(root, 'scripts', 'manual.ts'), fresh])) !== 0) return false;
    await compress(fresh, 5);
    return true;
  });
}

/**
 * @param {import('./build-state.mjs').Build} build
 * @param {string} folder
 * @param {string} stamp
 * @param {(fresh: string) => Promise<boolean>} make
 */
async function replaceFolder(build, folder, stamp, make) {
  const fresh = `${folder}.${process.pid}`;
  try {
    if (!(await make(fresh))) return false;
    // Written last: only a complete build has it.
    writeFileSync(stampFile({ ...build, folder: fresh }), stamp);
    rmSync(folder, { recursive: true, force: true });
    renameSync(fresh, folder);
    return true;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/**
 * Each build has a folder of its own, in which a running Weft finds what it has not loaded yet: the last two stay.
 * @param {string} folder
 * @param {string} stamp
 */
async function buildController(folder, stamp) {
  const name = `${stamp.slice(0, 12)}.${process.pid}`;
  if (!(await runVite(dirname(folder), join(folder, name)))) return false;
  // In words that an old Node reads, which would only say that something is not exported.
  const isOld =
    'process.exitCode = 1, console.error(`weft: this needs Node 24, and ${process.execPath} is ${process.version}. In a checkout, npx weft runs it with its own.`)';
  const launcher = `parseInt(process.versions.node) < 24 ? (${isOld}) : await import('./${name}/weft.js');\n`;
  replaceFile(join(folder, 'weft.js'), launcher);
  replaceFile(stampFile(controllerBuild), stamp);
  const builds = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const byAge = builds
    .map((entry) => join(folder, entry.name))
    .sort((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs);
  for (const old of byAge.slice(0, -2)) rmSync(old, { recursive: true, force: true });
  return true;
}

/**
 * Whoever reads it finds the one or the other.
 * @param {string} file
 * @param {string} text
 */
function replaceFile(file, text) {
  const fresh = `${file}.${process.pid}`;
  writeFileSync(fresh, text);
  renameSync(fresh, file);
}

/**
 * Resolves whether it was built.
 * @param {string} sources
 * @param {string} outDir
 */
async function runVite(sources, outDir) {
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const args = [vite, 'build', sources, '--outDir', outDir, '--configLoader', 'native', '--logLevel', 'warn'];
  // Whoever asks for it: a test would get names of source files in it.
  const env = { NODE_ENV: 'production', WEFT_BUILD_COMMIT: buildCommit() };
  return (await runInForeground(node24(), args, env)) === 0;
}

/** What is built says of which commit; images are built without the repository, and are told. */
export function buildCommit() {
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' });
  return process.env.WEFT_BUILD_COMMIT ?? stdout?.trim() ?? '';
}

/**
 * @param {string} folder
 * @param {number} effort Of Brotli.
 */
async function compress(folder, effort) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(m?js|css|html|json|svg)$/.test(name),
  );
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: effort } };
  const compressOne = async (/** @type {string} */ name) => {
    const path = join(folder, name);
    const plain = readFileSync(path);
    if (plain.length < 512) return;
    writeFileSync(`${path}.br`, await promisify(brotliCompress)(plain, quality));
    writeFileSync(`${path}.gz`, await promisify(gzip)(plain, { level: 9 }));
  };
  await Promise.all(files.map(compressOne));
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await ensureInstalled();
  const isManual = process.argv.includes('--manual');
  const isBuilt = await (isManual ? ensureManual() : ensureBuilt());
  if (isManual && isBuilt) process.stdout.write(`${join(manualBuild.folder, 'index.html')}\n`);
  process.exit(isBuilt ? 0 : 1);
}
