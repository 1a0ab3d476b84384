// The ids of ended sessions in memory, because they are looked at for every request. What was ended elsewhere is read
// again at most `freshMs` after the last time, like the records of callers.
import { Replica, ReplicaHead } from '../../base/storage/replica.ts';
import type { EndedSession, SessionStore } from './session-store.ts';

type Head = Awaited<ReturnType<SessionStore['head']>>;

export class EndedSessions {
  readonly #freshMs: number;
  readonly head: ReplicaHead<Head>;
  readonly #ended: Replica<Head, true, Pick<EndedSession, 'id'>>;
  #forgottenAt = Number.NEGATIVE_INFINITY;

  constructor({ sessions, freshMs }: { sessions: Pick<SessionStore, 'head' | 'listEnded'>; freshMs: number }) {
    this.#freshMs = freshMs;
    this.head = new ReplicaHead(() => sessions.head());
    this.#ended = new Replica(this.head, {
      revision: ({ revision }) => revision,
      forgotten: ({ forgotten }) => forgotten,
      read: async (after) => ({ rows: await sessions.listEnded(after), ...(after !== undefined && { gone: [] }) }),
      keyOf: ({ id }) => id,
      toRow: () => true,
    });
  }

  isFresh(now = performance.now()): boolean {
    const { trueAt } = this.head;
    return trueAt > this.#forgottenAt && now - trueAt < this.#freshMs;
  }

  has(id: string): boolean {
    return this.#ended.now.has(id);
  }

  /** The next `isFresh` is false. */
  forget(): void {
    this.#forgottenAt = performance.now();
  }
}
