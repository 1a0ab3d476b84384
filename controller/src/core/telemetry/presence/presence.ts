// Whether one agent is there, worked out from when it reported: pure rules, no clock of their own.
//
// online  -> late     after two reporting intervals and a grace without a report
// late    -> online   with the next report
// late    -> offline  after five intervals, at least half a minute
// offline -> late     with the first report, and online only with the second, or when it has stayed for an interval:
//                     an agent that restarts over and over does not blink
// Time in which Weft itself stood still and could hear nobody is no silence of the agent.
import type { AgentPresence, Presence } from '@weft/contract';
import { maxIntervalMs } from '../../network/agent-facts.ts';
import type { Due } from './due-heap.ts';

const graceMs = 5_000;
const minOfflineMs = 30_000;
export const defaultIntervalMs = 10_000;
/** An interval is learned from this many gaps, and counts if it is clearly longer than the default. */
const gapCount = 5;
const clearlyLonger = 1.5;

/** Whether this process could hear agents at all. */
export interface Hearing {
  /** For how long it could not, counted from some moment. */
  readonly deafMs: number;
  /** Brings it up to date: right after a stall, before any timer of its own. */
  look(): void;
}

const alwaysHearing: Hearing = { deafMs: 0, look: () => {} };

/** What must outlive a restart. Times are milliseconds since 1970. */
export interface PresenceRecord {
  ap_id: string;
  last_seen: number;
  /** Since when its reports have been regular; null while it is coming back. */
  online_since: number | null;
  /** The first report after it had been offline, until it is online again. */
  returned_at: number | null;
  learned_interval_ms: number | null;
}

/** An agent that was heard of at least once. */
export interface KnownPresence {
  ap_id: string;
  presence: Presence;
  /** Since when it is so. */
  sinceMs: number;
  /** Its last report; later by the time in which Weft could not have heard one. */
  lastSeenMs: number;
  /** After this long without a report it is offline. */
  offlineAfterMs: number;
}

export class AgentPresenceTracker implements Due {
  /** Has changed since it was written down. */
  isUnsaved = false;
  /** Its run is over. */
  isEnded = false;
  /** Its agent is gone. */
  isForgotten = false;
  /** As it was when somebody looked last. */
  presence: Presence = 'online';
  dueMs = 0;
  heapAt = -1;
  readonly record: PresenceRecord;
  /** From its configuration; undefined if that names none. */
  configuredMs: number | undefined;
  readonly #gaps: number[] = [];
  readonly #hearing: Hearing;
  /** `deafMs` when it was last seen. */
  #deafBeforeMs: number;

  constructor(record: PresenceRecord, hearing = alwaysHearing) {
    this.record = record;
    this.#hearing = hearing;
    this.#deafBeforeMs = hearing.deafMs;
  }

  static first(ap_id: string, nowMs: number, hearing?: Hearing): AgentPresenceTracker {
    const record = { ap_id, last_seen: nowMs, online_since: nowMs, returned_at: null, learned_interval_ms: null };
    return new AgentPresenceTracker(record, hearing);
  }

  get intervalMs(): number {
    if (this.configuredMs !== undefined) return this.configuredMs;
    const learned = this.record.learned_interval_ms ?? 0;
    return learned > defaultIntervalMs * clearlyLonger ? learned : defaultIntervalMs;
  }

  /** After this long without a report it is offline. */
  get offlineAfterMs(): number {
    return offlineAfter(this.intervalMs);
  }

  /** A report has come. Takes constant time. */
  seen(nowMs: number): void {
    const { record } = this;
    const gap = Math.max(0, nowMs - this.#heardMs);
    const interval = this.intervalMs;
    if (gap > offlineAfter(interval)) {
      record.returned_at = nowMs;
      record.online_since = null;
    } else if (record.returned_at !== null) {
      record.online_since = gap > lateAfter(interval) ? nowMs : Math.min(nowMs, record.returned_at + interval);
      record.returned_at = null;
    } else if (gap > lateAfter(interval)) {
      record.online_since = nowMs;
    }
    this.#learn(gap);
    record.last_seen = Math.max(nowMs, record.last_seen);
    this.#deafBeforeMs = this.#hearing.deafMs;
  }

  /** Another node has heard it later. */
  adopt(record: PresenceRecord): void {
    Object.assign(this.record, record);
    this.#deafBeforeMs = this.#hearing.deafMs;
  }

  presenceAt(nowMs: number): Presence {
    const { returned_at } = this.record;
    const interval = this.intervalMs;
    const silence = nowMs - this.#heardMs;
    if (silence > offlineAfter(interval)) return 'offline';
    if (silence > lateAfter(interval)) return 'late';
    return returned_at !== null && nowMs - returned_at < interval ? 'late' : 'online';
  }

  /** When its state changes if nothing is heard of it, or within a millisecond after that; undefined if it stays as it is. */
  changesAtMs(nowMs: number, presence: Presence): number | undefined {
    const { returned_at } = this.record;
    const interval = this.intervalMs;
    if (presence === 'offline') return undefined;
    if (presence === 'online') return this.#heardMs + lateAfter(interval);
    const isReturning = returned_at !== null && returned_at + interval > nowMs;
    return isReturning ? returned_at + interval : this.#heardMs + offlineAfter(interval);
  }

  knownAt(nowMs: number): KnownPresence {
    const { ap_id } = this.record;
    const presence = this.presenceAt(nowMs);
    return {
      ap_id,
      presence,
      sinceMs: this.#sinceMs(presence, nowMs),
      lastSeenMs: Math.min(nowMs, this.#heardMs),
      offlineAfterMs: this.offlineAfterMs,
    };
  }

  /** The same with all that is to be said about it. */
  stateAt(nowMs: number): { presence: Presence; sinceMs: number | null; reason: string } {
    const { returned_at, online_since } = this.record;
    const heardMs = this.#heardMs;
    const interval = this.intervalMs;
    const silence = Math.max(0, nowMs - heardMs);
    const presence = this.presenceAt(nowMs);
    const expected = `expected every ${inWords(interval)}`;
    const lastReport = silence < 1000 ? 'Last report: just now' : `Last report: ${inWords(silence)} ago`;
    if (presence === 'offline') {
      const reason = `No report for ${inWords(silence)}; ${expected}.`;
      return { presence, sinceMs: heardMs + offlineAfter(interval), reason };
    }
    if (silence > lateAfter(interval)) {
      return { presence, sinceMs: heardMs + lateAfter(interval), reason: `${lastReport}; ${expected}.` };
    }
    if (presence === 'late') {
      const reason = 'One report since it was offline; the next report makes it online.';
      return { presence, sinceMs: returned_at, reason };
    }
    const sinceMs = returned_at === null ? online_since : returned_at + interval;
    return { presence, sinceMs, reason: `${lastReport}; ${expected}.` };
  }

  /** The wall clock was set: what was measured stays as long as it was. */
  shift(ms: number): void {
    const { record } = this;
    record.last_seen += ms;
    if (record.online_since !== null) record.online_since += ms;
    if (record.returned_at !== null) record.returned_at += ms;
  }

  /** Its last report, and on top of it the time since in which no report could have been heard. */
  get #heardMs(): number {
    return this.record.last_seen + this.#hearing.deafMs - this.#deafBeforeMs;
  }

  #sinceMs(presence: Presence, nowMs: number): number {
    const { returned_at, online_since } = this.record;
    const heardMs = this.#heardMs;
    const interval = this.intervalMs;
    if (presence === 'offline') return heardMs + offlineAfter(interval);
    if (nowMs - heardMs > lateAfter(interval)) return heardMs + lateAfter(interval);
    if (presence === 'late') return returned_at!;
    return (returned_at === null ? online_since : returned_at + interval) ?? heardMs;
  }

  /** The second longest of the last few gaps: one outage is not a habit, and two posts in a row are not one either. */
  #learn(gap: number): void {
    if (this.#gaps.push(gap) > gapCount) this.#gaps.shift();
    if (this.#gaps.length < 3) return;
    let longest = 0;
    let second = 0;
    for (const each of this.#gaps) {
      if (each >= longest) [longest, second] = [each, longest];
      else if (each > second) second = each;
    }
    this.record.learned_interval_ms = Math.min(second, maxIntervalMs);
  }
}

function lateAfter(intervalMs: number): number {
  return 2 * intervalMs + graceMs;
}

/** Never sooner than late. */
function offlineAfter(intervalMs: number): number {
  return Math.max(5 * intervalMs, minOfflineMs);
}

function inWords(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`;
}

type Told = Pick<AgentPresence, 'channel' | 'command_ready' | 'report_budget'>;

/** An agent that has logged in, or holds its channel, is not away: nothing has come of it. */
export function toUnreported(ap_id: string, configuredMs: number | undefined, told: Told): AgentPresence {
  const { channel, command_ready } = told;
  return {
    ap_id,
    presence: 'offline',
    last_seen: null,
    since: null,
    reason: channel ? 'Connected, has not reported.' : 'Has not reported.',
    report_interval_seconds: (configuredMs ?? defaultIntervalMs) / 1000,
    channel,
    command_ready,
  };
}

export function toAgentPresence(
  ap_id: string,
  tracker: AgentPresenceTracker,
  nowMs: number,
  told: Told,
): AgentPresence {
  const { presence, sinceMs, reason } = tracker.stateAt(nowMs);
  const { channel, command_ready, report_budget } = told;
  return {
    ap_id,
    presence,
    last_seen: new Date(tracker.record.last_seen).toISOString(),
    since: sinceMs === null ? null : new Date(sinceMs).toISOString(),
    reason,
    report_interval_seconds: tracker.intervalMs / 1000,
    channel,
    command_ready,
    ...(report_budget && { report_budget }),
  };
}
