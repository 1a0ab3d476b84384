// `npx weft run research/recompute/recompute-emulator.ts`: recomputes twenty small worlds with the independent calculation in
// research/independent (Python, no code in common), by default ten seconds of each. Exit code 1 if a value differs by more than 1 %.
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { tellSecond } from './inputs.ts';
import { smallWorlds } from './worlds.ts';

const secondsEach = Number(process.argv[2] ?? 10);
const program = join(resolve(import.meta.dirname, '../..'), 'research', 'independent', 'recompute.py');

const worlds = Array.from(smallWorlds(), ({ name, world, midway }) => ({
  name,
  seconds: Array.from({ length: secondsEach }, (_, second) => {
    if (second === secondsEach / 2) midway?.(world);
    return tellSecond(world);
  }),
}));
const { status, error } = spawnSync('python3', ['-B', program], {
  input: JSON.stringify(worlds),
  stdio: ['pipe', 'inherit', 'inherit'],
});
if (error) process.stderr.write(`python3 did not run: ${error.message}\n`);
process.exitCode = status ?? 1;
