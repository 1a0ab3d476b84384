// `npm run release`: builds everything anew, so that nothing of an older build gets into it, and writes the files of a release
// (scripts/release/release.ts).
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { controllerBuild, dashboardBuild, manualBuild, stampFile } from './build-state.mjs';
import { ensureInstalled, fail, node24, root, runInForeground } from './install.mjs';

await ensureInstalled();
for (const build of [controllerBuild, dashboardBuild, manualBuild]) rmSync(stampFile(build), { force: true });
const sdk = [join(root, 'scripts', 'build-sdk.mjs')];
if (!(await ensureBuilt()) || (await runInForeground(node24(), sdk)) !== 0) fail('Nothing is released: see above.');
process.exit(
  await runInForeground(node24(), [join(root, 'scripts', 'release', 'release.ts'), ...process.argv.slice(2)]),
);
