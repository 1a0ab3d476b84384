// Builds what Weft serves: the dashboard, the command line as one file and the SDK. Skips the build if the
// sources did not change. This is `npm run build`; `npm start` and `npm test` run it too.
import { copyFileSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { buildState, built, sourcesStamp, stampName } from './build-state.mjs';
import { ensureInstalled, node24, root, runInForeground } from './install.mjs';

const folder = join(root, 'dashboard');

/**
 * Resolves true if there is a build of the current sources. Without the sources, or without the build tools, the existing
 * build is kept.
 */
export async function ensureDashboard() {
  if (!existsSync(join(folder, 'src'))) return existsSync(built);
  if (buildState() === 'current') return true;
  const startedAt = Date.now();
  process.stderr.write('Building the dashboard ... ');
  const fresh = join(folder, `dist.${process.pid}`);
  try {
    if ((await build(fresh)) !== 0) {
      process.stderr.write('failed: see above. Weft continues without it.\n');
      return false;
    }
    rmSync(built, { recursive: true, force: true });
    renameSync(fresh, built);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  process.stderr.write(`done in ${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`);
  return true;
}

/** @param {string} target */
async function build(target) {
  const stamp = sourcesStamp();
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const outDirs = { [folder]: target, [join(root, 'cli')]: join(target, 'install') };
  for (const [sources, outDir] of Object.entries(outDirs)) {
    const args = [vite, 'build', sources, '--outDir', outDir, '--configLoader', 'native', '--logLevel', 'warn'];
    const code = await runInForeground(node24(), args);
    if (code !== 0) return code;
  }
  const sdk = [join(root, 'scripts', 'build-sdk.mjs'), '--pack', join(target, 'install')];
  const code = await runInForeground(node24(), sdk);
  if (code !== 0) return code;
  copyFileSync(join(root, 'cli', 'install', 'weft-agent.sh'), join(target, 'install', 'weft-agent.sh'));
  await compress(target);
  // Written last: only a complete build has it.
  writeFileSync(join(target, stampName), stamp);
  return 0;
}

/** @param {string} target */
async function compress(target) {
  const files = readdirSync(target, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(m?js|css|html|json|svg)$/.test(name),
  );
  for (const name of files) {
    const path = join(target, name);
    const plain = readFileSync(path);
    if (plain.length < 512) continue;
    const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
    writeFileSync(`${path}.br`, await promisify(brotliCompress)(plain, quality));
    writeFileSync(`${path}.gz`, await promisify(gzip)(plain, { level: 9 }));
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await ensureInstalled();
  process.exit((await ensureDashboard()) ? 0 : 1);
}
