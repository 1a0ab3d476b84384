// An agent whose password somebody chose asks Weft for a secret that is checked faster, and goes on with it.
import type { AgentOptions } from './agent-options.ts';
import { isGeneratedSecret } from './agent-secret.ts';
import type { Session } from './session.ts';

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
