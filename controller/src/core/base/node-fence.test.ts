import { beforeEach, expect, test } from 'vitest';
import { NodeFence } from './node-fence.ts';

const epochMs = 1_800_000_000_000;

/** A node with a clock and ways to database and broker of its own. */
class Node {
  hasDatabase = true;
  hasBroker = true;
  clockOffMs = 0;
  readonly changes: string[] = [];
  readonly fence = new NodeFence({
    reachDatabase: async () => {
      if (!this.hasDatabase) throw new Error('out of reach');
      return epochMs + nowMs;
    },
    reachBroker: async () => {
      if (!this.hasBroker) throw new Error('out of reach');
    },
    broadcast: (news) => {
      told.push(news);
      for (const node of nodes) if (node !== this) node.fence.heard(news);
    },
    onChange: (message) => this.changes.push(message),
    now: () => nowMs,
    wallClock: () => epochMs + nowMs + this.clockOffMs,
  });
}

let nowMs = 0;
let nodes: Node[];
let told: string[];

beforeEach(() => {
  nowMs = 0;
  told = [];
  nodes = Array.from({ length: 3 }, () => new Node());
});

/** A look of each node every two seconds; why each of them is out of service then. */
async function pass(seconds: number): Promise<(string | undefined)[]> {
  for (let past = 0; past < seconds; past += 2) {
    nowMs += 2_000;
    for (const { fence } of nodes) await fence.look();
  }
  return nodes.map(({ fence }) => fence.reason);
}

const well = [undefined, undefined, undefined];

test('a node that alone does not reach the database is cut off after a while, and is back with the first success', async () => {
  expect(await pass(20)).toEqual(well);
  nodes[0]!.hasDatabase = false;
  expect(await pass(8)).toEqual(well);
  expect(await pass(4)).toEqual(['cut_off', undefined, undefined]);
  nodes[0]!.hasDatabase = true;
  expect(await pass(2)).toEqual(well);
  expect(nodes.map(({ changes }) => changes.length)).toEqual([2, 0, 0]);
});

test('while nobody reaches the database, nobody is cut off, whoever was the last to reach it', async () => {
  for (const last of [0, 1, 2]) {
    await pass(20);
    for (const node of nodes) node.hasDatabase = node === nodes[last];
    // Two looks after the others, which is less than it takes to be sure.
    await pass(4);
    nodes[last]!.hasDatabase = false;
    for (let look = 0; look < 40; look++) expect(await pass(2)).toEqual(well);
    for (const node of nodes) node.hasDatabase = true;
  }
});

test('a node that hears nothing of database, broker and others is alone after half a minute', async () => {
  nodes = [nodes[0]!];
  const [alone] = nodes as [Node];
  alone.hasDatabase = alone.hasBroker = false;
  expect(await pass(28)).toEqual([undefined]);
  expect(await pass(2)).toEqual(['cut_off']);
  alone.hasBroker = true;
  expect(await pass(2)).toEqual([undefined]);
});

test('while only the broker is away, nobody is cut off', async () => {
  for (const node of nodes) node.hasBroker = false;
  expect(await pass(60)).toEqual(well);
});

test('only a node that reaches the database tells the others', async () => {
  nodes = [nodes[0]!];
  await pass(4);
  expect(told).toHaveLength(2);
  nodes[0]!.hasDatabase = false;
  await pass(4);
  expect(told).toHaveLength(2);
});

test.each([-3_600_000, 11_000, 3_600_000])('a clock that is off by %i ms alone is wrong', async (offMs) => {
  nodes[1]!.clockOffMs = offMs;
  expect(await pass(4)).toEqual([undefined, 'clock_wrong', undefined]);
  expect(nodes[1]!.fence.databaseNow).toBe(epochMs + nowMs);
  nodes[1]!.clockOffMs = 0;
  expect(await pass(2)).toEqual(well);
});

test('between two looks a clock that jumps does not change what time it is by the database', async () => {
  const [{ fence } = nodes[0]!] = nodes;
  nodes[0]!.clockOffMs = 5;
  expect(fence.databaseNow).toBe(epochMs + 5);
  await pass(2);
  for (const offMs of [-3_600_000, 3_600_000]) {
    nodes[0]!.clockOffMs = offMs;
    nowMs += 700;
    expect(fence.databaseNow).toBe(epochMs + nowMs);
  }
});

test('until the database has answered once in time, an answer that took long is better than a wrong clock', async () => {
  const fence = new NodeFence({
    reachDatabase: async () => {
      nowMs += 1_200;
      return epochMs + nowMs;
    },
    reachBroker: async () => {},
    broadcast: () => {},
    onChange: () => {},
    now: () => nowMs,
    wallClock: () => epochMs + nowMs + 3_600_000,
  });
  await fence.look();
  expect(Math.abs(fence.databaseNow - (epochMs + nowMs))).toBeLessThanOrEqual(600);
});

test('an answer of the database that took long does not change what time it is, unless it cannot be explained by that', async () => {
  let ahead = 0;
  let waitMs = 0;
  const fence = new NodeFence({
    // All of the delay is on one way: its time is as wrong as it can be.
    reachDatabase: async () => {
      const time = epochMs + nowMs + ahead;
      nowMs += waitMs;
      return time;
    },
    reachBroker: async () => {},
    broadcast: () => {},
    onChange: () => {},
    now: () => nowMs,
    wallClock: () => epochMs + nowMs,
  });
  await fence.look();
  for (waitMs of [900, 10, 400, 0]) {
    await fence.look();
    expect(fence.databaseNow).toBe(epochMs + nowMs);
  }
  [ahead, waitMs] = [5_000, 900];
  await fence.look();
  expect(fence.databaseNow - (epochMs + nowMs + ahead)).toBe(-450);
  waitMs = 0;
  await fence.look();
  expect(fence.databaseNow).toBe(epochMs + nowMs + ahead);
});

test('of two nodes the one that agrees with the database is right', async () => {
  nodes = nodes.slice(0, 2);
  nodes[0]!.clockOffMs = 60_000;
  expect(await pass(4)).toEqual(['clock_wrong', undefined]);
});

test('a difference of seconds is told, and changes nothing', async () => {
  nodes[0]!.clockOffMs = -3_000;
  expect(await pass(20)).toEqual(well);
  expect(nodes[0]!.changes).toEqual([expect.stringContaining('by -3 s')]);
});

test('if most nodes differ from the database, all go on; so does a node without others', async () => {
  for (const node of nodes) node.clockOffMs = 3_600_000;
  expect(await pass(20)).toEqual(well);
  nodes = [nodes[0]!];
  expect(await pass(20)).toEqual([undefined]);
});

test('nodes of the version before say nothing of their clocks', async () => {
  nodes = [nodes[0]!];
  nodes[0]!.clockOffMs = 60_000;
  for (let look = 0; look < 10; look++) {
    nodes[0]!.fence.heard('{"kind":"database_reached"}');
    nodes[0]!.fence.heard('{"kind":"channel_opened"}');
    expect(await pass(2)).toEqual([undefined]);
  }
  nodes[0]!.hasDatabase = false;
  for (let look = 0; look < 6; look++) {
    nodes[0]!.fence.heard('{"kind":"database_reached"}');
    await pass(2);
  }
  expect(nodes[0]!.fence.reason).toBe('cut_off');
});
