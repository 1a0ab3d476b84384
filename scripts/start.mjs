// `npm start`: installs what is missing, builds what changed, then runs `weft serve` with the arguments
// given. V8's young generation is limited (package.json): by default it grows to 128 MiB under load, and a stream of
// large messages is faster with a small one. One thread of V8 collects garbage beside the one that answers: with four, those
// take both cores of a small machine, and answers wait.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBuilt } from './build.mjs';
import { buildState, controllerBuild } from './build-state.mjs';
import { ensureInstalled, isNode24, node24, root, runInForeground } from './install.mjs';

const args = ['serve', ...process.argv.slice(2)];

// npm sends SIGTERM to the shell, and Debian's shell ends without forwarding it.
const parent = process.ppid;
const watch = setInterval(() => {
  if (process.ppid === parent) return;
  clearInterval(watch);
  process.kill(process.pid, 'SIGTERM');
}, 500).unref();

await ensureInstalled();
await ensureBuilt();
// Without a build, from its sources.
const isBuilt = buildState(controllerBuild) === 'current';
const weft = join(root, 'controller', ...(isBuilt ? ['dist', 'weft.js'] : ['src', 'bin', 'weft.ts']));
if (isNode24()) {
  // The same process: no second Node to start, and signals reach the server.
  process.argv = [process.execPath, weft, ...args];
  await import(pathToFileURL(weft).href);
} else {
  process.exit(await runInForeground(node24(), ['--max-semi-space-size=16', '--v8-pool-size=1', weft, ...args]));
}
