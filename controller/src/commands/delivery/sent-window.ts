// What this node has just sent to agents, over any transport. That a command was sent becomes durable a moment later; until
// then it must not be sent again.

import type { AgentCommand } from '@weft/contract';
import { BoundedMap } from '@weft/contract/bounded-map';
import type { OutgoingCommand } from './command-delivery.ts';

/** After this long without an answer of the agent a command may be sent again. */
const resendAfterMs = 5_000;
const maxEntries = 100_000;

export class SentWindow {
  readonly #sent: BoundedMap<string>;

  constructor(now?: () => number) {
    this.#sent = new BoundedMap(maxEntries, { ttlMs: resendAfterMs, ...(now && { now }) });
  }

  /** Those that were not sent a moment ago. */
  unsent(commands: readonly OutgoingCommand[]): OutgoingCommand[] {
    return commands.filter(({ command_id }) => !this.#sent.has(command_id));
  }

  note(command_id: string): void {
    this.#sent.set(command_id, true);
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
