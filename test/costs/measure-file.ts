// Runs before every test file, and writes at its end what it has cost.
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { counts, type FileCosts, linesFolder, ownTreeSeconds, stopped } from './file-costs.ts';

function ownSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function allSeconds(): number {
  return ownTreeSeconds() + stopped.seconds;
}

if (process.platform === 'linux') {
  const before = { own: ownSeconds(), all: allSeconds(), clock: performance.now() };
  for (const what of Object.keys(counts)) delete counts[what];
  let importing = 0;
  beforeAll(() => {
    importing = ownSeconds() - before.own;
  });
  afterAll(() => {
    const own = ownSeconds() - before.own;
    const children = Math.max(0, allSeconds() - before.all - own);
    const elapsed = (performance.now() - before.clock) / 1000;
    const costs: FileCosts = { file: expect.getState().testPath ?? '', own, children, importing, elapsed, counts };
    mkdirSync(linesFolder(), { recursive: true });
    appendFileSync(join(linesFolder(), `${process.pid}.jsonl`), `${JSON.stringify(costs)}\n`);
  });
}
