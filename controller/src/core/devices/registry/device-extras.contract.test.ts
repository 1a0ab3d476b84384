// What is noted about devices, in the memory of two nodes.
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../../../test/databases.ts';
import { draw } from '../../../../../test/draw.ts';
import { rounds } from '../../../../../test/rounds.ts';
import type { SqlDatabase, SqlQueries } from '../../base/storage/sql-database.ts';
import { DeviceExtrasStore } from '../store/device-extras-store.ts';
import { DeviceExtras } from './device-extras.ts';

const names = ['a', 'b', 'c', 'd'];
const untilMs = Date.now() + 3_600_000;
const ada = { kind: 'user', id: 'u', name: 'u', roles: [], isAdmin: false } as const;

class Node {
  readonly database: SqlDatabase;
  readonly store: DeviceExtrasStore;
  readonly extras: DeviceExtras;
  readonly told: string[] = [];
  /** Called between the reading of rows and their arrival. */
  whileReading = async (_sql: string) => {};

  constructor(database: SqlDatabase) {
    this.database = database;
    const slow: SqlDatabase = Object.create(database, {
      query: {
        value: async (sql: string, params?: readonly string[]) => {
          const rows = await database.query(sql, params);
          await this.whileReading(sql);
          return rows;
        },
      },
    });
    this.store = new DeviceExtrasStore(slow);
    this.extras = new DeviceExtras(slow, this.store);
    this.extras.linked.on((identity, device) => this.told.push(`${identity} is ${device}`));
    this.extras.erased.on((device) => this.told.push(`${device} is erased`));
  }

  write<T>(work: (store: DeviceExtrasStore, tx: SqlQueries) => Promise<T>): Promise<T> {
    return this.database.transaction((tx) => work(this.store, tx));
  }

  known() {
    const { extras } = this;
    return {
      clear: extras.areClearAllowed,
      watched: names.filter((name) => extras.watchOf(name)),
      sticky: names.filter((name) => extras.stickyOf(name)),
      canonical: names.map(extras.canonical),
      identities: names.map((name) => extras.identitiesOf(name)),
    };
  }
}

eachDatabase((kind) => {
  let one: Node;
  let two: Node;
  beforeEach(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    onTestFinished(remove);
    [one, two] = [new Node(nodes[0]), new Node(nodes[1])];
  });

  test('every node knows what any of them has noted, as one that has just started', async () => {
    const random = draw('notes');
    for (let round = 0; round < rounds(80, 25); round++) {
      const [writer, reader] = random.of([
        [one, two],
        [two, one],
      ] as const);
      const [device, other] = [random.of(names), random.of(names)];
      const what = random.below(6);
      await writer.write(async (store, tx) => {
        if (what === 0) await store.setClearAddresses(tx, random.below(2) === 0);
        if (what === 1) await store.putSticky(tx, { device, reason: 'refused', target: 'x', until: untilMs });
        if (what === 2)
          await store.putWatch(tx, { device, until: untilMs, caller_kind: 'user', caller_id: 'u' }, ada, 0);
        if (what === 3) await store.removeWatch(tx, device, ada, 0);
        if (what === 4 && device !== other) await store.link(tx, device, other, 10);
        if (what === 5) await store.remove(tx, device, round);
      });
      await Promise.all([reader.extras.head.fresh(), writer.extras.head.fresh()]);
      const started = new Node(one.database);
      await started.extras.head.fresh();
      expect(reader.known()).toEqual(started.known());
      expect(writer.known()).toEqual(started.known());
    }
  });

  test('a look that lasts longer than the next one does not bring back what that knows better', async () => {
    await one.extras.head.fresh();
    let later: Promise<void> | undefined;
    one.whileReading = async (sql) => {
      if (later || !sql.includes('FROM device_erasures')) return;
      await two.write((store, tx) => store.setClearAddresses(tx, false));
      later = one.extras.head.fresh();
      // As long as that needs, if it does not wait.
      await Promise.race([later, two.database.query('SELECT 1').then(() => two.extras.head.fresh())]);
    };
    await two.write((store, tx) => store.setClearAddresses(tx, true));
    await one.extras.head.fresh();
    await later;
    expect(one.extras.areClearAllowed).toBe(false);
  });

  test('that a device is another one, or is erased, is told once', async () => {
    await one.write((store, tx) => store.link(tx, 'b', 'a', 10));
    await one.write((store, tx) => store.remove(tx, 'c', 5));
    for (let look = 0; look < 3; look++) {
      await two.write((store, tx) => store.setClearAddresses(tx, look === 0));
      await two.extras.head.fresh();
    }
    expect(two.told).toEqual(['b is a', 'c is erased']);
    await one.write((store, tx) => store.remove(tx, 'c', 6));
    await two.extras.head.fresh();
    expect(two.told).toEqual(['b is a', 'c is erased', 'c is erased']);
  });
});
