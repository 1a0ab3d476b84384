// What an agent does with commands: each is done once, whatever is delivered twice or lost on the way, and what became of
// it is said again until Weft has heard it.
import type { ChannelCommand } from '@weft/contract';

/** Commands that were done are known again among this many. */
const maxRemembered = 10_000;

export interface GivenCommand {
  command_id: string;
  name: string;
  args: Record<string, unknown>;
}

export interface CommandOutcome {
  /** Anything that JSON can say, at most 64 KiB. */
  result?: unknown;
  /** The arguments as they were really applied, where they differ: "17 instead of 20". */
  applied?: Record<string, unknown> | null;
}

/** Does it, and resolves what became of it; what it throws makes the command fail, with the message as reason. */
export type CommandHandler = (
  args: Record<string, unknown>,
  command: GivenCommand,
) => Promise<CommandOutcome | undefined> | CommandOutcome | undefined;

interface Known {
  /** The newest thing to say about it. */
  answer: string;
  hasEnded: boolean;
  /** Weft has heard the answer. */
  isHeard: boolean;
}

export interface CommandDeskOptions {
  /** Says it to Weft now, if that is possible. */
  send: (text: string) => void;
}

export class CommandDesk {
  readonly #send: (text: string) => void;
  readonly #handlers = new Map<string, CommandHandler>();
  /** Oldest first. */
  readonly #known = new Map<string, Known>();
  /** Commands of one name are done one after the other. */
  readonly #lines = new Map<string, Promise<void>>();

  constructor({ send }: CommandDeskOptions) {
    this.#send = send;
  }

  handle(name: string, handler: CommandHandler): void {
    this.#handlers.set(name, handler);
  }

  /** A command came, maybe not for the first time. */
  take({ command_id, command: { name, ...args } }: ChannelCommand): void {
    const known = this.#known.get(command_id);
    if (known) {
      this.#send(known.answer);
      return;
    }
    this.#remember(command_id);
    this.#say(command_id, { state: 'received' }, false);
    const before = this.#lines.get(name) ?? Promise.resolve();
    const done = before.then(() => this.#do({ command_id, name, args }));
    this.#lines.set(name, done);
    void done.then(() => {
      if (this.#lines.get(name) === done) this.#lines.delete(name);
    });
  }

  /** Weft has heard how the command stands. */
  heard(command_id: string, state: string): void {
    const known = this.#known.get(command_id);
    if (known && (!known.hasEnded || (state !== 'received' && state !== 'sent'))) known.isHeard = true;
  }

  /** Weft does not want to hear about it. */
  refused(command_id: string): void {
    const known = this.#known.get(command_id);
    if (known) known.isHeard = true;
  }

  /** Says again what may have been lost. */
  repeat(): void {
    for (const { answer, isHeard } of this.#known.values()) if (!isHeard) this.#send(answer);
  }

  /** Resolves when nothing is being done any more. */
  async idle(): Promise<void> {
    while (this.#lines.size > 0) await Promise.all(this.#lines.values());
  }

  async #do(command: GivenCommand): Promise<void> {
    const { command_id, name, args } = command;
    const handler = this.#handlers.get(name);
    try {
      if (!handler) throw new Error(`there is no command ${name}`);
      const { result, applied } = (await handler(args, command)) ?? {};
      const outcome = { state: 'succeeded', ...(result !== undefined && { result }), ...(applied && { applied }) };
      this.#say(command_id, outcome, true);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#say(command_id, { state: 'failed', result: { error: reason } }, true);
    }
  }

  #say(command_id: string, answer: Record<string, unknown>, hasEnded: boolean): void {
    const known = this.#known.get(command_id);
    const text = JSON.stringify({ type: 'command_result', command_id, ...answer });
    if (known) {
      known.answer = text;
      known.hasEnded = hasEnded;
      known.isHeard = false;
    }
    this.#send(text);
  }

  #remember(command_id: string): void {
    this.#known.set(command_id, { answer: '', hasEnded: false, isHeard: false });
    if (this.#known.size <= maxRemembered) return;
    for (const [oldest, { hasEnded, isHeard }] of this.#known) {
      if (!hasEnded || !isHeard) continue;
      this.#known.delete(oldest);
      return;
    }
  }
}
