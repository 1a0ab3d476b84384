import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { createTask } from '../../../test/pure/emulator-task.ts';
import { EmulatedRun, type RunEntry } from './emulated-run.ts';
import { RunFiles } from './run-files.ts';

const task = createTask({
  durations: [40, 40, 30],
  faults: [{ access_point: 2, after_seconds: 12, kind: 'backhaul_cut', seconds: 6 }],
});

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});
async function createFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-runs-'));
  folders.push(folder);
  return folder;
}

const events: Record<number, (run: EmulatedRun) => unknown> = {
  5: (run) => run.command('emu-wifi-1', { command_id: 'a', name: 'set_tx_power', args: { dbm: 3 } }),
  11: (run) => run.fault('emu-wifi-1', { kind: 'jammed_channel', seconds: 9 }),
  14: (run) => run.command('emu-wifi-3', { command_id: 'b', name: 'sleep', args: {} }),
};

/** Runs to a second, with the events on the way, as a process would; returns what it sent. */
function runTo(run: EmulatedRun, until: number): unknown[] {
  const sent: unknown[] = [];
  for (;;) {
    events[run.second]?.(run);
    if (run.second >= until) return sent;
    sent.push(run.advance());
  }
}

test('ends with its longest access point; others are silent from their end on', () => {
  const run = EmulatedRun.begin(task, () => {});
  const sent = runTo(run, 40).flat() as { ap_id: string; ts: number }[];
  expect(run.isOver).toBe(true);
  const last = (ap_id: string) =>
    (sent.filter((each) => each.ap_id === ap_id).at(-1)!.ts - Date.UTC(2026, 0, 7, 10)) / 1000;
  expect([last('emu-wifi-1'), last('emu-wifi-3')]).toEqual([40, 30]);
  expect([run.isActive('emu-wifi-3'), run.world.isReachable('emu-wifi-3')]).toEqual([false, false]);
});

test('a command that comes again is answered as at first and not done again', () => {
  const entries: RunEntry[] = [];
  const run = EmulatedRun.begin(task, (entry) => entries.push(entry));
  run.advance();
  const reboot = { command_id: 'x', name: 'reboot', args: {} };
  const first = run.command('emu-wifi-1', reboot);
  for (let n = 0; n < 35; n++) run.advance();
  expect(run.world.isReachable('emu-wifi-1')).toBe(true);
  expect(run.command('emu-wifi-1', reboot)).toEqual(first);
  expect(run.world.isReachable('emu-wifi-1')).toBe(true);
  expect(entries).toHaveLength(1);
});

test('what an access point was set to and keeps is there again once the run has caught up', () => {
  const entries: RunEntry[] = [];
  const run = EmulatedRun.begin(task, (entry) => entries.push(entry));
  const ap_id = 'emu-wifi-1';
  const keep = (of: EmulatedRun, value: unknown) => of.storageOf(ap_id).write('settings.json', value);
  keep(run, { id: 'a' });
  runTo(run, 2);
  const state = run.snapshot();
  runTo(run, 4);
  keep(run, { id: 'b' });
  expect(run.configure(ap_id, { channel: 149, tx_power_dbm: 20 })).toMatchObject({ channel: 149, tx_power_dbm: 14 });
  expect(() => run.configure(ap_id, { channel: 7 })).toThrow('channel must be one of');
  const resumed = EmulatedRun.resume(task, () => {}, state, entries.slice(state.lastEntry));
  const seen = () => [resumed.isCatchingUp(ap_id), resumed.storageOf(ap_id).read('settings.json')];
  expect(seen()).toEqual([true, { id: 'a' }]);
  runTo(resumed, 4);
  expect(seen()).toEqual([false, { id: 'b' }]);
  expect(resumed.world.settingsOf(ap_id)).toEqual(run.world.settingsOf(ap_id));
  expect(resumed.isCatchingUp('emu-wifi-2')).toBe(false);
});

test('begun late, it is at the right time and has what still lasts', () => {
  const run = EmulatedRun.begin(task, () => {}, 15);
  expect([run.second, run.world.time]).toEqual([15, Date.UTC(2026, 0, 7, 10, 0, 15)]);
  run.advance();
  expect(run.world.isReachable('emu-wifi-2')).toBe(false);
  for (let n = 0; n < 3; n++) run.advance();
  expect(run.world.isReachable('emu-wifi-2')).toBe(true);
});

test('devices ask for as much as the task says, of the kind that it says', () => {
  const asked = (more: { mbps_per_device?: number; mix?: Record<string, number> }) => {
    const plain = createTask({ durations: [60], devicesEach: 20 });
    const run = EmulatedRun.begin({ ...plain, agents: plain.agents.map((agent) => ({ ...agent, ...more })) }, () => {});
    while (!run.isOver) run.advance();
    return run.world.totals().askedBits;
  };
  const usual = asked({});
  expect(asked({ mbps_per_device: 0.8 })).toBe(usual);
  expect(asked({ mbps_per_device: 8 })).toBeGreaterThan(5 * usual);
  expect(asked({ mbps_per_device: 0 })).toBe(0);
  expect(asked({ mix: { sensor: 1 } })).not.toBe(usual);
  expect(() => asked({ mix: { fax: 1 } })).toThrow(RangeError);
});

describe('what is kept', () => {
  test.each([3, 8, 12, 16])(
    'saved at second %i and lost at 17, it has the same future as if nothing had happened',
    async (at) => {
      const folder = await createFolder();
      const before = new RunFiles(folder, 'job');
      expect(await before.load()).toBeUndefined();
      const run = EmulatedRun.begin(task, (entry) => before.append(entry));
      runTo(run, at);
      await before.save(run.snapshot());
      // The events of the second in which it was saved have happened.
      run.advance();
      runTo(run, 17);

      const after = new RunFiles(folder, 'job');
      const kept = (await after.load())!;
      const again = EmulatedRun.resume(task, (entry) => after.append(entry), kept.state, kept.entries);
      expect(again.second).toBe(at);
      while (again.second < 17) again.advance();
      const witness = EmulatedRun.begin(task, () => {});
      runTo(witness, 17);
      expect(again.world.snapshot()).toEqual(witness.world.snapshot());
      expect(again.command('emu-wifi-1', { command_id: 'a', name: 'set_tx_power', args: { dbm: 3 } })).toMatchObject({
        state: 'succeeded',
      });
      expect(runTo(again, 40)).toEqual(runTo(witness, 40));
      await after.remove();
      expect(await readdir(folder)).toEqual([]);
    },
  );

  test('what comes while it catches up is kept in its place', async () => {
    const folder = await createFolder();
    const files = new RunFiles(folder, 'job');
    await files.load();
    const run = EmulatedRun.begin(task, (entry) => files.append(entry));
    await files.save(run.snapshot());
    runTo(run, 12);
    const kept = (await new RunFiles(folder, 'job').load())!;
    expect(kept.entries.map(({ number, second }) => [number, second])).toEqual([
      [1, 5],
      [2, 11],
    ]);
    const second = new RunFiles(folder, 'job');
    await second.load();
    const again = EmulatedRun.resume(task, (entry) => second.append(entry), kept.state, kept.entries);
    for (let n = 0; n < 3; n++) again.advance();
    again.fault('emu-wifi-2', { kind: 'crash', seconds: 2 });
    await second.save(again.snapshot());
    const after = again.advance();
    const third = (await new RunFiles(folder, 'job').load())!;
    const last = EmulatedRun.resume(task, () => {}, third.state, third.entries);
    expect(last.advance()).toEqual(after);
    for (const each of [again, last]) while (each.second < 13) each.advance();
    expect(last.world.snapshot()).toEqual(again.world.snapshot());
    expect(last.world.snapshot().accessPoints[0]!.wished.tx_power_dbm).toBe(3);
  });

  test('a run in steps goes on to where it was told to go, whenever it was saved', async () => {
    const folder = await createFolder();
    const files = new RunFiles(folder, 'job');
    await files.load();
    const run = EmulatedRun.begin(task, (entry) => files.append(entry));
    await files.save(run.snapshot());
    const resumed = async () => {
      const kept = (await new RunFiles(folder, 'job').load())!;
      return EmulatedRun.resume(task, () => {}, kept.state, kept.entries);
    };
    run.allow(7);
    expect((await resumed()).steppedTo).toBe(7);
    run.advance();
    await files.save(run.snapshot());
    const again = await resumed();
    expect([again.second, again.steppedTo]).toEqual([1, 7]);
    run.allow(100_000);
    expect((await resumed()).steppedTo).toBe(task.duration);
  });

  test.each([
    ['cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    ['changed', (bytes: Buffer) => bytes.fill(7, 2000, 2001)],
    ['empty', () => Buffer.alloc(0)],
  ])('a file that is %s counts as none', async (_, spoil) => {
    const folder = await createFolder();
    const files = new RunFiles(folder, 'job');
    await files.load();
    await files.save(EmulatedRun.begin(task, () => {}).snapshot());
    const path = join(folder, 'job.world');
    await writeFile(path, spoil(await readFile(path)));
    expect(await new RunFiles(folder, 'job').load()).toBeUndefined();
  });

  test('entries that are in the saved state do not count again, though they are still in their file', async () => {
    const folder = await createFolder();
    const files = new RunFiles(folder, 'job');
    await files.load();
    const run = EmulatedRun.begin(task, (entry) => files.append(entry));
    runTo(run, 12);
    const path = join(folder, 'job.commands');
    const text = await readFile(path, 'utf8');
    await files.save(run.snapshot());
    expect(await readFile(path, 'utf8')).toBe('');
    // As if the process had ended between the two.
    await writeFile(path, text);
    expect((await new RunFiles(folder, 'job').load())!.entries).toEqual([]);
  });

  test('an entry that was not written to its end is left out', async () => {
    const folder = await createFolder();
    const files = new RunFiles(folder, 'job');
    await files.load();
    const run = EmulatedRun.begin(task, (entry) => files.append(entry));
    await files.save(run.snapshot());
    runTo(run, 12);
    const path = join(folder, 'job.commands');
    await writeFile(path, (await readFile(path)).subarray(0, -4));
    expect((await new RunFiles(folder, 'job').load())!.entries).toHaveLength(1);
  });
});
