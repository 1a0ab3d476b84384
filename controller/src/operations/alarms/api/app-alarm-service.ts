// Alarms that apps raise themselves, about agents that they may see: each has the app in place of a rule, and the app's key as its
// subject. They are cleared by the app or by people, and end with the app or with its right to raise them.

import { looksLikeAddress } from '@weft/contract/device-address';
import type { Alarm, AlarmRaise } from '@weft/contract/operations';
import { type Caller, type CallerChange, isEnded, type PrincipalSource, refOf } from '../../../core/base/caller.ts';
import { TryLaterError, ValidationError } from '../../../core/base/errors.ts';
import { valueError } from '../../../core/base/input/value-rules.ts';
import { alarmRaisers, requirePermission } from '../../../core/base/rights/permission.ts';
import { limitPerMinutes } from '../../../core/base/shares/rate-limiter.ts';
import { principalOf } from '../../../core/base/shares/shares.ts';
import { requirePresentOwner } from '../../../core/base/storage/present-owner.ts';
import type { SqlQueries } from '../../../core/base/storage/sql-database.ts';
import type { StepOutcome } from '../../../core/event-kinds.ts';
import { alarmEvent } from '../store/alarm-events.ts';
import type { AlarmChange, AlarmRecord } from '../store/alarm-store.ts';
import type { AlarmOperation, AlarmWriter } from '../watch/alarm-writer.ts';
import { type AlarmServiceOptions, toAlarm } from './alarm-service.ts';

/** Of one app. */
const maxActive = 100;
const raisesPerMinute = 60;
const subject_kind = 'app';

export interface AppAlarmServiceOptions extends AlarmServiceOptions {
  writer: Pick<AlarmWriter, 'writeAll'>;
  apps: Pick<PrincipalSource, 'present'>;
  onError: (error: unknown, message: string) => void;
}

export class AppAlarmService {
  readonly #options: AppAlarmServiceOptions;
  readonly #rate = limitPerMinutes('too_many_alarms', raisesPerMinute, 1);

  constructor(options: AppAlarmServiceOptions) {
    this.#options = options;
  }

  /** Durable when it resolves. The same again changes nothing. */
  async raise({ ap_id, key, severity, text }: AlarmRaise, by: Caller): Promise<Alarm> {
    const { network, activeAlarms } = this.#options;
    requireNoAddress({ key, text });
    this.#rate.take(principalOf(by));
    const sight = await network.visibleTo(by);
    await activeAlarms.fresh();
    const known = activeAlarms.find(ruleOf(by), subject_kind, key);
    const agent = sight.require(ap_id);
    const isSame = known !== undefined && known.ap_id === ap_id && known.severity === severity;
    if (isSame && known.message === text) return toAlarm(known);
    const operations: AlarmOperation[] = [];
    if (isSame) operations.push({ change: known, to: { message: text } });
    else {
      if (known) operations.push({ clear: known });
      const rule = { name: `app ${by.name}`, severity, labels: { app: by.name, key } };
      const { site } = agent;
      operations.push({
        fire: {
          ...{ rule: { id: ruleOf(by), record: { rule } }, subject_kind, subject: key, ap_id, site },
          ...{ sinceMs: Date.now(), value: Number.NaN, message: text },
        },
      });
    }
    await this.#write(by, operations, 'alarm_raised', { key, ap_id, severity, text }, async (tx) => {
      const [present] = await this.#options.apps.present(tx, [refOf(by)]);
      requirePermission(alarmRaisers, present);
      (await network.visibleIn(tx, present!, [ap_id])).require(ap_id);
      const active = known ? [] : await this.#options.alarms.listActiveOf(tx, ruleOf(by));
      if (active.length < maxActive || active.some(({ subject }) => subject === key)) return;
      const detail = `At most ${maxActive} alarms of an app are active at once; clear some first`;
      throw new TryLaterError(429, 'too_many_alarms', detail, 60);
    });
    const raised = activeAlarms.find(ruleOf(by), subject_kind, key);
    if (!raised) throw new TryLaterError(503, 'alarm_cleared', 'The alarm was cleared at the same moment', 1);
    return toAlarm(raised);
  }

  /** Resolves whether there was one. */
  async clear(key: string, by: Caller): Promise<boolean> {
    const { activeAlarms } = this.#options;
    await activeAlarms.fresh();
    const known = activeAlarms.find(ruleOf(by), subject_kind, key);
    if (!known) return false;
    const to: AlarmChange = { state: 'cleared', cleared_at: Date.now(), cleared_by: by.name };
    const operation = { change: known, to, ...(known.is_announced && { event: 'cleared' as const }) };
    await this.#write(by, [operation], 'alarm_cleared', { key, ap_id: known.ap_id });
    return true;
  }

  /** A step of the change of a caller: what an app has raised ends with it, or with its right to see the agent. */
  readonly end = async (tx: SqlQueries, change: CallerChange): Promise<StepOutcome> => {
    const { kind, id, caller, by, name } = change;
    if (kind !== 'third_party_app') return {};
    const { alarms, eventLog, network, activeAlarms, onError } = this.#options;
    const active = await alarms.listActiveOf(tx, ruleOf({ id }));
    const isKept = ({ ap_id }: AlarmRecord) => {
      if (isEnded(change) || change.what === 'expired') return false;
      if (!caller) return true;
      const sight = network.sight(caller);
      return sight.rights.limits.alarms === true && ap_id !== null && sight.get(ap_id) !== undefined;
    };
    const ends = active.filter((alarm) => !isKept(alarm));
    if (ends.length === 0) return {};
    const version = await alarms.nextVersion(tx);
    const to: AlarmChange = { state: 'cleared', cleared_at: Date.now() };
    const after = await Promise.all(ends.map((alarm) => alarms.updateActive(tx, alarm.id, to, version)));
    await eventLog.append(
      tx,
      after.flatMap((alarm) => (alarm?.is_announced ? [alarmEvent('cleared', alarm)] : [])),
    );
    const detail = { reason: change.what, keys: ends.map(({ subject }) => subject) };
    return {
      entries: [{ actor: by, action: 'alarms_cleared', target: { kind, name }, detail }],
      committed: () => activeAlarms.fresh().catch((error) => onError(error, 'alarms could not be read')),
    };
  };

  /** With its entry in the audit log, for a caller that exists. */
  #write(
    by: Caller,
    operations: readonly AlarmOperation[],
    action: string,
    detail: Record<string, unknown>,
    check: (tx: SqlQueries) => Promise<void> = async () => {},
  ): Promise<void> {
    const { database, alarms, auditLog, writer } = this.#options;
    return writer.writeAll(operations, async (tx) => {
      const owner = { owner_kind: 'third_party_app', owner_id: by.id, owner_ver: by.ver } as const;
      await requirePresentOwner(tx, database.dialect, owner);
      // Before the audit log, as everybody takes the two.
      await alarms.nextVersion(tx);
      await check(tx);
      const target = { kind: 'third_party_app', name: by.name };
      await auditLog.append(tx, [{ actor: by, action, target, detail }]);
    });
  }
}

function ruleOf({ id }: { id: string }): string {
  return `app:${id}`;
}

function requireNoAddress(texts: Record<string, string>): void {
  const wrong = Object.keys(texts).filter((field) => looksLikeAddress(texts[field]!));
  if (wrong.length === 0) return;
  const problem = 'an alarm must not contain an address of a device: name it by its pseudonym';
  throw new ValidationError(
    wrong.map((field) => valueError(['body', field], problem)),
    'device_address',
  );
}
