import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rounds } from '../../../test/rounds.ts';
import { type Component, createShares, findComponents, playTurns, shareExactly } from './csma-network.ts';

type Graph = readonly (readonly [number, number])[];

function componentOf(count: number, graph: Graph): Component {
  const neighbours = Array.from({ length: count }, (_, ap) =>
    Int32Array.from(graph.flatMap(([a, b]) => (a === ap ? [b] : b === ap ? [a] : []))),
  );
  return findComponents(count, (ap) => neighbours[ap]!)[0]!;
}

/** Shares in the order of the access points. */
function exact(count: number, graph: Graph, wants: readonly number[], activity = 30) {
  const component = componentOf(count, graph);
  const shares = createShares(count);
  const wanted = Float64Array.from(component.members, (ap) => wants[ap]!);
  shareExactly(component, wanted, new Float64Array(count).fill(activity), shares);
  const at = (values: Float64Array) => wants.map((_, ap) => values[component.members.indexOf(ap)]!);
  return { sends: at(shares.sends), free: at(shares.free) };
}

const chain = (count: number): Graph => Array.from({ length: count - 1 }, (_, n) => [n, n + 1] as const);
const graphs = fc.integer({ min: 3, max: 9 }).chain((count) =>
  fc.record({
    count: fc.constant(count),
    // A chain and some more, so that it is connected.
    more: fc.array(
      fc.tuple(fc.nat(count - 1), fc.nat(count - 1)).filter(([a, b]) => a + 1 < b),
      { maxLength: 8 },
    ),
    wants: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: count, maxLength: count }),
  }),
);
const graphOf = ({ count, more }: { count: number; more: [number, number][] }): Graph => [
  ...new Map([...chain(count), ...more].map((pair) => [pair.join(), pair] as const)).values(),
];

describe('the ideal CSMA network', () => {
  test('by hand: a chain of three, all saturated', () => {
    // The sets: nobody, A, B, C, A and C.
    const total = 1 + 3 * 30 + 900;
    const { sends, free } = exact(3, chain(3), [1, 1, 1]);
    expect(sends[0]).toBeCloseTo(930 / total, 9);
    expect(sends[1]).toBeCloseTo(30 / total, 9);
    expect(free[1]).toBeCloseTo(1 / total, 9);
  });

  test('who wants less than it could have gets it, and the middle has what is left', () => {
    const { sends } = exact(3, chain(3), [0.2, 1, 0.2]);
    expect(sends[0]).toBeCloseTo(0.2, 3);
    // Both at their own times: free of both for 0.8² of the time, more or less.
    expect(sends[1]).toBeGreaterThan(0.55);
    expect(sends[1]).toBeLessThan(0.8);
  });

  test('nobody sends more than it wants; those that hear each other not more than all of the time; nobody idles', () => {
    fc.assert(
      fc.property(graphs, (sketch) => {
        const graph = graphOf(sketch);
        fc.pre(!componentOf(sketch.count, graph).isClique);
        const { sends, free } = exact(sketch.count, graph, sketch.wants);
        for (let ap = 0; ap < sketch.count; ap++) {
          expect(sends[ap]).toBeLessThanOrEqual(sketch.wants[ap]! * 1.01 + 1e-9);
          expect(sends[ap]! + free[ap]!).toBeLessThanOrEqual(1 + 1e-9);
          // Who does not get what it wants finds the air free hardly ever: it would take it.
          if (sends[ap]! + 1e-9 < 0.98 * sketch.wants[ap]!) expect(free[ap]).toBeLessThan(1 / 25);
        }
        for (const [a, b] of graph) expect(sends[a]! + sends[b]!).toBeLessThanOrEqual(1 + 1e-9);
      }),
      { numRuns: rounds(60) },
    );
  });

  test('more of one end of a chain of four is more for the one behind its neighbour: physics, not a mistake', () => {
    const [little, much] = [0.1, 1].map((want) => exact(4, chain(4), [want, 1, 1, 0.5]).sends);
    expect(much![1]).toBeLessThan(little![1]!);
    expect(much![2]).toBeGreaterThan(little![2]!);
  });
});

test('turns that are played by chance come near, as the comment says', () => {
  let [off, counted] = [0, 0];
  fc.assert(
    fc.property(graphs, (sketch) => {
      const component = componentOf(sketch.count, graphOf(sketch));
      const { count } = sketch;
      if (component.isClique) return;
      const wants = Float64Array.from(component.members, (ap) => sketch.wants[ap]!);
      const [added, played] = [createShares(count), createShares(count)];
      shareExactly(component, wants, new Float64Array(count).fill(30), added);
      const holds = new Uint8Array(count);
      const means = new Float64Array(count);
      for (let step = 0; step < 30; step++) {
        playTurns(component, wants, played, holds, 7, step);
        for (let n = 0; n < count; n++) means[n]! += played.sends[n]! / 30;
      }
      for (let n = 0; n < count; n++) {
        off += Math.abs(means[n]! - added.sends[n]!);
        counted++;
        for (const other of component.neighbours[n]!)
          expect(played.sends[n]! + played.sends[other]!).toBeLessThan(1.001);
      }
    }),
    { numRuns: 60 },
  );
  expect(off / counted).toBeLessThan(0.03);
});

test('components: cliques, what is too large to add up, and nobody alone', () => {
  const all = [0, 1, 2].flatMap((a) => [0, 1, 2].filter((b) => b > a).map((b) => [a, b] as const));
  expect(componentOf(4, all)).toMatchObject({ isClique: true });
  expect(componentOf(15, chain(15)).sets!.bits).toHaveLength(1597);
  expect(componentOf(16, chain(16)).sets).toBeUndefined();
  expect(
    componentOf(
      15,
      Array.from({ length: 14 }, (_, n) => [0, n + 1] as const),
    ).sets,
  ).toBeUndefined();
});
