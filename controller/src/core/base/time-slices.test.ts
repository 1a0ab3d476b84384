// Others have their turns: on a clock in the hands of the test.
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { toBody } from '../http/request/json-answer.ts';
import { CallerGone, forAll, giveWay, givingWay, inSlices, inTurn } from './time-slices.ts';

/** Which turn of the event loop this is. */
let turn = 0;
let counting: NodeJS.Immediate;
let nowMs = 0;
beforeAll(() => {
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const count = () => {
    turn++;
    counting = setImmediate(count);
  };
  count();
});
afterAll(() => {
  clearImmediate(counting);
  vi.restoreAllMocks();
});

/** Takes a tenth of a millisecond. */
function work(): void {
  nowMs += 0.1;
}

/** The most of these numbers that are the same. */
function most(turns: readonly number[]): number {
  return Math.max(
    ...Map.groupBy(turns, (each) => each)
      .values()
      .map((same) => same.length),
  );
}

test('of one caller one begins in each turn, and another’s begins beside it', async () => {
  const begun: { who: string; turn: number }[] = [];
  const ask = (who: string) => inTurn(who, async () => void begun.push({ who, turn }));
  const all = [...Array.from({ length: 20 }, () => ask('eve')), ask('ada')];
  expect(begun.map(({ who }) => who)).toEqual(['eve', 'ada']);
  await Promise.all(all);
  expect(begun.length).toBe(21);
  expect(most(begun.filter(({ who }) => who === 'eve').map(({ turn }) => turn))).toBe(1);
});

test('what gives way goes on one piece in a turn, callers in turn, and before anything of its caller begins', async () => {
  const order: string[] = [];
  const turns: number[] = [];
  const ask = (who: string, pieces: number) =>
    inTurn(who, async () => {
      for (let piece = 1; piece <= pieces; piece++) {
        await giveWay();
        turns.push(turn);
        order.push(`${who} ${piece}`);
      }
    });
  await Promise.all([ask('eve', 3), ask('eve', 1), ask('eve', 1), ask('ada', 2)]);
  expect(order.slice(0, 4)).toEqual(['eve 1', 'ada 1', 'eve 2', 'ada 2']);
  expect(order.slice(4)).toEqual(['eve 3', 'eve 1', 'eve 1']);
  expect(most(turns)).toBe(1);
});

test('what is of somebody who has left neither begins nor goes on; what others wait for too does', async () => {
  let [hasLeft, hasBegun] = [false, false];
  const readOn = async () => {
    for (;;) await giveWay();
  };
  const begin = async () => {
    hasBegun = true;
  };
  const isGone = () => hasLeft;
  const [running, waiting] = [inTurn('eve', readOn, isGone), inTurn('eve', begin, isGone)];
  for (let turn = 0; turn < 5; turn++) await giveWay();
  hasLeft = true;
  await expect(running).rejects.toThrow(CallerGone);
  await expect(waiting).rejects.toThrow(CallerGone);
  expect(hasBegun).toBe(false);
  await inTurn('eve', () => forAll(giveWay), isGone);
});

test('a long list is visited in many turns', async () => {
  const turns: number[] = [];
  await inSlices(Array.from({ length: 320 }), () => {
    work();
    turns.push(turn);
  });
  expect(most(turns)).toBeLessThanOrEqual(32);
});

test('the pieces of an answer are made in many turns, for the caller that asked', async () => {
  const turns: number[] = [];
  const made = (function* () {
    for (let piece = 0; piece < 100; piece++) {
      work();
      turns.push(turn);
      yield `${piece}\n`;
    }
  })();
  const stream = await inTurn('eve', async () => Readable.from(givingWay(made)));
  expect((await stream.toArray()).length).toBe(100);
  expect(most(turns)).toBeLessThan(30);
});

test.each([undefined, new Error('gone')])('pieces that nobody takes end what they are made of (%s)', async (why) => {
  let hasEnded = false;
  const made = (async function* () {
    yield 'never taken';
  })();
  const end = made.return.bind(made);
  made.return = (value) => {
    hasEnded = true;
    return end(value);
  };
  const stream = Readable.from(givingWay(made)).on('error', () => {});
  const closed = new Promise((resolve) => stream.once('close', resolve));
  stream.destroy(why);
  await closed;
  expect(hasEnded).toBe(true);
});

test('an answer with a long list becomes the same text, in many turns', async () => {
  const turns: number[] = [];
  class Item {
    toJSON() {
      work();
      turns.push(turn);
      return { at: turns.length, text: '"ü' };
    }
  }
  const items = Array.from({ length: 320 }, () => new Item());
  const text = Buffer.from((await toBody({ items, next: null, none: undefined })) as Uint8Array).toString();
  expect(most(turns)).toBeLessThanOrEqual(32);
  expect(JSON.parse(text)).toMatchObject({ items: { length: 320, 319: { at: 320, text: '"ü' } }, next: null });
  for (const answer of [
    [1, undefined, { a: [] }],
    { list: Array.from({ length: 99 }, (_, n) => [n, undefined]), x: '' },
    5,
    null,
  ]) {
    expect(String(await toBody(answer))).toBe(JSON.stringify(answer));
  }
});
