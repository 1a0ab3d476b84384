// Hashes passwords that users choose: argon2id, a few at a time. Whoever waits takes turns with the others, so that many
// concurrent logins of one delay only its own.
import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { TryLaterError } from './errors.ts';
import { FairTurns, type TurnLimits } from './shares/fair-turns.ts';

export interface PasswordCost {
  /** In KiB. */
  memoryCost: number;
  timeCost: number;
  parallelism: number;
}

// The library's own default algorithm is argon2id.
const realCost: PasswordCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** One core stays free for requests. */
export const passwordTurns: TurnLimits = { slots: Math.max(1, availableParallelism() - 1), maxWaiting: 512 };

/** For whom a password is hashed or checked: an address, or a caller (`principalOf`). */
export interface PasswordTurn {
  principal: string;
  /** Before others of the same principal: an account that logged in correctly from this address recently. */
  isAhead?: boolean;
}

/** Where no server shares anything: the command line, and tests. */
const alone: PasswordTurn = { principal: 'alone' };

export class PasswordHasher {
  readonly #turns: FairTurns;
  readonly #cost: PasswordCost;
  #decoy: Promise<string> | undefined;

  /** A cost is given by tests only: no setting leads here. */
  constructor(turns = new FairTurns('password_checks', passwordTurns), cost = realCost) {
    this.#turns = turns;
    this.#cost = cost;
  }

  /** The number of waiting checks. */
  get queued(): number {
    return this.#turns.waiting;
  }

  hash(password: string, turn = alone): Promise<string> {
    return this.#inTurn(turn, () => hash(password.normalize('NFC'), this.#cost));
  }

  /** Without a hash it takes the same time and resolves false, so that timing does not reveal whether a name exists. */
  async verify(passwordHash: string | undefined, password: string, turn = alone): Promise<boolean> {
    // Bypasses the queue: it is created once, and must not fail because the queue is full.
    this.#decoy ??= hash('decoy', this.#cost);
    const against = passwordHash ?? (await this.#decoy);
    const matches = await this.#inTurn(turn, () => verify(against, password.normalize('NFC')));
    return matches && passwordHash !== undefined;
  }

  async #inTurn<T>({ principal, isAhead = false }: PasswordTurn, work: () => Promise<T>): Promise<T> {
    const release = await this.#turns.acquire(principal, { isAhead }).catch(throwTooManyLogins);
    try {
      return await work();
    } finally {
      release();
    }
  }
}

/** In place of the refusal of a share. */
export function throwTooManyLogins(error: unknown): never {
  if (!(error instanceof TryLaterError)) throw error;
  throw new TryLaterError(
    429,
    'too_many_logins',
    'Too many passwords are being checked; try again shortly',
    5 + Math.floor(Math.random() * 10),
  );
}
