// Rounds of posting, SIGKILL at a random moment, restart and comparison, on one folder: sealing, recovery and the
// removal of journal segments all happen on the way.
import { randomInt } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Findings, prepareLedger } from './telemetry-ledger.ts';
import { serve, temporaryFolder } from './weft-process.ts';

const agents = 20;
const leastPosts = 40;
const mostPosts = 240;
/** Every so many rounds the batches are large enough to fill heads. */
const heavyEvery = 5;

export interface RoundsResult {
  findings: Findings;
  /** Samples acknowledged in each round. */
  acknowledged: number[];
  /** Of all agents together at the end. */
  sealedBlocks: number;
  /** Above 1 once journal segments have been removed. */
  oldestSegment: number;
}

export async function killRounds(rounds: number, launcher?: string[]): Promise<RoundsResult> {
  const folder = temporaryFolder();
  const { ledger, env, dataDir, journal } = await prepareLedger(folder, agents);
  const options = { folder, env, ...(launcher && { launcher }) };
  const findings: Findings = { lost: 0, foreign: 0, refusedButThere: 0, rows: 0 };
  const acknowledged: number[] = [];
  let weft = await serve(options);
  for (let round = 0; round < rounds; round++) {
    const before = ledger.acknowledged;
    const enough = Promise.withResolvers<void>();
    let left = randomInt(leastPosts, mostPosts);
    const posting = ledger.postUntilGone(
      weft,
      () => {
        left -= 1;
        if (left === 0) enough.resolve();
      },
      round % heavyEvery === heavyEvery - 1 ? 400 : 40,
    );
    await Promise.race([enough.promise, posting]);
    await new Promise((resolve) => setTimeout(resolve, randomInt(0, 12)));
    await weft.end('SIGKILL');
    await posting;
    acknowledged.push(ledger.acknowledged - before);
    weft = await serve(options);
    add(findings, await ledger.compareSeries(weft));
    // Whether it was stored or not, a repeat makes it there once.
    if (round % 2 === 0) for (const agent of ledger.agents) await agent.repeatUnanswered(weft);
  }
  for (const agent of ledger.agents) await agent.repeatUnanswered(weft);
  add(findings, await ledger.compareExport(weft));
  await weft.end('SIGKILL');
  const oldestSegment = Math.min(...readdirSync(journal).map((name) => Number.parseInt(name, 10)));
  return { findings, acknowledged, sealedBlocks: countBlocks(dataDir), oldestSegment };
}

function countBlocks(dataDir: string): number {
  const database = new DatabaseSync(join(dataDir, 'telemetry', 'telemetry.db'));
  const { blocks } = database.prepare('SELECT count(*) AS blocks FROM blocks').get() as { blocks: number };
  database.close();
  return blocks;
}

function add(sum: Findings, found: Findings): void {
  for (const key of Object.keys(sum) as (keyof Findings)[]) sum[key] += found[key];
}
