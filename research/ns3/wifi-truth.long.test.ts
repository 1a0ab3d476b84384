// ns-3 itself: the programs compile, and give again what is committed.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ns3Cases } from './cases.ts';
import { neededDb, ns3Results } from './ns3-results.ts';
import { compileNs3, ns3Thresholds, runNs3 } from './wifi-truth.ts';

const isThere = existsSync('/usr/include/ns3') && existsSync('/usr/bin/g++');

test.skipIf(!isThere && process.env.CI !== 'true')('ns-3 gives again what is committed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weft-ns3-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  expect(ns3Thresholds(folder)).toEqual(neededDb);
  const program = compileNs3(folder, 'wifi-cells');
  for (const name of ['1 up', '5 up', '5 up, RTS', '-70 dBm', 'chain of 3']) {
    const again = await runNs3(program, ns3Cases.find((each) => each.name === name)!, 1);
    const [before] = ns3Results.find((result) => result.name === name)!.bySeed;
    for (const [cell, mbps] of before!.entries()) expect(Math.abs(again[cell]! - mbps)).toBeLessThan(0.03 * mbps + 3);
  }
});
