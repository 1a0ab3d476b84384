// The crash test at length, and an agent fleet that posts for a minute: nothing lost, memory flat.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openLoop } from '../bench/harness/load.ts';
import { prepareLedger } from './ledger-folder.ts';
import { killRounds } from './telemetry-rounds.ts';
import { serve, temporaryFolder, type WeftServer } from './weft-process.ts';

const lanes = 2;
const roundsPerLane = 25;
const legs = 4;

test('R1 200 rounds of SIGKILL at random moments lose nothing that was acknowledged', {
  timeout: 1_800_000,
}, async () => {
  for (let leg = 0; leg < legs; leg++) {
    const results = await Promise.all(Array.from({ length: lanes }, () => killRounds(roundsPerLane)));
    for (const { findings, acknowledged } of results) {
      expect(findings).toMatchObject({ lost: 0, foreign: 0, refusedButThere: 0, torn: 0 });
      expect(Math.min(...acknowledged)).toBeGreaterThan(40);
    }
  }
});

test('a minute at 1,000 posts a second: all stored, and memory is flat after the warm-up', {
  timeout: 240_000,
}, async () => {
  const folder = temporaryFolder();
  const { ledger, env } = await prepareLedger(folder, 200);
  const weft = await serve({ folder, env });
  let next = 0;
  const post = async () => (await ledger.agents[next++ % ledger.agents.length]!.post(weft)) === 200;
  const run = (seconds: number) => openLoop(post, 1000, seconds);
  expect((await run(20)).failures).toBe(0);
  const sizes: number[] = [];
  for (let part = 0; part < 12; part++) {
    expect((await run(5)).failures).toBe(0);
    sizes.push(memoryMiB(weft));
  }
  // Collections come when they come: the least of each half is what is really in use.
  const [early, late] = [Math.min(...sizes.slice(0, 6)), Math.min(...sizes.slice(6))];
  expect(late / early, sizes.join(' ')).toBeLessThan(1.15);
  expect(await ledger.compareExport(weft)).toMatchObject({ lost: 0, foreign: 0, rows: ledger.acknowledged });
});

function memoryMiB({ child }: WeftServer): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))![1]) / 1024;
}
