// Runs before every test file, and writes at its end what it has cost.
import { appendFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { costsFolder, counts, type FileCosts } from './file-costs.ts';

/** Of the processes below this one, whether they have ended or not. */
function childrenSeconds(): number {
  const processes = new Map<number, { parent: number; own: number; ended: number }>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const text = readFileSync(`/proc/${name}/stat`, 'utf8');
      const fields = text
        .slice(text.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number);
      processes.set(Number(name), {
        parent: fields[1]!,
        own: fields[11]! + fields[12]!,
        ended: fields[13]! + fields[14]!,
      });
    } catch {
      // It has ended.
    }
  }
  let ticks = processes.get(process.pid)!.ended;
  for (const [pid, each] of processes) {
    let above = pid === process.pid ? 0 : each.parent;
    while (above > 1 && above !== process.pid) above = processes.get(above)?.parent ?? 0;
    if (above === process.pid) ticks += each.own + each.ended;
  }
  return ticks / 100;
}

function ownSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

if (process.platform === 'linux') {
  const before = { own: ownSeconds(), children: childrenSeconds(), elapsed: performance.now() };
  for (const what of Object.keys(counts)) delete counts[what];
  let imported = 0;
  beforeAll(() => {
    imported = ownSeconds();
  });
  afterAll(() => {
    const costs: FileCosts = {
      file: expect.getState().testPath ?? '',
      own: ownSeconds() - before.own,
      children: childrenSeconds() - before.children,
      importing: imported - before.own,
      elapsed: (performance.now() - before.elapsed) / 1000,
      counts,
    };
    mkdirSync(costsFolder, { recursive: true });
    appendFileSync(join(costsFolder, `${process.pid}.jsonl`), `${JSON.stringify(costs)}\n`);
  });
}
