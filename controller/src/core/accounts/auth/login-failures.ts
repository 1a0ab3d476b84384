// Limits on guessing passwords, for every endpoint that accepts one. Failures count against an address and an account
// together, so that nobody can lock another out; a correct password is answered whatever others at its address do, and where
// its account logged in within a day, whatever they have tried on it.
import { setTimeout } from 'node:timers/promises';
import type { LoginType } from '@weft/contract';
import { AuthenticationError, ReplacedError } from '../../base/errors.ts';
import { type PasswordTurn, throwTooManyLogins } from '../../base/password-hasher.ts';
import type { FairTurns } from '../../base/shares/fair-turns.ts';
import { addressKey, type RateLimiter } from '../../base/shares/rate-limiter.ts';
import type { Shares } from '../../base/shares/shares.ts';

const windowMs = 5 * 60_000;
const knownMs = 24 * 3_600_000;
/** At a crowded address, or of one account; each wrong one of them occupies the next for `pauseMs`. */
const maxPaused = 128;

export interface LoginAttempt {
  kind: LoginType;
  username: string;
  address: string;
  /** A token says already who it is, and whether the account exists: what others do at the address does not matter. */
  hasToken?: boolean;
}

/** How an attempt ended. `accepted_again`: of an account that logged in correctly from there within a day. */
export type LoginOutcome = 'accepted' | 'accepted_again' | 'refused';

export interface LoginLimits {
  loginFailuresPerAccount: number;
  loginFailuresPerAddress: number;
}

export class LoginFailures {
  /** Of one account from one address, whether or not it exists. */
  readonly #perAccount: RateLimiter;
  /** Of all accounts from one address that did not log in correctly from there recently. Beyond it the address is crowded. */
  readonly #perAddress: RateLimiter;
  /** Correct logins of an account from an address. */
  readonly #known: RateLimiter;
  readonly #paused: FairTurns;
  /** Told how each attempt ended, before it is answered; must neither throw nor wait. */
  onOutcome: (attempt: LoginAttempt, outcome: LoginOutcome) => void = () => {};
  readonly #pauseMs: number;

  /** `pauseMs`: how long a wrong password occupies the one check that a crowded address, or an account beyond its limit, has at a time. */
  constructor(shares: Shares, limits: LoginLimits, pauseMs = 250) {
    this.#pauseMs = pauseMs;
    const name = 'too_many_failed_logins';
    this.#perAccount = shares.limiter(name, { max: limits.loginFailuresPerAccount, windowMs });
    this.#perAddress = shares.limiter(name, { max: limits.loginFailuresPerAddress, windowMs });
    // Each correct login changes it: too much to tell for what only spares waiting at a crowded address.
    this.#known = shares.limiter('known_logins', { max: 1, windowMs: knownMs }, 'this node');
    const turns = { slots: Number.POSITIVE_INFINITY, perPrincipal: 1, maxWaiting: maxPaused };
    this.#paused = shares.turns('crowded_logins', turns);
  }

  /**
   * Resolves as `login` does. Throws TryLaterError (429) if too many logins to that account from there have failed, and
   * in place of an AuthenticationError if too many from there have, or if too many wait at such an address; counts an
   * AuthenticationError as one more, except that of a machine that was replaced. An account that logged in correctly from there within a day is checked whatever has failed:
   * one attempt at a time, and beyond the limit each wrong one occupies the next, and is not told wrong. What is answered, and
   * when, does not depend on whether the account exists.
   */
  async count<T>(tried: LoginAttempt, login: (turn: PasswordTurn) => Promise<T>): Promise<T> {
    const { kind, username, address, hasToken = false } = tried;
    const from = addressKey(address);
    const account = `${from} ${kind} ${username.trim().normalize('NFC').toLowerCase()}`;
    const isKnown = hasToken || this.#known.isReached(account);
    const isOver = () => this.#perAccount.isReached(account);
    const attempt = () => failureOf(login({ principal: from, isAhead: isKnown }));
    let outcome: T | AuthenticationError;
    if (isKnown && !hasToken) outcome = await this.#inTurn(account, attempt, isOver);
    else {
      // As long as for an account that is known: else the answer would tell which are.
      if (!hasToken && isOver()) await this.#inTurn(account, async () => new AuthenticationError(), isOver);
      this.#perAccount.check(account);
      const isPaused = !isKnown && this.#perAddress.isReached(from);
      outcome = isPaused ? await this.#inTurn(from, attempt) : await attempt();
      // Checked again, because concurrent guesses have all passed the first check; none may reveal whether it was right.
      this.#perAccount.check(account);
    }
    if (!(outcome instanceof AuthenticationError)) {
      this.#perAccount.forget(account);
      this.#known.forget(account);
      this.#known.count(account);
      this.onOutcome(tried, isKnown ? 'accepted_again' : 'accepted');
      return outcome;
    }
    this.onOutcome(tried, 'refused');
    if (outcome instanceof ReplacedError) throw outcome;
    this.#perAccount.check(account);
    this.#perAccount.count(account);
    if (!hasToken && this.#perAddress.isReached(from)) {
      // As long as for an account that is not known here: else its answer would tell that it is.
      if (isKnown) await this.#inTurn(from, async () => outcome);
      this.#perAddress.check(from);
    }
    if (!isKnown) this.#perAddress.count(from);
    throw outcome;
  }

  /** One at a time for each address, or account; a failure keeps the next one waiting, if `isHeldUp` then. */
  async #inTurn<T>(
    of: string,
    attempt: () => Promise<T | AuthenticationError>,
    isHeldUp = () => true,
  ): Promise<T | AuthenticationError> {
    const release = await this.#paused.acquire(of).catch(throwTooManyLogins);
    try {
      const outcome = await attempt();
      if (outcome instanceof AuthenticationError && isHeldUp()) await setTimeout(this.#pauseMs);
      return outcome;
    } finally {
      release();
    }
  }
}

async function failureOf<T>(login: Promise<T>): Promise<T | AuthenticationError> {
  return login.catch((error) => {
    if (error instanceof AuthenticationError) return error;
    throw error;
  });
}
