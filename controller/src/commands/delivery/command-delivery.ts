// What the ways to an agent (channel, long poll, push) need of the ledger: what waits for the agent, that it was written,
// and what the agent said to it.
import type { Command, CommandResult } from '@weft/contract';
import type { AgentCaller } from '../../caller.ts';

export interface OutgoingCommand {
  command_id: string;
  ap_id: string;
  name: string;
  args: Record<string, unknown>;
  /** Milliseconds since 1970, as is `expires_at`. */
  issued_at: number;
  expires_at: number;
}

export interface CommandDelivery {
  /**
   * Commands that wait for this agent: queued ones, and those that were sent and not acknowledged for a while; on a
   * fresh connection all that were not acknowledged. Oldest first, none expired, at most 1,000.
   */
  due(ap_id: string, isFresh: boolean): Promise<OutgoingCommand[]>;
  /** They were written to the agent: evidence for `sent`. Durable soon, not at once. */
  sent(command_ids: readonly string[]): void;
  /**
   * The agent's word. Throws NotFoundError for a command that is not this agent's. Repeats and late answers change
   * nothing and return the command as it is.
   */
  answer(agent: AgentCaller, command_id: string, answer: CommandResult): Promise<Command>;
  /** The listener hears of agents for which commands became due, here or on another node. */
  onDue(listener: (ap_id: string) => void): void;
}
