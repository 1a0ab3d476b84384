// The way down a channel: hands the agent what is due, oldest first, no faster than it takes it, and again what it says
// nothing about.
import type { OpenSocket } from '../../../http/sockets/open-socket.ts';
import type { CommandDelivery, OutgoingCommand } from '../command-delivery.ts';
import { type SentWindow, toAgentCommand } from '../sent-window.ts';

/** What a channel may hold that its agent has not taken. */
export const maxBufferedBytes = 1024 * 1024;
/** How often to look whether commands without an answer have become due again, in sweeps. */
const lookAgainEvery = 5;
const maxUnanswered = 10_000;
/** With so many at once there may be more; they come to light in the next sweeps, once these are known to be sent. */
const duePage = 1_000;
const looksAfterPage = 5;

export interface ChannelCommandsParts {
  delivery: Pick<CommandDelivery, 'sent'>;
  /** As of CommandDelivery, but few at a time. */
  due: CommandDelivery['due'];
  sentWindow: SentWindow;
  onError: (error: unknown, message: string) => void;
}

export class ChannelCommands {
  readonly #socket: OpenSocket;
  readonly #ap_id: string;
  readonly #parts: ChannelCommandsParts;
  #pending: OutgoingCommand[] = [];
  /** Sent on this channel, and no word about them yet; with the time when they expire. */
  readonly #unanswered = new Map<string, number>();
  #told = 0;
  #heardOf = 0;
  #isFresh = true;
  #isReading = false;
  #moreLooks = 0;
  #sweeps = 0;

  constructor(socket: OpenSocket, ap_id: string, parts: ChannelCommandsParts) {
    this.#socket = socket;
    this.#ap_id = ap_id;
    this.#parts = parts;
  }

  /** Commands may have become due. */
  wake(): void {
    this.#told++;
    this.pump();
  }

  /** The agent has said something about it. */
  answered(command_id: string): void {
    this.#unanswered.delete(command_id);
  }

  onSweep(): void {
    this.#sweeps++;
    const isLate = this.#sweeps % lookAgainEvery === 0 && this.#unanswered.size > 0;
    if (isLate) this.#forgetExpired();
    if (isLate || this.#moreLooks > 0) {
      this.#moreLooks = Math.max(0, this.#moreLooks - 1);
      this.wake();
    } else this.pump();
  }

  closed(): void {
    this.#pending = [];
  }

  /** Writes what waits, as far as the agent takes it. */
  pump(): void {
    if (!this.#isReading && this.#mayWrite && (this.#pending.length > 0 || this.#heardOf < this.#told)) {
      void this.#deliver();
    }
  }

  get #mayWrite(): boolean {
    return this.#socket.isOpen && this.#socket.bufferedBytes <= maxBufferedBytes;
  }

  async #deliver(): Promise<void> {
    this.#isReading = true;
    try {
      do {
        this.#writePending();
        if (!this.#mayWrite || this.#heardOf === this.#told) return;
        const told = this.#told;
        const isFresh = this.#isFresh;
        const due = await this.#parts.due(this.#ap_id, isFresh);
        this.#isFresh = false;
        this.#heardOf = told;
        // Somebody who comes back is given again what an earlier channel was given.
        this.#pending = isFresh ? due : this.#parts.sentWindow.unsent(due);
        if (due.length >= duePage) this.#moreLooks = looksAfterPage;
        else if (this.#moreLooks > 0 && this.#pending.length > 0) this.#moreLooks = looksAfterPage;
      } while (this.#pending.length > 0 || this.#heardOf < this.#told);
    } catch (error) {
      // The next sweep tries again.
      this.#parts.onError(error, 'the commands for an agent cannot be read; trying again');
    } finally {
      this.#isReading = false;
    }
  }

  #writePending(): void {
    const { sentWindow, delivery } = this.#parts;
    const now = Date.now();
    const written: string[] = [];
    while (this.#pending.length > written.length && this.#mayWrite) {
      const command = this.#pending[written.length]!;
      written.push(command.command_id);
      if (command.expires_at <= now) continue;
      this.#socket.batchWrites();
      this.#socket.send(JSON.stringify({ type: 'command', ...toAgentCommand(command) }));
      sentWindow.note(command.command_id);
      this.#unanswered.set(command.command_id, command.expires_at);
    }
    if (written.length === 0) return;
    const sent = written.filter((_, index) => this.#pending[index]!.expires_at > now);
    this.#pending = this.#pending.slice(written.length);
    for (const oldest of this.#unanswered.keys()) {
      if (this.#unanswered.size <= maxUnanswered) break;
      this.#unanswered.delete(oldest);
    }
    delivery.sent(sent);
  }

  #forgetExpired(): void {
    const now = Date.now();
    for (const [command_id, expires_at] of this.#unanswered) {
      if (expires_at <= now) this.#unanswered.delete(command_id);
    }
  }
}
