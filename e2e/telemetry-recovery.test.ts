// Starts after something went wrong: damaged files, kills during recovery, a power cut. What can be read is there, and
// what cannot is said.
import { cpSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { openEmbeddedTelemetry } from '../controller/src/core/telemetry/store/telemetry-store.embedded.ts';
import { canLoop } from '../test/mounts.ts';
import { isLong } from '../test/rounds.ts';
import { filledOnce } from './ledger-folder.ts';
import { cutPower, linesOf } from './power-cut.ts';
import { canTrace, traced } from './strace.ts';
import { serve as startHere } from './weft-here.ts';
import { temporaryFolder, WeftProcess } from './weft-process.ts';

type Prepared = Awaited<ReturnType<typeof usedFolder>>;

/** Two runs, each with its own segment: one agent with sealed blocks, one with rows in both segments. */
const filled = filledOnce(2, async ({ ledger, env }) => {
  const [sealed, open] = ledger.agents;
  for (let run = 0; run < 2; run++) {
    const weft = await startHere({ env });
    for (let n = 0; n < 20; n++) expect(await open!.post(weft)).toBe(200);
    for (let n = 0; n < 4; n++) expect(await sealed!.post(weft, 600)).toBe(200);
    await weft.stop();
  }
});

async function usedFolder() {
  const used = await filled();
  const [sealed, open] = used.ledger.agents;
  return { ...used, sealed: sealed!, open: open!, blocks: join(used.dataDir, 'telemetry', 'telemetry.db') };
}

const segments = ({ journal }: Prepared) =>
  readdirSync(journal)
    .sort()
    .map((name) => join(journal, name))
    .filter((path) => statSync(path).size > 0);

/** Else the journal still has what the blocks lose. */
async function sealEverything({ dataDir }: Prepared): Promise<void> {
  const fail = (reason: string | Error) => {
    throw new Error(String(reason));
  };
  const retention = { rawRetentionMs: 30 * 86_400_000, rollupRetentionMs: 400 * 86_400_000 };
  const folder = join(dataDir, 'telemetry');
  const store = await openEmbeddedTelemetry({ folder, ...retention, onDamage: fail, onFatal: fail });
  await store.sealAll();
  await store.close();
}

function flipBit(path: string, position: number): void {
  const bytes = readFileSync(path);
  bytes[position]! ^= 4;
  writeFileSync(path, bytes);
}

test('R5 a cut end of the journal costs what is cut, is told as a warning, and the rest is there', async () => {
  const used = await usedFolder();
  const last = segments(used).at(-1)!;
  truncateSync(last, statSync(last).size - 5);
  const weft = await startHere(used);
  expect(linesOf(weft.err, 'warn').filter((line) => line.includes(last))).toHaveLength(1);
  expect(linesOf(weft.err, 'error')).toEqual([]);
  // The last record was a batch of the other agent.
  expect(await used.open.compareSeries(weft)).toMatchObject({ lost: 0, foreign: 0 });
  const { lost, foreign } = await used.sealed.compareSeries(weft);
  expect(foreign).toBe(0);
  expect(lost).toBeLessThanOrEqual(600);
  expect(await used.sealed.post(weft, 10)).toBe(200);
});

test('R5 zeros at the end of the journal, as a power cut may leave them, cost nothing', async () => {
  const used = await usedFolder();
  const last = segments(used).at(-1)!;
  truncateSync(last, statSync(last).size + 4096);
  const weft = await startHere(used);
  expect(linesOf(weft.err, 'warn').filter((line) => line.includes(last))).toHaveLength(1);
  expect(await used.ledger.compareSeries(weft)).toMatchObject({ lost: 0, foreign: 0 });
});

test('R5 damage in the middle of an older segment is told as an error and costs the rest of that segment only', async () => {
  const used = await usedFolder();
  const [first] = segments(used);
  flipBit(first!, Math.floor(statSync(first!).size / 2));
  const weft = await startHere(used);
  expect(linesOf(weft.err, 'error').filter((line) => line.includes(first!))).toHaveLength(1);
  // Its single posts stand before the middle, and in the other segment.
  expect(await used.open.compareSeries(weft)).toMatchObject({ lost: 0, foreign: 0, rows: 40 });
  const { foreign, rows } = await used.sealed.compareSeries(weft);
  expect(foreign).toBe(0);
  expect(rows).toBeGreaterThan(2000);
});

test('R5 a flipped bit in a sealed block is told as an error and costs that block only', async () => {
  const used = await usedFolder();
  await sealEverything(used);
  const database = new DatabaseSync(used.blocks);
  const block = database.prepare('SELECT rows, data FROM blocks ORDER BY rows DESC LIMIT 1').get() as {
    rows: number;
    data: Uint8Array;
  };
  database.close();
  const place = readFileSync(used.blocks).indexOf(block.data.subarray(100, 400));
  expect(place).toBeGreaterThan(0);
  flipBit(used.blocks, place + 150);
  const weft = await startHere(used);
  expect(await used.open.compareSeries(weft)).toMatchObject({ lost: 0, foreign: 0 });
  const { lost, foreign, rows } = await used.sealed.compareExport(weft);
  expect({ lost, foreign }).toEqual({ lost: block.rows, foreign: 0 });
  expect(rows).toBe(used.sealed.acknowledged.size - block.rows);
  expect(linesOf(weft.err, 'error').filter((line) => line.includes('cannot be read')).length).toBeGreaterThan(0);
  expect(await used.sealed.post(weft, 100)).toBe(200);
});

test.skipIf(!canTrace)('R9 three kills during recovery leave the same as one clean recovery', async () => {
  const used = await usedFolder();
  const [first] = segments(used);
  const last = segments(used).at(-1)!;
  const next = join(used.journal, `${String(Number.parseInt(last.slice(-16), 10) + 1).padStart(12, '0')}.log`);
  truncateSync(last, statSync(last).size - 5);
  const copy = temporaryFolder();
  cpSync(used.dataDir, join(copy, 'data'), { recursive: true });
  for (const [path, call] of [
    [first!, 'openat'],
    [last, 'ftruncate'],
    [next, 'openat'],
  ] as const) {
    const options = [
      '-o',
      '/dev/null',
      '-P',
      path,
      '-e',
      `trace=${call}`,
      '-e',
      `inject=${call}:signal=SIGKILL:when=1`,
    ];
    const killed = new WeftProcess(['serve'], { ...used, launcher: traced(options) });
    expect(await killed.ended()).toBe(null);
    expect([call, killed.out]).toEqual([call, '']);
  }
  const weft = await startHere(used);
  const found = [await used.ledger.compareExport(weft), await used.ledger.compareSeries(weft)];
  const clean = await startHere({ env: { ...used.env, WEFT_DATA_DIR: join(copy, 'data') } });
  expect([await used.ledger.compareExport(clean), await used.ledger.compareSeries(clean)]).toEqual(found);
  expect(found[0]!.lost).toBeLessThanOrEqual(600);
});

describe.skipIf(!canLoop)('after a power cut', () => {
  test('R13 everything acknowledged before is there, and nothing that was not sent', async () => {
    const { acknowledged, findings, errors } = await cutPower();
    expect(acknowledged).toBeGreaterThan(1000);
    expect(findings).toMatchObject({ lost: 0, foreign: 0 });
    expect(errors).toEqual([]);
  });

  test.runIf(isLong)('R14 the same cut finds the loss when nothing is flushed', async () => {
    const { findings } = await cutPower(['--import', join(import.meta.dirname, 'faults', 'no-flush.mjs')]);
    expect(findings.lost).toBeGreaterThan(0);
  });
});
