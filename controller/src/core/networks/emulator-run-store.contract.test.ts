// What the store of emulator runs promises, one test a sentence, on both databases.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../../test/databases.ts';
import { agentNamed, newJob } from '../../../../test/pure/stored-records.ts';
import { AgentStore } from '../accounts/agents/agent-store.ts';
import { revokedHash } from '../base/storage/ended-agents.ts';
import type { SqlDatabase } from '../base/storage/sql-database.ts';
import { JobStore } from '../jobs/store/job-store.ts';
import { emulatedName } from '../network/agent-facts.ts';
import { type EmulatorRunRecord, EmulatorRunStore, type NewRun, type RunEnd } from './emulator-run-store.ts';

interface EmulatorRunStoreFixture {
  store: EmulatorRunStore;
  /** The same runs, seen from another node. */
  otherNode: EmulatorRunStore;
  agents: AgentStore;
  database: Pick<SqlDatabase, 'transaction'>;
  jobs: JobStore;
  remove(): Promise<void>;
}

const NOW = 1_790_000_000_000;

function newRun(job_number: string, more: Partial<NewRun> = {}): NewRun {
  return {
    job_number,
    owner_kind: 'user',
    owner_id: 'ada',
    owner_name: 'ada@weft.test',
    access_points: 2,
    devices: 20,
    by_type: { WiFi: 2 },
    seed: 4_294_967_295,
    model: 3,
    speed: 1.5,
    model_start: NOW,
    duration: 3600,
    created_at: NOW,
    ends_at: NOW + 3_600_000,
    ...more,
  };
}

const open = (run: NewRun): EmulatorRunRecord => ({ ...run, state: null, detail: null, remove_at: null, latest: null });
const stopped: RunEnd = {
  state: 'cancelled',
  detail: 'Stopped',
  latest: '[{"served":3}]',
  nowMs: NOW + 5,
  removeAtMs: NOW + 9,
};

function describeEmulatorRunStore(openFixture: () => Promise<EmulatorRunStoreFixture>): void {
  let fixture: EmulatorRunStoreFixture;
  let store: EmulatorRunStore;

  beforeEach(async () => {
    fixture = await openFixture();
    store = fixture.store;
  });
  afterEach(() => fixture.remove());

  const namesOf = (job_number: string) => [1, 2].map((n) => emulatedName('WiFi', job_number, n));
  const create = (run: NewRun) =>
    store.create(
      run,
      namesOf(run.job_number).map((ap_id) => agentNamed(ap_id, { emulated_for: run.owner_id })),
      newJob(run.job_number, { task_type: 'emulator_spinup' }),
    );

  const end = (job_number: string, onOtherNode = false) =>
    fixture.database.transaction((tx) => (onOtherNode ? fixture.otherNode : store).end(tx, job_number, stopped));

  test('create makes the run, its agents and its job', async () => {
    const run = newRun('job-1');
    await create(run);
    expect(await fixture.otherNode.get('job-1')).toStrictEqual(open(run));
    expect(await fixture.otherNode.agentsOf('job-1', 10)).toStrictEqual(namesOf('job-1'));
    expect(await fixture.agents.get('emu-wifi-job-1-2')).toMatchObject({ emulated_for: 'ada' });
    expect(await fixture.jobs.get('job-1')).toMatchObject({ task_type: 'emulator_spinup', state: 'queued' });
  });

  test('the beginning of a number is taken as long as agents are named after it', async () => {
    await create(newRun('9119ff97-0'));
    expect(await store.isNameTaken('9119ff97-1929')).toBe(true);
    expect(await store.isNameTaken('9119ff98-1929')).toBe(false);
    for (const ap_id of namesOf('9119ff97-0')) await store.agentRemoved(ap_id);
    expect(await store.isNameTaken('9119ff97-1929')).toBe(false);
  });

  test('create makes nothing if anything fails', async () => {
    await fixture.agents.create(agentNamed('emu-wifi-job-1-2'));
    await expect(create(newRun('job-1'))).rejects.toThrow();
    const failing = store.create(newRun('job-2'), [agentNamed('emu-wifi-job-2-1')], newJob('job-2'), {
      also: async () => {
        throw new Error('no');
      },
    });
    await expect(failing).rejects.toThrow('no');
    for (const job_number of ['job-1', 'job-2']) {
      expect(await store.get(job_number)).toBeUndefined();
      expect(await fixture.jobs.get(job_number)).toBeUndefined();
      expect(await fixture.agents.get(emulatedName('WiFi', job_number, 1))).toBeUndefined();
      expect(await store.agentsOf(job_number, 10)).toStrictEqual([]);
    }
  });

  test('list orders from the newest on, of one owner or of all, a page at a time', async () => {
    const runs = [
      newRun('a', { created_at: NOW + 1 }),
      newRun('b', { created_at: NOW + 2, owner_id: 'bob' }),
      newRun('c', { created_at: NOW + 3 }),
      newRun('d', { created_at: NOW + 3, owner_kind: 'third_party_app' }),
    ];
    for (const run of runs) await create(run);
    const listed = async (filter: Parameters<EmulatorRunStore['list']>[0]) =>
      (await store.list(filter)).map(({ job_number }) => job_number);
    expect(await listed({ limit: 9 })).toEqual(['d', 'c', 'b', 'a']);
    expect(await listed({ limit: 2, before: runs[2]! })).toEqual(['b', 'a']);
    expect(await listed({ limit: 9, owner: { owner_kind: 'user', owner_id: 'ada' } })).toEqual(['c', 'a']);
  });

  test('listOpen and usageOf leave out what has ended', async () => {
    await create(newRun('late', { ends_at: NOW + 9 }));
    await create(newRun('soon', { ends_at: NOW + 1 }));
    await create(newRun('over'));
    const { access_points, devices, duration } = newRun('over');
    const usage = (runs: number) => ({
      runs,
      accessPoints: runs * access_points,
      kept: (3 - runs) * 2,
      deviceSeconds: runs * devices * duration,
      nextEndMs: NOW + 1,
    });
    expect(await store.usageOf('ada')).toEqual(usage(3));
    await end('over');
    expect((await store.listOpen(10)).map(({ job_number }) => job_number)).toEqual(['soon', 'late']);
    expect((await store.listOpen(1)).map(({ job_number }) => job_number)).toEqual(['soon']);
    expect(await store.usageOf('ada')).toEqual(usage(2));
    expect(await store.usageOf('bob')).toEqual({
      runs: 0,
      accessPoints: 0,
      kept: 0,
      deviceSeconds: 0,
      nextEndMs: null,
    });
  });

  test('end happens once, also on two nodes, and takes the agents’ credentials', async () => {
    await create(newRun('job-1'));
    await create(newRun('job-2'));
    const ended = await Promise.all(Array.from({ length: 3 }, (_, n) => end('job-1', n === 1)));
    expect(ended.filter(Boolean)).toHaveLength(1);
    const after = await store.get('job-1');
    expect(after).toStrictEqual({
      ...newRun('job-1'),
      ends_at: NOW + 5,
      state: 'cancelled',
      detail: 'Stopped',
      remove_at: NOW + 9,
      latest: '[{"served":3}]',
    });
    const { run, agents } = ended.find(Boolean)!;
    expect(run).toStrictEqual(after);
    expect(agents.map(({ ap_id }) => ap_id).sort()).toEqual(namesOf('job-1'));
    const [first, second] = namesOf('job-1');
    expect(await fixture.agents.get(first!)).toMatchObject({ password_hash: revokedHash });
    expect((await fixture.agents.get(second!))?.ver).not.toBe('ver-1');
    expect(await fixture.agents.get(namesOf('job-2')[0]!)).toMatchObject({ password_hash: 'hash-1', ver: 'ver-1' });
  });

  test('ended runs become removable, lose their agents one by one, and are forgotten', async () => {
    await create(newRun('job-1'));
    await end('job-1');
    expect(await store.listRemovable(NOW + 8, 10)).toEqual([]);
    expect((await store.listRemovable(NOW + 9, 10)).map(({ job_number }) => job_number)).toEqual(['job-1']);
    await store.agentRemoved('emu-wifi-job-1-1');
    await store.agentRemoved('somebody-else');
    expect(await store.agentsOf('job-1', 10)).toEqual(['emu-wifi-job-1-2']);
    await store.remove('job-1');
    expect(await fixture.otherNode.get('job-1')).toBeUndefined();
    expect(await store.agentsOf('job-1', 10)).toEqual([]);
  });

  test('remove leaves a run alone that has not ended', async () => {
    await create(newRun('job-1'));
    await store.remove('job-1');
    expect(await store.get('job-1')).toBeDefined();
    expect(await store.agentsOf('job-1', 10)).toHaveLength(2);
  });
}

eachDatabase((kind) => {
  describeEmulatorRunStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    const [store, otherNode] = nodes.map((db) => new EmulatorRunStore(db, new AgentStore(db), new JobStore(db))) as [
      EmulatorRunStore,
      EmulatorRunStore,
    ];
    const [, database] = nodes;
    return { store, otherNode, agents: new AgentStore(database), database, jobs: new JobStore(database), remove };
  });
});
