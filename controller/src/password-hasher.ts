// Hashes passwords that users choose: argon2id, a few at a time, behind a bounded queue, so that many concurrent
// logins delay only each other.
import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { Semaphore } from '@weft/contract/semaphore';
import { TryLaterError } from './errors.ts';

// The library's own default algorithm is argon2id.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const maxQueued = 512;

export class PasswordHasher {
  /** One core stays free for requests. */
  readonly #turns = new Semaphore(Math.max(1, availableParallelism() - 1));
  #decoy: Promise<string> | undefined;

  /** The number of waiting checks. */
  get queued(): number {
    return this.#turns.waiting;
  }

  hash(password: string): Promise<string> {
    return this.#inTurn(() => hash(password.normalize('NFC'), cost));
  }

  /** Without a hash it takes the same time and resolves false, so that timing does not reveal whether a name exists. */
  async verify(passwordHash: string | undefined, password: string): Promise<boolean> {
    // Bypasses the queue: it is created once, and must not fail because the queue is full.
    this.#decoy ??= hash('decoy', cost);
    const against = passwordHash ?? (await this.#decoy);
    const matches = await this.#inTurn(() => verify(against, password.normalize('NFC')));
    return matches && passwordHash !== undefined;
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#turns.waiting >= maxQueued) {
      throw new TryLaterError(
        429,
        'too_many_logins',
        'Too many passwords are being checked; try again shortly',
        5 + Math.floor(Math.random() * 10),
      );
    }
    return this.#turns.run(work);
  }
}
