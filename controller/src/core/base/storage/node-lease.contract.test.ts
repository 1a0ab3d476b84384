// Of several nodes one has the lease; a dead one is replaced after its time and cannot write any more.
import { afterEach, expect, test } from 'vitest';
import { eachDatabase } from '../../../../../test/databases.ts';
import { NodeLease, NodeLeaseLost } from './node-lease.ts';
import type { SqlDatabase } from './sql-database.ts';

eachDatabase((kind) => {
  const removals: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const remove of removals.splice(0)) await remove();
  });

  async function openNodes(count: number): Promise<SqlDatabase[]> {
    const namespace = await kind.createNamespace();
    removals.push(() => namespace.remove());
    const nodes = Array.from({ length: count }, () => namespace.open());
    await nodes[0]!.migrate();
    return nodes;
  }

  function leaseOn(database: SqlDatabase, clock: { ms: number }, heard: string[] = []): NodeLease {
    const onError = (error: unknown) => {
      throw error;
    };
    const lease = new NodeLease({ database, name: 'watch', ttlMs: 8_000, onError, steadyNow: () => clock.ms });
    lease.taken.on(() => heard.push('taken'));
    lease.lost.on(() => heard.push('lost'));
    return lease;
  }

  test('whoever comes first has it, and what the holder writes is refused once another has it', async () => {
    const [one] = await openNodes(1);
    const heard: string[] = [];
    const lease = leaseOn(one!, { ms: 0 }, heard);
    lease.start();
    await lease.once();
    expect(lease.isHeld).toBe(true);
    await one!.transaction((tx) => lease.require(tx));
    await one!.query(`UPDATE node_leases SET holder = 'another', beat = beat + 1`);
    await expect(one!.transaction((tx) => lease.require(tx))).rejects.toThrow(NodeLeaseLost);
    expect(lease.isHeld).toBe(false);
    expect(heard).toEqual(['taken', 'lost']);
    await lease.stop();
  });

  test.skipIf(kind.dialect === 'sqlite')('a lease that is not renewed is taken after its time, by one', async () => {
    const nodes = await openNodes(3);
    const clock = { ms: 0 };
    const [first, second, third] = nodes.map((database) => leaseOn(database, clock)) as [
      NodeLease,
      NodeLease,
      NodeLease,
    ];
    // Without their timers: the test is the clock.
    await first.once();
    for (const lease of [first, second, third]) lease.start();
    await Promise.all([first.once(), second.once(), third.once()]);
    expect([first, second, third].filter(({ isHeld }) => isHeld)).toHaveLength(1);
    const holder = [first, second, third].find(({ isHeld }) => isHeld)!;
    const others = [first, second, third].filter((lease) => lease !== holder);
    clock.ms = 7_999;
    await holder.once();
    clock.ms = 12_000;
    await Promise.all(others.map((lease) => lease.once()));
    expect(others.some(({ isHeld }) => isHeld)).toBe(false);
    // The holder hangs from now on.
    clock.ms = 20_000;
    await Promise.all(others.map((lease) => lease.once()));
    expect(others.filter(({ isHeld }) => isHeld)).toHaveLength(1);
    await expect(nodes[0]!.transaction((tx) => holder.require(tx))).rejects.toThrow(NodeLeaseLost);
    await Promise.all([first, second, third].map((lease) => lease.stop()));
  });

  test('one that is given back is free at once', async () => {
    const [one, two] = await openNodes(2);
    const clock = { ms: 0 };
    const first = leaseOn(one!, clock);
    const second = leaseOn(two!, clock);
    first.start();
    await first.once();
    expect(first.isHeld).toBe(true);
    await first.stop();
    second.start();
    await second.once();
    expect(second.isHeld).toBe(true);
    await second.stop();
  });
});
