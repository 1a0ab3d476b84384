// Limits on guessing passwords, for every endpoint that accepts one.
import type { LoginType } from '@weft/contract';
import { AuthenticationError } from '../errors.ts';
import { addressKey, type RateLimiter } from '../shares/rate-limiter.ts';

/** Counts only failures: a fleet behind one address with correct passwords is never limited. */
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
  // Checked again, because concurrent guesses have all passed the first check; none may reveal whether it was right.
  check();
  if (!(outcome instanceof AuthenticationError)) {
    failures.perAccount.forget(account);
    return outcome;
  }
  failures.perAddress.count(from);
  failures.perAccount.count(account);
  throw outcome;
}
