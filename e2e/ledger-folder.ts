// Data folders for agents that keep a ledger: a new one, or copies of one that has been in use.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { prepareFleet } from '../bench/harness/fleet.ts';
import { readOrCreateDeviceKey } from '../controller/src/core/devices/privacy/device-key.ts';
import { Ledger, LedgerAgent, type Pace } from './telemetry-ledger.ts';
import { temporaryFolder } from './weft-process.ts';

const minuteMs = 60_000;

/** A data folder inside `folder` with this many agents, and the settings for it. */
export async function prepareLedger(folder: string, count: number, pace?: Pace) {
  const dataDir = join(folder, 'data');
  const fleet = await prepareFleet(dataDir, count);
  // Made by the first start, which in these tests may be one that flushes nothing.
  readOrCreateDeviceKey(dataDir);
  const usual = { startMs: Date.now() - 15 * minuteMs, stepMs: 1 };
  const ledger = new Ledger(fleet.map((agent, index) => new LedgerAgent(agent, index, pace ?? usual)));
  return { ledger, ...placesIn(folder) };
}

function placesIn(folder: string) {
  const dataDir = join(folder, 'data');
  return {
    dataDir,
    journal: join(dataDir, 'telemetry', 'journal'),
    env: { WEFT_DATA_DIR: dataDir, WEFT_LOG_LEVEL: 'warn' },
  };
}

type UsedFolder = Awaited<ReturnType<typeof prepareLedger>> & { folder: string };

/**
 * A data folder that has been in use. It is filled once, by the first that asks, and everybody gets a copy: filling takes
 * longer than most of the tests.
 */
export function filledOnce(count: number, fill: (used: UsedFolder) => Promise<void>): () => Promise<UsedFolder> {
  const original = mkdtempSync(join(tmpdir(), 'weft-filled-'));
  afterAll(() => rmSync(original, { recursive: true, force: true }));
  const prepare = async () => {
    const prepared = await prepareLedger(original, count);
    await fill({ ...prepared, folder: original });
    return prepared.ledger;
  };
  let filled: Promise<Ledger> | undefined;
  return async () => {
    filled ??= prepare();
    const ledger = (await filled).copy();
    const folder = temporaryFolder();
    cpSync(original, folder, { recursive: true });
    return { ledger, folder, ...placesIn(folder) };
  };
}
