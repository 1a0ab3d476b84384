// The package gymnasium for Python, for tests of python/: installed once, beside what npm has installed. Debian has no package of it.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '../node_modules/.cache/weft-gymnasium');
const packages = ['gymnasium==1.3.0', 'cloudpickle', 'typing_extensions', 'farama-notifications'];

/** A folder for PYTHONPATH; undefined if it cannot be installed here, which it says. */
export function gymnasiumFolder(): string | undefined {
  const env = { ...process.env, PYTHONPATH: folder };
  const isThere = () => spawnSync('python3', ['-c', 'import gymnasium'], { env }).status === 0;
  if (isThere()) return folder;
  // numpy is there already.
  const install = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--target', folder, ...packages];
  const { stderr } = spawnSync('python3', install, { encoding: 'utf8' });
  if (isThere()) return folder;
  process.stderr.write(
    `\n*** gymnasium is missing (${String(stderr).trim().split('\n').at(-1)}).\n*** ITS TESTS DO NOT RUN. Install it with pip.\n\n`,
  );
  return undefined;
}
