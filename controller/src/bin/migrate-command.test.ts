import { randomBytes } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { parseLine } from '../../../cli/src/command.ts';
import { migrateCommand } from './migrate-command.ts';

test.each([
  [
    'clickhouse://weft:hidden@127.0.0.1:9',
    'WEFT_TELEMETRY_URL names ClickHouse: telemetry can be moved to PostgreSQL only',
  ],
])('weft migrate to %s is refused before anything is opened', async (url, problem) => {
  const env = {
    WEFT_DATABASE_URL: 'postgres://weft@127.0.0.1:9/weft',
    WEFT_TELEMETRY_URL: url,
    WEFT_SECRET: randomBytes(48).toString('base64'),
  };
  const around = { env, stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const refusal = await migrateCommand(
    parseLine([], {}),
    around as unknown as Parameters<typeof migrateCommand>[1],
  ).catch((e) => e);
  expect(refusal.problems).toEqual([problem]);
});
