// What the mailbox store promises, one test a sentence, on both databases.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../../../test/databases.ts';
import { newJob } from '../../../../../test/pure/stored-records.ts';
import type { SqlDatabase } from '../../base/storage/sql-database.ts';
import { JobStore } from '../store/job-store.ts';
import { type AppendOutcome, MailboxStore, type NewMessage } from './mailbox-store.ts';

interface MailboxStoreFixture {
  store: MailboxStore;
  /** The same messages, seen from another node. */
  otherNode: MailboxStore;
  jobs: JobStore;
  db: SqlDatabase;
  /** Takes the database away from `store`. */
  cutOff(): Promise<void>;
  remove(): Promise<void>;
}

const NOW = 1_790_000_000_000;
const big = 1e6;
const ends = { state: 'succeeded', detail: null, keepUntil: NOW + 99 } as const;

function messageOf(more: Partial<NewMessage> = {}): NewMessage {
  return { job_number: 'a', type: 'agent_data', data: '[1]', ts: NOW, chunk: null, ...more };
}

function seqOf(outcome: AppendOutcome): number | string {
  return 'message' in outcome ? outcome.message.seq : outcome.outcome;
}

function describeMailboxStore(open: () => Promise<MailboxStoreFixture>): void {
  let fixture: MailboxStoreFixture;
  let store: MailboxStore;

  const onBothNodes = <T>(count: number, call: (node: MailboxStore, n: number) => Promise<T>) =>
    Promise.all(Array.from({ length: count }, (_, n) => call(n % 2 ? store : fixture.otherNode, n)));

  beforeEach(async () => {
    fixture = await open();
    store = fixture.store;
    await fixture.jobs.create(newJob('a'));
    await fixture.jobs.create(newJob('b'));
  });
  afterEach(() => fixture.remove());

  test('append gives the next number of its job and stores the text as it is', async () => {
    const data = `[ {"n":12345678901234567890,"t":"${'ü'.repeat(260_000)}"} ]`;
    expect(await store.append(messageOf({ job_number: 'b' }))).toMatchObject({
      outcome: 'stored',
      message: { seq: 1 },
    });
    const outcome = await store.append(messageOf({ data, chunk: 7 }));
    const message = { job_number: 'a', seq: 1, type: 'agent_data', data, final: false, ts: NOW, chunk: 7 };
    expect(outcome).toStrictEqual({ outcome: 'stored', message });
    expect(await fixture.otherNode.list('a', 0, big)).toStrictEqual([message]);
    expect(await fixture.jobs.get('a')).toMatchObject({ last_seq: 1, bytes: Buffer.byteLength(data), updated_at: NOW });
  });

  test('a large message is stored compressed, and one that an older version has stored is read as it is', async () => {
    const data = JSON.stringify(
      Array.from({ length: 5_000 }, (_, n) => ({ time: NOW + n, field: 'rssi_dbm', value: -60.5 })),
    );
    const told: number[] = [];
    store.onStored = (owner_id, bytes) => expect([owner_id, told.push(bytes)]).toEqual(['ada', told.length]);
    await store.append(messageOf({ data, chunk: 1 }));
    const old = `[${'"as it was", '.repeat(100)}1]`;
    await fixture.db.query(
      "INSERT INTO job_messages (job_number, seq, type, data, final, ts, chunk, bytes) VALUES ('a', 2, 'agent_data', ?, 0, 1, 2, ?)",
      [old, old.length],
    );
    const messages = await fixture.otherNode.list('a', 0, big);
    expect(messages.map((message) => message.data === data || message.data === old)).toEqual([true, true]);
    expect((await store.lastChunk('a'))?.data).toBe(old);
    expect(await store.append(messageOf({ data: '[]', chunk: 1 }))).toMatchObject({
      outcome: 'repeated',
      message: { data },
    });
    const [row] = await fixture.db.query<{ size: number; stored_bytes: number; bytes: number }>(
      `SELECT length(m.data) AS size, stored_bytes, j.bytes FROM job_messages m JOIN jobs j ON j.job_number = m.job_number WHERE seq = 1`,
    );
    expect([row!.bytes, row!.stored_bytes, told]).toEqual([data.length, row!.size, [row!.size]]);
    expect(row!.size * 10).toBeLessThan(data.length);
  });

  test('appendAll numbers the messages of many jobs, ends those that it says, and leaves out what has ended', async () => {
    const { db, jobs } = fixture;
    await store.append(messageOf());
    await jobs.create(newJob('over'));
    await store.append(messageOf({ job_number: 'over', ends }));
    const stored = await db.transaction((tx) =>
      store.appendAll(tx, [
        messageOf({ data: '[2]' }),
        messageOf({ job_number: 'b', data: '["ü"]' }),
        messageOf({ data: '[3]', type: 'status', ends: { ...ends, state: 'failed', detail: 'why' } }),
        messageOf({ job_number: 'over' }),
        messageOf({ job_number: 'nowhere' }),
      ]),
    );
    expect(stored.map(({ job_number, seq, final }) => [job_number, seq, final]).sort()).toEqual([
      ['a', 2, false],
      ['a', 3, true],
      ['b', 1, false],
    ]);
    expect((await store.list('a', 1, big)).map(({ data, final }) => [data, final])).toEqual([
      ['[2]', false],
      ['[3]', true],
    ]);
    const ended = { state: 'failed', detail: 'why', ended_at: NOW, expires_at: NOW + 99, last_seq: 3, bytes: 9 };
    expect(await jobs.get('a')).toMatchObject(ended);
    expect(await jobs.get('b')).toMatchObject({ state: 'running', ended_at: null, last_seq: 1, bytes: 6 });
    expect(await jobs.get('over')).toMatchObject({ last_seq: 1 });
  });

  test('appendAll stands or falls with its transaction', async () => {
    const undone = fixture.db.transaction(async (tx) => {
      await store.appendAll(tx, [messageOf()]);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await store.list('a', 0, big)).toEqual([]);
    expect(await fixture.jobs.get('a')).toMatchObject({ last_seq: 0 });
  });

  test('50 at once on two nodes are numbered 1 to 50 without a gap', async () => {
    const outcomes = await onBothNodes(50, (node, n) => node.append(messageOf({ data: `[${n}]` })));
    expect(outcomes.map(seqOf).sort((x, y) => Number(x) - Number(y))).toEqual(
      Array.from({ length: 50 }, (_, n) => n + 1),
    );
    const stored = await store.list('a', 0, big);
    expect(stored.map(({ seq }) => seq)).toEqual(Array.from({ length: 50 }, (_, n) => n + 1));
    expect(new Set(stored.map(({ data }) => data)).size).toBe(50);
    expect(await fixture.jobs.get('a')).toMatchObject({ last_seq: 50 });
  });

  test('an open job becomes running, and its attempts count from 0 again', async () => {
    await fixture.jobs.claim('a', 'w', NOW, 1000);
    await store.append(messageOf({ progress: 0.5 }));
    expect(await fixture.jobs.get('a')).toMatchObject({ state: 'running', attempts: 0, progress: 0.5, ended_at: null });
    await store.append(messageOf({}));
    expect(await fixture.jobs.get('a')).toMatchObject({ progress: 0.5 });
  });

  test('a message that ends the job is final, and the job is what it says from then on', async () => {
    const detail = 'no such agent';
    const last = await store.append(
      messageOf({ type: 'status', ts: NOW + 1, ends: { state: 'failed', detail, keepUntil: NOW + 9 } }),
    );
    expect(last).toMatchObject({ message: { final: true } });
    expect(await store.list('a', 0, big)).toMatchObject([{ final: true, type: 'status' }]);
    const ended = { state: 'failed', detail, ended_at: NOW + 1, expires_at: NOW + 9, last_seq: 1 };
    expect(await fixture.jobs.get('a')).toMatchObject(ended);
  });

  test('an ended job takes nothing more, an unknown one nothing at all', async () => {
    await store.append(messageOf({ ends }));
    expect(await store.append(messageOf())).toEqual({ outcome: 'ended' });
    expect(await store.append(messageOf({ job_number: 'x', chunk: 1 }))).toEqual({ outcome: 'unknown_job' });
    expect(await fixture.jobs.get('a')).toMatchObject({ last_seq: 1, state: 'succeeded' });
  });

  test('of two that end it at once, one does', async () => {
    const outcomes = await onBothNodes(10, (node) => node.append(messageOf({ ends })));
    expect(outcomes.filter(({ outcome }) => outcome === 'stored')).toHaveLength(1);
    expect(outcomes.filter(({ outcome }) => outcome === 'ended')).toHaveLength(9);
  });

  test('a chunk of a type that is there is not stored again, whatever it holds, ended or full', async () => {
    await store.append(messageOf({ chunk: 1, data: '[1]' }));
    const first = { outcome: 'repeated', message: { seq: 1, data: '[1]' } };
    expect(await store.append(messageOf({ chunk: 1, data: '[2]', ends }))).toMatchObject(first);
    expect(await store.append(messageOf({ chunk: 1, maxMessages: 1 }))).toMatchObject(first);
    expect(seqOf(await store.append(messageOf({ chunk: 1, type: 'status' })))).toBe(2);
    expect(seqOf(await store.append(messageOf({ chunk: 2, ends })))).toBe(3);
    expect(await store.append(messageOf({ chunk: 1, data: '[3]' }))).toMatchObject(first);
    expect(await store.append(messageOf({ chunk: 3 }))).toEqual({ outcome: 'ended' });
  });

  test('the same chunk 20 times at once on two nodes is one message', async () => {
    const outcomes = await onBothNodes(20, (node) => node.append(messageOf({ chunk: 0 })));
    expect(outcomes.map(seqOf)).toEqual(Array(20).fill(1));
    expect(outcomes.filter(({ outcome }) => outcome === 'stored')).toHaveLength(1);
    expect(await fixture.jobs.get('a')).toMatchObject({ last_seq: 1, bytes: 3 });
  });

  test('messages beyond the most, in number or in bytes of UTF-8, are refused', async () => {
    expect(seqOf(await store.append(messageOf({ data: '["é"]', maxBytes: 5 })))).toBe('full');
    expect(seqOf(await store.append(messageOf({ data: '["é"]', maxBytes: 6 })))).toBe(1);
    expect(seqOf(await store.append(messageOf({ data: '[]', maxBytes: 7 })))).toBe('full');
    expect(seqOf(await store.append(messageOf({ data: '[]', maxBytes: 8, maxMessages: 2 })))).toBe(2);
    expect(seqOf(await store.append(messageOf({ data: '[]', maxMessages: 2 })))).toBe('full');
    expect(await fixture.jobs.get('a')).toMatchObject({ last_seq: 2, bytes: 8, state: 'running' });
    expect(seqOf(await store.append(messageOf({ type: 'status', ends })))).toBe(3);
  });

  test('list gives messages in order after a number, at least one, and no more than fit', async () => {
    for (let n = 0; n < 5; n += 1) await store.append(messageOf({ data: `[${'1'.repeat(8)}]` }));
    const seqs = async (after: number, maxBytes: number) =>
      (await store.list('a', after, maxBytes)).map(({ seq }) => seq);
    expect(await seqs(0, 1)).toEqual([1]);
    expect(await seqs(0, 29)).toEqual([1, 2]);
    expect(await seqs(0, 30)).toEqual([1, 2, 3]);
    expect(await seqs(3, big)).toEqual([4, 5]);
    expect(await seqs(5, big)).toEqual([]);
    expect(await store.list('x', 0, big)).toEqual([]);
  });

  test('lastChunk is the newest message that has a chunk number', async () => {
    expect(await store.lastChunk('a')).toBeUndefined();
    for (const chunk of [1, 3, 2, null]) await store.append(messageOf({ chunk }));
    await store.append(messageOf({ job_number: 'b', chunk: 9 }));
    expect(await store.lastChunk('a')).toMatchObject({ seq: 3, chunk: 2 });
  });

  test('every method throws TryLaterError (503) while the database is out of reach', async () => {
    await fixture.cutOff();
    const calls = [store.append(messageOf()), store.list('a', 0, 1), store.lastChunk('a')];
    for (const outcome of await Promise.allSettled<unknown>(calls)) {
      expect(outcome).toMatchObject({ reason: { name: 'TryLaterError', status: 503, code: 'database_unavailable' } });
    }
    expect(await fixture.otherNode.list('a', 0, big)).toEqual([]);
  });
}

eachDatabase((kind) => {
  describeMailboxStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return {
      store: new MailboxStore(nodes[0]),
      otherNode: new MailboxStore(nodes[1]),
      jobs: new JobStore(nodes[1]),
      db: nodes[0],
      cutOff: () => nodes[0].close(),
      remove,
    };
  });
});
