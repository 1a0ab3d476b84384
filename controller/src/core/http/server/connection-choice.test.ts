import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Candidate, chooseConnectionToClose } from './connection-table.ts';

const addresses = ['a', 'b', 'c', 'd', 'e'];
const groupsOf = fc
  .dictionary(fc.constantFrom(...addresses), fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }))
  .map(
    (idle) =>
      new Map(Object.entries(idle).map(([address, list]) => [address, new Set(list.map((isIdle) => ({ isIdle })))])),
  );
const newcomer = fc.constantFrom(...addresses);

function addressOf(groups: Map<string, Set<Candidate>>, connection: Candidate | undefined): string | undefined {
  return [...groups].find(([, group]) => connection !== undefined && group.has(connection))?.[0];
}

it('nobody loses a connection to an address that then has more, unless it is its own idle one', () => {
  fc.assert(
    fc.property(groupsOf, newcomer, (groups, address) => {
      const chosen = chooseConnectionToClose(groups, address);
      const loser = addressOf(groups, chosen);
      if (chosen === undefined || loser === undefined) return;
      if (loser === address) expect(chosen.isIdle).toBe(true);
      else expect(groups.get(loser)!.size - 1).toBeGreaterThanOrEqual((groups.get(address)?.size ?? 0) + 1);
    }),
  );
});

it('idle ones go first, and of all greedier addresses with idle ones the greediest loses its oldest', () => {
  fc.assert(
    fc.property(groupsOf, newcomer, (groups, address) => {
      const chosen = chooseConnectionToClose(groups, address);
      const share = (groups.get(address)?.size ?? 0) + 1;
      const withIdle = [...groups].filter(
        ([name, group]) => name !== address && group.size > share && [...group].some(({ isIdle }) => isIdle),
      );
      if (withIdle.length === 0) return;
      expect(chosen!.isIdle).toBe(true);
      const loser = groups.get(addressOf(groups, chosen)!)!;
      expect(loser.size).toBe(Math.max(...withIdle.map(([, group]) => group.size)));
      expect([...loser].find(({ isIdle }) => isIdle)).toBe(chosen);
    }),
  );
});

it('who has none gets in as long as somebody has two', () => {
  fc.assert(
    fc.property(groupsOf, newcomer, (groups, address) => {
      groups.delete(address);
      const isSomebodyGreedy = [...groups.values()].some((group) => group.size > 1);
      expect(chooseConnectionToClose(groups, address) !== undefined).toBe(isSomebodyGreedy);
    }),
  );
});

it('however many one address opens, all others end up with what they asked for or an equal share', () => {
  const opens = fc.array(fc.constantFrom('greedy', 'greedy', 'greedy', 'a', 'b', 'c'), { maxLength: 200 });
  fc.assert(
    fc.property(opens, (order) => {
      const max = 12;
      const groups = new Map<string, Set<Candidate>>();
      const asked = new Map<string, number>();
      let count = 0;
      for (const address of order) {
        asked.set(address, (asked.get(address) ?? 0) + 1);
        if (count >= max) {
          const chosen = chooseConnectionToClose(groups, address);
          const loser = addressOf(groups, chosen);
          if (chosen === undefined || loser === undefined) continue;
          groups.get(loser)!.delete(chosen);
          if (groups.get(loser)!.size === 0) groups.delete(loser);
          count--;
        }
        if (!groups.has(address)) groups.set(address, new Set());
        groups.get(address)!.add({ isIdle: true });
        count++;
      }
      const fair = Math.floor(max / 4);
      for (const [address, wanted] of asked) {
        expect(groups.get(address)?.size ?? 0).toBeGreaterThanOrEqual(Math.min(wanted, fair));
      }
    }),
  );
});
