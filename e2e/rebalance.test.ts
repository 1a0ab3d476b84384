// Agents move between two databases while they post, and the command is killed once. `rebalance.long.test.ts` has many
// rounds, two servers and two controllers.
import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { prepareLedger } from './ledger-folder.ts';
import { moveWhilePosting } from './rebalance-rounds.ts';
import { runWeft, serve, temporaryFolder } from './weft-process.ts';

const server = inject('postgresUrl');

async function run(sql: string): Promise<void> {
  const client = new Client({ connectionString: server });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}

async function createDatabase(): Promise<string> {
  const name = `e2e_${randomUUID().replaceAll('-', '')}`;
  await run(`CREATE DATABASE ${name} TEMPLATE template0`);
  onTestFinished(() => run(`DROP DATABASE ${name} WITH (FORCE)`));
  const url = new URL(server!);
  url.pathname = `/${name}`;
  return url.href;
}

test.skipIf(server === undefined)(
  'a database is added and agents move to it while they post; killed in the middle, nothing is lost and nothing is there twice',
  { timeout: 240_000 },
  async () => {
    const folder = temporaryFolder();
    const { ledger, env } = await prepareLedger(folder, 6);
    const urls: [string, string] = [await createDatabase(), await createDatabase()];
    const alone = await serve({ folder, env: { ...env, WEFT_TELEMETRY_URL: urls[1] } });
    for (const agent of ledger.agents) expect(await agent.post(alone, 60)).toBe(200);
    await alone.end();
    const options = { folder, env: { ...env, WEFT_TELEMETRY_URL: urls.join(' ') } };
    const weft = await serve(options);
    await moveWhilePosting({ nodes: [weft], ledger, urls, options }, 1, 1);
    await weft.end();
    const refused = await runWeft(['serve'], { folder, env: { ...env, WEFT_TELEMETRY_URL: urls[1] } });
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringContaining('the telemetry of 6 access points lies on'),
    ]);
  },
);
