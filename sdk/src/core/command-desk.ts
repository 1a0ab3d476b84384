// How an agent executes commands: each once, even if it is delivered twice, and its result is sent again until Weft has
// acknowledged it.
import type { ChannelCommand } from '@weft/contract';
import { maxMessageBytes } from './report.ts';
import type { CommandMemory } from './spool/command-memory.ts';
import { pauseAfter, type WeftRefusal } from './weft-refusal.ts';

/** How many executed commands are remembered, so that a repeated one is not executed again. */
export const maxRemembered = 10_000;
const tooLarge = 'the result is too large to be told';
const interrupted = 'the agent was stopped before it was done';

export interface GivenCommand {
  command_id: string;
  name: string;
  args: Record<string, unknown>;
  /** The text as its caller sent it; undefined from a Weft that does not tell. */
  command?: string | undefined;
}

export interface CommandOutcome {
  /** Anything that JSON can say, at most 64 KiB. */
  result?: unknown;
  /** The arguments as they were really applied, where they differ: "17 instead of 20". */
  applied?: Record<string, unknown> | null;
}

/**
 * Thrown by a handler: the command fails with this result, where a reason in words is not enough.
 *
 * ```ts
 * agent.command('open_valve', () => {
 *   throw new CommandFailed('the valve is stuck', { position: 0.4 });
 * });
 * ```
 */
export class CommandFailed extends Error {
  override name = 'CommandFailed';
  /** Anything that JSON can say, at most 64 KiB. */
  readonly result: unknown;

  constructor(message: string, result: unknown) {
    super(message);
    this.result = result;
  }
}

/** Does it, and resolves its result; what it throws makes the command fail, with the message as reason. */
export type CommandHandler<Args = Record<string, unknown>> = (
  args: Args,
  command: GivenCommand,
) => Promise<CommandOutcome | undefined> | CommandOutcome | undefined;

interface Known {
  /** Its newest state. */
  answer: string;
  hasEnded: boolean;
  /** Weft has acknowledged the result. */
  isHeard: boolean;
  /** When the answer was said last, on the machine's own clock; Infinity if it is still to be said. */
  saidAtMs: number;
}

const notSaid = Number.POSITIVE_INFINITY;

export interface CommandDeskOptions {
  /** Sends it to Weft now, if there is a channel. */
  send: (text: string) => void;
  /** Where commands are remembered beyond the end of the process. */
  memory?: CommandMemory | undefined;
  onError: (error: Error) => void;
}

export class CommandDesk {
  readonly #send: (text: string) => void;
  readonly #memory: CommandMemory | undefined;
  readonly #onError: (error: Error) => void;
  readonly #handlers = new Map<string, CommandHandler>();
  /** Oldest first. */
  readonly #known = new Map<string, Known>();
  /** Commands of one name are done one after the other. */
  readonly #lines = new Map<string, Promise<void>>();

  constructor({ send, memory, onError }: CommandDeskOptions) {
    this.#send = send;
    this.#memory = memory;
    this.#onError = onError;
    for (const { command_id, answer, isHeard = false } of memory?.commands ?? []) {
      // Whether it was executed is unknown. Twice would be worse than not at all.
      const failed = { state: 'failed', result: { error: interrupted } };
      this.#known.set(command_id, {
        answer: answer ?? toText(command_id, failed),
        hasEnded: true,
        isHeard,
        saidAtMs: notSaid,
      });
    }
  }

  handle(name: string, handler: CommandHandler): void {
    this.#handlers.set(name, handler);
  }

  /** A command came, maybe not for the first time. */
  take(message: ChannelCommand): void {
    const { command_id, name, args, command } = message;
    const given = { command_id, name, args, command };
    const known = this.#known.get(command_id);
    if (known) {
      // Weft sends it again because it has no result yet; without a channel the result is sent once there is one.
      known.isHeard = false;
      this.#repeat(known);
      return;
    }
    this.#remember(command_id);
    const begun = this.#begin(command_id);
    const before = this.#lines.get(name) ?? Promise.resolve();
    const done = before.then(async () => {
      if (await begun) await this.#do(given);
    });
    this.#lines.set(name, done);
    void done.then(() => {
      if (this.#lines.get(name) === done) this.#lines.delete(name);
    });
  }

  /** Weft has acknowledged the state of the command. */
  heard(command_id: string, state: string): void {
    const known = this.#known.get(command_id);
    if (!known) return;
    if (!known.hasEnded) known.isHeard = true;
    else if (state !== 'received' && state !== 'sent') this.#isKnownToWeft(command_id, known, state);
  }

  /** Weft refuses results of this command, or cannot take them now: then the result is sent again later. */
  refused(command_id: string, refusal: WeftRefusal): void {
    const known = this.#known.get(command_id);
    if (!known) return;
    if (!refusal.isPassing) {
      this.#isKnownToWeft(command_id, known, 'failed');
      return;
    }
    known.saidAtMs = notSaid;
    const again = () => {
      // Unless something else was said meanwhile.
      if (known.saidAtMs === notSaid) this.#repeat(known);
    };
    setTimeout(again, pauseAfter(refusal)).unref();
  }

  /** When the oldest answer that Weft has not heard was said; Infinity if there is none. */
  get unansweredSinceMs(): number {
    let oldest = notSaid;
    for (const { isHeard, saidAtMs } of this.#known.values()) if (!isHeard && saidAtMs < oldest) oldest = saidAtMs;
    return oldest;
  }

  /** Sends again what may have been lost. */
  repeat(): void {
    for (const known of this.#known.values()) if (!known.isHeard) this.#repeat(known);
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
      await this.#end(command_id, outcome);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const result = error instanceof CommandFailed ? error.result : { error: reason };
      await this.#end(command_id, { state: 'failed', result });
    }
  }

  /** Whether it may be executed: the receipt is acknowledged only once a restart cannot lose the command. */
  #begin(command_id: string): boolean | Promise<boolean> {
    const receive = () => {
      this.#say(command_id, { state: 'received' }, false);
      return true;
    };
    if (!this.#memory) return receive();
    return this.#memory.remember({ command_id }).then(receive, (error) => {
      // As if it had never arrived: it comes again.
      this.#known.delete(command_id);
      this.#onError(error);
      return false;
    });
  }

  async #end(command_id: string, outcome: Record<string, unknown>): Promise<void> {
    const isTooLarge = Buffer.byteLength(toText(command_id, outcome)) > maxMessageBytes;
    const answer = isTooLarge ? { state: outcome.state, result: { error: tooLarge } } : outcome;
    await this.#memory?.remember({ command_id, answer: toText(command_id, answer) }).catch(this.#onError);
    this.#say(command_id, answer, true);
  }

  #isKnownToWeft(command_id: string, known: Known, state: string): void {
    if (known.isHeard) return;
    known.isHeard = true;
    if (!known.hasEnded) return;
    const ended = state === 'succeeded' ? state : 'failed';
    this.#memory
      ?.remember({ command_id, answer: toText(command_id, { state: ended }), isHeard: true })
      .catch(this.#onError);
  }

  #say(command_id: string, answer: Record<string, unknown>, hasEnded: boolean): void {
    const known = this.#known.get(command_id);
    const text = toText(command_id, answer);
    if (known) {
      known.answer = text;
      known.hasEnded = hasEnded;
      known.isHeard = false;
      known.saidAtMs = performance.now();
    }
    this.#send(text);
  }

  #repeat(known: Known): void {
    if (known.answer === '') return;
    known.saidAtMs = performance.now();
    this.#send(known.answer);
  }

  #remember(command_id: string): void {
    this.#known.set(command_id, { answer: '', hasEnded: false, isHeard: false, saidAtMs: notSaid });
    if (this.#known.size <= maxRemembered) return;
    for (const [oldest, { hasEnded, isHeard }] of this.#known) {
      if (!hasEnded || !isHeard) continue;
      this.#known.delete(oldest);
      return;
    }
  }
}

function toText(command_id: string, answer: Record<string, unknown>): string {
  return JSON.stringify({ type: 'command_result', command_id, ...answer });
}
