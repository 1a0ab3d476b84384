// The one place from which things are removed because they are old. Features say what they keep and for how long; what is due is
// decided by time that has really passed, never by what the wall clock happens to say.
import { setTimeout as pause } from 'node:timers/promises';
import { RetentionClock } from './retention-clock.ts';

const betweenStepsMs = 20;
const hourMs = 3_600_000;

export interface RetentionKind {
  name: string;
  /** The longest time for which one of these is kept, from when it is stored. */
  keptMs: number;
  /** Removes some of what is due at this time; resolves true if there may be more. */
  remove(nowMs: number): Promise<unknown>;
  /** In the memory of each node; the others are removed by one node for all. */
  isLocal?: boolean;
}

export class Retention {
  readonly #kinds: RetentionKind[] = [];
  readonly clock = new RetentionClock(() => Math.max(hourMs, ...this.#kinds.map(({ keptMs }) => keptMs)));

  /** Before the start. */
  add(...kinds: RetentionKind[]): void {
    this.#kinds.push(...kinds);
  }

  get kinds(): readonly RetentionKind[] {
    return this.#kinds;
  }

  /** After a jump, until the clock has been steady for long enough. */
  get hasJumped(): boolean {
    return this.clock.state !== undefined && this.clock.isPaused;
  }

  /** What is due at this time may be removed. Long ago while the clock cannot be trusted. */
  now(keptMs: number): number {
    return this.clock.isPaused ? 0 : this.clock.now(keptMs);
  }

  /** While the clock cannot be trusted, what is too old by it may not be so. */
  ageClock(keptMs: number): number {
    return this.clock.isPaused ? Math.min(Date.now(), this.clock.now(keptMs)) : Date.now();
  }

  /** Removes what is due, all kinds side by side: what holds one up does not hold up the rest. Nothing while the clock cannot be trusted. */
  async remove(isForAll: boolean, stopping: AbortSignal): Promise<void> {
    const removeAll = async ({ keptMs, remove }: RetentionKind) => {
      while (!stopping.aborted && !this.clock.isPaused && (await remove(this.clock.now(keptMs))) === true)
        await pause(betweenStepsMs);
    };
    const due = this.#kinds.filter(({ isLocal }) => isForAll || isLocal);
    for (const outcome of await Promise.allSettled(due.map(removeAll))) {
      if (outcome.status === 'rejected') throw outcome.reason;
    }
  }
}
