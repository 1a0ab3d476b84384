// The states of all agents that were ever heard of, kept true: with each report, and by `follow` when time alone makes one late,
// offline or online. Only those whose time has come are looked at, however many there are.
import { maxAheadMs } from '../store/telemetry-store.ts';
import { DueHeap } from './due-heap.ts';
import { AgentPresenceTracker, type Hearing, type PresenceRecord } from './presence.ts';

/** Called when an agent was heard of for the first time, is in another state, or was forgotten. Must not throw. */
export type PresenceListener = (ap_id: string) => void;

export class PresenceStates {
  readonly #trackers = new Map<string, AgentPresenceTracker>();
  readonly #due = new DueHeap<AgentPresenceTracker>();
  readonly #away = new Set<AgentPresenceTracker>();
  readonly #listeners: PresenceListener[] = [];
  readonly #hearing: Hearing | undefined;

  constructor(hearing?: Hearing) {
    this.#hearing = hearing;
  }

  get names(): Iterable<string> {
    return this.#trackers.keys();
  }

  /** Those that are late or offline, and whose run is not over. */
  get away(): ReadonlySet<AgentPresenceTracker> {
    return this.#away;
  }

  onChange(listener: PresenceListener): void {
    this.#listeners.push(listener);
  }

  get(ap_id: string): AgentPresenceTracker | undefined {
    return this.#trackers.get(ap_id);
  }

  /** A post of this agent has come. Runs for every post. */
  seen(ap_id: string, nowMs: number): AgentPresenceTracker {
    const tracker = this.#trackers.get(ap_id);
    if (!tracker) return this.#add(AgentPresenceTracker.first(ap_id, nowMs, this.#hearing), nowMs);
    tracker.seen(nowMs);
    this.#judge(tracker, nowMs);
    return tracker;
  }

  /**
   * What was written down, by this node before or by another one; ignored if something newer is known. What a clock that was ahead
   * has written counts as heard now, once; returns it then.
   */
  adopt(record: PresenceRecord, nowMs: number): AgentPresenceTracker | undefined {
    const own = this.#trackers.get(record.ap_id);
    if (record.last_seen > nowMs + maxAheadMs) {
      if (own) return undefined;
      const heard = { ...record, last_seen: nowMs, online_since: nowMs, returned_at: null };
      return this.#add(new AgentPresenceTracker(heard, this.#hearing), nowMs);
    }
    if (!own) this.#add(new AgentPresenceTracker(record, this.#hearing), nowMs);
    else if (record.last_seen > own.record.last_seen) {
      own.adopt(record);
      this.#judge(own, nowMs);
    }
    return undefined;
  }

  /** How often the agent is to report, by its configuration. */
  configure(ap_id: string, configuredMs: number | undefined, nowMs: number): AgentPresenceTracker | undefined {
    const tracker = this.#trackers.get(ap_id);
    if (!tracker || tracker.configuredMs === configuredMs) return tracker;
    tracker.configuredMs = configuredMs;
    // It may be due much later now.
    this.#due.remove(tracker);
    this.#judge(tracker, nowMs);
    return tracker;
  }

  /** Its run is over, until it is heard of again. */
  end(ap_id: string): void {
    const tracker = this.#trackers.get(ap_id);
    if (!tracker) return;
    tracker.isEnded = true;
    this.#away.delete(tracker);
  }

  forget(ap_id: string): AgentPresenceTracker | undefined {
    const tracker = this.#trackers.get(ap_id);
    if (!tracker) return undefined;
    this.#trackers.delete(ap_id);
    this.#due.remove(tracker);
    this.#away.delete(tracker);
    this.#tell(ap_id);
    return tracker;
  }

  /**
   * Afterwards `presence` of each of them is what it is at this time, which only goes on. Returns false if `atMost` were not
   * enough and it must be called again.
   */
  follow(nowMs: number, atMost = Number.POSITIVE_INFINITY): boolean {
    const again: AgentPresenceTracker[] = [];
    for (let next = this.#due.first; next && next.dueMs <= nowMs && again.length < atMost; next = this.#due.first) {
      this.#due.remove(next);
      again.push(next);
    }
    for (const tracker of again) {
      this.#judge(tracker, nowMs);
      // Late is after a time, not at it. None of them is to be the next one again now.
      if (tracker.heapAt >= 0 && tracker.dueMs <= nowMs) this.#due.set(tracker, nowMs + 1);
    }
    return again.length < atMost;
  }

  /** The wall clock was set. */
  shift(ms: number): void {
    for (const tracker of this.#trackers.values()) tracker.shift(ms);
    this.#due.shift(ms);
  }

  #add(tracker: AgentPresenceTracker, nowMs: number): AgentPresenceTracker {
    this.#trackers.set(tracker.record.ap_id, tracker);
    this.#judge(tracker, nowMs, true);
    return tracker;
  }

  #judge(tracker: AgentPresenceTracker, nowMs: number, isNew = false): void {
    const before = tracker.presence;
    const presence = tracker.presenceAt(nowMs);
    const dueMs = tracker.changesAtMs(nowMs, presence);
    // Later than it is queued for is soon enough then: nearly every report puts it off.
    if (dueMs === undefined) this.#due.remove(tracker);
    else if (tracker.heapAt < 0 || dueMs < tracker.dueMs) this.#due.set(tracker, dueMs);
    if (presence === before && !isNew) return;
    tracker.presence = presence;
    if (presence === 'online') tracker.isEnded = false;
    if (presence === 'online' || tracker.isEnded) this.#away.delete(tracker);
    else this.#away.add(tracker);
    this.#tell(tracker.record.ap_id);
  }

  #tell(ap_id: string): void {
    for (const listener of this.#listeners) listener(ap_id);
  }
}
