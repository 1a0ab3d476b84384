// The core without its tenants: the client of the specification gets all that it asks for, and what is not there is told.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWeft } from '../../test/weft.ts';
import { tenantTables } from './parts.ts';

beforeAll(() => {
  process.env.WEFT_TEST_PARTS = 'core';
});
afterAll(() => {
  delete process.env.WEFT_TEST_PARTS;
});

// Every test of it, on the core alone; as a module of its own, since files of one worker share theirs.
await import(new URL('./core/specification-client.contract.test.ts?core', import.meta.url).href);

test('terms of selectors that another part answers are refused, the others select', async () => {
  const weft = await startWeft();
  try {
    const token = await weft.admin();
    const list = (selector: string) =>
      weft.request('GET', `/api/v1/agents?${new URLSearchParams({ selector })}`, { token });
    expect((await list('state:never type:WiFi')).status).toBe(200);
    for (const selector of ['health:bad', 'config:drifted']) {
      const { status, body } = await list(selector);
      expect([status, body.detail[0].msg]).toEqual([422, expect.stringContaining(selector.split(':')[0]!)]);
    }
    expect((await weft.request('GET', '/api/v1/alarms', { token })).status).toBe(404);
    expect((await weft.request('GET', '/readyz')).status).toBe(200);
  } finally {
    await weft.stop();
  }
});

test('where a process with all parts has been, it does not start, and says what to do', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'weft-core-alone-'));
  try {
    const whole = await startWeft({ WEFT_DATA_DIR: dataDir, WEFT_PARTS: 'all' });
    const json = { selector: 'site:uk', rules: ['*'], until: new Date(Date.now() + 60_000).toISOString() };
    const silence = await whole.request('POST', '/api/v1/silences', { token: await whole.admin(), json });
    expect(silence.status).toBe(200);
    await whole.stop();
    await expect(startWeft({ WEFT_DATA_DIR: dataDir, WEFT_PARTS: 'core' })).rejects.toThrow(
      /^WEFT_PARTS=core is for data .* has rows: start without WEFT_PARTS/,
    );
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});

test('no SQL of the core names a table of another part, all of which exist', async () => {
  const named = new RegExp(`\\b(FROM|INTO|UPDATE|JOIN|TABLE)\\s+(${tenantTables.join('|')})\\b`);
  expect(`SELECT 1 FROM ${tenantTables[0]}`).toMatch(named);
  const core = join(import.meta.dirname, 'core');
  const files = (await readdir(core, { recursive: true })).filter((path) => /(?<!\.test)\.ts$/.test(path));
  expect(files.length).toBeGreaterThan(300);
  const breaches = [];
  for (const path of files) if (named.test(await readFile(join(core, path), 'utf8'))) breaches.push(path);
  expect(breaches).toEqual([]);
  const weft = await startWeft();
  try {
    for (const table of tenantTables) await weft.platform.database.query(`SELECT 1 FROM ${table} LIMIT 1`);
  } finally {
    await weft.stop();
  }
});
