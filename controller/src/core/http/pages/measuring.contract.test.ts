// What Weft measures about itself may fail without anything else: the process goes on, says so once, and counts it.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

/** As the library refuses a label, in an observer of the garbage collector and in a timer. */
const program = `
import { Histogram, Gauge } from ${JSON.stringify(import.meta.resolve('prom-client'))};
import { measuring, ServiceMetrics } from ${JSON.stringify(import.meta.resolve('./service-metrics.ts'))};
for (const { prototype } of [Histogram, Gauge]) for (const method of ['observe', 'set'])
  prototype[method] = () => { throw new Error('Added label "zzz" is not included'); };
const told = [];
measuring.onFirst = (error) => told.push(error.message);
const metrics = new ServiceMetrics();
metrics.add({ own: { help: 'x', value: () => { throw new Error('not now'); } } });
const collected = () => { globalThis.gc(); return new Promise((done) => setTimeout(done, 1)); };
while (measuring.failures < 3) { await collected(); await metrics.text(); }
process.stdout.write(JSON.stringify({ told, answer: (await metrics.text()).includes('weft_http_requests_total') }));
`;

test('a label that the library refuses ends no process', () => {
  const folder = mkdtempSync(join(tmpdir(), 'weft-measuring-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'program.mjs');
  writeFileSync(file, program);
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--expose-gc', file], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toEqual({ told: ['Added label "zzz" is not included'], answer: true });
});
