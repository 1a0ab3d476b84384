// What the audit log promises, one test a sentence, on both databases.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../../../test/databases.ts';
import { rounds } from '../../../../../test/rounds.ts';
import type { Actor } from '../../base/caller.ts';
import { Keyring } from '../../base/secrets.ts';
import type { SqlDatabase } from '../../base/storage/sql-database.ts';
import { chainHash, genesisHash } from './audit-chain.ts';
import { maxDetailBytes, type NewAuditEntry } from './audit-entry.ts';
import { AuditLog, maxPageBytes } from './audit-store.ts';

interface Node {
  database: SqlDatabase;
  log: AuditLog;
}

interface AuditLogFixture {
  node: Node;
  /** The same log, seen from another node. */
  otherNode: Node;
  /** Takes the database away from `node`. */
  cutOff(): Promise<void>;
  remove(): Promise<void>;
}

const NOW = 1_790_000_000_000;
const ada: Actor = { kind: 'user', id: 'id of ada', name: 'ada@x', roles: ['admin'], isAdmin: true };
const bob: Actor = { kind: 'command_line', id: null, name: 'bob' };

function entryOf(name: string, more: Partial<NewAuditEntry> = {}): NewAuditEntry {
  return { actor: ada, action: 'thing_made', target: { kind: 'thing', name }, detail: { n: 1 }, ...more };
}

function describeAuditLog(open: (now: () => number) => Promise<AuditLogFixture>): void {
  let fixture: AuditLogFixture;
  let database: SqlDatabase;
  let log: AuditLog;
  let now: number;
  const append = (entries: NewAuditEntry[], { database, log }: Node = fixture.node) =>
    database.transaction((tx) => log.append(tx, entries));
  const all = async () => (await log.list({ limit: 500 })).entries;
  const seqs = async (options: Partial<Parameters<AuditLog['list']>[0]>) =>
    (await log.list({ limit: 500, ...options })).entries.map(({ seq }) => seq);

  beforeEach(async () => {
    now = NOW;
    fixture = await open(() => now);
    ({ database, log } = fixture.node);
  });
  afterEach(() => fixture.remove());

  describe('append', () => {
    test('adds entries in their order, numbered from 1, each with the hash of its content and of the one before', async () => {
      await append([entryOf('a', { detail: { keys: ['ä', '\u0000', '\ud800'] } }), entryOf('b', { actor: bob })]);
      now += 5;
      await append([entryOf('c')], fixture.otherNode);
      const entries = (await all()).reverse();
      expect(entries).toMatchObject([
        { seq: 1, ts: NOW, actor_kind: 'user', actor_id: 'id of ada', actor_name: 'ada@x', action: 'thing_made' },
        { seq: 2, ts: NOW, actor_kind: 'command_line', actor_id: null, actor_name: 'bob', target_kind: 'thing' },
        { seq: 3, ts: NOW + 5, target: 'c', detail: '{"n":1}' },
      ]);
      expect(JSON.parse(entries[0]!.detail)).toEqual({ keys: ['ä', '\u0000', '\ud800'] });
      let hash = genesisHash;
      for (const entry of entries) {
        hash = chainHash(hash, entry);
        expect(entry.hash).toBe(hash);
      }
    });

    test('stands or falls with the transaction', async () => {
      await append([entryOf('a')]);
      const call = database.transaction(async (tx) => {
        await log.append(tx, [entryOf('b')]);
        throw new Error('changed my mind');
      });
      await expect(call).rejects.toThrow('changed my mind');
      await append([entryOf('c')]);
      expect((await all()).map(({ seq, target }) => [seq, target])).toEqual([
        [2, 'c'],
        [1, 'a'],
      ]);
      expect(await log.verify()).toMatchObject({ isWhole: true, count: 2 });
    });

    test('of many at once on two nodes, no two get the same number and none leaves a gap', async () => {
      const nodes = [fixture.node, fixture.otherNode];
      const calls = Array.from({ length: 50 }, (_, n) =>
        append([entryOf(`first ${n}`), entryOf(`second ${n}`)], nodes[n % 2]).then(() => n),
      );
      await Promise.all(calls);
      const entries = (await all()).reverse();
      expect(entries.map(({ seq }) => seq)).toEqual(Array.from({ length: 100 }, (_, n) => n + 1));
      for (let n = 0; n < 100; n += 2) {
        expect(entries[n + 1]!.target).toBe(entries[n]!.target.replace('first', 'second'));
      }
      expect(await fixture.otherNode.log.verify()).toMatchObject({ isWhole: true, count: 100 });
    });

    test('takes none, takes hundreds, and takes several times in one transaction', async () => {
      await append([]);
      await append(Array.from({ length: 333 }, (_, n) => entryOf(`${n}`)));
      await database.transaction(async (tx) => {
        await log.append(tx, [entryOf('a')]);
        await log.append(tx, [entryOf('b')]);
      });
      expect(await log.verify()).toMatchObject({ isWhole: true, count: 335, seq: 335 });
    });

    test('keeps the chain whatever is in a name', async () => {
      await append([entryOf('a\0b\ud800c', { actor: { ...ada, name: '\udfff\0', id: '\0' } })]);
      expect(await log.verify()).toMatchObject({ isWhole: true, count: 1 });
      expect(await all()).toMatchObject([{ target: 'a\uFFFDb\uFFFDc', actor_name: '\uFFFD\uFFFD' }]);
    });

    test('replaces a detail that is too large by its size and hash', async () => {
      const text = (letters: number) => ({ text: 'x'.repeat(letters) });
      const overhead = JSON.stringify(text(0)).length;
      await append([entryOf('a', { detail: text(maxDetailBytes - overhead) })]);
      await append([entryOf('b', { detail: text(maxDetailBytes - overhead + 1) })]);
      const [large, fits] = await all();
      expect(fits!.detail).toHaveLength(maxDetailBytes);
      expect(JSON.parse(large!.detail)).toEqual({
        omitted_bytes: maxDetailBytes + 1,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      });
    });

    test.each([
      ['there are entries beyond its end', 'UPDATE audit_head SET seq = 0'],
      ['its end is gone', 'DELETE FROM audit_head'],
    ])('throws TryLaterError audit_log_damaged when %s', async (_, damage) => {
      await append([entryOf('a')]);
      await database.query(damage);
      await expect(append([entryOf('b')])).rejects.toMatchObject({ status: 503, code: 'audit_log_damaged' });
      expect(await all()).toHaveLength(1);
    });
  });

  test('lock makes others who append wait until the transaction is over', async () => {
    let other: Promise<unknown> | undefined;
    const order: string[] = [];
    await database.transaction(async (tx) => {
      await log.lock(tx);
      other = append([entryOf('b')], fixture.otherNode).then(() => order.push('other'));
      // Long enough for the other node to have come through, if it could.
      for (let n = 0; n < 200; n += 1) await tx.query('SELECT 1 AS one');
      await log.append(tx, [entryOf('a')]);
      order.push('holder');
    });
    await other;
    expect(order).toEqual(['holder', 'other']);
    expect((await all()).map(({ target }) => target)).toEqual(['b', 'a']);
  });

  describe('list', () => {
    beforeEach(async () => {
      for (const [index, name] of ['a', 'b', 'a', 'c', 'a'].entries()) {
        now = NOW + index;
        await append([entryOf(name, index === 2 ? { actor: bob, action: 'thing_gone' } : {})]);
      }
    });

    test('gives newest first, at most `limit`, and says whether there are more', async () => {
      const page = await log.list({ limit: 2 });
      expect([page.entries.map(({ seq }) => seq), page.has_more]).toEqual([[5, 4], true]);
      const rest = await fixture.otherNode.log.list({ limit: 3, beforeSeq: 4 });
      expect([rest.entries.map(({ seq }) => seq), rest.has_more]).toEqual([[3, 2, 1], false]);
      expect(await log.list({ limit: 1, beforeSeq: 1 })).toEqual({ entries: [], has_more: false });
    });

    test('gives those that fit all filters', async () => {
      expect(await seqs({ target: ['a'] })).toEqual([5, 3, 1]);
      expect(await seqs({ actor: ['bob'] })).toEqual([3]);
      expect(await seqs({ action: 'thing_made', target: ['a'] })).toEqual([5, 1]);
      expect(await seqs({ sinceMs: NOW + 1, untilMs: NOW + 3 })).toEqual([3, 2]);
      expect(await seqs({ target: ['a'], beforeSeq: 5, sinceMs: NOW + 1 })).toEqual([3]);
      expect(await seqs({ target: ['A'] })).toEqual([]);
      expect(await seqs({ target: ['a', 'b'], actor: ['bob', 'nobody'] })).toEqual([3]);
    });

    test('finds the few among very many', async () => {
      const many = rounds(6000, 1500);
      const others = Array.from({ length: many }, () => entryOf('x', { detail: {} }));
      await append(others);
      await append([entryOf('b')]);
      await append(others);
      expect(await seqs({ target: ['b'] })).toEqual([many + 6, 2]);
      expect(await seqs({ untilMs: NOW + 1 })).toEqual([1]);
      expect(await seqs({ limit: 20_000 })).toEqual(Array.from({ length: 2 * many + 6 }, (_, n) => 2 * many + 6 - n));
      expect((await log.list({ target: ['b'], limit: 1 })).has_more).toBe(true);
      expect(await log.verify()).toMatchObject({ isWhole: true, count: 2 * many + 6 });
    });

    test('leaves details beyond a page to the next, but never gives none', async () => {
      const detail = { text: 'x'.repeat(maxDetailBytes - 20) };
      const fitting = Math.floor(maxPageBytes / JSON.stringify(detail).length);
      await append(Array.from({ length: fitting + 5 }, () => entryOf('large', { detail })));
      const page = await log.list({ limit: 500, target: ['large'] });
      expect([page.entries.length, page.has_more]).toEqual([fitting, true]);
      const rest = await log.list({ limit: 500, target: ['large'], beforeSeq: page.entries.at(-1)!.seq });
      expect([rest.entries.length, rest.has_more]).toEqual([5, false]);
    });
  });

  describe('verify', () => {
    const fill = async (count: number) => {
      for (let n = 1; n <= count; n += 1) await append([entryOf(`thing ${n}`)]);
    };

    test('tells how many there are and the hash of the newest, from the beginning or from an entry', async () => {
      expect(await log.verify()).toMatchObject({ isWhole: true, count: 0, seq: 0, head: genesisHash });
      await fill(5);
      const head = (await all())[0]!.hash;
      expect(await log.verify()).toEqual({
        isWhole: true,
        count: 5,
        seq: 5,
        head,
        seals: { checked: 5, without: 0, unknown: 0 },
      });
      expect(await log.verify({ fromSeq: 4 })).toMatchObject({ isWhole: true, count: 2, seq: 5, head });
      expect(await log.verify({ fromSeq: 6 })).toMatchObject({ isWhole: true, count: 0, seq: 5, head });
      expect(await log.verify({ fromSeq: 7 })).toMatchObject({ isWhole: false, seq: 6 });
    });

    test('is not misled by entries that come while it walks', async () => {
      await fill(5);
      const writing = Promise.all(Array.from({ length: 30 }, (_, n) => append([entryOf(`${n}`)], fixture.otherNode)));
      for (let n = 0; n < 10; n += 1) expect(await log.verify()).toMatchObject({ isWhole: true });
      await writing;
      expect(await log.verify()).toMatchObject({ isWhole: true, count: 35 });
    });

    const copy = (to: number, from: number) =>
      `INSERT INTO audit_log SELECT ${to}, ts, actor_kind, actor_id, actor_name, action, target_kind, target, detail, hash, mac
       FROM audit_log WHERE seq = ${from}`;
    const tampering: [string, string[], number][] = [
      ...['actor_kind', 'actor_id', 'actor_name', 'action', 'target_kind', 'target', 'detail', 'hash'].map(
        (column): [string, string[], number] => [
          `a changed ${column}`,
          [`UPDATE audit_log SET ${column} = 'x' WHERE seq = 3`],
          3,
        ],
      ),
      ['a changed time', ['UPDATE audit_log SET ts = ts + 1 WHERE seq = 3'], 3],
      ['a removed entry', ['DELETE FROM audit_log WHERE seq = 3'], 3],
      ['the first removed', ['DELETE FROM audit_log WHERE seq = 1'], 1],
      ['the newest removed', ['DELETE FROM audit_log WHERE seq > 3'], 4],
      ['all removed', ['DELETE FROM audit_log'], 1],
      [
        'two that changed places',
        [
          'UPDATE audit_log SET seq = 99 WHERE seq = 2',
          'UPDATE audit_log SET seq = 2 WHERE seq = 3',
          'UPDATE audit_log SET seq = 3 WHERE seq = 99',
        ],
        2,
      ],
      ['one put in, the rest moved', ['UPDATE audit_log SET seq = 6 WHERE seq = 5', copy(5, 4)], 5],
      ['one put in before the first', [copy(0, 1)], 0],
      ['one put in after the newest', [copy(6, 5)], 6],
      [
        'one removed and the rest moved up',
        ['DELETE FROM audit_log WHERE seq = 4', 'UPDATE audit_log SET seq = 4 WHERE seq = 5'],
        4,
      ],
      ['another end', ["UPDATE audit_head SET hash = 'x'"], 5],
      ['no end', ['DELETE FROM audit_head'], 5],
    ];
    test.each(tampering)('finds %s', async (_, statements, seq) => {
      await fill(5);
      expect(await log.verify()).toMatchObject({ isWhole: true });
      for (const sql of statements) await database.query(sql);
      expect(await log.verify()).toEqual({ isWhole: false, seq, reason: expect.any(String) });
    });

    test('finds a log that was written anew, and one cut off with its head, by a hash that was noted', async () => {
      await fill(3);
      const [newest, second] = await all();
      const noted = { notedHash: newest!.hash };
      await fill(2);
      expect(await log.verify(noted)).toMatchObject({ isWhole: true, count: 5 });
      expect(await log.verify({ notedHash: genesisHash })).toMatchObject({ isWhole: true });
      await database.query('DELETE FROM audit_log WHERE seq > 2');
      await database.query('UPDATE audit_head SET seq = 2, hash = ?', [second!.hash]);
      // By the seal of its end, even without the hash.
      expect(await log.verify()).toMatchObject({ isWhole: false, reason: expect.stringContaining('secret') });
      expect(await log.verify(noted)).toMatchObject({ isWhole: false });
      await database.query('DELETE FROM audit_log');
      await database.query('UPDATE audit_head SET seq = 0, hash = ?', [genesisHash]);
      now += 1;
      await fill(5);
      expect(await log.verify()).toMatchObject({ isWhole: true, count: 5 });
      expect(await log.verify(noted)).toMatchObject({ isWhole: false });
    });
  });

  test('every method throws TryLaterError (503) while the database is out of reach', async () => {
    await fixture.cutOff();
    const calls = [append([entryOf('a')]), log.list({ limit: 1 }), log.verify()];
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome).toMatchObject({ reason: { name: 'TryLaterError', status: 503, code: 'database_unavailable' } });
    }
    expect(await fixture.otherNode.log.verify()).toMatchObject({ isWhole: true, count: 0 });
  });
}

eachDatabase((kind) => {
  describeAuditLog(async (now) => {
    const { nodes, remove } = await openTwoNodes(kind);
    const [node, otherNode] = nodes.map((database) => ({
      database,
      log: new AuditLog(database, { now, key: new Keyring('a secret of this test, long enough to be one') }),
    }));
    return { node: node!, otherNode: otherNode!, cutOff: () => nodes[0].close(), remove };
  });
});
