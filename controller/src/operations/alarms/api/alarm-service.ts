// Alarms for callers: lists them, and records what people do about them. Each change, its event and its audit entry are one
// transaction.

import type { AlarmSeverity } from '@weft/contract';
import type { Alarm } from '@weft/contract/operations';
import type { Selector } from '@weft/contract/selector';
import type { NewAuditEntry } from '../../../core/accounts/audit/audit-entry.ts';
import type { AuditLog } from '../../../core/accounts/audit/audit-store.ts';
import type { NewEvent } from '../../../core/accounts/event-log/event-record.ts';
import type { Caller } from '../../../core/base/caller.ts';
import { ConflictError, notFound, PermissionError, ValidationError } from '../../../core/base/errors.ts';
import { toTime, toTimeOrNull } from '../../../core/base/input/date-time.ts';
import { invalidValue } from '../../../core/base/input/value-rules.ts';
import type { Network } from '../../../core/network/network.ts';
import type { NetworkSight } from '../../../core/network/sight.ts';
import { parseStaticSelector } from '../rules/parse-rule.ts';
import { type AlarmEventKind, alarmEvent } from '../store/alarm-events.ts';
import type { AlarmChange, AlarmFilters, AlarmRecord } from '../store/alarm-store.ts';
import type { AlarmWriterOptions } from '../watch/alarm-writer.ts';
import { agentOf, asOfNow, canHandleAlarm, canSeeAlarm } from './alarm-rights.ts';

const severityOrder: readonly AlarmSeverity[] = ['critical', 'major', 'minor', 'warning'];
const pageRows = 500;
/** A search looks at so many pages: what a caller may not see is not in the index. */
const maxPages = 20;
const maxShelfMs = 30 * 86_400_000;

export interface AlarmQuery extends Omit<AlarmFilters, 'isShelved' | 'isCaused'> {
  selector?: string | undefined;
  shelved?: boolean | undefined;
  caused?: boolean | undefined;
  cursor?: string | undefined;
  limit: number;
}

export interface AlarmServiceOptions extends Omit<AlarmWriterOptions, 'muting'> {
  auditLog: Pick<AuditLog, 'append'>;
  network: Network;
}

interface Shelf {
  seconds?: number;
  until?: string;
  note?: string;
}

interface Handling {
  action: 'acknowledged' | 'cleared' | 'shelved' | 'unshelved';
  change: AlarmChange;
  detail: Record<string, unknown>;
}

export class AlarmService {
  readonly #options: AlarmServiceOptions;
  readonly #now: () => number;

  constructor(options: AlarmServiceOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** The worst first, and of those that are equally bad the newest. Pages as of `list`; the cursor is the severity and the alarm. */
  async listBySeverity(caller: Caller, query: AlarmQuery): Promise<{ items: Alarm[]; next: string | null }> {
    const { limit } = query;
    const [from = '', after = ''] = query.cursor?.split('.') ?? [];
    const wanted = severityOrder.filter((severity) => query.severities?.includes(severity) ?? true);
    const rest = from === '' ? wanted : wanted.slice(wanted.indexOf(from as AlarmSeverity));
    const items: Alarm[] = [];
    for (const severity of rest) {
      if (items.length === limit) return { items, next: `${severity}.` };
      const cursor = severity === from && after !== '' ? after : undefined;
      const left = { ...query, severities: [severity], cursor, limit: limit - items.length };
      const page = await this.list(caller, left);
      items.push(...page.items);
      if (page.next !== null) return { items, next: `${severity}.${page.next}` };
    }
    return { items, next: null };
  }

  /** Newest first. A page may be short of `limit` before the end; `next` is where to go on, null at the end. */
  async list(caller: Caller, query: AlarmQuery): Promise<{ items: Alarm[]; next: string | null }> {
    const { states, severities, ap_id, rule_id, shelved, caused, fromMs, untilMs, cursor, limit } = query;
    const selector = query.selector === undefined ? undefined : toSelector(query.selector);
    const sight = await this.#options.network.visibleTo(caller);
    const inhibits = this.#inhibits(sight);
    const items: Alarm[] = [];
    let beforeId = cursor;
    for (let page = 0; page < maxPages; page++) {
      const found = await this.#options.alarms.list({
        states,
        severities,
        ap_id,
        rule_id,
        isShelved: shelved,
        isCaused: caused,
        fromMs,
        untilMs,
        beforeId,
        limit: pageRows,
        nowMs: this.#now(),
      });
      for (const alarm of found) {
        beforeId = alarm.id;
        if (!isListed(sight, alarm, selector)) continue;
        items.push(tell(sight, alarm, inhibits));
        if (items.length === limit)
          return { items, next: alarm === found.at(-1) && found.length < pageRows ? null : alarm.id };
      }
      if (found.length < pageRows) return { items, next: null };
    }
    return { items, next: beforeId! };
  }

  /** Throws NotFoundError for an alarm that is unknown or that the caller may not see. */
  async get(id: string, caller: Caller): Promise<Alarm> {
    const sight = await this.#options.network.visibleTo(caller);
    const alarm = await this.#options.alarms.get(id);
    if (!alarm || !canSeeAlarm(sight, alarm)) throw notFound('Alarm');
    return tell(sight, alarm, this.#inhibits(sight));
  }

  /** Somebody looks after it. Repeated, it changes the note. */
  acknowledge(id: string, note: string | undefined, by: Caller): Promise<Alarm> {
    return this.#handle(id, by, () => this.#acknowledging(note, by));
  }

  /** Nobody is told of it until then. Shelving again sets another end. */
  shelve(id: string, input: Shelf, by: Caller): Promise<Alarm> {
    const handling = this.#shelving(input, by);
    return this.#handle(id, by, () => handling);
  }

  /** The same for many at once: all of them or none. */
  async acknowledgeAll(ids: readonly string[], by: Caller): Promise<void> {
    const sight = await this.#options.network.visibleTo(by);
    await this.#handleAll(ids, sight, () => this.#acknowledging(undefined, by));
  }

  async shelveAll(ids: readonly string[], input: Shelf, by: Caller): Promise<void> {
    const handling = this.#shelving(input, by);
    await this.#handleAll(ids, await this.#options.network.visibleTo(by), () => handling);
  }

  #acknowledging(note: string | undefined, by: Caller): Handling {
    const change = { state: 'acknowledged', acknowledged_by: by.name, acknowledged_at: this.#now() } as const;
    const more = note === undefined ? {} : { note };
    return { action: 'acknowledged', change: { ...change, ...more }, detail: more };
  }

  #shelving(input: Shelf, by: Caller): Handling {
    const untilMs = this.#endOfShelf(input);
    const more = input.note === undefined ? {} : { note: input.note };
    return {
      action: 'shelved',
      change: { shelved_until: untilMs, shelved_by: by.name, ...more },
      detail: { until: toTime(untilMs), ...more },
    };
  }

  unshelve(id: string, by: Caller): Promise<Alarm> {
    return this.#handle(id, by, (alarm) => {
      if (alarm.shelved_until === null) throw new ConflictError('alarm_not_shelved', 'This alarm is not shelved');
      return { action: 'unshelved', change: { shelved_until: null, shelved_by: null }, detail: {} };
    });
  }

  /** It fires again only if its condition holds for its time again. */
  clear(id: string, note: string | undefined, by: Caller): Promise<Alarm> {
    const nowMs = this.#now();
    return this.#handle(id, by, () => ({
      action: 'cleared',
      change: { state: 'cleared', cleared_at: nowMs, cleared_by: by.name, ...(note !== undefined && { note }) },
      detail: note === undefined ? {} : { note },
    }));
  }

  async #handle(id: string, by: Caller, describe: (alarm: AlarmRecord) => Handling): Promise<Alarm> {
    const sight = await this.#options.network.visibleTo(by);
    const [after] = await this.#handleAll([id], sight, describe);
    return tell(sight, after!, this.#inhibits(sight));
  }

  /** All of them or none, in one transaction. */
  async #handleAll(
    ids: readonly string[],
    sight: NetworkSight,
    describe: (alarm: AlarmRecord) => Handling,
  ): Promise<AlarmRecord[]> {
    const { database, alarms, eventLog, auditLog, activeAlarms } = this.#options;
    const by = sight.caller;
    const all = await database.transaction(async (tx) => {
      const version = await alarms.nextVersion(tx);
      const handled: AlarmRecord[] = [];
      const events: NewEvent[] = [];
      const entries: NewAuditEntry[] = [];
      for (const id of ids) {
        const before = await alarms.get(id, tx);
        if (!before || !canSeeAlarm(sight, before)) throw notFound('Alarm');
        if (!canHandleAlarm(sight, before)) throw handlersOnly();
        if (before.cleared_at !== null) throw new ConflictError('alarm_cleared', 'This alarm has cleared already');
        const { action, change, detail } = describe(before);
        const changed = (await alarms.updateActive(tx, id, change, version))!;
        handled.push(changed);
        events.push(alarmEvent(action as AlarmEventKind, changed, by.name));
        const { rule, subject_kind, subject } = before;
        entries.push({
          actor: by,
          action: `alarm_${action}`,
          target: { kind: 'alarm', name: id },
          detail: { rule, subject_kind, subject, ...detail },
        });
      }
      await eventLog.append(tx, events);
      await auditLog.append(tx, entries);
      return handled;
    });
    await activeAlarms.fresh();
    return all;
  }

  /** By alarm, how many follow from it that the caller sees. */
  #inhibits(sight: NetworkSight): Map<string, number> {
    const counts = new Map<string, number>();
    for (const alarm of this.#options.activeAlarms.active) {
      const { inhibited_by: cause } = alarm;
      if (cause !== null && canSeeAlarm(sight, alarm)) counts.set(cause, (counts.get(cause) ?? 0) + 1);
    }
    return counts;
  }

  #endOfShelf({ seconds, until }: Shelf): number {
    if ((seconds === undefined) === (until === undefined)) {
      throw invalidValue(['body', 'seconds'], 'give seconds or until, and not both');
    }
    const nowMs = this.#now();
    const untilMs = until === undefined ? nowMs + seconds! * 1000 : Date.parse(until);
    if (untilMs > nowMs && untilMs <= nowMs + maxShelfMs) return untilMs;
    throw invalidValue(['body', 'until'], 'it must be in the future, and within 30 days');
  }
}

function tell(sight: NetworkSight, alarm: AlarmRecord, inhibits: ReadonlyMap<string, number>): Alarm {
  const shown = asOfNow(alarm, agentOf(sight, alarm));
  return toAlarm(shown, inhibits.get(alarm.id) ?? 0, canHandleAlarm(sight, alarm));
}

function isListed(sight: NetworkSight, alarm: AlarmRecord, selector: Selector | undefined): boolean {
  if (!canSeeAlarm(sight, alarm)) return false;
  const { ap_id, site } = alarm;
  const nobody = { ap_id: ap_id ?? '', display_name: null, site, tags: [], access_point_type: null };
  return selector?.test(agentOf(sight, alarm) ?? nobody) ?? true;
}

export function toSelector(text: string): Selector {
  const problems: ValidationError['problems'] = [];
  const selector = parseStaticSelector(text, problems, ['query', 'selector']);
  if (!selector) throw new ValidationError(problems);
  return selector;
}

function handlersOnly(): PermissionError {
  const whose = 'Only administrators handle this alarm, and users who may send commands there (the grant operator)';
  return new PermissionError('not_permitted', whose);
}

export function toAlarm(alarm: AlarmRecord, inhibits = 0, may_handle = false): Alarm {
  const { version: _, is_announced: __, ...rest } = alarm;
  return {
    ...rest,
    since: toTime(alarm.since),
    fired_at: toTime(alarm.fired_at),
    acknowledged_at: toTimeOrNull(alarm.acknowledged_at),
    shelved_until: toTimeOrNull(alarm.shelved_until),
    cleared_at: toTimeOrNull(alarm.cleared_at),
    inhibits,
    may_handle,
  };
}
