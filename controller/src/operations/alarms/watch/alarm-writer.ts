// Makes alarms durable: the rows and the events that tell of them, in one transaction. What is due at the same time on this
// node shares one. Of several nodes that find the same, one succeeds.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { BatchQueue } from '@weft/contract/batch-queue';
import type { EventLog } from '../../../core/accounts/event-log/event-log.ts';
import type { NewEvent } from '../../../core/accounts/event-log/event-record.ts';
import type { SqlDatabase, SqlQueries } from '../../../core/base/storage/sql-database.ts';
import { orderedUuid } from '../../../core/commands/ledger/ordered-uuid.ts';
import type { RuleText } from '../rules/parse-rule.ts';
import { type AlarmEventKind, alarmEvent } from '../store/alarm-events.ts';
import type { AlarmChange, AlarmRecord, AlarmStore } from '../store/alarm-store.ts';
import { endedSubjects } from '../store/ended-alarms.ts';
import type { ActiveAlarms } from './active-alarms.ts';
import { causeOf, type MutingView, silencedBy } from './muting.ts';

/** What of a rule an alarm has; of an alarm that an app raised, what stands for a rule. */
interface FiringRule {
  id: string;
  record: { rule: Pick<RuleText, 'name' | 'severity' | 'labels'> };
}

export interface NewAlarm extends Pick<AlarmRecord, 'subject_kind' | 'subject' | 'ap_id' | 'site' | 'message'> {
  rule: FiringRule;
  sinceMs: number;
  /** Not finite: there is none. */
  value: number;
  /** Found in samples: after somebody has cleared it, its time begins again. */
  isOfSamples?: boolean;
}

export type AlarmOperation =
  | { fire: NewAlarm }
  | { clear: AlarmRecord; value?: number }
  | { change: AlarmRecord; to: AlarmChange; event?: AlarmEventKind };

/** More alarms of one rule within this time have one cause, and are told as one. */
const stormMs = 60_000;
const stormSize = 20;
const maxOperations = 200;

export interface AlarmWriterOptions {
  database: SqlDatabase;
  alarms: AlarmStore;
  eventLog: Pick<EventLog, 'append'>;
  activeAlarms: ActiveAlarms;
  muting: () => MutingView;
  now?: () => number;
}

export class AlarmWriter {
  readonly #options: AlarmWriterOptions;
  readonly #now: () => number;
  readonly #queue = new BatchQueue<AlarmOperation>({
    take: (waiting) => Math.min(waiting.length, maxOperations),
    write: async (operations) => {
      await this.#commit(operations);
      return [];
    },
  });

  constructor(options: AlarmWriterOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Resolves once it is durable here and known to the activeAlarms; also if another node was first. */
  write(operation: AlarmOperation): Promise<void> {
    return this.#queue.add(operation);
  }

  /** The same for all of them, in as few transactions as possible; `guard` runs first in each. */
  async writeAll(operations: readonly AlarmOperation[], guard?: (tx: SqlQueries) => Promise<void>): Promise<void> {
    for (let start = 0; start < operations.length; start += maxOperations) {
      // A storm of thousands must not keep the thread.
      if (start > 0) await nextTurn();
      await this.#commit(operations.slice(start, start + maxOperations), guard);
    }
  }

  async #commit(all: readonly AlarmOperation[], guard?: (tx: SqlQueries) => Promise<void>): Promise<void> {
    const { database, alarms, eventLog, activeAlarms } = this.#options;
    await database.transaction(async (tx) => {
      await guard?.(tx);
      const version = await alarms.nextVersion(tx);
      const isOver = await endedSubjects(
        tx,
        all.flatMap((each) => ('fire' in each ? [each.fire] : [])),
      );
      const operations = all.filter((each) => !('fire' in each && isOver(each.fire)));
      const events: NewEvent[] = [];
      const storms = await this.#storms(tx, operations, version, events);
      for (const operation of operations) {
        if ('fire' in operation) await this.#fire(tx, operation.fire, version, storms, events);
        else if ('clear' in operation) {
          const { clear, value } = operation;
          const to: AlarmChange = { state: 'cleared', cleared_at: this.#now() };
          if (value !== undefined && Number.isFinite(value)) to.value = value;
          const after = await alarms.updateActive(tx, clear.id, to, version);
          if (after?.is_announced) events.push(alarmEvent('cleared', after));
        } else {
          const after = await alarms.updateActive(tx, operation.change.id, operation.to, version);
          if (after && operation.event) events.push(alarmEvent(operation.event, after));
        }
      }
      await eventLog.append(tx, events);
    });
    await activeAlarms.fresh();
  }

  async #fire(
    tx: SqlQueries,
    alarm: NewAlarm,
    version: number,
    storms: ReadonlyMap<string, string>,
    events: NewEvent[],
  ): Promise<void> {
    const { rule, subject, sinceMs, isOfSamples } = alarm;
    // Whoever found it may have looked before that.
    const clearedAt = isOfSamples && (await this.#options.alarms.clearedByHandAt(rule.id, subject, tx));
    if (clearedAt && clearedAt >= sinceMs) return;
    const record = this.#toRecord(alarm, version);
    const view = this.#options.muting();
    record.silenced_by = silencedBy(record, view, record.fired_at);
    record.inhibited_by = causeOf(record, view) ?? storms.get(alarm.rule.id) ?? null;
    record.is_announced = record.silenced_by === null && record.inhibited_by === null;
    const isCreated = await this.#options.alarms.create(tx, record);
    if (isCreated && record.is_announced) events.push(alarmEvent('fired', record));
  }

  /** For each rule with very many alarms at once that have no other cause, the alarm that stands for them. */
  async #storms(
    tx: SqlQueries,
    operations: readonly AlarmOperation[],
    version: number,
    events: NewEvent[],
  ): Promise<Map<string, string>> {
    const { activeAlarms, alarms } = this.#options;
    const counts = new Map<FiringRule, number>();
    const view = this.#options.muting();
    for (const operation of operations) {
      if (!('fire' in operation) || operation.fire.subject_kind !== 'agent') continue;
      if (causeOf(this.#toRecord(operation.fire, version), view)) continue;
      counts.set(operation.fire.rule, (counts.get(operation.fire.rule) ?? 0) + 1);
    }
    const storms = new Map<string, string>();
    for (const [rule, count] of counts) {
      const known = activeAlarms.find(rule.id, 'storm', rule.record.rule.name);
      if (known) storms.set(rule.id, known.id);
      if (known || count + this.#recent(rule) <= stormSize) continue;
      const { name } = rule.record.rule;
      const message = `${name}: more than ${stormSize} access points within a minute`;
      const storm = this.#toRecord(
        {
          rule,
          subject_kind: 'storm',
          subject: name,
          ap_id: null,
          site: null,
          sinceMs: this.#now(),
          value: count,
          message,
        },
        version,
      );
      storm.silenced_by = silencedBy(storm, view, storm.fired_at);
      storm.is_announced = storm.silenced_by === null;
      if (!(await alarms.create(tx, storm))) continue;
      storms.set(rule.id, storm.id);
      if (storm.is_announced) events.push(alarmEvent('fired', storm));
    }
    return storms;
  }

  #recent(rule: FiringRule): number {
    const sinceMs = this.#now() - stormMs;
    let count = 0;
    for (const { rule_id, subject_kind, fired_at, inhibited_by } of this.#options.activeAlarms.active) {
      const isCounted = rule_id === rule.id && subject_kind === 'agent' && inhibited_by === null;
      if (isCounted && fired_at > sinceMs) count++;
    }
    return count;
  }

  #toRecord({ rule, sinceMs, value, ...rest }: NewAlarm, version: number): AlarmRecord {
    const { name, severity, labels } = rule.record.rule;
    const nowMs = this.#now();
    return {
      id: orderedUuid(nowMs),
      rule_id: rule.id,
      rule: name,
      ...rest,
      severity,
      state: 'firing',
      since: Math.round(sinceMs),
      fired_at: nowMs,
      value: Number.isFinite(value) ? value : null,
      labels,
      acknowledged_by: null,
      acknowledged_at: null,
      note: null,
      shelved_until: null,
      shelved_by: null,
      silenced_by: null,
      inhibited_by: null,
      is_announced: false,
      cleared_at: null,
      cleared_by: null,
      version,
    };
  }
}
