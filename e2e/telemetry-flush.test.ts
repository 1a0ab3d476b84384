// SIGKILL alone cannot reveal a missing flush, because the kernel keeps what was written: so here the system calls are
// looked at, killed and made to fail.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { draw } from '../test/draw.ts';
import { isLong } from '../test/rounds.ts';
import { filledOnce } from './ledger-folder.ts';
import { callOrder, canTrace, flushFault, orderTrace, removalOrder, removalTrace, traced } from './strace.ts';
import { serve as startHere } from './weft-here.ts';
import { serve } from './weft-process.ts';

/** That these tests can fail is seen in the long run. */
const noFlush = ['--import', join(import.meta.dirname, 'faults', 'no-flush.mjs')];
/** At which flushes it is killed: some of them, others with each seed. */
const oneOf = (flushes: number[]) => (isLong ? flushes : [draw('flushes').of(flushes)]);
const journalKills = [1, ...oneOf([2, 3, 5, 8])];
const blockKills = oneOf([1, 2, 3, 5]);
/** So many that a thread which may flush has flushed three times. */
const manyPosts = 40;

/** What only a first start does is done. */
const filled = filledOnce(4, async ({ ledger, env }) => {
  const weft = await startHere({ env });
  for (const agent of ledger.agents) expect(await agent.post(weft)).toBe(200);
  await weft.stop();
});

/** With one agent, whose rows alone keep a segment. */
const filledByOne = filledOnce(1, async () => {});

async function usedFolder() {
  const used = await filled();
  // One thread flushes: strace counts the calls of each for itself.
  return { ...used, env: { ...used.env, UV_THREADPOOL_SIZE: '1' }, agent: used.ledger.agents[0]! };
}

/** The journal segment that the next start will append to. */
function nextSegment(journal: string): string {
  const last = Math.max(...readdirSync(journal).map((name) => Number.parseInt(name, 10)));
  return join(journal, `${String(last + 1).padStart(12, '0')}.log`);
}

/** What one post at a time does, in order. */
async function orderOfPosts(nodeOptions: string[] = []): Promise<string[]> {
  const { agent, folder, env } = await usedFolder();
  const traceFile = join(folder, 'trace');
  const weft = await serve({ folder, env, launcher: traced(orderTrace(traceFile), nodeOptions) });
  for (let n = 0; n < 5; n++) expect(await agent.post(weft)).toBe(200);
  process.kill(-weft.child.pid!, 'SIGTERM');
  await weft.ended();
  return callOrder(traceFile);
}

describe.skipIf(!canTrace)('under strace', () => {
  test('R14 the journal has been flushed before a post is answered, and a trace without it looks different', async () => {
    const post = ['append', 'flush', 'answer'];
    expect(await orderOfPosts()).toEqual([...post, ...post, ...post, ...post, ...post]);
    if (isLong) expect(await orderOfPosts(noFlush)).not.toContain('flush');
  });

  test('R14 a segment of the journal is removed only after the tables that have its rows were flushed', async () => {
    for (const nodeOptions of isLong ? [[], noFlush] : [[]]) {
      const { ledger, folder, env, journal } = await filledByOne();
      const agent = ledger.agents[0]!;
      const traceFile = join(folder, 'trace');
      const weft = await serve({ folder, env, launcher: traced(removalTrace(traceFile), nodeOptions) });
      const first = readdirSync(journal)[0]!;
      for (let posts = 0; posts < 2000 && readdirSync(journal).includes(first); posts++) {
        expect(await agent.post(weft, 500)).toBe(200);
      }
      process.kill(-weft.child.pid!, 'SIGKILL');
      await weft.ended();
      const order = removalOrder(traceFile);
      expect(order).toContain('remove');
      const isFlushed = /write .*flush/.test(order.slice(0, order.indexOf('remove')).join(' '));
      expect(isFlushed).toBe(nodeOptions !== noFlush);
    }
  });

  test('R2 R8 a SIGKILL at any flush of the journal loses nothing, and repeats make no duplicates', async () => {
    const { ledger, folder, env, journal } = await usedFolder();
    for (const n of journalKills) {
      const launcher = traced(flushFault(nextSegment(journal), `signal=SIGKILL:when=${n}`));
      const weft = await serve({ folder, env, launcher });
      expect(await ledger.compareSeries(weft)).toMatchObject({ lost: 0, foreign: 0 });
      const before = ledger.acknowledged;
      await ledger.postUntilGone(weft, () => {}, 300);
      expect(await weft.ended()).not.toBe(0);
      expect([n, ledger.acknowledged > before]).toEqual([n, n > 1]);
    }
    const weft = await startHere({ env });
    // Written and not flushed when the kill came: stored without an answer.
    const { lost, foreign, rows } = await ledger.compareExport(weft);
    expect({ lost, foreign }).toEqual({ lost: 0, foreign: 0 });
    expect(rows).toBeGreaterThan(ledger.acknowledged);
    for (const agent of ledger.agents) await agent.repeatUnanswered(weft);
    expect(await ledger.compareExport(weft)).toMatchObject({ lost: 0, foreign: 0, rows: ledger.acknowledged });
  });

  test('R2 a SIGKILL at any flush of the blocks, while names are registered and heads sealed, loses nothing', async () => {
    const { ledger, folder, env, dataDir } = await usedFolder();
    const wal = join(dataDir, 'telemetry', 'telemetry.db-wal');
    for (const n of blockKills) {
      const weft = await serve({ folder, env, launcher: traced(flushFault(wal, `signal=SIGKILL:when=${n}`)) });
      expect(await ledger.compareExport(weft)).toMatchObject({ lost: 0, foreign: 0 });
      await ledger.postUntilGone(weft, () => {}, 600);
      expect(await weft.ended()).not.toBe(0);
    }
    expect(await ledger.compareExport(await startHere({ env }))).toMatchObject({ lost: 0, foreign: 0 });
  });

  test('R3 a failed flush is answered 503, ends the process with one clear line, and loses nothing', async () => {
    const { agent, folder, env, journal } = await usedFolder();
    const launcher = traced(flushFault(nextSegment(journal), 'error=EIO:when=3+'));
    const weft = await serve({ folder, env, launcher });
    // strace counts for each thread, and any of them may flush.
    let status: number | undefined = 200;
    for (let posts = 0; posts < manyPosts && status === 200; posts++) status = await agent.post(weft);
    expect(status).toBe(503);
    expect(await agent.post(weft)).not.toBe(200);
    expect(await weft.ended()).toBe(1);
    expect(linesAbout(weft.err, 'cannot continue')).toHaveLength(1);
    expect(linesAbout(weft.err, 'cannot continue')[0]).toContain('EIO');
    const again = await startHere({ env });
    expect(await agent.compareSeries(again)).toMatchObject({ lost: 0, foreign: 0 });
    expect(await agent.post(again)).toBe(200);
  });

  test('R3 a failed flush of the tables ends the process as well', async () => {
    const { agent, folder, env, dataDir } = await usedFolder();
    const wal = join(dataDir, 'telemetry', 'telemetry.db-wal');
    const weft = await serve({ folder, env, launcher: traced(flushFault(wal, 'error=EIO:when=1+')) });
    expect(await agent.post(weft)).toBe(200);
    expect(await agent.post(weft, 1, { new_name: 1 })).toBe(503);
    expect(await weft.ended()).toBe(1);
    const again = await startHere({ env });
    expect(await agent.compareSeries(again)).toMatchObject({ lost: 0, foreign: 0 });
  });

  test.runIf(isLong)('R14 a server that does not flush would not notice R3', async () => {
    const { agent, folder, env, journal } = await usedFolder();
    const launcher = traced(flushFault(nextSegment(journal), 'error=EIO:when=3+'), noFlush);
    const weft = await serve({ folder, env, launcher });
    for (let n = 0; n < manyPosts; n++) expect(await agent.post(weft)).toBe(200);
  });
});

function linesAbout(log: string, what: string): string[] {
  return log.split('\n').filter((line) => line.includes(what));
}
