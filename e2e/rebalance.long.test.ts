// Agents move between two servers of PostgreSQL, to and fro, while they post to two controllers; the command is killed again
// and again.
import { randomBytes } from 'node:crypto';
import { onTestFinished, test } from 'vitest';
import { findPostgres, startPostgres } from '../test/postgres.ts';
import { createLedger } from './failover-rounds.ts';
import { moveWhilePosting } from './rebalance-rounds.ts';
import { adminUsername, password, serve } from './weft-process.ts';

test.skipIf(findPostgres() === undefined)(
  'ten times to and fro, killed thirty times',
  { timeout: 1_800_000 },
  async () => {
    const servers = await Promise.all([startPostgres(), startPostgres()]);
    onTestFinished(async () => {
      for (const server of servers) await server.stop();
    });
    const urls: [string, string] = [servers[0].url, servers[1].url];
    const env = {
      WEFT_DATABASE_URL: urls[0],
      WEFT_TELEMETRY_URL: urls.join(' '),
      WEFT_SECRET: randomBytes(48).toString('base64'),
      WEFT_ADMIN_USERNAME: adminUsername,
      WEFT_ADMIN_PASSWORD: password,
      WEFT_LOG_LEVEL: 'warn',
    };
    const nodes = await Promise.all([serve({ env }), serve({ env })]);
    const token = (await nodes[0].login(adminUsername, password)).body.access_token as string;
    const ledger = await createLedger(nodes[0], token);
    await moveWhilePosting({ nodes, ledger, urls, options: { env } }, 10, 3);
    for (const node of nodes) await node.end();
  },
);
