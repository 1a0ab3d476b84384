// Snapshots of a telemetry store that is written as fast as it can be: values are replaced again and again, heads are
// sealed, journal segments come and go, and names are added.
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { rounds } from '../../../../test/rounds.ts';
import {
  type EmbeddedTelemetryStore,
  openEmbeddedTelemetry,
} from '../../core/telemetry/store/telemetry-store.embedded.ts';
import type { Sample } from '../../core/telemetry/store/telemetry-store.ts';
import { copyLive } from './live-copy.ts';

const agents = 4;
const rows = 1100;
const snapshots = rounds(5, 2);
const roundsBetween = 5;
const day = 86_400_000;
const startMs = Date.now() - day;
const text = 'x'.repeat(400);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-snapshot-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function open(path: string, onDamage: (message: string, isUnfinishedEnd: boolean) => void = () => {}) {
  mkdirSync(path, { recursive: true });
  const onFatal = (error: Error) => {
    throw error;
  };
  return openEmbeddedTelemetry({
    folder: path,
    rawRetentionMs: 30 * day,
    rollupRetentionMs: 400 * day,
    onDamage,
    onFatal,
  });
}

/** All samples of an agent with another value, and a name that was not there before. */
function roundOf(round: number): Sample[] {
  return Array.from({ length: rows }, (_, n) => ({
    ts: startMs + n,
    names: ['value', `of_${round % 900}`],
    values: [round, 1],
    texts: [['text', text]],
  }));
}

/** The rounds that the values of an agent come from: one of them, if all is well. */
async function roundsIn(store: EmbeddedTelemetryStore, agent: number): Promise<number[]> {
  const frame = await store.rows(`ap-${agent}`, { startMs, endMs: startMs + day }, rows * 2, ['value']);
  expect(frame.ts.length).toBe(rows);
  return [...new Set(frame.columns.get('value'))];
}

const isFirstGone = (dataDir: string) =>
  !readdirSync(join(dataDir, 'telemetry', 'journal')).includes('000000000001.log');

it('a snapshot is one moment, and not before what was answered when it began', async () => {
  const dataDir = join(folder, 'data');
  const store = await open(join(dataDir, 'telemetry'));
  const answered = Array<number>(agents).fill(0);
  let isOver = false;
  const writing = Array.from({ length: agents }, async (_, agent) => {
    for (let round = 1; !isOver; round++) {
      await store.append(`ap-${agent}`, roundOf(round));
      answered[agent] = round;
    }
  });
  const taken: { target: string; before: number[]; after: number[] }[] = [];
  for (let number = 1; number <= snapshots; number++) {
    const enough = Math.min(...answered) + roundsBetween;
    // Before the last one a segment must have gone, else nothing would be proven.
    const isEnough = () => Math.min(...answered) >= enough && (number < snapshots || isFirstGone(dataDir));
    while (!isEnough()) await new Promise((resolve) => setImmediate(resolve));
    const target = join(folder, `copy-${number}`);
    mkdirSync(target);
    const before = [...answered];
    await copyLive({
      dataDir,
      target,
      hasRegistry: false,
      hasTelemetry: true,
      secret: undefined,
      onProgress: () => {},
    });
    taken.push({ target, before, after: [...answered] });
  }
  isOver = true;
  await Promise.all(writing);
  await store.close();
  expect(isFirstGone(dataDir)).toBe(true);

  for (const { target, before, after } of taken) {
    const damage: string[] = [];
    const copy = await open(join(target, 'telemetry'), (message, isEnd) => void (isEnd || damage.push(message)));
    for (let agent = 0; agent < agents; agent++) {
      const rounds = await roundsIn(copy, agent);
      expect(rounds).toHaveLength(1);
      expect(rounds[0]).toBeGreaterThanOrEqual(before[agent]!);
      // One post may have been under way.
      expect(rounds[0]).toBeLessThanOrEqual(after[agent]! + 1);
    }
    await copy.close();
    expect(damage).toEqual([]);
  }
});
