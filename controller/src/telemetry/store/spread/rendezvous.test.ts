import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chooseServer } from './rendezvous.ts';

const servers = fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 8 });

test('the server of an agent is one of them, and does not depend on their order', () => {
  fc.assert(
    fc.property(
      servers.chain((ids) => fc.tuple(fc.constant(ids), fc.shuffledSubarray(ids, { minLength: ids.length }))),
      fc.string(),
      ([ids, shuffled], ap_id) => {
        expect(ids).toContain(chooseServer(ap_id, ids));
        expect(chooseServer(ap_id, shuffled)).toBe(chooseServer(ap_id, ids));
      },
    ),
  );
});

test('an agent moves to a server that is added, or stays; from one that is left out its own agents move and no others', () => {
  fc.assert(
    fc.property(servers, fc.string(), fc.string(), (ids, added, ap_id) => {
      fc.pre(!ids.includes(added));
      const before = chooseServer(ap_id, ids);
      expect([before, added]).toContain(chooseServer(ap_id, [...ids, added]));
      const rest = ids.filter((id) => id !== ids[0]);
      if (rest.length > 0 && before !== ids[0]) expect(chooseServer(ap_id, rest)).toBe(before);
    }),
  );
});

test('each of four servers has about a quarter of four thousand agents, and a fifth one takes about a fifth of them', () => {
  const agents = Array.from({ length: 4_000 }, (_, n) => `ap-${n}`);
  const ids = ['a', 'b', 'c', 'd'];
  for (const id of ids) {
    const share = agents.filter((ap_id) => chooseServer(ap_id, ids) === id).length;
    expect(share).toBeGreaterThan(900);
    expect(share).toBeLessThan(1_100);
  }
  const moved = agents.filter((ap_id) => chooseServer(ap_id, [...ids, 'e']) === 'e').length;
  expect(moved).toBeGreaterThan(700);
  expect(moved).toBeLessThan(900);
});
