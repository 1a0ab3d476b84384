// Makes incidents of alarms, on the node that looks after alarms: puts each alarm into one, joins those that turn out to be one,
// counts who is without service, and ends what is over. Everything it decides from is in rows: another node goes on.
import type { Place } from '@weft/contract/place';
import type { EventLog } from '../../core/accounts/event-log/event-log.ts';
import type { LoggedEvent, NewEvent } from '../../core/accounts/event-log/event-record.ts';
import type { SiteStore } from '../../core/accounts/sites/site-store.ts';
import { PeriodicTask } from '../../core/base/periodic-task.ts';
import { endedWithNetwork } from '../../core/base/storage/ended-agents.ts';
import { type NodeLease, NodeLeaseLost } from '../../core/base/storage/node-lease.ts';
import type { SqlDatabase, SqlQueries } from '../../core/base/storage/sql-database.ts';
import { inSlices } from '../../core/base/time-slices.ts';
import type { DeviceRegistry } from '../../core/devices/registry/device-registry.ts';
import type { TelemetryStore } from '../../core/telemetry/store/telemetry-store.ts';
import type { RolloutStore } from '../desired/store/rollout-store.ts';
import { beforeMs, contextKinds, contextMetrics, contextOf, measuredContext } from './grouping/alarm-context.ts';
import { describeIncident } from './grouping/describe-incident.ts';
import { againMs, groupAlarms, horizonMs } from './grouping/group-alarms.ts';
import { type AlarmContext, familyOf, type GroupedAlarm } from './grouping/grouped-alarm.ts';
import { addLosses, lostNow } from './grouping/lost-service.ts';
import { type IncidentAlarm, type IncidentRecord, type IncidentStore, toGrouped, toImpact } from './incident-store.ts';

const everyMs = 3_000;
/** An alarm that would still join it may be on its way. */
const settleMs = againMs + 60_000;
const atOnce = 500;
const maxNear = 5_000;
const maxOpen = 500;
const namesAtOnce = 50;
const eventsAtOnce = 500;
/** A look that is later than this says nothing of the time before it. */
const maxLookMs = 30_000;

export interface IncidentKeeperOptions {
  database: SqlDatabase;
  store: IncidentStore;
  lease: Pick<NodeLease, 'isHeld' | 'require'>;
  eventLog: Pick<EventLog, 'append' | 'read'>;
  rollouts: Pick<RolloutStore, 'treatments'>;
  telemetry: Pick<TelemetryStore, 'rows' | 'query'>;
  registry: Pick<DeviceRegistry, 'agent' | 'table'>;
  /** The key of a rule that comes with Weft. */
  productOf: (rule_id: string) => string | null;
  nameOf: (ap_id: string) => string;
  placeOf: (ap_id: string) => Place | undefined;
  sites: Pick<SiteStore, 'namesOf'>;
  onChange: (message: string, error?: unknown) => void;
  now?: () => number;
}

/** The network of an alarm has ended meanwhile, and the alarm has an incident: nothing of this look took effect. */
class Overtaken extends Error {}

export class IncidentKeeper extends PeriodicTask {
  readonly #options: IncidentKeeperOptions;
  readonly #now: () => number;
  #lookedMs = 0;
  /** Of the sites of what is told next. */
  #siteNames: ReadonlyMap<string, string> = new Map();

  constructor(options: IncidentKeeperOptions) {
    super({ everyMs, what: 'the look at incidents', run: () => this.look(), onChange: options.onChange });
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  async look(): Promise<void> {
    if (!this.#options.lease.isHeld) return;
    try {
      while (await this.#group()) if (this.isStopped) return;
      await this.#tell();
      const open = await this.#options.store.open(maxOpen);
      const alarms = await this.#options.store.alarmsOf(open.map(({ id }) => id));
      await this.#lookAtOutages([...alarms.values()].flat());
      await this.#countLosses(open, alarms);
      await this.#end();
    } catch (error) {
      if (!(error instanceof NodeLeaseLost || error instanceof Overtaken)) throw error;
    }
  }

  /** In the transaction in which networks end, and with them these alarms. */
  async closeEnded(tx: SqlQueries, cleared: readonly { id: string; ap_id: string | null }[]): Promise<void> {
    const { store, eventLog } = this.#options;
    const others = cleared.flatMap(({ id, ap_id }) => (ap_id === null ? [id] : []));
    const told = await store.closeEnded(tx, others, this.#now());
    const alarms = [...(await store.alarmsOf(told, tx))];
    const more = { because: endedWithNetwork };
    const events = alarms.map(([id, group]) => this.#event('ended', id, group.map(toGrouped), more));
    await eventLog.append(tx, events);
  }

  /** Resolves whether there may be more. */
  async #group(): Promise<boolean> {
    const { store, database, lease } = this.#options;
    const fresh = await store.ungrouped(atOnce);
    if (fresh.length === 0) return false;
    const contexts = await this.#contexts(fresh);
    const near = await store.near(Math.min(...fresh.map(({ since }) => since)) - horizonMs, maxNear);
    const incidents = new Map([...near, ...fresh].map(({ id, incident_id }) => [id, incident_id]));
    const all = [...near.map(toGrouped), ...fresh.map((alarm) => ({ ...alarm, ...contexts.get(alarm.id)! }))];
    const groups = groupAlarms(all, (id) => incidents.get(id)!);
    await this.#readSiteNames(all);
    await database.transaction(async (tx) => {
      await lease.require(tx);
      const events: NewEvent[] = [];
      for (const group of groups) events.push(...(await this.#write(tx, group, incidents)));
      await this.#options.eventLog.append(tx, events);
    });
    return fresh.length === atOnce;
  }

  async #write(
    tx: SqlQueries,
    group: readonly GroupedAlarm[],
    incidents: ReadonlyMap<string, string | null>,
  ): Promise<NewEvent[]> {
    const { store } = this.#options;
    const fresh = group.filter(({ id }) => incidents.get(id) === null);
    const known = [...new Set(group.flatMap(({ id }) => incidents.get(id) ?? []))].sort();
    if (fresh.length === 0 && known.length < 2) return [];
    // Ids begin with the time: the lowest is that of the first alarm.
    const id = [...known, ...fresh.map((alarm) => alarm.id)].sort()[0]!;
    const started_at = Math.min(...group.map(({ since }) => since));
    const before = known.includes(id) ? await store.get(id, tx) : undefined;
    if (!before)
      await store.create(tx, { id, started_at, ended_at: null, merged_into: null, is_told: false, losses: {} });
    for (const { id: alarm_id, product, context } of fresh)
      if (!(await store.assign(tx, alarm_id, id, { product, ...context }))) throw new Overtaken();
    const events: NewEvent[] = [];
    for (const other of known) {
      if (other === id) continue;
      const wasTold = (await store.get(other, tx))?.is_told;
      await store.merge(tx, other, id, this.#now());
      if (wasTold) events.push(this.#event('merged', other, group, { merged_into: id }));
    }
    // One that was told of under another name goes on.
    if (before) await store.update(tx, id, { started_at: Math.min(before.started_at, started_at), ended_at: null });
    return events;
  }

  async #tell(): Promise<void> {
    const { store, database, lease, eventLog } = this.#options;
    const untold = await store.untold(atOnce);
    if (untold.length === 0) return;
    const alarms = await store.alarmsOf(untold.map(({ id }) => id));
    await this.#readSiteNames([...alarms.values()].flat());
    await database.transaction(async (tx) => {
      await lease.require(tx);
      const told: NewEvent[] = [];
      for (const { id } of untold) {
        if (!(await store.update(tx, id, { is_told: true }))) continue;
        told.push(this.#event('opened', id, alarms.get(id)!.map(toGrouped)));
      }
      await eventLog.append(tx, told);
    });
  }

  async #end(): Promise<void> {
    const { store, database, lease, eventLog } = this.#options;
    const nowMs = this.#now();
    const quiet = await store.quiet(nowMs - settleMs, atOnce);
    if (quiet.length === 0) return;
    const alarms = await store.alarmsOf(quiet.map(({ id }) => id));
    await this.#readSiteNames([...alarms.values()].flat());
    await database.transaction(async (tx) => {
      await lease.require(tx);
      const events: NewEvent[] = [];
      for (const { id, last } of quiet) {
        const ended = await store.update(tx, id, { ended_at: last ?? nowMs });
        const group = alarms.get(id)!.map(toGrouped);
        if (ended?.is_told && group.length > 0) events.push(this.#event('ended', id, group));
      }
      await eventLog.append(tx, events);
    });
  }

  async #contexts(fresh: readonly IncidentAlarm[]): Promise<Map<string, Pick<GroupedAlarm, 'product' | 'context'>>> {
    const { rollouts, productOf } = this.#options;
    const fromMs = Math.min(...fresh.map(({ since }) => since)) - beforeMs;
    const untilMs = Math.max(...fresh.map(({ fired_at }) => fired_at)) + 1;
    const names = [...new Set(fresh.flatMap(({ ap_id }) => ap_id ?? []))];
    const treatments = await rollouts.treatments(names, fromMs, untilMs);
    const events = await this.#eventsOf(names, fromMs, untilMs);
    const found = new Map<string, Pick<GroupedAlarm, 'product' | 'context'>>();
    await inSlices(fresh, (alarm) => {
      const own = events.get(alarm.ap_id ?? '') ?? [];
      const context = alarm.ap_id === null ? {} : contextOf(alarm, own, treatments.get(alarm.ap_id) ?? []);
      found.set(alarm.id, { product: productOf(alarm.rule_id), context });
    });
    for (const alarm of fresh) Object.assign(found.get(alarm.id)!.context, await this.#measured(alarm));
    return found;
  }

  async #measured({ ap_id, rule_id, subject_kind, since, fired_at }: IncidentAlarm): Promise<AlarmContext> {
    const family = familyOf({ product: this.#options.productOf(rule_id), subject_kind });
    const metrics = contextMetrics[family];
    if (ap_id === null || !metrics) return {};
    const range = { startMs: since - beforeMs, endMs: fired_at + 1, maxPoints: 60 };
    const { columns } = await this.#options.telemetry.query({ ap_id, ...range, metrics, aggregate: 'last' });
    const place = family === 'wifi' ? this.#options.placeOf(ap_id) : undefined;
    return { ...measuredContext(columns), ...(place && { place: [place.latitude, place.longitude] }) };
  }

  async #eventsOf(names: readonly string[], fromMs: number, untilMs: number): Promise<Map<string, LoggedEvent[]>> {
    const found = new Map<string, LoggedEvent[]>(names.map((name) => [name, []]));
    for (let start = 0; start < names.length; start += namesAtOnce) {
      const ap_ids = names.slice(start, start + namesAtOnce);
      for (let after: number | null = 0; after !== null; ) {
        const page = await this.#options.eventLog.read({
          kinds: contextKinds,
          ap_ids,
          fromMs,
          untilMs,
          after,
          limit: eventsAtOnce,
        });
        for (const event of page.events) found.get(event.ap_id!)!.push(event);
        after = page.next;
      }
    }
    return found;
  }

  /** Once an access point is back: what is stored of the first half of its absence was kept and sent afterwards. */
  async #lookAtOutages(alarms: readonly IncidentAlarm[]): Promise<void> {
    const { telemetry, store } = this.#options;
    for (const { id, ap_id, since, cleared_at, incident_context: context } of alarms) {
      if (context?.product !== 'offline' || context.gap || cleared_at === null || ap_id === null) continue;
      const half = { startMs: since, endMs: Math.round((since + cleared_at) / 2) };
      const { ts } = await telemetry.rows(ap_id, half, 1);
      await store.setContext(id, { ...context, gap: ts.length > 0 ? 'filled' : 'empty' });
    }
  }

  async #countLosses(open: readonly IncidentRecord[], alarms: ReadonlyMap<string, IncidentAlarm[]>): Promise<void> {
    const { database, store, lease } = this.#options;
    const nowMs = this.#now();
    const sinceMs = nowMs - this.#lookedMs > maxLookMs ? nowMs : this.#lookedMs;
    this.#lookedMs = nowMs;
    const incidents = open.map((each) => ({ ...each, alarms: alarms.get(each.id)!.map(toGrouped) }));
    const lost = await lostNow(incidents, this.#options.registry, sinceMs);
    for (const { id, losses } of open) {
      const now = lost.get(id);
      if (!now || now.size === 0) continue;
      const after = addLosses(losses, now, nowMs);
      const present = new Set(alarms.get(id)!.map(({ ap_id }) => ap_id));
      const impact = toImpact(id, after).filter(({ ap_id }) => present.has(ap_id));
      await database.transaction(async (tx) => {
        await lease.require(tx);
        // Its networks may have ended since.
        if ((await store.get(id, tx))?.ended_at !== null) return;
        await store.saveLosses(tx, id, after, impact);
      });
    }
  }

  async #readSiteNames(alarms: readonly Pick<GroupedAlarm, 'site'>[]): Promise<void> {
    this.#siteNames = await this.#options.sites.namesOf(alarms.flatMap(({ site }) => site ?? []));
  }

  #event(kind: 'opened' | 'ended' | 'merged', id: string, group: readonly GroupedAlarm[], more: object = {}): NewEvent {
    const { cause, confidence, site, title } = describeIncident(group, this.#options.nameOf, this.#siteNames);
    const aps = [...new Set(group.flatMap(({ ap_id }) => ap_id ?? []))];
    const whose = aps.length === 1 ? { ap_id: aps[0] } : {};
    return {
      kind: `incident.${kind}`,
      subject_kind: 'incident',
      subject: id,
      site,
      severity: kind === 'opened' ? 'major' : 'info',
      text: `${words[kind]}: ${title}`,
      data: {
        incident_id: id,
        cause,
        confidence,
        title,
        access_points: aps.length,
        alarms: group.length,
        ...whose,
        ...more,
      },
    };
  }
}

const words = { opened: 'Incident', ended: 'Over', merged: 'Part of another incident' };
