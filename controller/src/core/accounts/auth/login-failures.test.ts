// What must hold for every sequence of logins, right and wrong, to any accounts from any addresses.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rounds } from '../../../../../test/rounds.ts';
import { AuthenticationError, TryLaterError } from '../../base/errors.ts';
import { Shares } from '../../base/shares/shares.ts';
import { LoginFailures } from './login-failures.ts';

const limits = { loginFailuresPerAccount: 3, loginFailuresPerAddress: 5 };
const addresses = ['192.0.2.1', '192.0.2.2'];
const names = ['ada', 'bob', 'eve', 'nobody', 'no one'];

interface Attempt {
  address: string;
  username: string;
  isRight: boolean;
  hasToken?: boolean;
}

const attempts = fc.array(
  fc.record({
    address: fc.constantFrom(...addresses),
    username: fc.constantFrom(...names),
    isRight: fc.boolean(),
  }),
  { maxLength: 60 },
);

/** Takes `address` beyond its limit. */
async function crowd(login: ReturnType<typeof createLogin>, address: string): Promise<void> {
  for (const username of ['a', 'b', 'c', 'd', 'e']) await login({ address, username, isRight: false });
}

/** `in`, `wrong` or `later`, as the caller sees it; `existing` are the accounts that there are. */
function createLogin(existing: ReadonlySet<string>, onCheck: (attempt: Attempt) => Promise<void> = async () => {}) {
  const failures = new LoginFailures(new Shares(), limits, 0);
  return async ({ address, username, isRight, hasToken = false }: Attempt): Promise<'in' | 'wrong' | 'later'> => {
    try {
      return await failures.count({ kind: 'user', username, address, hasToken }, async () => {
        await new Promise(setImmediate);
        await onCheck({ address, username, isRight });
        if (!isRight || !existing.has(username)) throw new AuthenticationError();
        return 'in' as const;
      });
    } catch (error) {
      if (error instanceof AuthenticationError) return 'wrong';
      if (error instanceof TryLaterError) return 'later';
      throw error;
    }
  };
}

test('whoever knows its password gets in, whatever others have tried, unless somebody at its own address tried its account', async () => {
  await fc.assert(
    fc.asyncProperty(attempts, fc.boolean(), async (tried, atOnce) => {
      const login = createLogin(new Set(['ada', 'bob', 'eve']));
      const others = tried.filter(({ address, username, isRight }) => {
        return isRight || address !== addresses[0] || username !== 'ada';
      });
      const running: Promise<unknown>[] = [];
      for (const each of others) {
        const outcome = login(each);
        if (atOnce) running.push(outcome);
        else await outcome;
      }
      expect(await login({ address: addresses[0]!, username: 'ada', isRight: true })).toBe('in');
      await Promise.all(running);
    }),
    { numRuns: rounds(200) },
  );
});

test('and where it has lately logged in, also if somebody there tried its account; guesses are told up to the limit, and checked one at a time', async () => {
  await fc.assert(
    fc.asyncProperty(attempts, fc.boolean(), async (tried, atOnce) => {
      let checking = 0;
      let most = 0;
      const login = createLogin(new Set(['ada', 'bob', 'eve']), async ({ username, address }) => {
        if (username !== 'ada' || address !== addresses[0]) return;
        most = Math.max(most, ++checking);
        await new Promise(setImmediate);
        checking -= 1;
      });
      const ada = { address: addresses[0]!, username: 'ada', isRight: true };
      expect(await login(ada)).toBe('in');
      const guesses = tried.map((each) => ({ ...each, isRight: each.isRight && each.username !== 'ada' }));
      const running: Promise<string>[] = [];
      for (const each of guesses) {
        const outcome = login(each).then((told) =>
          each.username === 'ada' && each.address === ada.address ? told : '',
        );
        running.push(outcome);
        if (!atOnce) await outcome;
      }
      expect(await login(ada)).toBe('in');
      const told = (await Promise.all(running)).filter((outcome) => outcome === 'wrong').length;
      // The right password in between begins a new count.
      expect(told).toBeLessThanOrEqual(limits.loginFailuresPerAccount * (atOnce ? 2 : 1));
      expect(most).toBe(1);
    }),
    { numRuns: rounds(200) },
  );
});

// Who is refused when. `own` are wrong passwords to the account, `others` to accounts that nobody has, all from the address.
test.each([
  { isKnown: false, own: 0, others: 0, right: 'in', wrong: 'wrong' },
  { isKnown: false, own: 2, others: 0, right: 'in', wrong: 'wrong' },
  { isKnown: false, own: 3, others: 0, right: 'later', wrong: 'later' },
  { isKnown: false, own: 0, others: 5, right: 'in', wrong: 'later' },
  { isKnown: false, own: 3, others: 5, right: 'later', wrong: 'later' },
  { isKnown: true, own: 0, others: 0, right: 'in', wrong: 'wrong' },
  { isKnown: true, own: 2, others: 0, right: 'in', wrong: 'wrong' },
  { isKnown: true, own: 3, others: 0, right: 'in', wrong: 'later' },
  { isKnown: true, own: 40, others: 0, right: 'in', wrong: 'later' },
  { isKnown: true, own: 0, others: 5, right: 'in', wrong: 'later' },
  { isKnown: true, own: 40, others: 40, right: 'in', wrong: 'later' },
])('known there: $isKnown, tried: $own, others tried: $others: right is $right, wrong is $wrong', async (row) => {
  for (const [isRight, expected] of [
    [true, row.right],
    [false, row.wrong],
  ] as const) {
    const login = createLogin(new Set(['ada']));
    const ada = { address: addresses[0]!, username: 'ada' };
    if (row.isKnown) await login({ ...ada, isRight: true });
    for (let n = 0; n < row.own; n++) await login({ ...ada, isRight: false });
    for (let n = 0; n < row.others; n++) await login({ ...ada, username: `other-${n}`, isRight: false });
    expect(await login({ ...ada, isRight })).toBe(expected);
    expect(await login({ ...ada, address: addresses[1]!, isRight: true })).toBe('in');
  }
});

test('guesses against one account from one address that are told right or wrong stay within the limit', async () => {
  await fc.assert(
    fc.asyncProperty(attempts, fc.boolean(), async (tried, atOnce) => {
      const login = createLogin(new Set(names));
      // The owner is elsewhere: nothing that succeeds there may add guesses here.
      const guesses = tried.map((each) => ({ ...each, isRight: each.isRight && each.address === addresses[1] }));
      const told = new Map<string, number>();
      const note = async (each: Attempt) => {
        if ((await login(each)) !== 'wrong' || each.address !== addresses[0]) return;
        told.set(each.username, (told.get(each.username) ?? 0) + 1);
      };
      if (atOnce) await Promise.all(guesses.map(note));
      else for (const each of guesses) await note(each);
      for (const [name, count] of told) expect(count, name).toBeLessThanOrEqual(limits.loginFailuresPerAccount);
      const sum = [...told.values()].reduce((total, count) => total + count, 0);
      expect(sum).toBeLessThanOrEqual(limits.loginFailuresPerAddress);
    }),
    { numRuns: rounds(200) },
  );
});

test('no answer to a wrong password tells whether the account exists', async () => {
  await fc.assert(
    fc.asyncProperty(attempts, fc.subarray(names), async (tried, existing) => {
      const wrong = tried.map((each) => ({ ...each, isRight: false }));
      const answersOf = async (login: ReturnType<typeof createLogin>) => {
        const answers: string[] = [];
        for (const each of wrong) answers.push(await login(each));
        return answers;
      };
      expect(await answersOf(createLogin(new Set(existing)))).toEqual(await answersOf(createLogin(new Set())));
    }),
    { numRuns: rounds(100) },
  );
});

test('right or wrong, a crowded address is answered the same for an account that is known there', async () => {
  const login = createLogin(new Set(['ada']));
  const from = { address: addresses[0]!, isRight: false };
  expect(await login({ ...from, username: 'ada', isRight: true })).toBe('in');
  await crowd(login, from.address);
  expect(await login({ ...from, username: 'f' })).toBe('later');
  expect(await login({ ...from, username: 'ada' })).toBe('later');
  expect(await login({ ...from, username: 'ada', isRight: true })).toBe('in');
});

test('an account that is new at a crowded address gets in behind 120 wrong passwords; more than 128 may not wait', async () => {
  const login = createLogin(new Set(['ada', 'bob']));
  const address = addresses[0]!;
  await crowd(login, address);
  const flood = (length: number) =>
    Array.from({ length }, (_, n) => login({ address, username: `nobody ${n}`, isRight: false }));
  const wrong = flood(120);
  expect(await login({ address, username: 'ada', isRight: true })).toBe('in');
  await Promise.all(wrong);
  const more = flood(140);
  expect(await login({ address, username: 'bob', isRight: true })).toBe('later');
  expect(await login({ address, username: 'ada', isRight: true })).toBe('in');
  await Promise.all(more);
});

test('who has a token is told right or wrong at a crowded address too, up to the limit of its account', async () => {
  const login = createLogin(new Set(['ada']));
  const ada = { address: addresses[0]!, username: 'ada', hasToken: true };
  await crowd(login, ada.address);
  for (let n = 0; n < limits.loginFailuresPerAccount; n++)
    expect(await login({ ...ada, isRight: false })).toBe('wrong');
  expect(await login({ ...ada, isRight: true })).toBe('later');
  expect(await login({ ...ada, username: 'f', hasToken: false, isRight: false })).toBe('later');
});
