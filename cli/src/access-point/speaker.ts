// The log of an agent on standard error, one line per message.
import { WeftRefusal } from '@weft/sdk';
import { printable } from '../table.ts';
import type { AgentSettings } from './agent-settings.ts';
import type { CommandOffer } from './commands/command-offer.ts';
import type { Description } from './readers/description.ts';
import { whyUnreachable } from './troubles.ts';

/** One line for each change; repeated messages are written once. */
export class Speaker {
  readonly #say: (text: string) => void;
  readonly #url: string;
  #isConnected = false;
  #lastTrouble = '';

  constructor(say: (text: string) => void, url: string) {
    this.#say = say;
    this.#url = url;
  }

  readonly say = (text: string): void => this.#say(printable(text));

  found(description: Description, metrics: string[], offers: CommandOffer[], { ap_id }: AgentSettings): void {
    const { hostname, model, access_point_type = 'no WiFi access point' } = description;
    const what = [hostname, model, access_point_type].filter(Boolean).join(', ');
    this.say(
      `${ap_id}: ${what}; ${metrics.length} metrics; takes ${offers.map((one) => one.declaration.name).join(', ')}`,
    );
  }

  connected(): void {
    this.#lastTrouble = '';
    if (!this.#isConnected) this.say(`connected to ${this.#url}`);
    this.#isConnected = true;
  }

  lost(code: number, reason: string): void {
    if (this.#isConnected)
      this.say(`lost the connection (${code}${reason && ` ${reason}`}); reports are kept until it is restored`);
    this.#isConnected = false;
  }

  trouble(error: Error): void {
    this.#once(
      error instanceof WeftRefusal ? `Weft rejects the request: ${error.message}` : whyUnreachable(error, this.#url),
    );
  }

  lostReport(error: Error): void {
    this.#once(`reports are lost: ${error.message}`);
  }

  #once(text: string): void {
    if (text !== this.#lastTrouble) this.say(text);
    this.#lastTrouble = text;
  }
}
