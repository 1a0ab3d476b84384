// Sends commands over a channel: oldest first, no faster than the agent reads them, and again when the agent does not
// answer.
import type { ChannelDownMessage } from '@weft/contract';
import { BoundedMap } from '@weft/contract/bounded-map';
import type { OpenSocket } from '../../../http/sockets/open-socket.ts';
import { type CommandDelivery, type OutgoingCommand, type SentWindow, toAgentCommand } from '../command-delivery.ts';

/** What a channel may hold that its agent has not read. */
export const maxBufferedBytes = 1024 * 1024;
/** How often to look whether commands without an answer have become due again, in sweeps. */
const lookAgainEvery = 5;
const maxUnanswered = 10_000;
/** With so many at once there may be more; the next sweeps find them, once these are recorded as sent. */
const duePage = 1_000;
const looksAfterPage = 5;

export interface ChannelCommandsParts {
  delivery: Pick<CommandDelivery, 'sent' | 'stillDue' | 'hasEnded' | 'now'>;
  /** As in CommandDelivery, but with a limit on concurrent lookups. */
  due: CommandDelivery['due'];
  sentWindow: SentWindow;
  onError: (error: unknown, message: string) => void;
}

export class ChannelCommands {
  readonly #socket: OpenSocket;
  readonly #ap_id: string;
  readonly #parts: ChannelCommandsParts;
  #pending: OutgoingCommand[] = [];
  /** Sent on this channel and not answered yet; with the time when they expire. */
  readonly #unanswered = new BoundedMap<string, number>(maxUnanswered);
  /** How many lookups were requested, and how many of those requests have been served. */
  #wakeups = 0;
  #seenWakeups = 0;
  #isFresh = true;
  #isReading = false;
  #moreLooks = 0;
  #sweeps = 0;

  constructor(socket: OpenSocket, ap_id: string, parts: ChannelCommandsParts) {
    this.#socket = socket;
    this.#ap_id = ap_id;
    this.#parts = parts;
  }

  /** These commands became due, or any may have. What cannot be written now is looked for later. */
  onDue(commands?: readonly OutgoingCommand[]): void {
    if (commands && this.#isUpToDate) {
      const unsent = this.#parts.sentWindow.unsent(commands);
      if (this.#write(unsent) === unsent.length) return;
    }
    this.#look();
  }

  /** The agent has answered it. */
  answered(command_id: string): void {
    this.#unanswered.delete(command_id);
  }

  onSweep(): void {
    this.#sweeps++;
    const isLate = this.#sweeps % lookAgainEvery === 0 && this.#unanswered.size > 0;
    if (isLate) this.#forgetExpired();
    if (isLate || this.#moreLooks > 0) {
      this.#moreLooks = Math.max(0, this.#moreLooks - 1);
      this.#look();
    } else this.pump();
  }

  closed(): void {
    this.#pending = [];
  }

  /** Writes what is due, as far as the agent reads it. */
  pump(): void {
    if (!this.#isReading && this.#mayWrite && (this.#pending.length > 0 || this.#seenWakeups < this.#wakeups)) {
      void this.#deliver();
    }
  }

  get #mayWrite(): boolean {
    return this.#socket.isOpen && this.#socket.bufferedBytes <= maxBufferedBytes;
  }

  /** Nothing older can be due that this channel has not written. */
  get #isUpToDate(): boolean {
    const hasLooked = !this.#isFresh && !this.#isReading && this.#seenWakeups === this.#wakeups;
    return hasLooked && this.#pending.length === 0 && this.#moreLooks === 0;
  }

  #look(): void {
    this.#wakeups++;
    this.pump();
  }

  async #deliver(): Promise<void> {
    this.#isReading = true;
    try {
      // What had to wait for the agent may have been cancelled meanwhile.
      if (this.#pending.length > 0) this.#pending = await this.#parts.delivery.stillDue(this.#pending);
      do {
        this.#pending = this.#pending.slice(this.#write(this.#pending));
        if (!this.#mayWrite || this.#seenWakeups === this.#wakeups) return;
        const wakeups = this.#wakeups;
        const isFresh = this.#isFresh;
        const due = await this.#parts.due(this.#ap_id, isFresh);
        this.#isFresh = false;
        this.#seenWakeups = wakeups;
        // An agent that reconnects gets again what an earlier channel sent it.
        this.#pending = isFresh ? due : this.#parts.sentWindow.unsent(due);
        if (due.length >= duePage) this.#moreLooks = looksAfterPage;
        else if (this.#moreLooks > 0 && this.#pending.length > 0) this.#moreLooks = looksAfterPage;
      } while (this.#pending.length > 0 || this.#seenWakeups < this.#wakeups);
    } catch (error) {
      // The next sweep tries again.
      this.#parts.onError(error, 'the commands for an agent cannot be read; trying again');
    } finally {
      this.#isReading = false;
    }
  }

  /** Writes as many as fit, without those that have expired or ended; returns how many are done with. */
  #write(commands: readonly OutgoingCommand[]): number {
    const { sentWindow, delivery } = this.#parts;
    const now = delivery.now();
    const sent: string[] = [];
    let count = 0;
    for (; count < commands.length && this.#mayWrite; count++) {
      const command = commands[count]!;
      if (command.expires_at <= now || delivery.hasEnded(command.command_id)) continue;
      this.#socket.sendSoon(
        JSON.stringify({ type: 'command', ...toAgentCommand(command) } satisfies ChannelDownMessage),
      );
      sentWindow.note(command.command_id);
      this.#unanswered.set(command.command_id, command.expires_at);
      sent.push(command.command_id);
    }
    if (sent.length > 0) delivery.sent(sent);
    return count;
  }

  #forgetExpired(): void {
    const now = this.#parts.delivery.now();
    for (const [command_id, expires_at] of this.#unanswered) {
      if (expires_at <= now) this.#unanswered.delete(command_id);
    }
  }
}
