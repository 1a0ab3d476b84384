// What a replica promises, on both databases: two nodes that keep one table in memory while both write it.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../../../test/databases.ts';
import { draw } from '../../../../../test/draw.ts';
import { rounds } from '../../../../../test/rounds.ts';
import { Replica, ReplicaHead } from './replica.ts';
import type { SqlDatabase, SqlQueries } from './sql-database.ts';
import { noteForgotten, raiseRevision, readRevision } from './table-revision.ts';

const tables = [
  'CREATE TABLE things_head (id INTEGER PRIMARY KEY, revision BIGINT NOT NULL, forgotten BIGINT NOT NULL)',
  'INSERT INTO things_head (id, revision, forgotten) VALUES (1, 0, 0)',
  'CREATE TABLE things (id TEXT PRIMARY KEY, color TEXT NOT NULL, revision BIGINT NOT NULL)',
  'CREATE TABLE removed_things (revision BIGINT NOT NULL, id TEXT NOT NULL)',
];
const head = { table: 'things_head', column: 'revision' };
const names = ['a', 'b', 'c', 'd', 'e'];
const colors = ['red', 'green', 'blue'];

type Head = { revision: number; forgotten: number };
type Thing = Readonly<{ id: string; color: string }>;

class Node {
  readonly db: SqlDatabase;
  readonly things: Replica<Head, Thing>;
  /** Of the shared look; the second one reads everything each time. */
  readonly whole: Replica<Head, Thing>;
  statements = 0;
  timeMs = 0;
  /** Called when a look has read the revision, and nothing else. */
  whileLooking = async () => {};
  /** What listeners know. */
  readonly told = new Map<string, Thing>();

  constructor(db: SqlDatabase) {
    this.db = db;
    const query = <Row extends Record<string, string | number | null>>(
      tx: SqlQueries | undefined,
      sql: string,
      params = [] as number[],
    ) => {
      this.statements++;
      return (tx ?? db).query<Row>(sql, params);
    };
    const source = { keyOf: ({ id }: Thing) => id, indexes: { color: ({ color }: Thing) => color } };
    const shared = new ReplicaHead<Head>(
      async (tx) => {
        const [row] = await query<Head>(tx, 'SELECT revision, forgotten FROM things_head');
        await this.whileLooking();
        return row!;
      },
      head.table,
      () => this.timeMs,
    );
    const isSame = (thing: Thing, before: Thing | undefined) => (before?.color === thing.color ? before : thing);
    this.things = new Replica(shared, {
      ...source,
      revision: ({ revision }) => revision,
      forgotten: ({ forgotten }) => forgotten,
      read: async (after, tx) => {
        if (after === undefined) return { rows: await query<Thing>(tx, 'SELECT id, color FROM things') };
        const removed = await query<{ id: string }>(tx, 'SELECT id FROM removed_things WHERE revision > ?', [after]);
        const rows = await query<Thing>(tx, 'SELECT id, color FROM things WHERE revision > ?', [after]);
        return { rows, gone: removed.map(({ id }) => id) };
      },
      toRow: isSame,
    });
    this.whole = new Replica(shared, {
      ...source,
      revision: ({ revision }) => revision,
      read: async (_, tx) => ({ rows: await query<Thing>(tx, 'SELECT id, color FROM things') }),
      toRow: isSame,
    });
    this.things.changed.on((before, after) => {
      if (before) expect(this.told.get(before.id)).toBe(before);
      if (after) this.told.set(after.id, after);
      else this.told.delete(before!.id);
    });
  }

  async write(work: (tx: SqlQueries, revision: number) => Promise<unknown>): Promise<number> {
    return this.db.transaction(async (tx) => {
      const revision = await raiseRevision(tx, head);
      await work(tx, revision);
      return revision;
    });
  }

  put(id: string, color: string): Promise<number> {
    const sql = `INSERT INTO things (id, color, revision) VALUES (?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET color = excluded.color, revision = excluded.revision`;
    return this.write((tx, revision) => tx.query(sql, [id, color, revision]));
  }

  remove(id: string): Promise<number> {
    return this.write(async (tx, revision) => {
      await tx.query('DELETE FROM things WHERE id = ?', [id]);
      await tx.query('INSERT INTO removed_things (revision, id) VALUES (?, ?)', [revision, id]);
    });
  }

  known(): Record<string, string> {
    const all = (things: Iterable<Thing>) => Object.fromEntries([...things].map(({ id, color }) => [id, color]).sort());
    const known = all(this.things.now.values());
    expect(all(this.told.values()), 'what listeners were told').toStrictEqual(known);
    expect(all(this.whole.now.values()), 'what was read as a whole').toStrictEqual(known);
    expect(all(colors.flatMap((color) => [...this.things.by('color', color)])), 'by color').toStrictEqual(known);
    for (const color of colors)
      for (const thing of this.things.by('color', color)) expect(this.things.get(thing.id)).toBe(thing);
    return known;
  }
}

function describeReplica(open: () => Promise<{ nodes: [SqlDatabase, SqlDatabase]; remove(): Promise<void> }>): void {
  let one: Node;
  let two: Node;
  let remove: () => Promise<void>;
  beforeEach(async () => {
    const opened = await open();
    for (const sql of tables) await opened.nodes[0].query(sql);
    [one, two] = [new Node(opened.nodes[0]), new Node(opened.nodes[1])];
    ({ remove } = opened);
  });
  afterEach(() => remove());

  test('whatever was answered before fresh() was called on the other node is in it', async () => {
    const random = draw('changes');
    const truth = new Map<string, string>();
    const told = () => Object.fromEntries([...truth].sort());
    for (let round = 0; round < rounds(400, 40); round++) {
      const [writer, reader] = random.of([
        [one, two],
        [two, one],
      ] as const);
      const id = random.of(names);
      const what = random.below(10);
      if (what < 6) truth.set(id, random.of(colors));
      else truth.delete(id);
      if (what < 6) await writer.put(id, truth.get(id)!);
      // Removed without a trace: who knows less reads everything.
      else if (what < 7)
        await writer.write(async (tx, revision) => {
          await tx.query('DELETE FROM things WHERE id = ?', [id]);
          await noteForgotten(tx, head, revision);
        });
      else await writer.remove(id);
      if (random.below(3) === 0) continue;
      const held = [...reader.things.now].map(([key, thing]) => [key, thing, { ...thing }] as const);
      await Promise.all(Array.from({ length: 1 + random.below(3) }, () => reader.things.fresh()));
      expect(reader.known()).toStrictEqual(told());
      for (const [, thing, copy] of held) expect(thing, 'rows are replaced, never changed').toEqual(copy);
    }
  });

  test('what is known is at most staleMs behind', async () => {
    const random = draw('times');
    const history: { atMs: number; id: string; color: string }[] = [];
    async function write() {
      const [id, color] = [random.of(names), random.of(colors)];
      await one.put(id, color);
      history.push({ atMs: two.timeMs, id, color });
      two.timeMs += 1 + random.below(1000);
    }
    expect(two.things.staleMs).toBe(Number.POSITIVE_INFINITY);
    // A look lasts, and is as old as its begin.
    two.whileLooking = async () => {
      if (random.below(2) === 0) await write();
    };
    for (let round = 0; round < rounds(200, 40); round++) {
      if (random.below(3) === 0) await write();
      if (round === 0 || random.below(2) === 0) await two.things.fresh();
      const trueAt = two.timeMs - two.things.staleMs;
      const known = two.known();
      for (const name of names) {
        const written = history.filter(({ id }) => id === name);
        const from = written.findLastIndex(({ atMs }) => atMs < trueAt);
        const possible = written.slice(Math.max(from, 0)).map(({ color }) => color as string | undefined);
        if (from === -1) possible.push(undefined);
        expect(possible, name).toContain(known[name]);
      }
    }
  });

  test('a look that finds nothing new is one statement, and calls at the same time share it', async () => {
    await one.put('a', 'red');
    await two.things.fresh();
    two.statements = 0;
    await two.things.fresh();
    expect(two.statements).toBe(1);
    await Promise.all(Array.from({ length: 100 }, () => two.things.fresh()));
    // One that was under way already, and one for those who came while it was.
    expect(two.statements).toBe(3);
  });

  test('a call during a look waits for the next one, which knows what was answered meanwhile', async () => {
    await two.things.fresh();
    let later: Promise<void> | undefined;
    two.whileLooking = async () => {
      if (later) return;
      await one.put('a', 'red');
      later = two.things.fresh();
    };
    await two.things.fresh();
    await later;
    expect(two.known()).toStrictEqual({ a: 'red' });
  });

  test('rows that have not changed stay the same objects', async () => {
    await one.put('a', 'red');
    await two.things.fresh();
    const [a, wholeA] = [two.things.get('a'), two.whole.get('a')];
    await one.put('b', 'blue');
    await two.things.fresh();
    expect(two.things.get('a')).toBe(a);
    expect(two.whole.get('a')).toBe(wholeA);
  });

  test('in a transaction it is read there, before that changes anything, also while another look is under way', async () => {
    await one.put('a', 'red');
    const looking = one.db.dialect === 'sqlite' ? undefined : one.things.fresh();
    await one.db.transaction(async (tx) => {
      await one.things.fresh(tx);
      expect(one.known()).toStrictEqual({ a: 'red' });
      await raiseRevision(tx, head);
      await expect(one.things.fresh(tx)).rejects.toThrow('cannot read it into memory');
    });
    await looking;
    await one.things.fresh();
    expect(one.known()).toStrictEqual({ a: 'red' });
  });

  test('what a transaction has rolled back was never known', async () => {
    await one.put('a', 'red');
    const undone = one.write(async (tx) => {
      await tx.query(`UPDATE things SET color = 'blue'`);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    await two.things.fresh();
    expect(two.known()).toStrictEqual({ a: 'red' });
  });

  test('a database that has lost its last changes is read again', async () => {
    for (const id of names) await one.put(id, 'red');
    await two.things.fresh();
    await one.db.query(`DELETE FROM things WHERE id <> 'a'`);
    await one.db.query('UPDATE things_head SET revision = 1');
    await two.things.fresh();
    expect(two.known()).toStrictEqual({ a: 'red' });
    expect(await readRevision(one.db, head)).toBe(two.things.revision);
  });

  test('while the database is away fresh() is a 503, and what is known goes on and grows old', async () => {
    await one.put('a', 'red');
    await two.things.fresh();
    two.timeMs = 5000;
    await two.db.close();
    await expect(two.things.fresh()).rejects.toMatchObject({ name: 'TryLaterError', status: 503 });
    expect(two.known()).toStrictEqual({ a: 'red' });
    expect(two.things.staleMs).toBe(5000);
  });
}

eachDatabase((kind) => describeReplica(() => openTwoNodes(kind)));
