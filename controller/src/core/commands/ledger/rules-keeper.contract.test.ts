// The conflict rules in the memory of two nodes, read in the transactions of the ledger.
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../../../test/databases.ts';
import { draw } from '../../../../../test/draw.ts';
import { rounds } from '../../../../../test/rounds.ts';
import type { SqlDatabase } from '../../base/storage/sql-database.ts';
import { raiseRevision } from '../../base/storage/table-revision.ts';
import { defaultConflictRules } from '../arbitration/parameter-groups.ts';
import { RulesKeeper } from './rules-keeper.ts';

const rulesOf = (wifi: number) => ({
  ...defaultConflictRules,
  interference_range_m: { ...defaultConflictRules.interference_range_m, WiFi: wifi },
});

eachDatabase((kind) => {
  let nodes: { database: SqlDatabase; rules: RulesKeeper; told: number[] }[];

  beforeEach(async () => {
    const opened = await openTwoNodes(kind);
    onTestFinished(opened.remove);
    nodes = opened.nodes.map((database) => {
      const node = { database, rules: new RulesKeeper(database), told: [] as number[] };
      node.rules.replica.changed.on(() => node.told.push(node.rules.current.interference_range_m.WiFi));
      return node;
    });
  });

  test('every transaction decides by the rules that were stored before it, on whichever node', async () => {
    const random = draw('nodes');
    let range = defaultConflictRules.interference_range_m.WiFi;
    let stored = 0;
    for (let round = 0; round < rounds(60, 20); round++) {
      const { database, rules, told } = random.of(nodes);
      await database.transaction(async (tx) => {
        await rules.replica.fresh(tx);
        expect(rules.current.interference_range_m.WiFi).toBe(range);
        if (stored > 0 && told.length > 0) expect(told.at(-1)).toBe(range);
        if (random.below(2) === 0) return;
        range = 1 + random.below(900);
        expect(await rules.store(tx, rulesOf(range))).toBe(++stored);
      });
    }
    expect(stored).toBeGreaterThan(0);
  });

  test('rules that were stored before a technology was known keep what they say of the others', async () => {
    const { database, rules } = nodes[0]!;
    const ranges = { '5G': 700, WiFi: 50 };
    const stored = { ...defaultConflictRules, interference_range_m: ranges } as unknown as typeof defaultConflictRules;
    await database.transaction((tx) => rules.store(tx, stored));
    await rules.replica.fresh();
    expect(rules.current.interference_range_m).toMatchObject({ ...ranges, LiFi: 8 });
  });

  test('in a transaction that has changed other tables they are read all the same, by one statement', async () => {
    const { database, rules } = nodes[0]!;
    await rules.replica.fresh();
    await database.transaction(async (tx) => {
      await raiseRevision(tx, { table: 'fleet_revision', column: 'revision' });
      const statements: string[] = [];
      const counted: typeof tx = {
        query(sql, params) {
          statements.push(sql);
          return tx.query(sql, params);
        },
      };
      await rules.replica.fresh(counted);
      expect(statements).toHaveLength(1);
    });
  });

  test('each change has a number of its own, two of one transaction too', async () => {
    const { database, rules } = nodes[0]!;
    const numbers = await database.transaction(async (tx) => {
      await rules.replica.fresh(tx);
      return [await rules.store(tx, rulesOf(1)), await rules.store(tx, rulesOf(2))];
    });
    expect(numbers).toEqual([1, 2]);
    await nodes[1]!.rules.replica.fresh();
    expect(nodes[1]!.rules.current).toEqual(rulesOf(2));
  });

  test('what a transaction has rolled back was never in force', async () => {
    const { database, rules } = nodes[0]!;
    const undone = database.transaction(async (tx) => {
      await rules.replica.fresh(tx);
      await rules.store(tx, rulesOf(1));
      await expect(rules.replica.fresh(tx)).rejects.toThrow('cannot read it into memory');
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    for (const node of nodes) {
      await node.rules.replica.fresh();
      expect(node.rules.current).toEqual(defaultConflictRules);
    }
  });
});
