// What stays in memory, in a thread of its own: in a heap that other tests use too, V8 decides by what these have left behind.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Worker } from 'node:worker_threads';

/** Collects young garbage at once, as V8 does every few seconds under load; all of the heap it collects every few minutes. */
export function youngCollector(): () => void {
  setFlagsFromString('--expose-gc');
  // Buffers are freed at once, and not by a thread that a busy machine lets wait.
  setFlagsFromString('--no-concurrent-array-buffer-sweeping');
  const collect: (options: { type: 'minor' }) => void = runInNewContext('gc');
  return () => collect({ type: 'minor' });
}

/** How many bytes stay, by a module of this folder. */
export async function bytesThatStay(name: string): Promise<number> {
  const code = `import(require('node:worker_threads').workerData).then(({ measure }) =>
    require('node:worker_threads').parentPort.postMessage(measure()))`;
  const worker = new Worker(code, { eval: true, workerData: new URL(`${name}.ts`, import.meta.url).href });
  try {
    return await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  } finally {
    await worker.terminate();
  }
}
