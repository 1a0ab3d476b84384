// Rounds of posting, SIGKILL at a random moment, restart and comparison, on one folder: sealing, recovery and the
// removal of journal segments all happen on the way.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { draw } from '../test/draw.ts';
import { prepareLedger } from './ledger-folder.ts';
import type { Findings } from './telemetry-ledger.ts';
import { serve as serveHere } from './weft-here.ts';
import { serve, temporaryFolder, type Weft } from './weft-process.ts';

const agents = 20;
/** After how many posts the kill comes, at least and at most. */
const lightPosts = { least: 40, most: 120 };
const heavyPosts = { least: 160, most: 240 };
/** Every so many rounds, and in the last one, there are more posts, and their batches are large enough to fill heads. */
const heavyEvery = 5;
/** One in so many agents is compared after a round. */
const comparedEvery = 4;

export interface RoundsResult {
  findings: Findings;
  /** Samples acknowledged in each round. */
  acknowledged: number[];
}

export interface EmbeddedRoundsResult extends RoundsResult {
  /** Of all agents together at the end. */
  sealedBlocks: number;
  /** Above 1 once journal segments have been removed. */
  oldestSegment: number;
}

interface RoundsOptions {
  /** What stands before the arguments of `weft`. */
  launcher?: string[];
  /** No more rounds once something was lost. */
  isUntilLoss?: boolean;
  /** Posts go on until then before the last kill. */
  isFull?: () => boolean | Promise<boolean>;
}

export async function killRounds(rounds: number, options: RoundsOptions = {}): Promise<EmbeddedRoundsResult> {
  const folder = temporaryFolder();
  const { dataDir, journal, ...prepared } = await prepareLedger(folder, agents);
  const oldestSegment = () => Math.min(...readdirSync(journal).map((name) => Number.parseInt(name, 10)));
  const isFull = () => oldestSegment() > 1 && countBlocks(dataDir) > agents;
  const result = await killRoundsOn(
    { folder, ...prepared, ...(!options.isUntilLoss && { isFull }), ...options },
    rounds,
  );
  return { ...result, sealedBlocks: countBlocks(dataDir), oldestSegment: oldestSegment() };
}

/** The same with telemetry in another place, which the settings name. */
export async function killRoundsWith(
  settings: Record<string, string>,
  rounds: number,
  options: RoundsOptions = {},
): Promise<RoundsResult> {
  const folder = temporaryFolder();
  const { ledger, env } = await prepareLedger(folder, agents);
  return killRoundsOn({ folder, ledger, env: { ...env, ...settings }, ...options }, rounds);
}

type Prepared = Pick<Awaited<ReturnType<typeof prepareLedger>>, 'ledger' | 'env'>;

async function killRoundsOn(
  { ledger, isUntilLoss = false, isFull, ...options }: Prepared & RoundsOptions & { folder: string },
  rounds: number,
): Promise<RoundsResult> {
  const findings: Findings = { lost: 0, foreign: 0, refusedButThere: 0, torn: 0, rows: 0 };
  const acknowledged: number[] = [];
  const random = draw('moments of kills');
  let server = await serve(options);
  let weft: Weft = server;
  for (let round = 0; round < rounds && !(isUntilLoss && findings.lost > 0); round++) {
    const before = ledger.acknowledged;
    const enough = Promise.withResolvers<void>();
    const isHeavy = round % heavyEvery === heavyEvery - 1 || round === rounds - 1;
    const { least, most } = isHeavy ? heavyPosts : lightPosts;
    let left = least + random.below(most - least);
    const posting = ledger.postUntilGone(
      server,
      () => {
        left -= 1;
        if (left === 0) enough.resolve();
      },
      isHeavy ? 400 : 40,
    );
    await Promise.race([enough.promise, posting]);
    if (round === rounds - 1) while (isFull && !(await isFull())) await pause(50);
    await pause(random.below(12));
    await server.end('SIGKILL');
    await posting;
    acknowledged.push(ledger.acknowledged - before);
    // The last start is not killed, and needs no process; that of a fault is how it is started.
    const isLast = round === rounds - 1 && options.launcher === undefined;
    if (!isLast) server = await serve(options);
    weft = isLast ? await serveHere(options) : server;
    // Some of them each time, since all of them are compared in the end.
    const some = ledger.agents.filter(({ index }) => isUntilLoss || index % comparedEvery === round % comparedEvery);
    for (const agent of some) add(findings, await agent.compareSeries(weft));
    // Whether it was stored or not, a repeat makes it there once.
    if (round % 2 === 0) for (const agent of ledger.agents) await agent.repeatUnanswered(weft);
  }
  for (const agent of ledger.agents) await agent.repeatUnanswered(weft);
  add(findings, await ledger.compareExport(weft));
  await server.end('SIGKILL');
  return { findings, acknowledged };
}

function countBlocks(dataDir: string): number {
  const database = new DatabaseSync(join(dataDir, 'telemetry', 'telemetry.db'), { readOnly: true });
  const { blocks } = database.prepare('SELECT count(*) AS blocks FROM blocks').get() as { blocks: number };
  database.close();
  return blocks;
}

function add(sum: Findings, found: Findings): void {
  for (const key of Object.keys(sum) as (keyof Findings)[]) sum[key] += found[key];
}
