// What only the embedded backend promises; telemetry-store.contract.ts has the rest.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sampleOf } from '../../../../../test/pure/sample-of.ts';
import { openEmbeddedTelemetry } from './telemetry-store.embedded.ts';

test('the newest values are the same list again until something newer comes, so that its JSON can be kept', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weft-embedded-'));
  const store = await openEmbeddedTelemetry({
    folder,
    rawRetentionMs: 86_400_000,
    rollupRetentionMs: 86_400_000,
    onDamage: () => {},
    onFatal: () => {},
  });
  const now = Date.now();
  await store.append('ap-1', [sampleOf(now, { load: 1 })]);
  const [first] = await store.latest(['ap-1']);
  expect(first).toEqual({ ap_id: 'ap-1', metrics: [{ name: 'load', ts: now, value: 1 }] });
  expect((await store.latest(['ap-1']))[0]!.metrics).toBe(first!.metrics);
  await store.append('ap-1', [sampleOf(now + 1, { load: 2 })]);
  expect((await store.latest(['ap-1']))[0]!.metrics).not.toBe(first!.metrics);
  await store.close();
  rmSync(folder, { recursive: true });
});
