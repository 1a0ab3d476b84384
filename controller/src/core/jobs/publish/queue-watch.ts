// Tells whether the queues of jobs stand still: the oldest job of a kind that nobody has taken is the same for too long. Jobs that
// wait for their owner's share do not count, so that nobody can make a node look broken by asking for much.
// A queue is lost if all that time it had no message ready and no consumer but Weft's own, however that came about: its jobs are
// published again. One with other consumers is in their hands, as long as they say a word now and then.
import { randomUUID } from 'node:crypto';
import type { Broker } from '@weft/broker';
import { TryLaterError } from '../../base/errors.ts';
import { PeriodicTask } from '../../base/periodic-task.ts';
import type { JobStore } from '../store/job-store.ts';
import type { QueueConsumers } from '../store/queue-consumers.ts';

/** Runs wait for an emulator as long as they like: that is no failure of this node. */
const worked = ['agent_details', 'agent_data'];
const kinds = [...worked, 'emulator_spinup'];

export interface QueueWatchOptions {
  jobs: Pick<JobStore, 'oldestUntaken' | 'unpublish'>;
  broker: Pick<Broker, 'depth' | 'consuming'>;
  /** Undefined where there are no other processes. */
  consumers: Pick<QueueConsumers, 'write' | 'countOthers'> | undefined;
  retakeMs: number;
  /** Jobs wait for publishing again. */
  onLost: () => void;
  onError: (error: unknown, message: string) => void;
  stillMs?: number;
  everyMs?: number;
  now?: () => number;
}

/** The oldest job; `emptySinceMs` is undefined while somebody may have its message. */
interface Watched {
  job_number: string;
  published_at: number | null;
  sinceMs: number;
  emptySinceMs?: number | undefined;
  isInOtherHands?: boolean;
}

export class QueueWatch extends PeriodicTask {
  readonly #options: Required<QueueWatchOptions>;
  readonly #process = randomUUID();
  readonly #watched = new Map<string, Watched>();
  readonly #retookMs = new Map<string, number>();

  constructor(options: QueueWatchOptions) {
    super({ everyMs: options.everyMs ?? 2_000, what: 'the look at the queue of jobs', run: () => this.look() });
    this.#options = { stillMs: 30_000, everyMs: 0, now: Date.now, ...options };
  }

  get isStill(): boolean {
    const { now, stillMs } = this.#options;
    const oldest = worked.flatMap((kind) => this.#watched.get(kind) ?? []);
    return oldest.some(({ sinceMs, isInOtherHands }) => now() - sinceMs >= stillMs && !isInOtherHands);
  }

  /** Never throws. */
  async look(): Promise<void> {
    const { broker, consumers, now, onError } = this.#options;
    try {
      await consumers?.write(this.#process, new Map(kinds.map((kind) => [kind, broker.consuming(kind)])), now());
      for (const kind of kinds) await this.#lookAt(kind, now());
    } catch (error) {
      // Of a database that is away others tell.
      if (!(error instanceof TryLaterError)) onError(error, 'the queue of jobs could not be looked at');
    }
  }

  override async stop(): Promise<void> {
    await super.stop();
    await this.#options.consumers?.write(this.#process, new Map(), this.#options.now()).catch(() => {});
  }

  async #lookAt(kind: string, now: number): Promise<void> {
    const { jobs, broker, retakeMs, stillMs, onLost } = this.#options;
    const heardByMs = now - retakeMs;
    const oldest = await jobs.oldestUntaken(kind, now);
    const watched = this.#watched.get(kind);
    let lost = 0;
    if (!oldest) this.#watched.delete(kind);
    else if (oldest.job_number !== watched?.job_number) this.#watched.set(kind, { ...oldest, sinceMs: now });
    else if (await this.#isLost(kind, watched, oldest.published_at, now)) {
      lost += await jobs.unpublish(kind, now, { sentByMs: now - stillMs, heardByMs });
    }
    if (now - (this.#retookMs.get(kind) ?? 0) >= stillMs) {
      this.#retookMs.set(kind, now);
      // Messages that wait would only be doubled.
      const isEmpty = (await broker.depth(kind))?.ready === 0;
      if (isEmpty) lost += await jobs.unpublish(kind, now, { sentByMs: heardByMs, heardByMs });
    }
    if (lost > 0) onLost();
  }

  /** One look is not enough: a server that has just started, or has no leader for the queue, counts nothing at all. */
  async #isLost(kind: string, watched: Watched, published_at: number | null, now: number): Promise<boolean> {
    const { broker, consumers, stillMs } = this.#options;
    const depth = await broker.depth(kind);
    const own = broker.consuming(kind) + ((await consumers?.countOthers(this.#process, kind, now)) ?? 0);
    const others = (depth?.consumers ?? own) - own;
    const isSame = published_at !== null && published_at === watched.published_at;
    const isEmpty = isSame && depth?.ready === 0 && others === 0;
    const emptySinceMs = isEmpty ? (watched.emptySinceMs ?? now) : undefined;
    Object.assign(watched, { published_at, emptySinceMs, isInOtherHands: others > 0 });
    return emptySinceMs !== undefined && now - emptySinceMs >= stillMs;
  }
}
