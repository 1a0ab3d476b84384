// The counter behind every 429: allowance, window, memory, and what counts as one sender.
import { describe, expect, it } from 'vitest';
import { TryLaterError } from '../errors.ts';
import { addressKey, RateLimiter } from './rate-limiter.ts';

const windowMs = 60_000;

function limiter(max: number): RateLimiter {
  return new RateLimiter('too_many_tries', { max, windowMs });
}

function refusalOf(work: () => void): TryLaterError {
  try {
    work();
  } catch (error) {
    if (error instanceof TryLaterError) return error;
    throw error;
  }
  throw new Error('was not refused');
}

describe('a rate limiter', () => {
  it('lets the allowance pass and refuses what comes after it', () => {
    const tries = limiter(3);
    for (let i = 0; i < 3; i++) tries.take('a', 0);
    const refusal = refusalOf(() => tries.take('a', 0));
    expect(refusal).toMatchObject({ status: 429, code: 'too_many_tries', retryAfterSeconds: 60 });
  });

  it('counts each key for itself', () => {
    const tries = limiter(1);
    tries.take('a', 0);
    tries.take('b', 0);
    refusalOf(() => tries.check('a', 0));
  });

  it('counts nothing when it only checks', () => {
    const tries = limiter(1);
    for (let i = 0; i < 5; i++) tries.check('a', 0);
    tries.take('a', 0);
  });

  it('does not count a try that it refuses, so that the window ends when it was said to', () => {
    const tries = limiter(1);
    tries.take('a', 0);
    refusalOf(() => tries.take('a', windowMs - 1));
    tries.take('a', windowMs);
  });

  it('tells how long is left, in whole seconds and never zero', () => {
    const tries = limiter(1);
    tries.take('a', 0);
    expect(refusalOf(() => tries.check('a', 1)).retryAfterSeconds).toBe(60);
    expect(refusalOf(() => tries.check('a', 30_500)).retryAfterSeconds).toBe(30);
    expect(refusalOf(() => tries.check('a', windowMs - 1)).retryAfterSeconds).toBe(1);
  });

  it('starts a new window with a new allowance', () => {
    const tries = limiter(2);
    for (const now of [0, 1, windowMs, windowMs + 1]) tries.take('a', now);
    refusalOf(() => tries.take('a', windowMs + 2));
  });

  it('forgets a key when it is told to', () => {
    const tries = limiter(1);
    tries.take('a', 0);
    tries.forget('a');
    tries.take('a', 0);
  });

  it('drops the oldest key rather than hold more than a hundred thousand', () => {
    const tries = limiter(1);
    for (let i = 0; i <= 100_000; i++) tries.count(`key ${i}`, 0);
    tries.check('key 0', 0);
    refusalOf(() => tries.check('key 1', 0));
    refusalOf(() => tries.check('key 100000', 0));
  });
});

describe('the key of an address', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
    ['2001:db8::9', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['', ''],
  ])('of %s is %s', (address, key) => {
    expect(addressKey(address)).toBe(key);
  });
});
