// Between the ledger and the transports to agents (channel, long poll, push): what a transport promises, and what it gets, which
// is what is due for an agent, a way to report what was sent, and a way to report what the agent answered.
import type { AgentCommand, CommandResult } from '@weft/contract';
import { BoundedMap } from '@weft/contract/bounded-map';
import type { AgentCaller } from '../../base/caller.ts';
import type { InMs } from '../../base/storage/sql-store.ts';
import type { AgentRow } from '../../network/agent-rows.ts';
import type { CommandRecord } from '../ledger/command-record.ts';

export interface OutgoingCommand extends InMs<AgentCommand, 'issued_at' | 'expires_at'> {
  ap_id: string;
}

/**
 * `commands` are those that became due now, oldest first, none expired: the transport may send them at once, if it knows
 * of nothing older that is due. What it does not send, and everything if `commands` is absent, is found by `due`.
 */
export type DueListener = (ap_id: string, commands?: readonly OutgoingCommand[]) => void;

export interface CommandDelivery {
  /**
   * Commands that wait for this agent: queued ones, and those that were sent and not acknowledged for a while; on a
   * fresh connection all that were not acknowledged. Oldest first, none expired, at most 1,000.
   */
  due(ap_id: string, isFresh: boolean): Promise<OutgoingCommand[]>;
  /**
   * Those of them that have neither ended nor been received meanwhile: to be asked about commands that were kept for a while
   * before they are sent.
   */
  stillDue(commands: readonly OutgoingCommand[]): Promise<OutgoingCommand[]>;
  /** The time by which commands expire. */
  now(): number;
  /** Whether this node has ended the command: to be asked in the same turn in which it is sent. */
  hasEnded(command_id: string): boolean;
  /** They were written to the agent: evidence for `sent`. Durable soon, or with the agent's answer, not at once. */
  sent(command_ids: readonly string[]): void;
  /**
   * The agent's answer. Throws NotFoundError for a command that is not this agent's. Repeats and late answers change
   * nothing and return the command as it is.
   */
  answer(agent: AgentCaller, command_id: string, answer: CommandResult): Promise<CommandRecord>;
  /** The listener is called for agents for which commands became due, here or on another node. */
  onDue(listener: DueListener): void;
}

/** One way in which commands reach agents. transports-part.ts lists them. */
export interface CommandTransport {
  /** Whether it holds a connection of the agent, so that commands leave at once: transports without one leave the agent alone. */
  isConnected(ap_id: string): boolean;
  /** Whether commands would reach the agent now: one that is true makes it `command_ready`. */
  isReady(agent: Pick<AgentRow, 'ap_id' | 'api_url'>): boolean;
  /** Begins with what was left from before. */
  start?(): Promise<void>;
  /** Everybody who waits is answered, every connection closed. */
  stop(): Promise<void> | void;
  /** The agent is no more. */
  removed?(ap_id: string): Promise<void> | void;
  /** Another node tells something; what is not for this transport is ignored. */
  heard?(news: string): void;
  /** News of other nodes may have been lost. */
  newsLost?(): void;
}

/** After this long without an answer of the agent a command may be sent again. */
const resendAfterMs = 5_000;
const maxEntries = 100_000;

/**
 * What this node has just sent to agents, over any transport. That a command was sent becomes durable a moment later; until then
 * it must not be sent again.
 */
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
