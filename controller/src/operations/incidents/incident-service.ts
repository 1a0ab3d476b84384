// Incidents for callers. Each sees an incident as if there were only the access points that it may see: alarms, counts, cause and
// times are those of the alarms that it sees, and the id is that of the first of them.

import type { EventItem } from '@weft/contract';
import type { Diagnosis, Incident, IncidentDetails, IncidentState } from '@weft/contract/operations';
import type { EventLog } from '../../core/accounts/event-log/event-log.ts';
import type { SiteStore } from '../../core/accounts/sites/site-store.ts';
import type { Caller } from '../../core/base/caller.ts';
import { ConflictError, orNotFound, PermissionError } from '../../core/base/errors.ts';
import { toTime, toTimeOrNull } from '../../core/base/input/date-time.ts';
import { readNameCursor, toNameCursor } from '../../core/base/lists/list-cursor.ts';
import { endInSlices } from '../../core/base/time-slices.ts';
import type { Network } from '../../core/network/network.ts';
import type { NetworkSight } from '../../core/network/sight.ts';
import { parseWindow } from '../../core/telemetry/query/time-window.ts';
import { agentOf, canHandleAlarm, canSeeAlarm } from '../alarms/api/alarm-rights.ts';
import { type AlarmService, toSelector } from '../alarms/api/alarm-service.ts';
import { type EventView, toEventItem } from '../timeline/event-view.ts';
import { accessPointsOf, describeIncident } from './grouping/describe-incident.ts';
import { againMs } from './grouping/group-alarms.ts';
import {
  type Impact,
  type IncidentAlarm,
  type IncidentRecord,
  type IncidentStore,
  type PageStart,
  toGrouped,
} from './incident-store.ts';

const pageRows = 100;
/** A search looks at so many pages: what a caller may not see is not in the index. */
const maxPages = 10;
const maxIds = 1_000;
const minuteMs = 60_000;
/** What came before it may be its cause. */
const beforeMs = 10 * minuteMs;
const maxTimeline = 200;
const maxNames = 50;
const maxAffected = 200;
const maxListed = 100;
const timelineKinds = 'agent alarm command conflict config run incident rollout'.split(' ').map((kind) => `${kind}.*`);

export interface IncidentQuery {
  states?: readonly IncidentState[] | undefined;
  selector?: string | undefined;
  /** As the format `time-window` has it. */
  window?: string | undefined;
  cursor?: string | undefined;
  limit: number;
}

export interface IncidentServiceOptions {
  store: IncidentStore;
  network: Pick<Network, 'get' | 'visibleTo'>;
  sites: Pick<SiteStore, 'namesOf'>;
  alarms: Pick<AlarmService, 'acknowledgeAll' | 'shelveAll'>;
  eventLog: Pick<EventLog, 'read'>;
  view: EventView;
  /** Of an alarm that the caller may see. */
  diagnose: (alarm: IncidentAlarm, caller: Caller) => Promise<Diagnosis>;
}

interface Seen {
  incident: Incident;
  alarms: IncidentAlarm[];
  leading: IncidentAlarm;
}

export class IncidentService {
  readonly #options: IncidentServiceOptions;

  constructor(options: IncidentServiceOptions) {
    this.#options = options;
  }

  /** Newest first. A page may be short of `limit` before the end; `next` is where to go on, null at the end. */
  async list(caller: Caller, query: IncidentQuery): Promise<{ items: Incident[]; next: string | null }> {
    const { store, network } = this.#options;
    const { states, limit, window } = query;
    const selector = query.selector === undefined ? undefined : toSelector(query.selector);
    const sinceMs = window === undefined ? 0 : Date.now() - parseWindow(window, Number.POSITIVE_INFINITY).ms;
    const isOpen = states && (states.includes('ended') ? undefined : true);
    let before = toStart(readNameCursor(query.cursor, 'incidents', (name) => toStart(name) !== undefined));
    const sight = await network.visibleTo(caller);
    const items: Incident[] = [];
    for (let page = 0; page < maxPages; page++) {
      const rows = await store.page({
        sinceMs,
        limit: pageRows,
        ...(before && { before }),
        ...(isOpen !== undefined && { isOpen }),
      });
      const seen = await this.#seen(rows, sight);
      for (const [n, row] of rows.entries()) {
        before = row;
        const found = seen.get(row.id);
        if (!found || (states && !states.includes(found.incident.state))) continue;
        if (selector && !found.alarms.some((alarm) => selector.test(selectable(sight, alarm)))) continue;
        items.push(found.incident);
        const isLast = n === rows.length - 1 && rows.length < pageRows;
        if (items.length === limit) return { items, next: isLast ? null : toNameCursor(textOf(row), 'incidents') };
      }
      if (rows.length < pageRows) return { items, next: null };
    }
    return { items, next: toNameCursor(textOf(before!), 'incidents') };
  }

  /** Throws NotFoundError for one that is unknown or of which the caller sees nothing. */
  async get(id: string, caller: Caller): Promise<IncidentDetails> {
    const sight = await this.#options.network.visibleTo(caller);
    const { incident, alarms, leading } = await this.#require(id, sight);
    const merged = await this.#mergedAt(id, sight);
    const diagnosis = await this.#options.diagnose(leading, caller);
    const timeline = await this.#timeline(incident, alarms, caller);
    const alarm_list = alarms.slice(0, maxListed).map(toListed);
    const affected = (await this.#affected(leading.incident_id!, alarms)).slice(0, maxAffected);
    const details = { timeline, diagnosis, affected, alarm_list };
    if (!merged) return { ...incident, ...details };
    const nothing = { access_points: 0, devices_affected: 0, minutes_lost: 0, alarms: [], may_handle: false };
    const empty = { ...details, affected: [], alarm_list: [] };
    return { ...incident, ...merged, id, merged_into: incident.id, state: 'ended', ...nothing, ...empty };
  }

  /** Its active alarms, as far as the caller may handle them. */
  async acknowledge(id: string, caller: Caller): Promise<Incident> {
    const ids = await this.#handled(id, caller, ({ state }) => state === 'firing');
    if (ids.length > 0) await this.#options.alarms.acknowledgeAll(ids, caller);
    return (await this.#require(id, await this.#options.network.visibleTo(caller))).incident;
  }

  /** Each of its access points, also those that nobody lost. */
  async #affected(id: string, alarms: readonly IncidentAlarm[]): Promise<IncidentDetails['affected']> {
    const impacts = new Map((await this.#options.store.impactOf([id])).map((impact) => [impact.ap_id, impact]));
    const found = accessPointsOf(alarms.map(toGrouped)).map((ap_id) => {
      const { devices = 0, lost_ms = 0 } = impacts.get(ap_id) ?? {};
      return { ap_id, devices_affected: devices, minutes_lost: toMinutes(lost_ms) };
    });
    return found.sort((a, b) => b.devices_affected - a.devices_affected || b.minutes_lost - a.minutes_lost);
  }

  async silence(id: string, until: string, caller: Caller): Promise<Incident> {
    const ids = await this.#handled(id, caller, () => true);
    await this.#options.alarms.shelveAll(ids, { until }, caller);
    return (await this.#require(id, await this.#options.network.visibleTo(caller))).incident;
  }

  async #handled(id: string, caller: Caller, isMeant: (alarm: IncidentAlarm) => boolean): Promise<string[]> {
    const sight = await this.#options.network.visibleTo(caller);
    const { alarms } = await this.#require(id, sight);
    const active = alarms.filter(({ cleared_at }) => cleared_at === null);
    if (active.length === 0) throw new ConflictError('incident_ended', 'All alarms of this incident have cleared');
    const own = active.filter((alarm) => canHandleAlarm(sight, alarm));
    if (own.length === 0) {
      throw new PermissionError(
        'not_permitted',
        'Only administrators handle this incident, and users who may send commands there (the grant operator)',
      );
    }
    return own.filter(isMeant).map((alarm) => alarm.id);
  }

  /** By any of its alarms that the caller sees. */
  async #require(id: string, sight: NetworkSight): Promise<Seen> {
    const { store } = this.#options;
    const alarm = await store.alarm(id);
    const isSeen = alarm && canSeeAlarm(sight, alarm);
    const record = isSeen && alarm.incident_id !== null ? await store.get(alarm.incident_id) : undefined;
    return orNotFound(record && (await this.#seen([record], sight)).get(record.id), 'Incident');
  }

  async #mergedAt(id: string, sight: NetworkSight): Promise<Pick<Incident, 'ended_at'> | undefined> {
    const record = await this.#options.store.get(id);
    const first = record?.merged_into ? await this.#options.store.alarm(id) : undefined;
    if (!first || !canSeeAlarm(sight, first)) return undefined;
    return { ended_at: toTime(record!.ended_at!) };
  }

  /** By id; without those of which the caller sees nothing. */
  async #seen(rows: readonly IncidentRecord[], sight: NetworkSight): Promise<Map<string, Seen>> {
    const { store, sites } = this.#options;
    const ids = rows.map(({ id }) => id);
    const alarms = await store.alarmsOf(ids);
    const impacts = new Map<string, Impact[]>(ids.map((id) => [id, []]));
    for (const impact of await store.impactOf(ids)) impacts.get(impact.incident_id)!.push(impact);
    const siteNames = await sites.namesOf([...alarms.values()].flat().flatMap(({ site }) => site ?? []));
    const found = new Map<string, Seen>();
    const self = this;
    function* look() {
      for (const row of rows) {
        const visible: IncidentAlarm[] = [];
        for (const alarm of alarms.get(row.id)!) {
          if (canSeeAlarm(sight, alarm)) visible.push(alarm);
          yield;
        }
        if (visible.length > 0)
          found.set(row.id, self.#toSeen(row, visible, { impacts: impacts.get(row.id)!, sight, siteNames }));
      }
    }
    await endInSlices(look());
    return found;
  }

  #toSeen(
    record: IncidentRecord,
    alarms: IncidentAlarm[],
    seen: { impacts: readonly Impact[]; sight: NetworkSight; siteNames: ReadonlyMap<string, string> },
  ): Seen {
    const grouped = alarms.map(toGrouped);
    const nameOf = (ap_id: string) => this.#options.network.get(ap_id)?.display_name ?? ap_id;
    const { isUser } = seen.sight.rights;
    const { cause, confidence, site, title, leading } = describeIncident(grouped, nameOf, seen.siteNames, isUser);
    const aps = new Set(accessPointsOf(grouped));
    const own = seen.impacts.filter(({ ap_id }) => aps.has(ap_id));
    const endedMs = this.#endOf(record, alarms);
    const incident: Incident = {
      id: alarms[0]!.id,
      title,
      cause,
      confidence,
      site,
      started_at: toTime(Math.min(...alarms.map(({ since }) => since))),
      ended_at: endedMs === null ? null : toTime(endedMs),
      state: endedMs !== null ? 'ended' : isAcknowledged(alarms) ? 'acknowledged' : 'open',
      access_points: aps.size,
      devices_affected: own.reduce((sum, { devices }) => sum + devices, 0),
      minutes_lost: toMinutes(own.reduce((sum, { lost_ms }) => sum + lost_ms, 0)),
      alarms: alarms.slice(0, maxIds).map(({ id }) => id),
      merged_into: null,
      may_handle: alarms.some((alarm) => alarm.cleared_at === null && canHandleAlarm(seen.sight, alarm)),
    };
    return { incident, alarms, leading: alarms.find(({ id }) => id === leading.id)! };
  }

  /** As far as its visible alarms say: whether others still are is not told. */
  #endOf({ ended_at }: IncidentRecord, alarms: readonly IncidentAlarm[]): number | null {
    if (alarms.some(({ cleared_at }) => cleared_at === null)) return null;
    const last = Math.max(...alarms.map(({ cleared_at }) => cleared_at!));
    return ended_at !== null || last + againMs < Date.now() ? last : null;
  }

  async #timeline(incident: Incident, alarms: readonly IncidentAlarm[], caller: Caller): Promise<EventItem[]> {
    const { eventLog, view } = this.#options;
    const ap_ids = accessPointsOf(alarms.map(toGrouped)).slice(0, maxNames);
    const { events } = await eventLog.read({
      kinds: timelineKinds,
      ...(ap_ids.length > 0 ? { ap_ids } : { subject: alarms[0]!.id }),
      fromMs: Date.parse(incident.started_at) - beforeMs,
      untilMs: (incident.ended_at === null ? Date.now() : Date.parse(incident.ended_at)) + minuteMs,
      limit: maxTimeline,
    });
    const shown = await view.show(caller, events);
    return shown.map((event) => toEventItem(event, caller));
  }
}

function selectable(sight: NetworkSight, alarm: IncidentAlarm) {
  const { ap_id, site } = alarm;
  const nobody = { ap_id: ap_id ?? '', display_name: null, site, tags: [], access_point_type: null };
  return agentOf(sight, alarm) ?? nobody;
}

/** Those that follow from another one are not asked about. */
function isAcknowledged(alarms: readonly IncidentAlarm[]): boolean {
  const active = alarms.filter(({ cleared_at, inhibited_by }) => cleared_at === null && inhibited_by === null);
  return active.length > 0 && active.every(({ state }) => state === 'acknowledged');
}

function toListed({ id, ap_id, severity, state, message, since, cleared_at }: IncidentAlarm) {
  return {
    id,
    ap_id,
    severity,
    state,
    message,
    since: toTime(since),
    cleared_at: toTimeOrNull(cleared_at),
  };
}

function toMinutes(ms: number): number {
  return Math.round(ms / 6_000) / 10;
}

function textOf({ started_at, id }: PageStart): string {
  return `${started_at}.${id}`;
}

function toStart(text: string | undefined): PageStart | undefined {
  const [, started_at, id] = /^([0-9]{1,16})\.([0-9a-f-]{1,64})$/.exec(text ?? '') ?? [];
  return id === undefined ? undefined : { started_at: Number(started_at), id };
}
