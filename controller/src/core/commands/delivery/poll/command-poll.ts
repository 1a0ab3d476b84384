// Long polls: each request is held until a command is due, its time is over, the agent disconnects, or Weft stops.
import { BoundedMap } from '@weft/contract/bounded-map';
import { TryLaterError } from '../../../base/errors.ts';
import type { CommandDelivery, CommandTransport, OutgoingCommand, SentWindow } from '../command-delivery.ts';

const maxWaitersPerAgent = 4;
/** A response holds at least one command, and no more than about this. */
const maxAnswerBytes = 1024 * 1024;
/** Commands without an answer become due again without a notification. */
const lookAgainMs = 5_000;
/** An agent that has polled within this time is expected to poll again. */
const attentiveMs = 60_000;
const maxAttentive = 200_000;

/** Ends the waiting of one request, with the commands that it gets or so that it looks for some. */
type Wake = (commands?: OutgoingCommand[]) => void;

interface Waiter {
  wake: Wake;
  /** It has looked, has found nothing, and was not woken since. */
  isIdle: boolean;
}

export class CommandPoll implements CommandTransport {
  readonly #delivery: CommandDelivery;
  readonly #sentWindow: SentWindow;
  /** In the order of arrival. */
  readonly #waiters = new Map<string, Set<Waiter>>();
  /** Agents that have polled a moment ago. */
  readonly #asked: BoundedMap<string>;
  #isStopped = false;

  constructor({ delivery, sentWindow }: { delivery: CommandDelivery; sentWindow: SentWindow }) {
    this.#delivery = delivery;
    this.#sentWindow = sentWindow;
    this.#asked = new BoundedMap(maxAttentive, { ttlMs: attentiveMs, now: () => performance.now() });
    delivery.onDue((ap_id, commands) => this.#onDue(ap_id, commands));
  }

  /** Whether the agent waits for commands, or has polled within the last minute. */
  isReady({ ap_id }: { ap_id: string }): boolean {
    return this.#waiters.has(ap_id) || this.#asked.has(ap_id);
  }

  /** Whether a request of the agent is held now. */
  isConnected(ap_id: string): boolean {
    return this.#waiters.has(ap_id);
  }

  /**
   * What is due for the agent, marked as sent; empty once the time is over, the agent has disconnected, or Weft stops.
   * Throws TryLaterError (429) if too many requests of the agent wait already.
   */
  async take(ap_id: string, waitMs: number, gone: AbortSignal): Promise<OutgoingCommand[]> {
    const waiters = this.#waiters.get(ap_id) ?? new Set();
    if (waiters.size >= maxWaitersPerAgent) {
      throw new TryLaterError(429, 'too_many_polls', `At most ${maxWaitersPerAgent} polls may wait at once`, 5);
    }
    this.#asked.set(ap_id, true);
    const until = performance.now() + waitMs;
    let wasWoken = false;
    const noteWoken = () => {
      wasWoken = true;
    };
    const waiter: Waiter = { wake: noteWoken, isIdle: false };
    waiters.add(waiter);
    this.#waiters.set(ap_id, waiters);
    const onGone = () => waiter.wake();
    gone.addEventListener('abort', onGone);
    try {
      for (;;) {
        wasWoken = false;
        const commands = await this.#takeNow(ap_id, gone);
        const leftMs = until - performance.now();
        if (commands.length > 0 || leftMs <= 0 || gone.aborted || this.#isStopped) return commands;
        if (wasWoken) continue;
        const handedOver = await waitIdle(waiter, Math.min(leftMs, lookAgainMs));
        waiter.wake = noteWoken;
        if (handedOver) return handedOver;
        if (gone.aborted || this.#isStopped) return [];
      }
    } finally {
      gone.removeEventListener('abort', onGone);
      waiters.delete(waiter);
      if (waiters.size === 0) this.#waiters.delete(ap_id);
      this.#asked.set(ap_id, true);
    }
  }

  /** Every request that waits is answered now; no other waits any more. */
  stop(): void {
    this.#isStopped = true;
    for (const waiters of this.#waiters.values()) for (const { wake } of waiters) wake();
  }

  #onDue(ap_id: string, commands: readonly OutgoingCommand[] | undefined): void {
    const waiters = this.#waiters.get(ap_id);
    if (!waiters) return;
    let left = commands && this.#sentWindow.unsent(commands);
    const idle = [...waiters].find(({ isIdle }) => isIdle);
    if (left && left.length > 0 && idle && !this.#isStopped) {
      const taken = this.#take(left);
      left = left.slice(taken.length);
      idle.wake(taken);
    }
    if (left?.length === 0) return;
    for (const { wake } of waiters) wake();
  }

  async #takeNow(ap_id: string, gone: AbortSignal): Promise<OutgoingCommand[]> {
    const due = this.#sentWindow.unsent(await this.#delivery.due(ap_id, false));
    return gone.aborted ? [] : this.#take(due);
  }

  /** The first of them, as many as one response holds, marked as sent. */
  #take(due: readonly OutgoingCommand[]): OutgoingCommand[] {
    const taken: OutgoingCommand[] = [];
    let bytes = 0;
    for (const command of due) {
      if (this.#delivery.hasEnded(command.command_id)) continue;
      bytes += JSON.stringify(command.args).length + 300;
      if (taken.length > 0 && bytes > maxAnswerBytes) break;
      taken.push(command);
      this.#sentWindow.note(command.command_id);
    }
    if (taken.length > 0) this.#delivery.sent(taken.map(({ command_id }) => command_id));
    return taken;
  }
}

/** Resolves the commands that were handed over, if the request was woken with some. */
function waitIdle(waiter: Waiter, ms: number): Promise<OutgoingCommand[] | undefined> {
  return new Promise((resolve) => {
    const end: Wake = (commands) => {
      clearTimeout(timer);
      waiter.isIdle = false;
      resolve(commands);
    };
    const timer = setTimeout(end, ms);
    waiter.wake = end;
    waiter.isIdle = true;
  });
}
