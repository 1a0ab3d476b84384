// The thread of many stores of telemetry, each of which has a copy of its module and a port of its own.
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { type MessagePort, parentPort } from 'node:worker_threads';

const builtin = createRequire(import.meta.url)('node:worker_threads');
const own = parentPort!;
let last: Promise<unknown> = Promise.resolve();
let count = 0;

own.on('message', ({ module, workerData, port }: { module: string; workerData: unknown; port: MessagePort }) => {
  // One after the other: a module takes its port and its data while it is read.
  last = last.then(async () => {
    Object.assign(builtin, { parentPort: port, workerData });
    syncBuiltinESMExports();
    count += 1;
    await import(`${module}?${count}`).catch((thrown) => {
      port.postMessage({ thrown });
      port.close();
    });
  });
});
