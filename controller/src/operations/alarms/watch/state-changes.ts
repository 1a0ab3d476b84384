// When access points went away and came back, from the event log: so that any node that takes over knows it too.
import type { EventLog } from '../../../core/accounts/event-log/event-log.ts';
import { groupedNames } from '../../../core/accounts/event-log/grouped-event.ts';

const kinds = ['agent.online', 'agent.offline'];
const keptMs = 86_400_000;
/** What is older than a day counts for no rule, so that this is soon enough. */
const forgetEveryMs = 60_000;
const pageSize = 500;
/** One that goes and comes all day has enough of them. */
const maxPerAgent = 100;
const none: readonly number[] = [];

export class StateChanges {
  readonly #log: Pick<EventLog, 'read' | 'newest'>;
  readonly #changes = new Map<string, number[]>();
  /** The same names by how many changes they have. */
  readonly #byCount = new Map<number, Set<string>>();
  #forgottenMs = Number.NEGATIVE_INFINITY;
  #after: number | undefined;

  constructor(log: Pick<EventLog, 'read' | 'newest'>) {
    this.#log = log;
  }

  /** Those that went or came at least this often. After a power cut nearly all did so once or twice, and almost none more often. */
  atLeast(count: number): string[] {
    return [...this.#byCount].flatMap(([their, names]) => (their >= count ? [...names] : []));
  }

  /** Oldest first. */
  of(ap_id: string): readonly number[] {
    return this.#changes.get(ap_id) ?? none;
  }

  /** Reads what is new; at the first time, what happened within a day. */
  async refresh(nowMs: number): Promise<void> {
    const newest = await this.#log.newest();
    if (newest === this.#after) return;
    const fromMs = this.#after === undefined ? nowMs - keptMs : undefined;
    let after: number | null = this.#after ?? 0;
    while (after !== null) {
      const page: Awaited<ReturnType<EventLog['read']>> = await this.#log.read({
        kinds,
        after,
        fromMs,
        limit: pageSize,
      });
      for (const event of page.events) {
        const names = event.ap_id === null ? (groupedNames(event) ?? []) : [event.ap_id];
        for (const ap_id of names) this.#add(ap_id, event.ts);
      }
      after = page.next;
    }
    this.#after = newest;
    if (Math.abs(nowMs - this.#forgottenMs) < forgetEveryMs) return;
    this.#forgottenMs = nowMs;
    this.#forgetBefore(nowMs - keptMs);
  }

  /** What it knows may be old: another node has done this meanwhile. */
  forget(): void {
    this.#changes.clear();
    this.#byCount.clear();
    this.#after = undefined;
  }

  #add(ap_id: string, ms: number): void {
    const list = this.#changes.get(ap_id) ?? [];
    this.#changes.set(ap_id, list);
    const before = list.length;
    if (list.push(ms) > maxPerAgent) list.shift();
    this.#recount(ap_id, before, list.length);
  }

  #forgetBefore(ms: number): void {
    for (const [ap_id, list] of this.#changes) {
      const before = list.length;
      while (list.length > 0 && list[0]! < ms) list.shift();
      this.#recount(ap_id, before, list.length);
      if (list.length === 0) this.#changes.delete(ap_id);
    }
  }

  #recount(ap_id: string, before: number, now: number): void {
    if (before === now) return;
    const left = this.#byCount.get(before);
    left?.delete(ap_id);
    if (left?.size === 0) this.#byCount.delete(before);
    if (now === 0) return;
    const joined = this.#byCount.get(now) ?? new Set();
    this.#byCount.set(now, joined.add(ap_id));
  }
}
