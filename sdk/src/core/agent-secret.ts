// Secrets that a program has made for an access point: 256 random bits in one exact form, which nobody chooses by chance.
// Weft checks them by one SHA-256 instead of a slow hash, so that ten thousand agents can log in again within a minute.
import { createHash, randomBytes } from 'node:crypto';
import type { AgentOptions } from './agent-options.ts';
import type { Session } from './session.ts';

const prefix = 'wfs_';
const bodyLetters = 64;
const sumLetters = 8;
const form = new RegExp(`^${prefix}[0-9a-f]{${bodyLetters + sumLetters}}$`);

export function generateAgentSecret(): string {
  const body = prefix + randomBytes(bodyLetters / 2).toString('hex');
  return body + sumOf(body);
}

/** Only the exact form, with the right sum: a password that merely begins like one is one that somebody has chosen. */
export function isGeneratedSecret(text: string): boolean {
  return form.test(text) && text.slice(-sumLetters) === sumOf(text.slice(0, -sumLetters));
}

function sumOf(body: string): string {
  return createHash('sha256').update(body).digest('hex').slice(0, sumLetters);
}

/** An agent whose password somebody chose asks Weft for a secret that is checked faster, and goes on with it. */
export interface SecretOffersOptions {
  session: Session;
  /** Without it nothing is asked for. */
  keep: AgentOptions['keepSecret'];
  send: (text: string) => void;
  onError: (error: Error) => void;
}

export class SecretOffers {
  readonly #options: SecretOffersOptions;

  constructor(options: SecretOffersOptions) {
    this.#options = options;
  }

  /** The channel is open. */
  ask(): void {
    if (this.#isWanted) this.#options.send('{"type":"hello"}');
  }

  /** Stored first: whatever happens then, one of the two passwords is good. */
  async take(secret: string | undefined): Promise<void> {
    const { session, keep, onError } = this.#options;
    if (secret === undefined || !keep || !this.#isWanted) return;
    try {
      await keep(secret, session.password);
      await session.changePassword(secret);
    } catch (error) {
      onError(error as Error);
    }
  }

  get #isWanted(): boolean {
    const { keep, session } = this.#options;
    return keep !== undefined && !isGeneratedSecret(session.password);
  }
}
