// A run of another version of the model is not continued as if it were of this one.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serialize } from 'node:v8';
import { crc32 } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { createTask } from '../../../test/pure/emulator-task.ts';
import { EmulatedRun } from './emulated-run.ts';
import { takeUpRun } from './resume-run.ts';
import { OtherModel, RunFiles } from './run-files.ts';

const task = createTask({ durations: [60] });
const takeUp = (given: typeof task, files?: RunFiles) =>
  takeUpRun({ task: given, clock: { dueSecond: 3 }, files, onEntry: () => {}, onTrouble: () => {} });

async function createFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-model-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

async function store(folder: string, saved: object): Promise<void> {
  const body = serialize(saved);
  const crc = Buffer.alloc(4);
  crc.writeUInt32BE(crc32(body));
  await writeFile(join(folder, 'job.world'), Buffer.concat([crc, body]));
}

test('a state that was saved by the first model ends the run with the reason', async () => {
  const folder = await createFolder();
  const state = EmulatedRun.begin(task, () => {}).snapshot();
  await store(folder, { stateVersion: 1, state });
  const taken = takeUp(task, new RunFiles(folder, 'job'));
  await expect(taken).rejects.toThrow(OtherModel);
  await expect(taken).rejects.toThrow('created with model 1 of the emulator, and this version of Weft has model 3');
});

test('so does one that was saved by the second', async () => {
  const folder = await createFolder();
  await store(folder, { stateVersion: 1, model: 2, state: EmulatedRun.begin(task, () => {}).snapshot() });
  const taken = takeUp(task, new RunFiles(folder, 'job'));
  await expect(taken).rejects.toThrow('created with model 2 of the emulator, and this version of Weft has model 3');
});

test('so does a task without a model, whether or not anything was saved', async () => {
  const { model: _, ...old } = task;
  await expect(takeUp(old)).rejects.toThrow('create the network again');
  await expect(takeUp({ ...task, model: 4 })).rejects.toThrow(OtherModel);
});

test('a state of the same model in another format is left aside, and the run begins again', async () => {
  const folder = await createFolder();
  const run = EmulatedRun.begin(task, () => {});
  for (let n = 0; n < 3; n++) run.advance();
  await store(folder, { stateVersion: 99, model: 3, state: run.snapshot() });
  expect((await takeUp(task, new RunFiles(folder, 'job'))).second).toBe(0);
});

test('a state of this model goes on', async () => {
  const folder = await createFolder();
  const files = new RunFiles(folder, 'job');
  const run = EmulatedRun.begin(task, () => {});
  for (let n = 0; n < 3; n++) run.advance();
  await files.save(run.snapshot());
  expect((await takeUp(task, new RunFiles(folder, 'job'))).second).toBe(3);
});
