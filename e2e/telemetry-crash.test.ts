// 200 means durable: whatever was acknowledged before a SIGKILL is there after the next start, with its value.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { killRounds } from './telemetry-rounds.ts';
import { command } from './weft-process.ts';

const lanes = 2;
const roundsPerLane = 5;

test('R1 10 rounds of SIGKILL at random moments lose nothing that was acknowledged', { timeout: 180_000 }, async () => {
  const results = await Promise.all(Array.from({ length: lanes }, () => killRounds(roundsPerLane)));
  for (const { findings, acknowledged, sealedBlocks, oldestSegment } of results) {
    expect(findings).toMatchObject({ lost: 0, foreign: 0, refusedButThere: 0 });
    // A round that acknowledged next to nothing would prove nothing.
    expect(Math.min(...acknowledged)).toBeGreaterThan(40);
    expect(acknowledged).toHaveLength(roundsPerLane);
    // Sealing and the removal of old segments took part.
    expect(sealedBlocks).toBeGreaterThan(20);
    expect(oldestSegment).toBeGreaterThan(1);
  }
});

test('R14 the same rounds find the loss when answers come before the commit', { timeout: 120_000 }, async () => {
  const fault = join(import.meta.dirname, 'faults', 'answer-early.mjs');
  const { findings } = await killRounds(3, [process.execPath, '--import', fault, command]);
  expect(findings.lost).toBeGreaterThan(0);
});
