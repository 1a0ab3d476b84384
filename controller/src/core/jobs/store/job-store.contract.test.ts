// What the job store promises, one test a sentence, on both databases.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../../../test/databases.ts';
import { newJob } from '../../../../../test/pure/stored-records.ts';
import type { SqlDatabase } from '../../base/storage/sql-database.ts';
import { MailboxStore } from '../mailbox/mailbox-store.ts';
import type { JobRecord, NewJob } from './job-record.ts';
import { JobStore } from './job-store.ts';

interface JobStoreFixture {
  store: JobStore;
  /** The same jobs, seen from another node. */
  otherNode: JobStore;
  mailbox: MailboxStore;
  db: SqlDatabase;
  /** Takes the database away from `store`. */
  cutOff(): Promise<void>;
  remove(): Promise<void>;
}

const NOW = 1_790_000_000_000;
const HOUR_MS = 3_600_000;
const ada = { owner_kind: 'user', owner_id: 'ada' } as const;

function describeJobStore(open: () => Promise<JobStoreFixture>): void {
  let fixture: JobStoreFixture;
  let store: JobStore;

  const create = (...jobs: NewJob[]) => Promise.all(jobs.map((job) => store.create(job)));
  const end = (job_number: string, keepUntil = NOW + HOUR_MS) =>
    fixture.mailbox.append({
      job_number,
      type: 'status',
      data: '[]',
      ts: NOW + 5,
      chunk: null,
      ends: { state: 'cancelled', detail: null, keepUntil },
    });
  const hear = (job_number: string, ts: number) =>
    fixture.mailbox.append({ job_number, type: 'agent_data', data: '[]', ts, chunk: null });
  const numbersOf = (jobs: readonly { job_number: string }[]) => jobs.map(({ job_number }) => job_number);
  const onBothNodes = <T>(count: number, call: (node: JobStore, n: number) => Promise<T>) =>
    Promise.all(Array.from({ length: count }, (_, n) => call(n % 2 ? store : fixture.otherNode, n)));

  beforeEach(async () => {
    fixture = await open();
    store = fixture.store;
  });
  afterEach(() => fixture.remove());

  describe('records', () => {
    test('a job that was created is there on every node, queued, with nothing done', async () => {
      const { publish_after: _, ...given } = newJob('a', {
        subject: 'ap-1',
        data: `{"text":"${'é'.repeat(300_000)}"}`,
      });
      await store.create(newJob('a', given));
      const record: JobRecord = {
        ...given,
        subject: 'ap-1',
        state: 'queued',
        detail: null,
        progress: null,
        updated_at: NOW,
        ended_at: null,
        lease_holder: null,
        lease_until: 0,
        attempts: 0,
        last_seq: 0,
        bytes: 0,
      };
      expect(await fixture.otherNode.get('a')).toStrictEqual(record);
    });

    test('get resolves undefined for an unknown number', async () => {
      expect(await store.get('nothing')).toBeUndefined();
    });

    test('create throws ConflictError job_exists for a number that is taken, and leaves that job alone', async () => {
      await create(newJob('a'));
      const again = fixture.otherNode.create(newJob('a', { owner_id: 'bob' }));
      await expect(again).rejects.toMatchObject({ name: 'ConflictError', code: 'job_exists' });
      expect(await store.get('a')).toMatchObject({ owner_id: 'ada' });
    });

    test('create throws TryLaterError 429 too_many_jobs if the owner has no room, and keeps nothing', async () => {
      const limits = { maxOpen: 2, maxUnpublished: 100 };
      await store.create(newJob('a'), limits);
      await store.create(newJob('b'), limits);
      await expect(store.create(newJob('c'), limits)).rejects.toMatchObject({ status: 429, code: 'too_many_jobs' });
      expect(await store.get('c')).toBeUndefined();
      await store.create(newJob('d', { owner_id: 'bob' }), limits);
      await end('a');
      await store.create(newJob('c'), limits);
      expect([await store.countOpen('ada'), await store.countOpen('bob'), await store.countOpen('eve')]).toEqual([
        2, 1, 0,
      ]);
    });

    test('create throws TryLaterError 503 outbox_full if too many wait, but not for what needs no publishing', async () => {
      const limits = { maxOpen: 100, maxUnpublished: 2 };
      await store.create(newJob('a'), limits);
      await store.create(newJob('b'), limits);
      await expect(store.create(newJob('c'), limits)).rejects.toMatchObject({ status: 503, code: 'outbox_full' });
      await store.create(newJob('d', { published_at: NOW }), limits);
      expect(await store.countUnpublished()).toBe(2);
      await store.markPublished(['a'], NOW);
      await store.create(newJob('c'), limits);
    });

    test('list gives the newest first, of one owner or of everybody, in one state or in any', async () => {
      await create(newJob('b'), newJob('a'), newJob('c', { created_at: NOW + 1 }));
      await create(newJob('d', { owner_id: 'bob', created_at: NOW - 1 }));
      await store.claim('a', 'w', NOW, 1000);
      expect(numbersOf(await store.list({ limit: 9 }))).toEqual(['c', 'b', 'a', 'd']);
      expect(numbersOf(await store.list({ owner: ada, limit: 2 }))).toEqual(['c', 'b']);
      expect(numbersOf(await store.list({ state: 'queued', limit: 9 }))).toEqual(['c', 'b', 'd']);
      expect(await store.list({ owner: { ...ada, owner_kind: 'agent' }, limit: 9 })).toEqual([]);
    });

    test('list goes on before a job without a gap or a repeat, also among jobs of one moment', async () => {
      await create(...['a', 'b', 'c', 'd', 'e'].map((job_number) => newJob(job_number)));
      const first = await store.list({ owner: ada, limit: 2 });
      const rest = await store.list({ owner: ada, before: first[1]!, limit: 9 });
      expect([numbersOf(first), numbersOf(rest)]).toEqual([
        ['e', 'd'],
        ['c', 'b', 'a'],
      ]);
      expect(rest[0]).not.toHaveProperty('data');
    });

    test('positions tells of those that exist', async () => {
      await create(newJob('a'), newJob('b'), newJob('c'));
      await end('b');
      expect(await store.positions(['a', 'b', 'x'])).toEqual(
        new Map([
          ['a', { last_seq: 0, hasEnded: false }],
          ['b', { last_seq: 1, hasEnded: true }],
        ]),
      );
      expect((await store.positions([])).size).toBe(0);
      expect((await store.positions(Array.from({ length: 1500 }, (_, n) => (n === 1400 ? 'c' : `x${n}`)))).size).toBe(
        1,
      );
    });
  });

  describe('publishing', () => {
    const take = (node: JobStore, nowMs: number, limit = 10) => node.takeUnpublished('agent_data', nowMs, 100, limit);

    test('takeUnpublished gives jobs of that kind whose turn has come, oldest first, up to the limit', async () => {
      await create(newJob('b', { created_at: NOW - 1 }), newJob('a'), newJob('c', { created_at: NOW - 2 }));
      await create(newJob('late', { publish_after: NOW + 9000 }), newJob('other', { task_type: 'agent_details' }));
      await create(newJob('adopted', { published_at: NOW }), newJob('over'));
      await end('over');
      expect(await take(store, NOW + 1999)).toEqual([]);
      const taken = await take(store, NOW + 2000, 2);
      expect(numbersOf(taken)).toEqual(['c', 'b']);
      expect(taken[0]?.data).toBe('{"agent_id":"ap-1"}');
      expect(numbersOf(await take(store, NOW + 2000))).toEqual(['a']);
    });

    test('nobody else gets them before the time is over, on whichever node', async () => {
      await create(...Array.from({ length: 40 }, (_, n) => newJob(`j${n}`)));
      const taken = numbersOf((await onBothNodes(20, (node) => take(node, NOW + 2000, 3))).flat());
      expect(new Set(taken).size).toBe(taken.length);
      const rest = numbersOf(await take(store, NOW + 2000, 100));
      expect(new Set([...taken, ...rest]).size).toBe(40);
      expect(await take(fixture.otherNode, NOW + 2099, 100)).toEqual([]);
      expect(await take(fixture.otherNode, NOW + 2100, 100)).toHaveLength(40);
    });

    test('markPublished ends the waiting, also of ended jobs; unknown numbers are ignored', async () => {
      await create(newJob('a'), newJob('b'), newJob('c'));
      await end('b');
      await store.markPublished(['a', 'b', 'x'], NOW + 1);
      await store.markPublished([], NOW + 1);
      await store.markPublished(['a'], NOW + 2);
      expect([(await store.get('a'))?.published_at, (await store.get('b'))?.published_at]).toEqual([NOW + 1, NOW + 1]);
      expect(numbersOf(await take(store, NOW + 9000))).toEqual(['c']);
    });

    test('unpublish makes open jobs of that kind wait again which nobody works on', async () => {
      await create(newJob('a'), newJob('b'), newJob('c'), newJob('d', { task_type: 'agent_details' }));
      await store.markPublished(['a', 'b', 'c', 'd'], NOW);
      await store.claim('b', 'w', NOW, 1000);
      await end('c');
      expect(await store.unpublish('agent_data', NOW + 1)).toBe(1);
      expect(await store.countUnpublished()).toBe(1);
      expect(numbersOf(await take(store, NOW + 1))).toEqual(['a']);
    });

    test('what was published before its message was lost is not marked; what was taken since is', async () => {
      await create(newJob('a'));
      await store.unpublish('agent_data', NOW);
      await fixture.otherNode.markPublished(['a'], NOW);
      expect((await store.get('a'))?.published_at).toBeNull();
      await take(store, NOW);
      await store.markPublished(['a'], NOW);
      expect((await store.get('a'))?.published_at).toBe(NOW);
    });
  });

  describe('leases', () => {
    test('claim makes the holder work on it, counts the attempt, and makes it running and published', async () => {
      await create(newJob('a'));
      const claimed = await store.claim('a', 'w1', NOW + 7, 1000);
      expect(claimed).toMatchObject({ state: 'running', lease_holder: 'w1', lease_until: NOW + 1007, attempts: 1 });
      expect(claimed).toMatchObject({ published_at: NOW + 7, updated_at: NOW + 7 });
      expect(claimed).toStrictEqual(await fixture.otherNode.get('a'));
    });

    test('nobody else gets it until the lease is over; the same holder does', async () => {
      await create(newJob('a'));
      await store.claim('a', 'w1', NOW, 1000);
      expect(await fixture.otherNode.claim('a', 'w2', NOW + 999, 1000)).toBeUndefined();
      expect(await store.claim('a', 'w1', NOW + 999, 1000)).toMatchObject({ attempts: 2 });
      expect(await fixture.otherNode.claim('a', 'w2', NOW + 1999, 1000)).toMatchObject({ lease_holder: 'w2' });
    });

    test('of 20 holders that claim at once on two nodes, one gets it', async () => {
      await create(newJob('a'));
      const claims = await onBothNodes(20, (node, n) => node.claim('a', `w${n}`, NOW, 1000));
      expect(claims.filter((claim) => claim !== undefined)).toHaveLength(1);
      expect(await store.get('a')).toMatchObject({ attempts: 1 });
    });

    test('what is unknown or has ended cannot be claimed', async () => {
      await create(newJob('a'));
      await end('a');
      expect(await store.claim('a', 'w', NOW, 1000)).toBeUndefined();
      expect(await store.claim('x', 'w', NOW, 1000)).toBeUndefined();
    });

    test('renew prolongs the leases of those that have not ended and are nobody else’s', async () => {
      await create(newJob('a'));
      await store.claim('a', 'w1', NOW, 1000);
      expect([...(await store.renew(['a', 'x'], 'w1', NOW + 900, 1000))]).toEqual(['a']);
      expect((await store.renew([], 'w1', NOW + 900, 1000)).size).toBe(0);
      expect(await store.claim('a', 'w2', NOW + 1500, 1000)).toBeUndefined();
      expect(await store.claim('a', 'w2', NOW + 1900, 1000)).toBeDefined();
      expect((await store.renew(['a'], 'w1', NOW + 1950, 1000)).size).toBe(0);
      await end('a');
      expect((await store.renew(['a'], 'w2', NOW + 1960, 1000)).size).toBe(0);
    });

    test('listAbandoned gives open jobs that were begun and whose lease has run out, longest first', async () => {
      await create(...['a', 'b', 'c', 'd', 'queued'].map((job_number) => newJob(job_number)));
      await store.claim('a', 'w', NOW, 1000);
      await store.claim('b', 'w', NOW, 500);
      await store.claim('c', 'w', NOW, 2000);
      await store.claim('d', 'w', NOW, 500);
      await end('d');
      expect(numbersOf(await store.listAbandoned(NOW + 1000, 9))).toEqual(['b', 'a']);
      expect(numbersOf(await store.listAbandoned(NOW + 1000, 1))).toEqual(['b']);
    });

    test('release gives open jobs back at once, without an attempt, and leaves others’ alone', async () => {
      await create(newJob('a'), newJob('b'));
      await store.claim('a', 'w1', NOW, 1000);
      await store.claim('b', 'w2', NOW, 1000);
      await store.release(['a', 'b', 'x'], 'w1');
      await store.release([], 'w1');
      expect(numbersOf(await store.listAbandoned(NOW, 9))).toEqual(['a']);
      expect(await fixture.otherNode.claim('a', 'w3', NOW, 1000)).toMatchObject({ attempts: 1 });
      expect(await fixture.otherNode.claim('b', 'w3', NOW, 1000)).toBeUndefined();
    });

    test('setAside makes open jobs that nobody works on wait for their owner, until somebody claims them', async () => {
      await create(newJob('free'), newJob('held'), newJob('left'), newJob('over'));
      await store.claim('held', 'worker', NOW, 5000);
      await store.claim('left', 'worker', NOW - 9000, 5000);
      await end('over');
      await store.setAside(['free', 'held', 'left', 'over', 'unknown'], 'job', NOW);
      const list = () => fixture.otherNode.listWaiting('job', { without: [], limit: 10 });
      expect(numbersOf(await list())).toEqual(['free', 'left']);
      expect(await store.listWaiting('subscription', { without: [], limit: 10 })).toEqual([]);
      expect(numbersOf(await store.listAbandoned(NOW + 1, 10))).toEqual([]);
      expect(await store.unpublish('agent_data', NOW)).toBe(0);
      expect(await store.takeUnpublished('agent_data', NOW + HOUR_MS, 1, 10)).toEqual([]);
      expect(await fixture.otherNode.claim('left', 'other', NOW, 5000)).toMatchObject({ lease_holder: 'other' });
      expect(numbersOf(await list())).toEqual(['free']);
    });

    test('listWaiting gives the oldest of each owner first, then the second of each, without some owners', async () => {
      const of = (owner_id: string, n: number) => newJob(`${owner_id}-${n}`, { owner_id, created_at: NOW + n });
      const jobs = [of('eve', 0), of('eve', 1), of('eve', 2), of('ada', 7), of('ada', 8), of('bob', 9)];
      await create(...jobs);
      await store.setAside(numbersOf(jobs), 'subscription', NOW);
      const list = (without: string[], limit: number) => store.listWaiting('subscription', { without, limit });
      expect(numbersOf(await list([], 10))).toEqual(['eve-0', 'ada-7', 'bob-9', 'eve-1', 'ada-8', 'eve-2']);
      expect(numbersOf(await list([], 2))).toEqual(['eve-0', 'ada-7']);
      expect(await list(['eve', 'bob'], 10)).toEqual([
        { job_number: 'ada-7', owner_id: 'ada', created_at: NOW + 7 },
        { job_number: 'ada-8', owner_id: 'ada', created_at: NOW + 8 },
      ]);
    });

    test('putBack makes what was set aside wait for publishing, unless somebody has it', async () => {
      await create(newJob('a'), newJob('b'), newJob('c'));
      await store.setAside(['a', 'b'], 'run', NOW);
      await store.claim('b', 'worker', NOW, 5000);
      await store.markPublished(['c'], NOW);
      for (const job_number of ['a', 'b', 'c', 'unknown']) await store.putBack(job_number);
      expect(await store.listWaiting('run', { without: [], limit: 10 })).toEqual([]);
      expect(numbersOf(await store.takeUnpublished('agent_data', NOW, 1, 10))).toEqual(['a']);
    });

    test('countHeld counts the open jobs of that kind that somebody holds, by owner and holder', async () => {
      const run = (job_number: string, owner_id: string) =>
        newJob(job_number, { owner_id, task_type: 'emulator_spinup' });
      await create(run('a', 'ada'), run('b', 'ada'), run('c', 'ada'), run('d', 'eve'), run('e', 'eve'), newJob('f'));
      for (const job_number of ['a', 'b', 'f']) await store.claim(job_number, 'one', NOW, 5000);
      for (const job_number of ['c', 'd']) await store.claim(job_number, 'two', NOW, 5000);
      await store.claim('e', 'one', NOW - 9000, 5000);
      await end('d');
      const found = await fixture.otherNode.countHeld('emulator_spinup', NOW);
      expect(found.toSorted((x, y) => x.count - y.count)).toEqual([
        { owner_id: 'ada', lease_holder: 'two', count: 1 },
        { owner_id: 'ada', lease_holder: 'one', count: 2 },
      ]);
    });

    test('oldestUntaken gives the oldest job of a kind that is not in hand, nor set aside, nor ended', async () => {
      const at = (job_number: string, more: Partial<NewJob> = {}) => newJob(job_number, more);
      await create(
        at('run', { task_type: 'emulator_spinup', created_at: NOW - 9 }),
        at('aside', { created_at: NOW - 8 }),
        at('begun', { created_at: NOW - 7 }),
        at('over', { created_at: NOW - 6 }),
        at('heard', { created_at: NOW - 6, published_at: NOW - 6 }),
        at('details', { created_at: NOW - 5, task_type: 'agent_details' }),
        at('first', { created_at: NOW - 4, published_at: NOW - 3 }),
        at('second', { created_at: NOW - 3 }),
      );
      await store.setAside(['aside'], 'job', NOW);
      await store.claim('begun', 'worker', NOW, 5000);
      await end('over');
      await hear('heard', NOW - 5);
      const oldest = (kind: string) => fixture.otherNode.oldestUntaken(kind, NOW);
      expect(await oldest('agent_data')).toStrictEqual({ job_number: 'first', published_at: NOW - 3 });
      expect(await oldest('agent_details')).toStrictEqual({ job_number: 'details', published_at: null });
      expect(await oldest('emulator_spinup')).toMatchObject({ job_number: 'run' });
      for (const job_number of ['first', 'second']) await end(job_number);
      expect(await oldest('agent_data')).toBeUndefined();
    });

    test('unpublish leaves out what was sent after the loss, and what was heard of since it was sent', async () => {
      const sent = (job_number: string, published_at: number | null) => newJob(job_number, { published_at });
      await create(sent('old', NOW - 9), sent('new', NOW - 2), sent('heard', NOW - 9), sent('silent', NOW - 9));
      await create(sent('again', NOW - 6));
      await hear('heard', NOW - 3);
      await hear('silent', NOW - 8);
      // Heard of before its message was sent once more.
      await hear('again', NOW - 7);
      const which = { sentByMs: NOW - 5, heardByMs: NOW - 5 };
      expect(await store.unpublish('agent_data', NOW, which)).toBe(3);
      expect(await fixture.otherNode.unpublish('agent_data', NOW, which)).toBe(0);
      await store.takeUnpublished('agent_data', NOW, 5_000, 10);
      for (const job_number of ['old', 'silent', 'again']) {
        expect((await store.get(job_number))?.published_at).toBeNull();
        await store.markPublished([job_number], NOW - 1);
      }
      expect(await fixture.otherNode.unpublish('agent_data', NOW, which)).toBe(0);
      expect(await store.unpublish('agent_data', NOW, { sentByMs: NOW - 5 })).toBe(1);
      expect((await store.get('heard'))?.published_at).toBeNull();
    });

    test('claim leaves a job to a worker of others that has posted, until it has long been silent', async () => {
      await create(newJob('a', { published_at: NOW }), newJob('b', { published_at: NOW }));
      await hear('a', NOW + 1);
      expect(await store.claim('a', 'worker', NOW + HOUR_MS, 1000)).toBeUndefined();
      expect(await store.claim('b', 'worker', NOW, 1000)).toBeDefined();
      expect(await store.claim('a', 'worker', NOW + HOUR_MS + 1, 1000)).toMatchObject({ lease_holder: 'worker' });
    });

    test('listQuiet gives open jobs that delivered, and nothing since; not those that Weft works on or set aside', async () => {
      const jobs = ['silent', 'fresh', 'long', 'longer', 'live', 'leased', 'left', 'aside', 'over', 'empty'];
      await create(
        ...jobs.map((name) =>
          newJob(name, {
            published_at: NOW - HOUR_MS,
            expires_at: name === 'live' ? NOW + 9 * HOUR_MS : NOW + HOUR_MS,
          }),
        ),
      );
      const run = newJob('run', { task_type: 'emulator_spinup', published_at: NOW - HOUR_MS });
      await create(run, newJob('adopted', { task_type: 'adopted', published_at: NOW - HOUR_MS }), newJob('again'));
      // The message of `again` waits to be sent once more.
      const at: Record<string, number> = { fresh: NOW + 100, longer: NOW };
      await store.claim('leased', 'worker', NOW, HOUR_MS);
      await store.claim('left', 'worker', NOW - 9000, 5000);
      for (const job_number of [...jobs.slice(1), 'run', 'adopted', 'again']) {
        await fixture.mailbox.append({
          job_number,
          type: 'agent_data',
          data: job_number === 'empty' ? '[]' : '[1]',
          ts: at[job_number] ?? NOW + 1,
          chunk: null,
        });
      }
      await store.setAside(['aside'], 'job', NOW);
      await end('over');
      const list = (limit: number) => store.listQuiet({ sinceMs: NOW + 1, expiresByMs: NOW + HOUR_MS, limit });
      expect(numbersOf(await list(10))).toEqual(['longer', 'long', 'run']);
      expect(numbersOf(await list(1))).toEqual(['longer']);
    });

    test('republishAbandoned makes jobs of that kind wait for publishing whose lease has run out', async () => {
      await create(
        newJob('held'),
        newJob('dropped'),
        newJob('never-taken', { published_at: NOW }),
        newJob('other-kind', { task_type: 'agent_details' }),
      );
      await store.markPublished(['held', 'dropped', 'other-kind'], NOW);
      for (const job_number of ['dropped', 'other-kind']) await store.claim(job_number, 'w1', NOW, 1000);
      await store.claim('held', 'w1', NOW, 9000);
      expect(await store.republishAbandoned('agent_data', NOW + 5000)).toBe(1);
      expect(await fixture.otherNode.republishAbandoned('agent_data', NOW + 5000)).toBe(0);
      const waiting = await store.takeUnpublished('agent_data', NOW + 5000, 1000, 10);
      expect(numbersOf(waiting)).toEqual(['dropped']);
      expect((await store.claim('dropped', 'w2', NOW + 6000, 1000))?.lease_holder).toBe('w2');
    });

    test('releaseAll gives back what anybody holds', async () => {
      await create(newJob('a'), newJob('b'), newJob('c'));
      await store.claim('a', 'w1', NOW, 1000);
      await store.claim('b', 'w2', NOW, 1000);
      await store.releaseAll();
      expect(numbersOf(await store.listAbandoned(NOW, 9))).toEqual(['a', 'b']);
    });
  });

  describe('the end', () => {
    test('listOverdue gives open jobs whose time is over, longest first', async () => {
      await create(newJob('a', { expires_at: NOW + 2 }), newJob('b', { expires_at: NOW + 1 }), newJob('c'));
      await create(newJob('d', { expires_at: NOW }));
      await end('d');
      expect(await store.listOverdue(NOW + 1, 9)).toEqual(['b']);
      expect(await store.listOverdue(NOW + 2, 9)).toEqual(['b', 'a']);
      expect(await store.listOverdue(NOW + 2, 1)).toEqual(['b']);
    });

    test('prune forgets ended jobs whose time is over with their messages, a few rows a step', async () => {
      await create(newJob('a'), newJob('b'), newJob('open', { expires_at: NOW }));
      for (let n = 0; n < 5; n += 1)
        await fixture.mailbox.append({ job_number: 'a', type: 'agent_data', data: '[]', ts: NOW, chunk: null });
      await end('a', NOW + 10);
      await end('b', NOW + 20);
      expect(await store.prune(NOW + 9, 4)).toBe(false);
      expect(await store.prune(NOW + 10, 4)).toBe(true);
      expect((await fixture.mailbox.list('a', 0, 1000)).map(({ seq }) => seq)).toEqual([5, 6]);
      expect(await store.prune(NOW + 10, 4)).toBe(false);
      expect([await store.get('a'), await fixture.mailbox.list('a', 0, 1000)]).toEqual([undefined, []]);
      expect([(await store.get('b'))?.last_seq, (await store.get('open'))?.state]).toEqual([1, 'queued']);
    });
  });

  test('createAll creates what create does, stands or falls with its transaction, and commands take no place', async () => {
    const { db } = fixture;
    const jobs = Array.from({ length: 70 }, (_, n) =>
      newJob(`all-${n}`, { task_type: 'send_command', subject: 'ap-1' }),
    );
    await expect(
      db.transaction(async (tx) => {
        await store.createAll(tx, jobs);
        throw new Error('undone');
      }),
    ).rejects.toThrow('undone');
    expect(await store.get('all-0')).toBeUndefined();
    await db.transaction((tx) => store.createAll(tx, jobs));
    await store.create({ ...jobs[0]!, job_number: 'one' }, { maxOpen: 1, maxUnpublished: 1000 });
    expect(await store.get('all-69')).toEqual({ ...(await store.get('one')), job_number: 'all-69' });
    expect(await store.countOpen('ada')).toBe(0);
  });

  test('every method throws TryLaterError (503) while the database is out of reach', async () => {
    await create(newJob('a'));
    await fixture.cutOff();
    const calls: Promise<unknown>[] = [
      store.create(newJob('b')),
      store.get('a'),
      store.list({ limit: 1 }),
      store.countOpen('ada'),
      store.countUnpublished(),
      store.takeUnpublished('agent_data', NOW + 9000, 1, 1),
      store.markPublished(['a'], NOW),
      store.unpublish('agent_data', NOW),
      store.claim('a', 'w', NOW, 1),
      store.renew(['a'], 'w', NOW, 1),
      store.release(['a'], 'w'),
      store.releaseAll(),
      store.listAbandoned(NOW, 1),
      store.setAside(['a'], 'job', NOW),
      store.listWaiting('job', { without: [], limit: 1 }),
      store.oldestUntaken('agent_data', NOW),
      store.listQuiet({ sinceMs: NOW, expiresByMs: NOW, limit: 1 }),
      store.putBack('a'),
      store.countHeld('agent_data', NOW),
      store.listOverdue(NOW, 1),
      store.prune(NOW, 1),
      store.positions(['a']),
    ];
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome).toMatchObject({ reason: { name: 'TryLaterError', status: 503, code: 'database_unavailable' } });
    }
    expect(await fixture.otherNode.get('a')).toMatchObject({ state: 'queued', published_at: null });
    expect(await fixture.otherNode.get('b')).toBeUndefined();
  });
}

eachDatabase((kind) => {
  describeJobStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return {
      store: new JobStore(nodes[0]),
      otherNode: new JobStore(nodes[1]),
      mailbox: new MailboxStore(nodes[1]),
      db: nodes[0],
      cutOff: () => nodes[0].close(),
      remove,
    };
  });
});
