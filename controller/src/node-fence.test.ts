import { beforeEach, expect, test } from 'vitest';
import { NodeFence } from './node-fence.ts';

let nowMs = 0;
let reached = { database: true, broker: true };
let fence: NodeFence;
let others: NodeFence;
const told: string[] = [];
const changes: string[] = [];

function createFence(broadcast: (news: string) => void): NodeFence {
  const reach = (what: keyof typeof reached) => async () => {
    if (!reached[what]) throw new Error('out of reach');
  };
  return new NodeFence({
    reachDatabase: reach('database'),
    reachBroker: reach('broker'),
    broadcast,
    onChange: (message) => changes.push(message),
    now: () => nowMs,
  });
}

beforeEach(() => {
  nowMs = 0;
  reached = { database: true, broker: true };
  told.length = changes.length = 0;
  fence = createFence((news) => told.push(news));
  others = createFence((news) => fence.heard(news));
});

/** A look every two seconds; `areOthersWell` looks at the database on another node first. */
async function pass(seconds: number, areOthersWell: boolean): Promise<boolean> {
  for (let past = 0; past < seconds; past += 2) {
    nowMs += 2_000;
    const mine = reached;
    reached = { database: true, broker: true };
    if (areOthersWell) await others.look();
    reached = mine;
    await fence.look();
  }
  return fence.isCutOff;
}

test('a node that alone does not reach the database is cut off after a while, and is back with the first success', async () => {
  expect(await pass(20, true)).toBe(false);
  reached.database = false;
  expect(await pass(8, true)).toBe(false);
  expect(await pass(4, true)).toBe(true);
  reached.database = true;
  expect(await pass(2, true)).toBe(false);
  expect(changes).toHaveLength(2);
});

test('while nobody reaches the database, nobody is cut off', async () => {
  reached.database = false;
  expect(await pass(60, false)).toBe(false);
});

test('nor if another node was the last to reach it', async () => {
  reached.database = false;
  // The others' last look that succeeds comes nearly three looks after this node's.
  expect(await pass(4, true)).toBe(false);
  expect(await pass(60, false)).toBe(false);
});

test('a node that hears nothing of database, broker and others is alone after half a minute', async () => {
  reached = { database: false, broker: false };
  expect(await pass(28, false)).toBe(false);
  expect(await pass(2, false)).toBe(true);
  reached.broker = true;
  expect(await pass(2, false)).toBe(false);
});

test('while only the broker is away, nobody is cut off', async () => {
  reached.broker = false;
  expect(await pass(60, false)).toBe(false);
});

test('only a node that reaches the database tells the others', async () => {
  await pass(4, false);
  expect(told).toHaveLength(2);
  reached.database = false;
  await pass(4, false);
  expect(told).toHaveLength(2);
  fence.heard('{"kind":"channel_opened"}');
  expect(await pass(20, false)).toBe(false);
});
