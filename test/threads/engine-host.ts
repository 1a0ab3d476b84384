// The thread of many stores of telemetry, each of which has a copy of its module and a port of its own.
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { type MessagePort, parentPort } from 'node:worker_threads';

const require = createRequire(import.meta.url);
const builtin = require('node:worker_threads');
// Memory is not given back at rest: to collect takes 50 ms for each store, and V8 reads no code that was compiled before without its flag.
Object.assign(require('node:v8'), { setFlagsFromString: () => {} });
Object.assign(require('node:vm'), { runInNewContext: () => () => {} });
const own = parentPort!;
const repeat = setInterval;
let last: Promise<unknown> = Promise.resolve();
let count = 0;

own.on('message', ({ module, workerData, port }: { module: string; workerData: unknown; port: MessagePort }) => {
  // One after the other: a module takes its port and its data while it is read.
  last = last.then(async () => {
    const timers: NodeJS.Timeout[] = [];
    const kept = (...args: Parameters<typeof repeat>) => {
      const timer = repeat(...args);
      timers.push(timer);
      return timer;
    };
    // They would end with its thread; those of each store that was closed went on to collect the garbage of this one.
    port.on('close', () => {
      for (const timer of timers) clearInterval(timer);
    });
    Object.assign(builtin, { parentPort: port, workerData });
    Object.assign(globalThis, { setInterval: kept });
    syncBuiltinESMExports();
    count += 1;
    await import(`${module}?${count}`).catch((thrown) => {
      port.postMessage({ thrown });
      port.close();
    });
    Object.assign(globalThis, { setInterval: repeat });
  });
});
