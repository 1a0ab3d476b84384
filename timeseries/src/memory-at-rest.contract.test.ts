import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const module = fileURLToPath(new URL('./memory-at-rest.ts', import.meta.url));

/** Heaps of a process before it rests and after thirty looks at it, in MB. What V8 itself returns after a while is off. */
async function heapsOf(maxShare: number): Promise<{ before: number; after: number }> {
  const program = `
    import { getHeapStatistics } from 'node:v8';
    import { returnMemoryAtRest } from ${JSON.stringify(module)};
    const heap = () => getHeapStatistics().total_heap_size / 1e6;
    let held = [];
    for (let index = 0; index < 600_000; index++) held.push({ index, text: 'sample ' + index });
    held = undefined;
    const before = heap();
    returnMemoryAtRest({ everyMs: 1, maxShare: ${maxShare} });
    let looks = 0;
    const timer = setInterval(() => {
      if (++looks < 30) return;
      clearInterval(timer);
      console.log(JSON.stringify({ before, after: heap() }));
    }, 1);
  `;
  const flags = ['--no-memory-reducer', '--input-type=module', '--eval', program];
  return JSON.parse((await promisify(execFile)(process.execPath, flags)).stdout);
}

test('a thread that rests gives back what its work needed', async () => {
  const { before, after } = await heapsOf(1000);
  expect(before).toBeGreaterThan(30);
  expect(after).toBeLessThan(before / 3);
});

test('a thread that works is left alone', async () => {
  const { before, after } = await heapsOf(-1);
  expect(after).toBeGreaterThan(before / 3);
});
