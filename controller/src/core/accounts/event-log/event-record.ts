// An event as features log it and as it is read, and the filters of a search.
import type { EventItem } from '@weft/contract';
import type { InMs } from '../../base/storage/sql-store.ts';

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

export type LoggedEvent = InMs<EventItem, 'ts'>;

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

/** Whether a kind is one of these (`alarm.*` is a family, `*` all). */
export function matchesKinds(kinds: readonly string[], kind: string): boolean {
  return kinds.some(
    (each) => each === '*' || each === kind || (each.endsWith('.*') && kind.startsWith(each.slice(0, -1))),
  );
}
