// Agents that ask for commands and wait: each question is held until something is due, the time is over, the agent hangs
// up, or Weft stops.
import { TryLaterError } from '../../../errors.ts';
import type { CommandDelivery, OutgoingCommand } from '../command-delivery.ts';
import type { SentWindow } from '../sent-window.ts';

const maxWaitersPerAgent = 4;
/** An answer holds at least one command, and no more than about this. */
const maxAnswerBytes = 1024 * 1024;
/** Commands without an answer become due again without a word. */
const lookAgainMs = 5_000;
/** Who has asked within this time is expected to ask again. */
const attentiveMs = 60_000;
const maxAttentive = 200_000;

export interface CommandPollOptions {
  delivery: CommandDelivery;
  sentWindow: SentWindow;
  now?: () => number;
}

export class CommandPoll {
  readonly #delivery: CommandDelivery;
  readonly #sentWindow: SentWindow;
  readonly #now: () => number;
  readonly #waiters = new Map<string, Set<() => void>>();
  /** When each agent last asked, oldest first. */
  readonly #askedAtMs = new Map<string, number>();
  #isStopped = false;

  constructor({ delivery, sentWindow, now }: CommandPollOptions) {
    this.#delivery = delivery;
    this.#sentWindow = sentWindow;
    this.#now = now ?? (() => performance.now());
    delivery.onDue((ap_id) => {
      for (const wake of this.#waiters.get(ap_id) ?? []) wake();
    });
  }

  /** Whether the agent waits for commands, or has asked within the last minute. */
  isAttentive(ap_id: string): boolean {
    const askedAtMs = this.#askedAtMs.get(ap_id);
    return this.#waiters.has(ap_id) || (askedAtMs !== undefined && this.#now() - askedAtMs < attentiveMs);
  }

  /** Whether an agent is being held on the line right now. */
  isWaiting(ap_id: string): boolean {
    return this.#waiters.has(ap_id);
  }

  /**
   * What is due for the agent, marked as sent; empty once the time is over, the agent has gone, or Weft stops. Throws
   * TryLaterError (429) if the agent asks too often at once.
   */
  async take(ap_id: string, waitMs: number, gone: AbortSignal): Promise<OutgoingCommand[]> {
    const waiters = this.#waiters.get(ap_id) ?? new Set();
    if (waiters.size >= maxWaitersPerAgent) {
      throw new TryLaterError(429, 'too_many_polls', `At most ${maxWaitersPerAgent} polls may wait at once`, 5);
    }
    this.#noteAsked(ap_id);
    const until = this.#now() + waitMs;
    let wakeNow = () => {};
    let wasWoken = false;
    const wake = () => {
      wasWoken = true;
      wakeNow();
    };
    waiters.add(wake);
    this.#waiters.set(ap_id, waiters);
    gone.addEventListener('abort', wake);
    try {
      for (;;) {
        wasWoken = false;
        const commands = await this.#takeNow(ap_id, gone);
        const leftMs = until - this.#now();
        if (commands.length > 0 || leftMs <= 0 || gone.aborted || this.#isStopped) return commands;
        if (wasWoken) continue;
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, Math.min(leftMs, lookAgainMs));
          wakeNow = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        if (gone.aborted || this.#isStopped) return [];
      }
    } finally {
      gone.removeEventListener('abort', wake);
      waiters.delete(wake);
      if (waiters.size === 0) this.#waiters.delete(ap_id);
      this.#noteAsked(ap_id);
    }
  }

  /** Everybody who waits is answered now; nobody waits any more. */
  stop(): void {
    this.#isStopped = true;
    for (const waiters of this.#waiters.values()) for (const wake of waiters) wake();
  }

  async #takeNow(ap_id: string, gone: AbortSignal): Promise<OutgoingCommand[]> {
    const due = this.#sentWindow.unsent(await this.#delivery.due(ap_id, false));
    if (gone.aborted) return [];
    const taken: OutgoingCommand[] = [];
    let bytes = 0;
    for (const command of due) {
      bytes += JSON.stringify(command.args).length + 300;
      if (taken.length > 0 && bytes > maxAnswerBytes) break;
      taken.push(command);
      this.#sentWindow.note(command.command_id);
    }
    if (taken.length > 0) this.#delivery.sent(taken.map(({ command_id }) => command_id));
    return taken;
  }

  #noteAsked(ap_id: string): void {
    const now = this.#now();
    this.#askedAtMs.delete(ap_id);
    this.#askedAtMs.set(ap_id, now);
    for (const [oldest, askedAtMs] of this.#askedAtMs) {
      if (this.#askedAtMs.size <= maxAttentive && now - askedAtMs < attentiveMs) return;
      this.#askedAtMs.delete(oldest);
    }
  }
}
