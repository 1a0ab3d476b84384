// A ledger in memory that keeps the promises of CommandDelivery and nothing else.
import { randomUUID } from 'node:crypto';
import { toCommandText } from '../contract/src/core/functions/declared-commands.ts';
import type { Command, CommandResult } from '../contract/src/index.ts';
import { NotFoundError } from '../controller/src/core/base/errors.ts';
import type {
  CommandDelivery,
  DueListener,
  OutgoingCommand,
} from '../controller/src/core/commands/delivery/command-delivery.ts';
import type { CommandRecord } from '../controller/src/core/commands/ledger/command-record.ts';

export interface MemoryCommand extends OutgoingCommand {
  agent_id: string;
  state: Command['state'];
  sentAtMs: number;
  detail: string;
  answers: CommandResult[];
}

export class MemoryLedger implements CommandDelivery {
  readonly commands = new Map<string, MemoryCommand>();
  readonly #listeners: DueListener[] = [];
  /** Whether new commands are handed to the transports, or only announced, as those of another node are. */
  handsOver = true;
  /** How long a command without a word waits to be sent again. */
  resendMs = 60_000;
  dues = 0;
  /** Called before each look: where a test may hold or end it. */
  onDueAsked: () => Promise<void> | void = () => {};

  send(
    agent: { id: string; ap_id: string },
    name: string,
    args: Record<string, unknown> = {},
    lifeMs = 600_000,
  ): string {
    const command_id = randomUUID();
    const now = Date.now();
    const command = toCommandText(name, args);
    const outgoing = { command_id, ap_id: agent.ap_id, command, name, args, issued_at: now, expires_at: now + lifeMs };
    this.commands.set(command_id, {
      ...outgoing,
      agent_id: agent.id,
      state: 'queued',
      sentAtMs: 0,
      detail: '',
      answers: [],
    });
    this.tell(agent.ap_id, this.handsOver ? [outgoing] : undefined);
    return command_id;
  }

  tell(ap_id: string, commands?: OutgoingCommand[]): void {
    for (const listener of this.#listeners) listener(ap_id, commands);
  }

  async due(ap_id: string, isFresh: boolean): Promise<OutgoingCommand[]> {
    this.dues++;
    await this.onDueAsked();
    const now = Date.now();
    return [...this.commands.values()]
      .filter((command) => {
        const isWaiting = command.state === 'sent' && (isFresh || now - command.sentAtMs >= this.resendMs);
        return command.ap_id === ap_id && command.expires_at > now && (command.state === 'queued' || isWaiting);
      })
      .slice(0, 1000)
      .map(({ command_id, ap_id, command, name, args, issued_at, expires_at }) => ({
        command_id,
        ap_id,
        command,
        name,
        args,
        issued_at,
        expires_at,
      }));
  }

  async stillDue(commands: readonly OutgoingCommand[]): Promise<OutgoingCommand[]> {
    return commands.filter(({ command_id }) => ['queued', 'sent'].includes(this.commands.get(command_id)!.state));
  }

  now(): number {
    return Date.now();
  }

  hasEnded(command_id: string): boolean {
    return !['queued', 'sent', 'received'].includes(this.commands.get(command_id)!.state);
  }

  cancel(command_id: string): void {
    this.commands.get(command_id)!.state = 'cancelled';
  }

  /** A moment later, as the real one. */
  sent(command_ids: readonly string[]): void {
    setTimeout(() => {
      for (const id of command_ids) {
        const command = this.commands.get(id)!;
        command.sentAtMs = Date.now();
        if (command.state === 'queued') command.state = 'sent';
      }
    }, 20);
  }

  async answer(agent: { id: string }, command_id: string, answer: CommandResult): Promise<CommandRecord> {
    const command = this.commands.get(command_id);
    if (command?.agent_id !== agent.id) throw new NotFoundError('command_not_found', 'Command not found');
    command.answers.push(answer);
    if (!['succeeded', 'failed'].includes(command.state)) command.state = answer.state;
    return { state: command.state } as CommandRecord;
  }

  async fail(command_id: string, detail: string): Promise<void> {
    Object.assign(this.commands.get(command_id)!, { state: 'failed', detail });
  }

  onDue(listener: DueListener): void {
    this.#listeners.push(listener);
  }

  of(ap_id: string): MemoryCommand[] {
    return [...this.commands.values()].filter((command) => command.ap_id === ap_id);
  }
}
