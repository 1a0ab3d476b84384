// What must hold for every order of asking and giving back: bounds are kept, nothing is lost, and whoever asks for
// little never waits behind all of another's.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { untilSo } from '../../../../../test/pure/until-so.ts';
import { rounds } from '../../../../../test/rounds.ts';
import { CallerGone, inTurn } from '../time-slices.ts';
import { FairTurns } from './fair-turns.ts';

const principals = ['ada', 'bob', 'eve'];
const step = fc.oneof(
  fc.record({ kind: fc.constant('ask' as const), who: fc.constantFrom(...principals) }),
  fc.record({ kind: fc.constant('release' as const), which: fc.nat() }),
  fc.record({ kind: fc.constant('give up' as const), which: fc.nat() }),
);

test('bounds are kept, and every request gets a slot in the end or gives up', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 5 }),
      fc.array(step, { maxLength: 80 }),
      async (slots, perPrincipal, steps) => {
        const turns = new FairTurns('test', { slots, perPrincipal });
        const held: { who: string; release: () => void }[] = [];
        const waiting = new Map<AbortController, Promise<void>>();
        let served = 0;
        let gaveUp = 0;
        const ask = (who: string) => {
          const control = new AbortController();
          const asked = turns.acquire(who, { signal: control.signal }).then(
            (release) => {
              served++;
              waiting.delete(control);
              held.push({ who, release });
            },
            () => {
              gaveUp++;
              waiting.delete(control);
            },
          );
          waiting.set(control, asked);
        };
        for (const each of steps) {
          if (each.kind === 'ask') ask(each.who);
          else if (each.kind === 'release' && held.length > 0) {
            const [one] = held.splice(each.which % held.length, 1);
            one!.release();
            one!.release();
          } else if (each.kind === 'give up' && waiting.size > 0) {
            [...waiting.keys()][each.which % waiting.size]!.abort();
          }
          await new Promise(setImmediate);
          expect(turns.held).toBe(held.length);
          expect(turns.waiting).toBe(waiting.size);
          expect(held.length).toBeLessThanOrEqual(slots);
          for (const who of principals) {
            expect(held.filter((one) => one.who === who).length).toBeLessThanOrEqual(perPrincipal);
          }
        }
        while (held.length > 0) {
          held.pop()!.release();
          await new Promise(setImmediate);
        }
        expect(served + gaveUp).toBe(steps.filter(({ kind }) => kind === 'ask').length);
      },
    ),
    { numRuns: rounds(100) },
  );
});

test('one request of another is served next, however many of one caller wait', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 200 }), async (slots, flood) => {
      const turns = new FairTurns('test', { slots });
      const order: string[] = [];
      const held: (() => void)[] = [];
      const ask = (who: string) =>
        void turns.acquire(who).then((release) => {
          order.push(who);
          held.push(release);
        });
      for (let n = 0; n < slots + flood; n++) ask('eve');
      await new Promise(setImmediate);
      ask('ada');
      held.shift()!();
      await new Promise(setImmediate);
      expect(order.at(-1)).toBe('ada');
    }),
    { numRuns: rounds(50) },
  );
});

test('two callers with work without end get equal numbers of turns', async () => {
  const turns = new FairTurns('test', { slots: 1 });
  const count = { ada: 0, eve: 0 };
  const release = await turns.acquire('eve');
  const work = (['eve', 'ada'] as const).flatMap((who) =>
    Array.from({ length: 50 }, () =>
      turns.run(who, async () => {
        count[who]++;
        if (count.ada + count.eve === 50) expect(Math.abs(count.ada - count.eve)).toBeLessThanOrEqual(1);
      }),
    ),
  );
  release();
  await Promise.all(work);
  expect(count).toEqual({ ada: 50, eve: 50 });
});

test('who asks anew each time does not get ahead of who waits', async () => {
  const turns = new FairTurns('test', { slots: 1 });
  const order: string[] = [];
  let release = await turns.acquire('eve');
  const ada = turns.acquire('ada').then((end) => {
    order.push('ada');
    end();
  });
  for (let n = 0; n < 5; n++) {
    const next = turns.acquire('eve');
    release();
    release = await next;
    order.push('eve');
  }
  release();
  await ada;
  expect(order.indexOf('ada')).toBeLessThanOrEqual(1);
});

test('more of one caller than may wait is refused with 429; another may still wait', async () => {
  const turns = new FairTurns('test', { slots: 1, maxWaiting: 2 });
  const release = await turns.acquire('eve');
  const waiting = [turns.acquire('eve'), turns.acquire('eve')];
  await expect(turns.acquire('eve')).rejects.toMatchObject({ status: 429, code: 'share_used_up' });
  expect(turns.refused).toBe(1);
  const ada = turns.acquire('ada');
  release();
  (await ada)();
  for (const one of waiting) (await one)();
  expect(turns.held).toBe(0);
});

test('whoever has left waits no longer, gets no slot, and takes no place of what its caller asks for next', async () => {
  const turns = new FairTurns('test', { slots: 1, maxWaiting: 2 });
  let hasLeft = false;
  const ask = () =>
    inTurn(
      'eve',
      () => turns.acquire('eve'),
      () => hasLeft,
    );
  const release = await turns.acquire('eve');
  const left = [ask(), ask()].map((each) => expect(each).rejects.toThrow(CallerGone));
  await untilSo(() => expect(turns.waiting === 2).toBe(true));
  hasLeft = true;
  const next = turns.acquire('eve');
  await Promise.all(left);
  expect(turns.waiting).toBe(1);
  release();
  (await next)();
  const another = await turns.acquire('eve');
  hasLeft = false;
  const late = expect(ask()).rejects.toThrow(CallerGone);
  await untilSo(() => expect(turns.waiting === 1).toBe(true));
  hasLeft = true;
  another();
  await late;
  expect(turns.held).toBe(0);
});

test('what is ahead is served before the rest of its principal, takes the place of the newest when no more may wait, and nothing of another', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 6 }),
      fc.array(fc.boolean(), { maxLength: 30 }),
      async (maxWaiting, requests) => {
        const turns = new FairTurns('test', { slots: 1, maxWaiting });
        const release = await turns.acquire('eve');
        const served: { isAhead: boolean; n: number }[] = [];
        const refused: { isAhead: boolean; n: number }[] = [];
        const bob = turns.run('bob', async () => {});
        const asked = requests.map((isAhead, n) =>
          turns
            .run('eve', async () => void served.push({ isAhead, n }), { isAhead })
            .catch(() => void refused.push({ isAhead, n })),
        );
        await new Promise(setImmediate);
        expect(turns.waiting).toBe(1 + Math.min(maxWaiting, requests.length));
        release();
        await Promise.all([bob, ...asked]);
        expect(served.length + refused.length).toBe(requests.length);
        const ahead = requests.filter(Boolean).length;
        expect(served.filter(({ isAhead }) => isAhead).length).toBe(Math.min(maxWaiting, ahead));
        expect(served).toEqual(served.toSorted((a, b) => Number(b.isAhead) - Number(a.isAhead) || a.n - b.n));
        expect([turns.held, turns.waiting]).toEqual([0, 0]);
      },
    ),
  );
});
