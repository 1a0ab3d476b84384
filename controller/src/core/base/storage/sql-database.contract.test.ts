// What both databases promise to the stores.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eachDatabase } from '../../../../../test/databases.ts';
import { type SqlDatabase, type SqlQueries, UniqueViolation } from './sql-database.ts';

interface SqlDatabaseFixture {
  db: SqlDatabase;
  /** The same database, from another node. */
  otherNode: SqlDatabase;
  remove(): Promise<void>;
}

function describeSqlDatabase(open: () => Promise<SqlDatabaseFixture>): void {
  let fixture: SqlDatabaseFixture;
  let db: SqlDatabase;
  const insert = (queries: SqlQueries, id: number, note: string | null = null) =>
    queries.query('INSERT INTO things (id, note) VALUES (?, ?)', [id, note]);
  const ids = async () => (await db.query<{ id: number }>('SELECT id FROM things ORDER BY id')).map(({ id }) => id);

  beforeEach(async () => {
    fixture = await open();
    db = fixture.db;
    await db.query('CREATE TABLE things (id BIGINT PRIMARY KEY, note TEXT, amount BIGINT NOT NULL DEFAULT 0)');
  });
  afterEach(() => fixture.remove());

  describe('query', () => {
    test('takes parameters, respects quotes, and resolves the rows', async () => {
      const rows = await db.query(
        `SELECT ? AS a, 'it''s ?' AS b, "id" AS "c?" /* ? */ FROM things -- ?
         WHERE id = ?`,
        ['x', 1],
      );
      expect(rows).toEqual([]);
      await insert(db, 1);
      const [row] = await db.query(`SELECT 'it''s ?' AS b, "id" AS "c?" /* ? */ FROM things -- ?\n WHERE id = ?`, [1]);
      expect(row).toEqual({ b: "it's ?", 'c?': 1 });
    });

    test('resolves the rows of RETURNING, and integers as numbers', async () => {
      const time = 1_790_000_000_123;
      expect(await db.query('INSERT INTO things (id) VALUES (?) RETURNING id, note', [time])).toEqual([
        { id: time, note: null },
      ]);
      expect(await db.query('SELECT COUNT(*) AS n, MAX(id) AS id, SUM(amount) AS sum FROM things')).toEqual([
        { n: 1, id: time, sum: 0 },
      ]);
      expect(await db.query('DELETE FROM things')).toEqual([]);
    });

    test('throws UniqueViolation when a unique key is taken', async () => {
      await insert(db, 1);
      await expect(insert(db, 1)).rejects.toBeInstanceOf(UniqueViolation);
      await expect(db.transaction((tx) => insert(tx, 1))).rejects.toBeInstanceOf(UniqueViolation);
    });

    test('a statement that is wrong is not called an outage', async () => {
      await expect(db.query('SELECT nothing FROM nowhere')).rejects.not.toMatchObject({ name: 'TryLaterError' });
    });
  });

  describe('transaction', () => {
    test('resolves what the work resolves, with all of it in place on every node', async () => {
      const result = await db.transaction(async (tx) => {
        await insert(tx, 1);
        await insert(tx, 2);
        return 'done';
      });
      expect(result).toBe('done');
      expect(await fixture.otherNode.query('SELECT id FROM things ORDER BY id')).toEqual([{ id: 1 }, { id: 2 }]);
    });

    test('throws what the work throws, with none of it in place; the database goes on', async () => {
      const failure = new Error('changed my mind');
      const call = db.transaction(async (tx) => {
        await insert(tx, 1);
        throw failure;
      });
      await expect(call).rejects.toBe(failure);
      expect(await ids()).toEqual([]);
      await db.transaction((tx) => insert(tx, 2));
      expect(await ids()).toEqual([2]);
    });

    test('after a failed statement the whole fails, even if the work swallows the error', async () => {
      await insert(db, 1);
      const call = db.transaction(async (tx) => {
        await insert(tx, 2);
        await insert(tx, 1).catch(() => undefined);
      });
      await expect(call).rejects.toBeInstanceOf(UniqueViolation);
      expect(await ids()).toEqual([1]);
    });

    test('of many at once, those that fail take nobody along', async () => {
      await insert(db, 1000);
      const calls = Array.from({ length: 200 }, (_, n) =>
        db.transaction(async (tx) => {
          await insert(tx, n);
          if (n % 3 === 1) throw new Error(`not ${n}`);
          if (n % 3 === 2) await insert(tx, 1000);
          return n;
        }),
      );
      const outcomes = await Promise.allSettled(calls);
      const kept = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
      expect(kept).toEqual(Array.from({ length: 67 }, (_, n) => n * 3));
      expect(outcomes[4]).toMatchObject({ reason: new Error('not 4') });
      expect(outcomes[5]).toMatchObject({ reason: expect.any(UniqueViolation) });
      expect(await ids()).toEqual([...kept, 1000]);
    });

    test('takes no statement after its end', async () => {
      const kept = await db.transaction(async (tx) => tx);
      await expect(kept.query('SELECT 1 AS one')).rejects.toThrow('after its transaction had ended');
    });

    test('statements outside of it do not become part of it', async () => {
      let meanwhile: Promise<unknown> | undefined;
      const call = db.transaction(async (tx) => {
        await insert(tx, 1);
        meanwhile = insert(db, 2);
        await tx.query('SELECT 1 AS one');
        throw new Error('changed my mind');
      });
      await expect(call).rejects.toThrow('changed my mind');
      await meanwhile;
      expect(await ids()).toEqual([2]);
    });

    test('those that update one row run one after the other, on one node and on two', async () => {
      await insert(db, 1);
      const add = (node: SqlDatabase) =>
        node.transaction(async (tx) => {
          await tx.query('UPDATE things SET note = note WHERE id = 1');
          const [row] = await tx.query<{ amount: number }>('SELECT amount FROM things WHERE id = 1');
          await tx.query('UPDATE things SET amount = ? WHERE id = 1', [row!.amount + 1]);
        });
      await Promise.all(Array.from({ length: 40 }, (_, n) => add(n % 2 ? db : fixture.otherNode)));
      expect(await db.query('SELECT amount FROM things')).toEqual([{ amount: 40 }]);
    });

    test('two that lock in opposite order both come through in the end', async () => {
      await insert(db, 1);
      await insert(db, 2);
      const touch = (tx: SqlQueries, id: number) =>
        tx.query('UPDATE things SET amount = amount + 1 WHERE id = ?', [id]);
      const both = (node: SqlDatabase, first: number, second: number) =>
        node.transaction(async (tx) => {
          await touch(tx, first);
          await touch(tx, second);
        });
      for (let round = 0; round < 5; round += 1) {
        await Promise.all([both(db, 1, 2), both(fixture.otherNode, 2, 1)]);
      }
      expect(await db.query('SELECT amount FROM things ORDER BY id')).toEqual([{ amount: 10 }, { amount: 10 }]);
    });
  });

  test.each([
    ['statements', () => db.query('SELECT 1 AS one')],
    ['transactions', () => db.transaction((tx) => tx.query('SELECT 1 AS one'))],
  ])('%s one after the other leave turns to others', async (_, run) => {
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const endMs = performance.now() + 100;
    while (performance.now() < endMs) await run();
    isOver = true;
    expect(turns).toBeGreaterThan(1);
  });

  test('check passes while all is well', async () => {
    await db.check();
  });

  test('after close every call throws TryLaterError; closing again is harmless', async () => {
    await db.close();
    await db.close();
    for (const call of [db.query('SELECT 1 AS one'), db.transaction(async () => 1), db.check()]) {
      await expect(call).rejects.toMatchObject({ status: 503, code: 'database_unavailable' });
    }
  });
}

eachDatabase((kind) => {
  describeSqlDatabase(async () => {
    const namespace = await kind.createNamespace({ isBare: true });
    return { db: namespace.open(), otherNode: namespace.open(), remove: () => namespace.remove() };
  });
});
