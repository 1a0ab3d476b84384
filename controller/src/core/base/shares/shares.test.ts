import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Caller } from '../caller.ts';
import { Shares } from './shares.ts';

const limit = { max: 3, windowMs: 60_000 };
const tooMany = { status: 429, code: 'too_many' };

/** Two nodes that hear of each other. */
function twoNodes() {
  const nodes = [new Shares(), new Shares()] as const;
  nodes[0].connect((news) => nodes[1].heard(news));
  nodes[1].connect((news) => nodes[0].heard(news));
  return nodes;
}

test('a limit holds for all nodes together', () => {
  const [a, b] = twoNodes().map((shares) => shares.limiter('too_many', limit));
  a!.take('x');
  b!.take('x');
  a!.take('x');
  expect(() => b!.take('x')).toThrow(expect.objectContaining(tooMany));
  expect(() => a!.take('x')).toThrow(expect.objectContaining(tooMany));
  b!.take('y');
  a!.forget('x');
  b!.take('x');
});

test('limits of one name do not mix, and those for one node stay there', () => {
  const nodes = twoNodes();
  const [a, b] = nodes.map((shares) => ({
    first: shares.limiter('too_many', limit),
    second: shares.limiter('too_many', { ...limit, max: 1 }),
    own: shares.limiter('own', { ...limit, max: 1 }, 'this node'),
  }));
  a!.first.count('x');
  a!.own.count('x');
  expect([b!.first.isReached('x'), b!.second.isReached('x'), b!.own.isReached('x')]).toEqual([false, false, false]);
  a!.second.count('x');
  expect(b!.second.isReached('x')).toBe(true);
});

test('news that make no sense are ignored', () => {
  const shares = new Shares();
  const limiter = shares.limiter('too_many', { ...limit, max: 1 });
  for (const text of ['', 'null', '{"kind":"limit"', '{"kind":"limit","id":"too_many 0","key":7,"change":"counted"}']) {
    shares.heard(text);
  }
  shares.heard('{"kind":"limit","id":"too_many 0","key":"x","change":"else"}');
  shares.heard('{"kind":"limit","id":"none","key":"x","change":"counted"}');
  expect(limiter.isReached('x')).toBe(false);
  shares.heard('{"kind":"limit","id":"too_many 0","key":"x","change":"counted"}');
  expect(limiter.isReached('x')).toBe(true);
});

const userCaller = (name: string, isAdmin = false): Caller => ({ kind: 'user', id: name, name, roles: [], isAdmin });

test('of what is open at once nobody has more than a share, and an administrator finds room beside others', () => {
  const [root, ...others] = [userCaller('root', true), ...Array.from({ length: 20 }, (_, at) => userCaller(`${at}`))];
  fc.assert(
    fc.property(
      fc.integer({ min: 5, max: 120 }),
      fc.array(fc.tuple(fc.constantFrom(root!, ...others), fc.boolean()), { maxLength: 400 }),
      (total, steps) => {
        const open = new Shares().openOf('things', { code: 'too_many_things', what: 'things', total, laterSeconds: 1 });
        const held: { by: Caller; release: () => void }[] = [];
        const of = (by: Caller) => held.filter((each) => each.by === by).length;
        const share = Math.max(5, Math.floor(total / 10));
        const most = Math.floor((total * 4) / 5);
        for (const [by, gives] of steps) {
          const at = held.findIndex((each) => each.by === by);
          if (gives && at >= 0) {
            const [one] = held.splice(at, 1);
            one!.release();
            one!.release();
            continue;
          }
          const ofOthers = held.length - of(root!);
          const hasRoom = held.length < total && (by === root || (of(by) < share && ofOthers < most));
          if (hasRoom) held.push({ by, release: open(by) });
          else expect(() => open(by)).toThrow(expect.objectContaining({ status: 429, code: 'too_many_things' }));
        }
      },
    ),
  );
});
