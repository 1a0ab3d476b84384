// The event log: what happened, in one order, for people and programs. Features append in the transactions of their changes;
// the timeline, webhooks and e-mail read it by id. It is also their outbox: whoever remembers an id misses nothing.
import type { SqlQueries } from '../storage/sql-database.ts';

export const severities = ['info', 'warning', 'minor', 'major', 'critical'] as const;
export type Severity = (typeof severities)[number];

export interface NewEvent {
  /** What happened, such as `agent.offline`: two words in snake_case with a dot. */
  kind: string;
  /** What it is about: `agent`, `site`, `alarm`, `command`, `run`, `node`, `webhook`, `storage`, `device` and so on. */
  subject_kind: string;
  /** The name or id of it; for an agent its ap_id. */
  subject: string;
  /** The path of the site at that time. */
  site?: string | null | undefined;
  /** Default: info. */
  severity?: Severity | undefined;
  /** A sentence for people. */
  text: string;
  /** For programs; never a secret. At most `maxDataBytes` as JSON. A text `ap_id` names the agent that it is about. */
  data?: Record<string, unknown> | undefined;
  /** The devices that it is about, if there are many (`subject_kind` is `devices`): each of them finds it, nobody else reads them. */
  devices?: readonly string[] | undefined;
  /** When it happened, if that was before it is logged: kept as `data.at`. */
  ts?: number | undefined;
}

export interface LoggedEvent {
  /** Grows from event to event; may leave gaps. */
  id: number;
  /** When it was logged. Never before that of an event with a lower id. */
  ts: number;
  kind: string;
  subject_kind: string;
  subject: string;
  /** The agent that it is about: the subject, or `data.ap_id`; null if it is about none, or about many. */
  ap_id: string | null;
  site: string | null;
  severity: Severity;
  text: string;
  data: Record<string, unknown>;
}

export interface EventFilters {
  /** Kinds, or all of a family (`alarm.*`), or all (`*`). Default: all. */
  kinds?: readonly string[] | undefined;
  /** The agent that they are about, whatever their subjects are. */
  ap_id?: string | undefined;
  /** The agents that they are about: one of these. */
  ap_ids?: readonly string[] | undefined;
  /** Of a device (`subject_kind` is `device`) also what happened to it among others. */
  subject?: string | undefined;
  subject_kind?: string | undefined;
  /** The path of a site: events of it and of those below it. */
  site?: string | undefined;
  /** From this moment on. */
  fromMs?: number | undefined;
  /** Until right before this moment. */
  untilMs?: number | undefined;
}

export interface EventReadOptions extends EventFilters {
  /** Only events with a higher id. */
  after?: number | undefined;
  /** Only events with a lower id. */
  before?: number | undefined;
  /** Default: oldest first. */
  order?: 'oldest_first' | 'newest_first' | undefined;
  limit: number;
}

export interface EventPage {
  events: LoggedEvent[];
  /**
   * How far was looked: pass it as `after` (oldest first) or `before` (newest first) to go on; null at the end. A page may be
   * empty and not the last one, because one call looks at a bounded number of events.
   */
  next: number | null;
}

/** More is replaced by its size. */
export const maxDataBytes = 256 * 1024;
/** A page ends when its data exceeds this. */
export const maxPageBytes = 2 * 1024 * 1024;

/** Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. */
export interface EventLog {
  /**
   * Appends the events in order, in the transaction of the caller. Locks the end of the log until that ends, so that events become
   * visible in the order of their ids, on any number of nodes: whoever has read up to an id finds nothing below it later.
   * Append last in the transaction, because others wait meanwhile.
   */
  append(tx: SqlQueries, events: readonly NewEvent[]): Promise<void>;
  /** Events that match all filters: at most `limit`, and fewer if their data exceeds `maxPageBytes`, but at least one. A long search does not block others. */
  read(options: EventReadOptions): Promise<EventPage>;
  /** Those of these that are kept, in the order of their ids. */
  byIds(ids: readonly number[]): Promise<LoggedEvent[]>;
  /** The id of the newest event, 0 if there was none; also of one that is no longer kept. */
  newest(): Promise<number>;
  /** The id of the oldest event that is kept; undefined if there is none. */
  oldest(): Promise<number | undefined>;
  /** Removes all events about this device, and its name from those about many, in the transaction of the caller. */
  removeDevice(tx: SqlQueries, device: string): Promise<void>;
  /** Removes up to `limit` events of each kind from before these times, oldest first. Resolves whether there may be more. */
  prune(before: { events: number; devices: number }, limit: number): Promise<boolean>;
}

/** Whether a kind is one of these (`alarm.*` is a family, `*` all). */
export function matchesKinds(kinds: readonly string[], kind: string): boolean {
  return kinds.some(
    (each) => each === '*' || each === kind || (each.endsWith('.*') && kind.startsWith(each.slice(0, -1))),
  );
}
