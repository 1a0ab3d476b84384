// The commands that the agent takes now. More may come while it runs, for example when hostapd starts after it.
import type { Agent } from '@weft/sdk';
import type { CommandOffer } from './command-offer.ts';

export class OfferedCommands {
  readonly #find: () => Promise<CommandOffer[]>;
  #offers = new Map<string, CommandOffer>();

  constructor(find: () => Promise<CommandOffer[]>) {
    this.#find = find;
  }

  /** Looks again; what was offered once stays, because its radio may only be asleep. */
  async renew(): Promise<CommandOffer[]> {
    const found = (await this.#find()).map((offer) => [offer.declaration.name, offer] as const);
    this.#offers = new Map([...this.#offers, ...found]);
    return [...this.#offers.values()];
  }

  /** What is to be told of them, if it is not what was told before. */
  async news(agent: Agent): Promise<{ commands?: CommandOffer['declaration'][] }> {
    const before = this.#text();
    const offers = await this.renew();
    for (const { declaration, run } of offers) agent.command(declaration, run);
    return this.#text() === before ? {} : { commands: offers.map(({ declaration }) => declaration) };
  }

  #text(): string {
    return JSON.stringify([...this.#offers.values()].map(({ declaration }) => declaration));
  }
}
