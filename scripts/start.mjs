// `npm start`: installs what is missing, builds the dashboard if it changed, then runs `weft serve` with the arguments
// given. V8's young generation is kept small (package.json): by itself it grows to 128 MiB under load, and a stream of
// large messages is faster without.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureDashboard } from './build-dashboard.mjs';
import { ensureInstalled, isNode24, node24, root, runInForeground } from './install.mjs';

const weft = join(root, 'controller', 'src', 'bin', 'weft.ts');
const args = ['serve', ...process.argv.slice(2)];

// npm hands SIGTERM to the shell between, and Debian's ends without passing it on.
const parent = process.ppid;
const watch = setInterval(() => {
  if (process.ppid === parent) return;
  clearInterval(watch);
  process.kill(process.pid, 'SIGTERM');
}, 500).unref();

await ensureInstalled();
await ensureDashboard();
if (isNode24()) {
  // The same process: no second Node to start, and signals arrive where they are meant to.
  process.argv = [process.execPath, weft, ...args];
  await import(pathToFileURL(weft).href);
} else {
  process.exit(await runInForeground(node24(), ['--max-semi-space-size=16', weft, ...args]));
}
