// Limits on guessing passwords, for every door that takes one.
import type { LoginType } from '@weft/contract';
import { AuthenticationError } from '../errors.ts';
import { addressKey, type RateLimiter } from '../rate-limiter.ts';

/** Failures only: a fleet behind one address that logs in correctly is never slowed. */
export interface LoginFailures {
  perAccount: RateLimiter;
  perAddress: RateLimiter;
}

export interface LoginAttempt {
  kind: LoginType;
  username: string;
  address: string;
}

/**
 * Resolves as `login` does. Throws TryLaterError (429) if too many logins from there, or to that account from there, have
 * failed; counts an AuthenticationError as one more.
 */
export async function countFailures<T>(
  failures: LoginFailures,
  { kind, username, address }: LoginAttempt,
  login: () => Promise<T>,
): Promise<T> {
  const from = addressKey(address);
  const account = `${from} ${kind} ${username.trim().normalize('NFC').toLowerCase()}`;
  const check = () => {
    failures.perAddress.check(from);
    failures.perAccount.check(account);
  };
  check();
  const outcome = await login().catch((error) => {
    if (!(error instanceof AuthenticationError)) throw error;
    return error;
  });
  // Once more, because guesses sent all at once have all passed the first time; right or wrong, none may tell.
  check();
  if (!(outcome instanceof AuthenticationError)) {
    failures.perAccount.forget(account);
    return outcome;
  }
  failures.perAddress.count(from);
  failures.perAccount.count(account);
  throw outcome;
}
