// What this node has just sent to agents, over any transport. That a command was sent becomes durable a moment later; until
// then it must not be sent again.
import type { AgentCommand } from '@weft/contract';
import type { OutgoingCommand } from './command-delivery.ts';

/** After this long without an answer of the agent a command may be sent again. */
const resendAfterMs = 5_000;
const maxEntries = 100_000;

export class SentWindow {
  /** Oldest first. */
  readonly #sentAtMs = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Those that were not sent a moment ago. */
  unsent(commands: readonly OutgoingCommand[]): OutgoingCommand[] {
    const now = this.#now();
    return commands.filter(({ command_id }) => {
      const sentAtMs = this.#sentAtMs.get(command_id);
      return sentAtMs === undefined || now - sentAtMs >= resendAfterMs;
    });
  }

  note(command_id: string): void {
    const now = this.#now();
    this.#sentAtMs.delete(command_id);
    this.#sentAtMs.set(command_id, now);
    for (const [oldest, sentAtMs] of this.#sentAtMs) {
      if (this.#sentAtMs.size <= maxEntries && now - sentAtMs < resendAfterMs) return;
      this.#sentAtMs.delete(oldest);
    }
  }
}

/** A command as agents get it. */
export function toAgentCommand(outgoing: OutgoingCommand): AgentCommand {
  const { command_id, command, name, args, issued_at, expires_at } = outgoing;
  return {
    command_id,
    command,
    name,
    args,
    issued_at: new Date(issued_at).toISOString(),
    expires_at: new Date(expires_at).toISOString(),
  };
}
