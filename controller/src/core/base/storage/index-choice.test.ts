// Which index SQLite takes for what is asked with every commit and every delivery: what is open is few, all that was is many.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSqlite } from './sql-database.sqlite.ts';

const db = openSqlite(':memory:');
beforeAll(() => db.migrate());
afterAll(() => db.close());

const choices: [string, string][] = [
  [
    "SELECT owner_id, COUNT(*) FROM commands WHERE ended_at IS NULL AND owner_id IN ('a', 'b') GROUP BY owner_id",
    'commands_open_owner',
  ],
  [
    "SELECT * FROM commands WHERE ap_id IN ('a', 'b') AND ended_at IS NULL AND due_at <= 5 AND expires_at > 4 ORDER BY created_at, command_id LIMIT 9",
    'commands_open',
  ],
  [
    "SELECT * FROM commands WHERE ap_id IN ('a') AND ended_at IS NULL AND due_at IS NOT NULL AND expires_at > 4 ORDER BY created_at, command_id LIMIT 9",
    'commands_open',
  ],
  [
    "SELECT * FROM commands WHERE (created_at, command_id) < (1, 'x') ORDER BY created_at DESC, command_id DESC LIMIT 9",
    'commands_age',
  ],
  ["SELECT * FROM commands WHERE ap_id = 'a' ORDER BY created_at DESC, command_id DESC LIMIT 9", 'commands_agent'],
  [
    "SELECT * FROM commands WHERE owner_id = 'a' AND owner_kind = 'user' ORDER BY created_at DESC, command_id DESC LIMIT 9",
    'commands_owner',
  ],
  ["SELECT COUNT(*) FROM jobs WHERE owner_id = 'a' AND ended_at IS NULL AND task_type <> 'send_command'", 'jobs_open'],
  ["SELECT 1 FROM jobs WHERE ended_at IS NULL AND owner_id = 'a' LIMIT 1", 'jobs_open'],
  [
    "SELECT * FROM jobs WHERE owner_id = 'a' AND owner_kind = 'user' AND (created_at, job_number) < (1, 'x') ORDER BY created_at DESC, job_number DESC LIMIT 9",
    'jobs_owner',
  ],
  ['SELECT * FROM jobs ORDER BY created_at DESC, job_number DESC LIMIT 9', 'jobs_age'],
];

it.each(choices)('%s', async (sql, index) => {
  const [step] = await db.query<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`);
  expect(step!.detail).toMatch(new RegExp(`INDEX ${index}( |$)`));
});
