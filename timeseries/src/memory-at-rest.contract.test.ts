import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const module = fileURLToPath(new URL('./memory-at-rest.ts', import.meta.url));

const objects = "{ index, text: 'sample ' + index }";

/** What a process holds before it rests and after thirty looks at it, in MB. What V8 itself returns after a while is off. */
async function heldBy(maxShare: number, count = 600_000, each = objects): Promise<{ before: number; after: number }> {
  const program = `
    import { getHeapStatistics } from 'node:v8';
    import { returnMemoryAtRest } from ${JSON.stringify(module)};
    const held = () => (getHeapStatistics().total_heap_size + getHeapStatistics().external_memory) / 1e6;
    let list = [];
    for (let index = 0; index < ${count}; index++) list.push(${each});
    list = undefined;
    const before = held();
    returnMemoryAtRest({ everyMs: 1, maxShare: ${maxShare} });
    let looks = 0;
    const timer = setInterval(() => {
      if (++looks < 30) return;
      clearInterval(timer);
      console.log(JSON.stringify({ before, after: held() }));
    }, 1);
  `;
  const flags = ['--no-memory-reducer', '--input-type=module', '--eval', program];
  return JSON.parse((await promisify(execFile)(process.execPath, flags)).stdout);
}

test('a thread that rests gives back what its work needed', async () => {
  const { before, after } = await heldBy(1000);
  expect(before).toBeGreaterThan(30);
  expect(after).toBeLessThan(before / 3);
});

test('a thread that rests gives back buffers, too, though its heap has not grown', async () => {
  const { before, after } = await heldBy(1000, 60, 'new Uint8Array(500_000)');
  expect(before).toBeGreaterThan(30);
  expect(after).toBeLessThan(before - 20);
});

test('a thread that works is left alone', async () => {
  const { before, after } = await heldBy(-1);
  expect(after).toBeGreaterThan(before / 3);
});
