// A hundred thousand agents asked for at once (D4): all of them come, and nobody else has to wait for it.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { JobLedger } from './job-ledger.ts';
import { serve, temporaryFolder } from './weft-process.ts';

const count = 100_000;

test('100,000 agents come over the socket while others are answered without delay', { timeout: 120_000 }, async () => {
  const WEFT_DATA_DIR = temporaryFolder();
  const first = await serve({ env: { WEFT_DATA_DIR } });
  const token = await first.createAdmin();
  await first.end();
  insertAgents(join(WEFT_DATA_DIR, 'weft.db'));

  const weft = await serve({ env: { WEFT_DATA_DIR, WEFT_MAX_AGENTS: String(2 * count) } });
  const ledger = new JobLedger(() => weft.url, token);
  const job = (await ledger.ask('/api/v1/agent_details/request_all_agents_details'))!;
  const following = ledger.follow(job);
  const delays: number[] = [];
  while (job.end === undefined) {
    const askedAt = performance.now();
    expect((await weft.request('GET', '/healthz')).status).toBe(200);
    delays.push(performance.now() - askedAt);
  }
  await following;
  expect([job.end, ...ledger.violations]).toEqual(['succeeded']);
  expect(job.messages).toBe(count / 500);
  expect(new Set(job.data.map(({ ap_id }) => ap_id)).size).toBe(count);
  delays.sort((a, b) => a - b);
  expect(delays.length).toBeGreaterThan(20);
  expect(delays[Math.floor(delays.length * 0.99)]).toBeLessThan(250);
  await weft.end();
});

function insertAgents(file: string): void {
  const database = new DatabaseSync(file);
  database.exec('BEGIN');
  const insert = database.prepare(
    `INSERT INTO agents (id, ap_id, password_hash, configuration, onboard, emulated_for, ver, created_at)
     VALUES (?, ?, '-', '{"site":"hall"}', 0, NULL, '-', 0)`,
  );
  for (let n = 0; n < count; n++) insert.run(randomUUID(), `ap-${n}`);
  database.exec('COMMIT');
  database.close();
}
