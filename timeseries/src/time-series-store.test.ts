// The store as its callers have it, with its thread.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { openTimeSeries } from './index.ts';

test('at rest everything moves into blocks, and what comes afterwards is beside it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'timeseries-rest-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const failures: unknown[] = [];
  const store = await openTimeSeries({
    folder,
    rawRetentionMs: Number.MAX_SAFE_INTEGER,
    rollupRetentionMs: Number.MAX_SAFE_INTEGER,
    restMs: 20,
    onDamage: (message) => failures.push(message),
    onFatal: (error) => failures.push(error),
  });
  onTestFinished(() => store.close());
  const append = (source: string, ts: number) => store.append(source, [{ ts, names: ['a'], values: [ts], texts: [] }]);
  const database = new DatabaseSync(join(folder, 'telemetry.db'), { readOnly: true });
  onTestFinished(() => database.close());
  const sealedRows = () => database.prepare('SELECT coalesce(sum(rows), 0) AS rows FROM blocks').get()?.rows;
  for (let round = 1; round <= 3; round++) {
    for (const source of ['one', 'two', 'three']) await append(source, round);
    await expect.poll(sealedRows, { interval: 10 }).toBe(3 * round);
  }
  const { ts } = await store.rows('two', { startMs: 0, endMs: 10 }, 10);
  expect([...ts]).toEqual([1, 2, 3]);
  expect(failures).toEqual([]);
});
