// `npm run test:lab`: Weft with real hostapd, wpa_supplicant and MPTCP in a QEMU guest without a radio. Where the guest cannot
// be built (no Debian packages), it says so and succeeds.
import { join } from 'node:path';
import { ensureBuilt } from '../../scripts/build.mjs';
import { ensureInstalled, node24, root, runInForeground } from '../../scripts/install.mjs';

const cannotRun = 3;

await ensureInstalled();
if (!(await ensureBuilt())) process.exit(1);
const prepared = await runInForeground(node24(), [join(root, 'e2e', 'lab', 'image.ts')]);
if (prepared === cannotRun) process.exit(0);
if (prepared !== 0) process.exit(prepared);
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const config = join(root, 'e2e', 'lab', 'vitest.config.ts');
process.exit(await runInForeground(node24(), [vitest, 'run', '--config', config, ...process.argv.slice(2)]));
