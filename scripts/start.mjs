// `npm start`: installs what is missing, builds the dashboard if it changed, then runs `weft serve` with the arguments
// given. V8's young generation is limited (package.json): by default it grows to 128 MiB under load, and a stream of
// large messages is faster with a small one. One thread of V8 collects garbage beside the one that answers: with four, those
// take both cores of a small machine, and answers wait.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureDashboard } from './build-dashboard.mjs';
import { ensureInstalled, isNode24, node24, root, runInForeground } from './install.mjs';

const weft = join(root, 'controller', 'src', 'bin', 'weft.ts');
const args = ['serve', ...process.argv.slice(2)];

// npm sends SIGTERM to the shell, and Debian's shell ends without forwarding it.
const parent = process.ppid;
const watch = setInterval(() => {
  if (process.ppid === parent) return;
  clearInterval(watch);
  process.kill(process.pid, 'SIGTERM');
}, 500).unref();

await ensureInstalled();
await ensureDashboard();
if (isNode24()) {
  // The same process: no second Node to start, and signals reach the server.
  process.argv = [process.execPath, weft, ...args];
  await import(pathToFileURL(weft).href);
} else {
  process.exit(await runInForeground(node24(), ['--max-semi-space-size=16', '--v8-pool-size=1', weft, ...args]));
}
