// The model against a calculation that shares no code with it: all twenty worlds agree, and a wrong value is found.
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { rounds } from '../../test/rounds.ts';
import { tellSecond } from './inputs.ts';
import { smallWorlds } from './worlds.ts';

const root = resolve(import.meta.dirname, '../..');

test('Twenty small worlds agree with the independent calculation within 1 %', () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, 'research', 'recompute', 'recompute-emulator.ts'), String(rounds(10, 2))],
    {
      encoding: 'utf8',
    },
  );
  expect(stderr).toBe('');
  expect(stdout).toContain('20 worlds: all values agree (limit 1%)');
  for (const quantity of ['rate_bps', 'latency_ms', 'airtime', 'energy_j']) expect(stdout).toContain(`\n${quantity} `);
  expect(status).toBe(0);
});

test.each(['rate_bps', 'latency_ms'] as const)('A %s that is 2 %% off is found', (quantity) => {
  const [, fourCells] = smallWorlds();
  const { name, world } = fourCells!;
  const second = tellSecond(world);
  const { inputs, emulator } = second;
  const isServed = (n: number) => inputs.devices[n]!.serving >= 0 && Number(emulator.devices[n]![quantity]) > 0;
  const served = emulator.devices.find((_, n) => isServed(n))!;
  served[quantity] = Number(served[quantity]) * 1.02;
  const program = join(root, 'research', 'independent', 'recompute.py');
  const { status, stdout } = spawnSync('python3', ['-B', program], {
    input: JSON.stringify([{ name, seconds: [second] }]),
    encoding: 'utf8',
  });
  expect(stdout).toContain('1 worlds: values differ');
  expect(status).toBe(1);
});
