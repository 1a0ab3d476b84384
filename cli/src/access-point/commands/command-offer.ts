// A command that the agent offers: its declaration and its handler.
import type { Agent, CommandDeclaration, CommandOutcome } from '@weft/sdk';

export interface CommandOffer {
  declaration: Exclude<CommandDeclaration, string>;
  /** The message of a thrown error is the reason of the failure in Weft. */
  run(args: Record<string, unknown>): Promise<CommandOutcome | undefined>;
}

// Arguments of commands, checked again on this machine.

/** Only if there are several radios. */
export function whichOf(radios: readonly { interface: string }[]): Record<string, unknown> {
  return radios.length > 1 ? { interface: { type: 'string', enum: radios.map((radio) => radio.interface) } } : {};
}

export function chosen<Kind extends { interface: string }>(
  radios: readonly Kind[],
  { interface: name }: Record<string, unknown>,
): Kind {
  if (name === undefined && radios.length === 1) return radios[0]!;
  const radio = radios.find((each) => each.interface === name);
  if (!radio) throw new Error(`interface must be one of ${radios.map((each) => each.interface).join(', ')}`);
  return radio;
}

/** Weft has validated it, but this machine does not trust the server. */
export function requireNumber(args: Record<string, unknown>, name: string, minimum: number, maximum: number): number {
  const value = args[name];
  if (typeof value !== 'number' || !(value >= minimum && value <= maximum)) {
    throw new Error(`${name} must be a number from ${minimum} to ${maximum}`);
  }
  return value;
}

/** The text of a required argument. */
export function requireText(args: Record<string, unknown>, name: string): string {
  const value = args[name];
  if (typeof value !== 'string' || value === '') throw new Error(`${name} must be a text`);
  return value;
}

/** The commands that the agent takes now. More may come while it runs, for example when hostapd starts after it. */
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
