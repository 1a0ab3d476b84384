import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { CommandMemory } from './command-memory.ts';

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'weft-commands-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'ap-1', 'commands.log');
}

test('commands are known again, with the newest that was said of them', async () => {
  const file = newFile();
  const memory = new CommandMemory(file, 10);
  await Promise.all([memory.remember({ command_id: 'a' }), memory.remember({ command_id: 'b' })]);
  await memory.remember({ command_id: 'a', answer: 'done' });
  await memory.remember({ command_id: 'a', answer: 'short', isHeard: true });
  await memory.close();
  expect(new CommandMemory(file, 10).commands).toEqual([
    { command_id: 'a', answer: 'short', isHeard: true },
    { command_id: 'b' },
  ]);
});

test('only what Weft knows is forgotten, oldest first', async () => {
  const file = newFile();
  const memory = new CommandMemory(file, 3);
  for (const command_id of ['a', 'b', 'c', 'd', 'e'])
    await memory.remember({ command_id, isHeard: command_id !== 'a' });
  expect(memory.commands.map(({ command_id }) => command_id)).toEqual(['a', 'd', 'e']);
  await memory.close();
});

test('the file stays small, and nothing is lost when it is written anew', async () => {
  const file = newFile();
  const memory = new CommandMemory(file, 5);
  const answer = 'x'.repeat(50_000);
  const work: Promise<void>[] = [];
  for (let n = 0; n < 100; n++) {
    work.push(memory.remember({ command_id: `c${n}`, answer }));
    work.push(memory.remember({ command_id: `c${n}`, answer: 'short', isHeard: true }));
    if (n % 10 === 0) await Promise.all(work);
    expect(memory.bytes).toBeLessThan(2_000_000);
  }
  await Promise.all(work);
  await memory.close();
  expect(new CommandMemory(file, 5).commands).toEqual(
    [95, 96, 97, 98, 99].map((n) => ({ command_id: `c${n}`, answer: 'short', isHeard: true })),
  );
});
