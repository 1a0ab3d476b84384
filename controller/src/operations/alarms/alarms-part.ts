// Alarms as a part: rules that watch access points, the alarms that they find, and silences.
import { stat } from 'node:fs/promises';
import type { LoginType } from '@weft/contract';
import type { AuditLog } from '../../core/accounts/audit/audit-store.ts';
import type { EventLog } from '../../core/accounts/event-log/event-log.ts';
import type { SiteStore } from '../../core/accounts/sites/site-store.ts';
import type { PrincipalSource } from '../../core/base/caller.ts';
import { backupStampOf } from '../../core/base/storage/data-folder.ts';
import { NodeLease } from '../../core/base/storage/node-lease.ts';
import type { SqlQueries } from '../../core/base/storage/sql-database.ts';
import { inSlices } from '../../core/base/time-slices.ts';
import { TransactionStep } from '../../core/event-kinds.ts';
import type { Events } from '../../core/events.ts';
import type { DeadLetterStore } from '../../core/jobs/store/dead-letter-store.ts';
import type { Network } from '../../core/network/network.ts';
import type { Part, Platform } from '../../core/part.ts';
import type { ReportBudget } from '../../core/telemetry/ingest/report-budget.ts';
import type { AgentStateStore } from '../../core/telemetry/presence/agent-state-store.ts';
import type { PresenceService } from '../../core/telemetry/presence/presence-service.ts';
import { alarmRoutes } from './api/alarm-routes.ts';
import { alarmRuleRoutes } from './api/alarm-rule-routes.ts';
import { AlarmRuleService } from './api/alarm-rule-service.ts';
import { AlarmService } from './api/alarm-service.ts';
import { AppAlarmService } from './api/app-alarm-service.ts';
import { PreviewService } from './api/preview-service.ts';
import { SilenceService } from './api/silence-service.ts';
import { productRules } from './rules/product-rules.ts';
import { alarmEvent } from './store/alarm-events.ts';
import { type AlarmRecord, AlarmStore } from './store/alarm-store.ts';
import { clearEndedAlarms, hasEndedAlarms } from './store/ended-alarms.ts';
import { RuleStore, SilenceStore } from './store/rule-store.ts';
import { ActiveAlarms, SiteZones } from './watch/active-alarms.ts';
import { AgentStates } from './watch/agent-states.ts';
import { AlarmRounds } from './watch/alarm-rounds.ts';
import { AlarmWriter } from './watch/alarm-writer.ts';
import { type MutingView, saysSiteIsAway } from './watch/muting.ts';
import { ReadingWatch } from './watch/reading-watch.ts';
import { SampleWatch } from './watch/sample-watch.ts';
import { StateChanges } from './watch/state-changes.ts';
import { ClockSkews, type Reading, WeftReadings } from './watch/weft-readings.ts';

const hourMs = 3_600_000;
const dayMs = 86_400_000;
const mib = 1024 * 1024;
/** Cleared alarms that are kept. */
const keptAlarms = 100_000;
const pruneRows = 500;

interface AlarmsPartDeps extends Platform {
  network: Network;
  siteStore: SiteStore;
  auditLog: AuditLog;
  eventLog: EventLog;
  presence: PresenceService;
  agentStates: AgentStateStore;
  reportBudget: ReportBudget;
  deadLetters: DeadLetterStore;
  principals: Record<LoginType, PrincipalSource>;
}

export function createAlarmsPart(deps: AlarmsPartDeps, events: Events) {
  const { config, database, telemetryStore, network, siteStore, auditLog, eventLog, retention, onError, onChange } =
    deps;
  const stores = {
    alarms: new AlarmStore(database),
    rules: new RuleStore(database),
    silences: new SilenceStore(database),
  };
  const zones = new SiteZones(database, siteStore);
  const activeAlarms = new ActiveAlarms(stores);
  const muting = (): MutingView => ({
    rule: (id) => activeAlarms.rule(id),
    silences: activeAlarms.silences,
    agent: (ap_id) => network.get(ap_id),
    find: (...key) => activeAlarms.find(...key),
    siteRules: activeAlarms.rules.filter(saysSiteIsAway),
    siteZone: zones.of,
  });
  const { alarms } = stores;
  const writer = new AlarmWriter({ database, alarms, eventLog, activeAlarms, muting });
  const samples = new SampleWatch({ telemetry: telemetryStore, alarms, activeAlarms, network, writer, onError });
  activeAlarms.turned.on((alarm, isActive) => samples.turned(alarm, isActive));
  activeAlarms.rulesChanged.on(() => samples.rulesChanged());
  const skews = new ClockSkews();
  const readings = new WeftReadings();
  addReadings(readings, skews, deps);
  const readingWatch = new ReadingWatch({ readings, activeAlarms, network });
  /** Alarms were cleared because what they are about has ended; further steps of the same transaction. */
  const ended = new TransactionStep<[alarms: readonly AlarmRecord[]]>();
  const clearEnded = (tx: SqlQueries) => clearEndedAlarms(tx, { alarms, eventLog, also: ended.run }, deps.now());
  // What an older version has left, or whoever ended a network beside the server.
  const clearLeft = async () => {
    if (await hasEndedAlarms(database)) await database.transaction(clearEnded);
  };
  const agentStates = new AgentStates({
    database,
    presence: deps.presence,
    states: deps.agentStates,
    changes: new StateChanges(eventLog),
  });
  const lease = new NodeLease({ database, name: 'alarms', onError });
  lease.lost.on(() => agentStates.forget());
  const rounds = new AlarmRounds({
    lease,
    activeAlarms,
    network,
    writer,
    muting,
    agentStates: (nowMs) => agentStates.read(nowMs),
    readings: readingWatch,
    clearLeft,
    onChange,
  });
  const keptMs = config.eventRetentionDays * dayMs;
  retention.add({
    name: 'alarms',
    keptMs,
    remove: (nowMs) => alarms.prune({ beforeMs: nowMs - keptMs, keep: keptAlarms, limit: pruneRows }),
  });
  const isReadable = (name: string | undefined) => name === undefined || readings.names.includes(name);
  const products = () => new Map([...productRules].filter(([, { condition }]) => isReadable(condition.weft)));
  const shared = { database, ...stores, eventLog, auditLog, activeAlarms, network };
  const rules = new AlarmRuleService({ ...shared, readings: () => readings.names, products });
  const silences = new SilenceService({ ...shared, retention });
  const previews = new PreviewService({
    telemetry: telemetryStore,
    network,
    events: eventLog,
    statesNow: () => deps.agentStates.list(),
    parse: (input) => rules.parse(input),
    shares: deps.shares,
  });
  const service = new AlarmService(shared);
  const ofApps = new AppAlarmService({ ...shared, writer, onError, apps: deps.principals.third_party_app });
  events.callerChanged.within(ofApps.end);

  events.agentEnded.on((ap_id) => {
    samples.forget(ap_id);
    skews.forget(ap_id);
  });
  events.agentRemoved.add('data', async (ap_id) => {
    const hadAlarms = await database.transaction(async (tx) => {
      const active = await alarms.removeOf(tx, ap_id, await alarms.nextVersion(tx));
      const told = active.filter(({ is_announced }) => is_announced);
      await eventLog.append(
        tx,
        told.map((alarm) => alarmEvent('cleared', { ...alarm, state: 'cleared' })),
      );
      return active.length > 0;
    });
    if (hadAlarms) await activeAlarms.fresh();
    samples.forget(ap_id);
    skews.forget(ap_id);
  });
  const refresh = async () => {
    await network.fresh();
    await zones.replica.fresh();
    await activeAlarms.fresh();
  };
  events.networkEnded.within(async (tx) => {
    await clearEnded(tx);
    return { committed: () => void refresh().catch((error) => onError(error, 'ended alarms could not be read')) };
  });
  events.recorded.on((ap_id, list, receivedMs) => {
    samples.recorded(ap_id, list);
    skews.recorded(ap_id, list, receivedMs);
  });

  return {
    alarms: service,
    alarmRules: rules,
    /** For parts that know more of what may go wrong with Weft. */
    readings,
    activeAlarms,
    zones,
    replicas: { alarms: activeAlarms.head, site_zones: zones.replica },
    ended,
    /** Whoever has it makes alarms of what time brings, and incidents of alarms. */
    lease,
    ruleStore: stores.rules,
    writer,
    rounds,
    samples,
    routes: [...alarmRoutes(service, ofApps), ...alarmRuleRoutes({ rules, silences, previews })],
    metrics: {
      weft_alarms_active: { help: 'Alarms that have not cleared', value: () => activeAlarms.activeCount },
      weft_alarm_checks_waiting: { help: 'Looks into the telemetry store that wait', value: () => samples.waiting },
    },
    /** Reads agents, sites, rules and alarms as they are now. */
    refresh,
    async prepare() {
      await rules.seed();
      await clearLeft();
      await refresh();
    },
    start() {
      if (!config.roles.includes('api')) return;
      lease.start();
      rounds.start();
    },
    async stop() {
      await rounds.stop();
      await samples.stop();
      await lease.stop();
    },
  } satisfies Part & Record<string, unknown>;
}

function addReadings(
  readings: WeftReadings,
  skews: ClockSkews,
  { config, node: subject, diskSpace, writes, now, retention, reportBudget, deadLetters }: AlarmsPartDeps,
): void {
  const node = { subject_kind: 'node', subject };
  readings.add('clock_ahead_seconds', () => skews.read(), true);
  readings.add(
    'report_budget_left',
    async () => {
      const found: Reading[] = [];
      await inSlices(reportBudget.used(), ([ap_id, { points_left, bytes_left }]) => {
        found.push({ subject_kind: 'agent', subject: ap_id, value: Math.min(points_left, bytes_left) });
      });
      return found;
    },
    true,
  );
  readings.add(
    'disk_above_reserve_mib',
    () => [{ ...node, value: diskSpace.freeBytes / mib - config.diskReserveMb }],
    true,
  );
  readings.add(
    'writes_refused_pct',
    () => [{ ...node, value: writes.refusal ? (100 * writes.refusal.refused) / writes.refusal.writes : 0 }],
    true,
  );
  readings.add('node_clock_off_seconds', () => [{ ...node, value: Math.abs(now() - Date.now()) / 1000 }], true);
  readings.add('retention_paused', () => [
    { subject_kind: 'weft', subject: 'clock', value: Number(retention.hasJumped) },
  ]);
  readings.add('dead_letters_in_an_hour', async () => {
    const value = await deadLetters.countSince(Date.now() - hourMs);
    return [{ subject_kind: 'weft', subject: 'jobs', value }];
  });
  readings.add(
    'backup_age_hours',
    async () => {
      const stamp = await stat(backupStampOf(config.dataDir)).catch(() => undefined);
      return stamp ? [{ ...node, value: (Date.now() - stamp.mtimeMs) / hourMs }] : [];
    },
    true,
  );
}
