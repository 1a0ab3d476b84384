// Slots that work waits for. A free slot goes to the waiting principal that holds the fewest, and among those to the one
// that has had the fewest turns since it began to ask (start-time fair queueing); so whoever asks for little is served
// next, however much another asks for, and nobody gets ahead by asking again.
import { TryLaterError } from '../errors.ts';
import { CallerGone, leaving } from '../time-slices.ts';

export interface TurnLimits {
  slots: number;
  /** Of those for one principal at most; the rest of its work waits. */
  perPrincipal?: number;
  /** How much of one principal may wait; more is refused with 429. */
  maxWaiting?: number;
}

export interface TurnRequest {
  signal?: AbortSignal | undefined;
  /** Before everything of the same principal that is not ahead, and in its place if no more of it may wait. */
  isAhead?: boolean;
}

interface Waiting {
  take: () => void;
  /** Ends the waiting of somebody who has left; false for everybody else. */
  endIfGone: () => boolean;
  /** Another of the same principal has taken its place. */
  displace: () => void;
  isAhead: boolean;
  /** Of arrival, among all. */
  order: number;
}

/** Principals without work that are remembered for the turns that they have had. */
const maxIdle = 1_000;

interface Queue {
  held: number;
  waiting: Waiting[];
  /** Its next turn in virtual time; each turn takes one. */
  start: number;
}

export class FairTurns {
  readonly #name: string;
  readonly #slots: number;
  readonly #perPrincipal: number;
  readonly #maxWaiting: number;
  readonly #queues = new Map<string, Queue>();
  #held = 0;
  #waiting = 0;
  #arrivals = 0;
  /** The start of the turn that was given last. */
  #virtualTime = 0;
  /** How much was refused because too much of its principal was waiting. */
  refused = 0;

  constructor(name: string, { slots, perPrincipal = slots, maxWaiting = Number.POSITIVE_INFINITY }: TurnLimits) {
    this.#name = name;
    this.#slots = slots;
    this.#perPrincipal = Math.min(perPrincipal, slots);
    this.#maxWaiting = maxWaiting;
  }

  get held(): number {
    return this.#held;
  }

  get waiting(): number {
    return this.#waiting;
  }

  get free(): number {
    return this.#slots - this.#held;
  }

  heldBy(principal: string): number {
    return this.#queues.get(principal)?.held ?? 0;
  }

  /** The principals that hold as many slots as they may. */
  atBound(): string[] {
    return [...this.#queues].filter(([, { held }]) => held >= this.#perPrincipal).map(([principal]) => principal);
  }

  /** True if the principal would get a slot at once. */
  hasFree(principal: string): boolean {
    return this.#held < this.#slots && this.heldBy(principal) < this.#perPrincipal;
  }

  /**
   * Resolves with a slot; the returned function gives it back, once however often it is called. Throws TryLaterError (429)
   * if too much of the principal is waiting already, the reason of the signal, or CallerGone; then there is no slot.
   */
  async acquire(principal: string, { signal, isAhead = false }: TurnRequest = {}): Promise<() => void> {
    signal?.throwIfAborted();
    const queue = this.#queueOf(principal);
    if (this.hasFree(principal)) {
      this.#hold(queue);
    } else {
      if (queue.waiting.length >= this.#maxWaiting) for (const each of [...queue.waiting]) each.endIfGone();
      if (queue.waiting.length >= this.#maxWaiting) {
        this.refused++;
        const last = queue.waiting.at(-1);
        if (!isAhead || last === undefined || last.isAhead) {
          this.#forgetIdle(principal, queue);
          throw this.#refusal();
        }
        last.displace();
      }
      await this.#wait(principal, queue, isAhead, signal);
    }
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#release(principal, queue);
    };
  }

  /** Runs `work` with a slot. Throws what it throws, or what `acquire` does. */
  async run<T>(principal: string, work: () => Promise<T>, request?: TurnRequest): Promise<T> {
    const release = await this.acquire(principal, request);
    try {
      return await work();
    } finally {
      release();
    }
  }

  #queueOf(principal: string): Queue {
    let queue = this.#queues.get(principal);
    if (!queue) {
      queue = { held: 0, waiting: [], start: this.#virtualTime };
      this.#queues.set(principal, queue);
    } else if (isIdle(queue)) {
      queue.start = Math.max(queue.start, this.#virtualTime);
    }
    return queue;
  }

  #hold(queue: Queue): void {
    queue.held++;
    this.#held++;
    this.#virtualTime = Math.max(this.#virtualTime, queue.start);
    queue.start++;
  }

  #refusal(): TryLaterError {
    return new TryLaterError(
      429,
      'share_used_up',
      `Too much of yours is waiting (${this.#name}); try again shortly`,
      5,
    );
  }

  #wait(principal: string, queue: Queue, isAhead: boolean, signal: AbortSignal | undefined): Promise<void> {
    const isGone = leaving();
    return new Promise<void>((resolve, reject) => {
      const leave = (reason: unknown) => {
        signal?.removeEventListener('abort', giveUp);
        queue.waiting.splice(queue.waiting.indexOf(entry), 1);
        this.#waiting--;
        reject(reason);
      };
      const giveUp = () => {
        leave(signal?.reason);
        this.#forgetIdle(principal, queue);
      };
      const entry: Waiting = {
        isAhead,
        order: ++this.#arrivals,
        take: () => {
          signal?.removeEventListener('abort', giveUp);
          resolve();
        },
        displace: () => leave(this.#refusal()),
        endIfGone: () => {
          if (!isGone?.()) return false;
          leave(new CallerGone());
          return true;
        },
      };
      const behind = isAhead ? queue.waiting.findIndex((other) => !other.isAhead) : -1;
      queue.waiting.splice(behind < 0 ? queue.waiting.length : behind, 0, entry);
      this.#waiting++;
      signal?.addEventListener('abort', giveUp, { once: true });
    });
  }

  #release(principal: string, queue: Queue): void {
    queue.held--;
    this.#held--;
    this.#giveOut();
    this.#forgetIdle(principal, queue);
  }

  #giveOut(): void {
    while (this.#held < this.#slots) {
      const queue = this.#next();
      if (!queue) return;
      const entry = queue.waiting[0]!;
      if (entry.endIfGone()) continue;
      queue.waiting.shift();
      this.#waiting--;
      this.#hold(queue);
      entry.take();
    }
  }

  #next(): Queue | undefined {
    let next: Queue | undefined;
    for (const queue of this.#queues.values()) {
      if (queue.waiting.length === 0 || queue.held >= this.#perPrincipal) continue;
      if (!next || isBefore(queue, next)) next = queue;
    }
    return next;
  }

  /** Only once its turns no longer count: else it would get ahead by asking again. */
  #forgetIdle(principal: string, queue: Queue): void {
    if (isIdle(queue) && queue.start <= this.#virtualTime) this.#queues.delete(principal);
    if (this.#held === 0 && this.#waiting === 0) this.#queues.clear();
    if (this.#queues.size <= maxIdle) return;
    for (const [name, each] of this.#queues) if (isIdle(each)) this.#queues.delete(name);
  }
}

function isIdle({ held, waiting }: Queue): boolean {
  return held === 0 && waiting.length === 0;
}

function isBefore(a: Queue, b: Queue): boolean {
  if (a.held !== b.held) return a.held < b.held;
  return a.start === b.start ? a.waiting[0]!.order < b.waiting[0]!.order : a.start < b.start;
}
