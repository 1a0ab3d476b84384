// `weft migrate` as an operator runs it: agents post all the time, the command is killed at each of its stages, the old server
// comes back in between, and in the end every acknowledged sample is on PostgreSQL.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { prepareLedger } from './ledger-folder.ts';
import { runHere, serve as serveHere } from './weft-here.ts';
import { serve, temporaryFolder, type Weft, WeftProcess } from './weft-process.ts';

const server = inject('postgresUrl');

async function run(sql: string): Promise<void> {
  const client = new Client({ connectionString: server });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}

/** The settings of a node on a schema that starts empty and goes with the test. */
async function clusterSettings(env: Record<string, string>): Promise<Record<string, string>> {
  const schema = `e2e_${randomUUID().replaceAll('-', '')}`;
  await run(`CREATE SCHEMA ${schema}`);
  onTestFinished(() => run(`DROP SCHEMA ${schema} CASCADE`));
  const url = new URL(server ?? '');
  url.searchParams.set('options', `-c search_path=${schema}`);
  const WEFT_SECRET_FILE = join(env.WEFT_DATA_DIR!, 'secret');
  return { ...env, WEFT_DATABASE_URL: url.href, WEFT_TELEMETRY_URL: url.href, WEFT_SECRET_FILE };
}

test.skipIf(server === undefined)(
  'moves to PostgreSQL while agents post; killed at every stage, nothing that was answered is lost',
  async () => {
    const folder = temporaryFolder();
    const { ledger, env } = await prepareLedger(folder, 3);
    const first = await serveHere({ env });
    const cluster = await clusterSettings(env);
    let answers = 0;
    const post = (weft: Weft) =>
      ledger.postUntilGone(weft, () => {
        answers += 1;
      });
    let posting = post(first);
    const migrate = () => new WeftProcess(['migrate'], { env: cluster, folder });
    const says = (weft: WeftProcess, text: string) => weft.until(text, () => weft.err.includes(text));
    const moreAnswers = async (count: number) => {
      for (const until = answers + count; answers < until; ) await new Promise((next) => setTimeout(next, 10));
    };

    for (const stage of ['Copying telemetry', 'Stop the server now']) {
      const killed = migrate();
      await says(killed, stage);
      await killed.end('SIGKILL');
    }
    await moreAnswers(20);
    const killed = migrate();
    await says(killed, 'Stop the server now');
    await first.stop();
    await posting;
    await says(killed, 'No server runs');
    await killed.end('SIGKILL');

    // The copy was not complete: the old server goes on, with samples that the next run has to find.
    const old = await serve({ env, folder });
    for (const agent of ledger.agents) await agent.repeatUnanswered(old);
    posting = post(old);
    const last = migrate();
    await says(last, 'Stop the server now');
    await moreAnswers(20);
    await old.end('SIGKILL');
    await posting;
    expect([await last.ended(), last.err.includes('Moved.')]).toEqual([0, true]);
    expect(last.out).toMatch(/^agents\s+3\s+[0-9a-f]{64}$/m);

    const refused = await runHere(['serve'], { WEFT_PORT: '0', ...env });
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('was moved to PostgreSQL')]);
    const again = await runHere(['migrate'], cluster);
    expect([again.code, again.out]).toEqual([0, expect.stringContaining('Nothing was changed')]);

    const weft = await serveHere({ env: cluster });
    for (const agent of ledger.agents) await agent.repeatUnanswered(weft);
    expect(await ledger.compareExport(weft)).toMatchObject({ lost: 0, foreign: 0, refusedButThere: 0 });
    expect(await ledger.agents[0]!.post(weft)).toBe(200);
    expect((await runHere(['audit', 'verify'], cluster)).out).toContain('intact');
  },
);
