// What the store of bulk changes promises, one test a sentence, on both databases.
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../../../test/databases.ts';
import { rounds } from '../../../../../test/rounds.ts';
import type { SqlDatabase } from '../../base/storage/sql-database.ts';
import { JobStore } from '../../jobs/store/job-store.ts';
import { type BulkResult, type BulkRun, BulkStore } from './bulk-store.ts';

interface BulkStoreFixture {
  store: BulkStore;
  /** The same runs, seen from another node. */
  otherNode: BulkStore;
  jobs: JobStore;
  db: SqlDatabase;
  /** Takes the database away from `store`. */
  cutOff(): Promise<void>;
  remove(): Promise<void>;
}

const NOW = 1_790_000_000_000;

const runOf = (job_number: string, more: Partial<BulkRun> = {}): BulkRun => ({
  job_number,
  owner_kind: 'user',
  owner_id: 'ada',
  owner_name: 'ada@weft.test',
  selector: 'tag:lobby',
  kind: 'command',
  action: 'sealed',
  total: 3,
  wave_size: 2,
  pause_ms: 1000,
  next_at: NOW,
  ...more,
});

function describeBulkStore(open: () => Promise<BulkStoreFixture>): void {
  let fixture: BulkStoreFixture;
  let store: BulkStore;
  beforeEach(async () => {
    fixture = await open();
    store = fixture.store;
    await fixture.db.query(
      `INSERT INTO users (id, username, password_hash, roles, is_admin, ver, created_at)
       VALUES ('ada', 'ada@weft.test', 'x', '["user"]', 0, 'v1', 1)`,
    );
  });
  afterEach(() => fixture.remove());

  const create = (
    run: BulkRun,
    { count = run.total, owner_ver = 'v1' as string | undefined, also = async () => {} } = {},
  ) =>
    store.create(
      run,
      Array.from({ length: count }, (_, n) => ({ ap_id: `ap-${n + 1}`, agent_id: `id-${n + 1}` })),
      {
        job_number: run.job_number,
        task_type: 'bulk',
        owner_kind: 'user',
        owner_id: run.owner_id,
        owner_name: run.owner_name,
        data: '{}',
        created_at: NOW,
        expires_at: NOW + 1000,
        published_at: NOW,
        publish_after: NOW,
      },
      { owner_ver, also },
    );
  const result = (number: number, more: Partial<BulkResult> = {}): BulkResult => ({
    ...{ number, state: 'done', detail: null, command_id: null },
    ...more,
  });
  const namesOf = (targets: readonly { ap_id: string }[]) => targets.map(({ ap_id }) => ap_id);
  const jobsOf = (runs: readonly BulkRun[]) => runs.map(({ job_number }) => job_number);

  test('create makes the run, its targets and its job, all or nothing, and get finds it on every node', async () => {
    await create(runOf('a'));
    expect(await fixture.otherNode.get('a')).toEqual(runOf('a'));
    expect(await fixture.jobs.get('a')).toMatchObject({ job_number: 'a', task_type: 'bulk' });
    expect(namesOf(await fixture.otherNode.targets('a', 0, 10))).toEqual(['ap-1', 'ap-2', 'ap-3']);
    const refused = create(runOf('b'), {
      also: async () => {
        throw new Error('refused');
      },
    });
    await expect(refused).rejects.toThrow('refused');
    expect(await store.get('b')).toBeUndefined();
    expect(await fixture.jobs.get('b')).toBeUndefined();
    expect(await store.targets('b', 0, 10)).toEqual([]);
  });

  test('create throws AuthenticationError unless the owner is there, with the same credentials', async () => {
    await expect(create(runOf('a', { owner_id: 'gone' }))).rejects.toMatchObject({ code: 'invalid_token' });
    await expect(create(runOf('a'), { owner_ver: 'v0' })).rejects.toMatchObject({ code: 'invalid_token' });
    expect(await store.get('a')).toBeUndefined();
  });

  test('takeDue gives what is due, each to one node until the hold is over', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await create(runOf(name));
    await create(runOf('later', { next_at: NOW + 1 }));
    await create(runOf('never', { next_at: null }));
    const taken = await Promise.all(
      Array.from({ length: 6 }, (_, n) => (n % 2 ? store : fixture.otherNode).takeDue(NOW, 500, 10)),
    );
    expect(jobsOf(taken.flat()).sort()).toEqual(['a', 'b', 'c', 'd']);
    expect(jobsOf(await store.takeDue(NOW + 499, 500, 10))).toEqual(['later']);
    expect(jobsOf(await store.takeDue(NOW + 500, 500, 3))).toHaveLength(3);
  });

  test('setNext says from when on it is due again, or never', async () => {
    await create(runOf('a'));
    await store.setNext('a', NOW + 100);
    expect(await store.takeDue(NOW + 99, 1, 10)).toEqual([]);
    expect(jobsOf(await fixture.otherNode.takeDue(NOW + 100, 1, 10))).toEqual(['a']);
    await store.setNext('a', null);
    expect(await store.takeDue(NOW * 2, 1, 10)).toEqual([]);
    expect((await store.get('a'))!.next_at).toBeNull();
  });

  test('waiting and targets give targets in order, up to the limit', async () => {
    await create(runOf('a', { total: 12 }));
    expect(namesOf(await store.waiting('a', 2))).toEqual(['ap-1', 'ap-2']);
    await store.settle('a', [result(2)]);
    expect(namesOf(await store.waiting('a', 2))).toEqual(['ap-1', 'ap-3']);
    const rest = await store.targets('a', 9, 10);
    expect(rest.map(({ number }) => number)).toEqual([10, 11, 12]);
    expect(await store.targets('a', 1, 1)).toEqual([{ ap_id: 'ap-2', agent_id: 'id-2', ...result(2) }]);
  });

  test('settle writes results of those that had none; others keep theirs', async () => {
    await create(runOf('a'));
    await store.settle('a', [result(1, { command_id: 'c1', detail: 'sent' }), result(2, { state: 'refused' })]);
    await fixture.otherNode.settle('a', [result(1, { state: 'refused', command_id: 'c2' }), result(3)]);
    expect((await store.targets('a', 0, 1))[0]).toMatchObject({ state: 'done', command_id: 'c1', detail: 'sent' });
    expect(await store.totals('a')).toEqual({ waiting: 0, done: 2, refused: 1, stopped: 0 });
  });

  test('stopRest ends those that wait, and no other run', async () => {
    await create(runOf('a'));
    await create(runOf('b'));
    await store.settle('a', [result(1)]);
    await store.stopRest('a');
    expect(await store.totals('a')).toEqual({ waiting: 0, done: 1, refused: 0, stopped: 2 });
    expect(await store.waiting('a', 9)).toEqual([]);
    expect(await store.totals('b')).toEqual({ waiting: 3, done: 0, refused: 0, stopped: 0 });
  });

  test('whatever is settled and stopped in whichever order, every target counts once', async () => {
    let runs = 0;
    const step = fc.oneof(
      fc.record({
        number: fc.integer({ min: 1, max: 6 }),
        state: fc.constantFrom('done' as const, 'refused' as const),
      }),
      fc.constant('stop' as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        const job_number = `run-${++runs}`;
        await create(runOf(job_number, { total: 5 }));
        const expected = new Map<number, string>([1, 2, 3, 4, 5].map((number) => [number, 'waiting']));
        for (const each of steps) {
          if (each === 'stop') {
            await store.stopRest(job_number);
            for (const [number, state] of expected) if (state === 'waiting') expected.set(number, 'stopped');
          } else {
            await store.settle(job_number, [result(each.number, { state: each.state })]);
            if (expected.get(each.number) === 'waiting') expected.set(each.number, each.state);
          }
        }
        const found = await store.targets(job_number, 0, 10);
        expect(found.map(({ number, state }) => [number, state])).toEqual([...expected]);
        const totals = await store.totals(job_number);
        expect(Object.values(totals).reduce((a, b) => a + b, 0)).toBe(5);
      }),
      { numRuns: rounds(15) },
    );
  });

  test('every method throws TryLaterError (503) while the database is out of reach', async () => {
    await create(runOf('a'));
    await fixture.cutOff();
    const unreachable = { status: 503 };
    await expect(create(runOf('b'))).rejects.toMatchObject(unreachable);
    await expect(store.get('a')).rejects.toMatchObject(unreachable);
    await expect(store.takeDue(NOW, 1, 1)).rejects.toMatchObject(unreachable);
    await expect(store.setNext('a', null)).rejects.toMatchObject(unreachable);
    await expect(store.waiting('a', 1)).rejects.toMatchObject(unreachable);
    await expect(store.targets('a', 0, 1)).rejects.toMatchObject(unreachable);
    await expect(store.settle('a', [result(1)])).rejects.toMatchObject(unreachable);
    await expect(store.stopRest('a')).rejects.toMatchObject(unreachable);
    await expect(store.totals('a')).rejects.toMatchObject(unreachable);
    expect(await fixture.otherNode.totals('a')).toMatchObject({ waiting: 3 });
  });
}

eachDatabase((kind) => {
  describeBulkStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    const jobs = new JobStore(nodes[0]);
    return {
      store: new BulkStore(nodes[0], jobs),
      otherNode: new BulkStore(nodes[1], new JobStore(nodes[1])),
      jobs,
      db: nodes[0],
      cutOff: () => nodes[0].close(),
      remove,
    };
  });
});
