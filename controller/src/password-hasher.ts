// Hashes passwords that users choose: argon2id, a few at a time, behind a bounded queue, so that many concurrent
// logins delay only each other.
import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { TryLaterError } from './errors.ts';

// The library's own default algorithm is argon2id.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const maxQueued = 512;

export class PasswordHasher {
  /** One core stays free for requests. */
  readonly #maxRunning = Math.max(1, availableParallelism() - 1);
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  #decoy: Promise<string> | undefined;

  /** The number of waiting checks. */
  get queued(): number {
    return this.#waiting.length;
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
    if (this.#running >= this.#maxRunning) {
      if (this.#waiting.length >= maxQueued) {
        throw new TryLaterError(
          429,
          'too_many_logins',
          'Too many passwords are being checked; try again shortly',
          5 + Math.floor(Math.random() * 10),
        );
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running++;
    }
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}
