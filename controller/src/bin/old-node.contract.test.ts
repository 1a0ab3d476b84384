// What somebody reads who starts the build with the Node of the machine.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const weft = join(import.meta.dirname, '../../dist/weft.js');
const node = '/usr/bin/node';
const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.trim() ?? '';
const isOld = version !== '' && Number.parseInt(version.slice(1), 10) < 24;
if (!isOld) process.stderr.write(`What an old Node says of Weft is NOT tested: ${node} is none.\n`);

test.skipIf(!isOld)('a Node that is too old for Weft is told so in one sentence', () => {
  const { status, stderr, stdout } = spawnSync(node, [weft, '--version'], { encoding: 'utf8' });
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toBe(
    `weft: this needs Node 24, and ${node} is ${version}. In a checkout, npx weft runs it with its own.\n`,
  );
});
