// Rules, silences and active alarms in the memory of this node, as replicas with one head; and the time zones of sites.
import type { SiteStore } from '../../../core/accounts/sites/site-store.ts';
import { headOf, Replica, ReplicaHead, wholeReplica } from '../../../core/base/storage/replica.ts';
import type { SqlQueries } from '../../../core/base/storage/sql-database.ts';
import { fleetHead } from '../../../core/base/storage/table-revision.ts';
import { Event } from '../../../core/event-kinds.ts';
import { pathsAbove } from '../engine/timed-condition.ts';
import { type CompiledSilence, compileSilence } from '../silences/active-silence.ts';
import type { AlarmRecord, AlarmStore, AlarmVersion } from '../store/alarm-store.ts';
import type { RuleRecord, RuleStore, SilenceRecord, SilenceStore } from '../store/rule-store.ts';
import { type CompiledRule, compileRule } from './compiled-rule.ts';

const maxChanges = 1_000;

export interface ActiveAlarmsOptions {
  alarms: AlarmStore;
  rules: RuleStore;
  silences: SilenceStore;
}

export class ActiveAlarms {
  /** An alarm is active that was not, or the reverse. */
  readonly turned = new Event<[alarm: AlarmRecord, isActive: boolean]>();
  /** The rules in force are others. */
  readonly rulesChanged = new Event<[]>();
  readonly head: ReplicaHead<AlarmVersion>;
  readonly #alarms: Replica<AlarmVersion, AlarmRecord>;
  readonly #byId: Replica<AlarmVersion, CompiledRule, RuleRecord>;
  /** Those that are enabled. */
  rules: readonly CompiledRule[] = [];
  /** Oldest first. */
  silences: readonly CompiledSilence[] = [];

  constructor({ alarms, rules, silences }: ActiveAlarmsOptions) {
    const head = new ReplicaHead(() => alarms.version());
    this.head = head;
    const revision = (now: AlarmVersion) => now.rules;
    const compiled: Replica<AlarmVersion, CompiledSilence, SilenceRecord> = new Replica(head, {
      revision,
      keyOf: ({ id }) => id,
      read: async () => ({ rows: await silences.list() }),
      toRow: compileSilence,
      settled: () => {
        // On every node the same one is the first that applies.
        const age = ({ record }: CompiledSilence) => `${record.created_at} ${record.id}`;
        this.silences = [...compiled.now.values()].sort((a, b) => (age(a) < age(b) ? -1 : 1));
      },
    });
    this.#byId = new Replica(head, {
      revision,
      keyOf: ({ id }) => id,
      read: async () => ({ rows: (await rules.list()).filter(({ rule }) => rule.enabled) }),
      // One that did not change stays the same object, and what is pending with it.
      toRow: (record, before) => (before?.record.updated_at === record.updated_at ? before : compileRule(record)),
      settled: () => {
        this.rules = [...this.#byId.now.values()];
        this.rulesChanged.emit();
      },
    });
    this.#alarms = new Replica(head, {
      revision: ({ all }) => all,
      forgotten: ({ forgotten }) => forgotten,
      read: async (after) =>
        after === undefined ? { rows: await alarms.listActive() } : { rows: await allAfter(alarms, after), gone: [] },
      keyOf: ({ id }) => id,
      toRow: (alarm) => (alarm.cleared_at === null ? alarm : undefined),
      indexes: { subject: (alarm) => keyOf(alarm.rule_id, alarm.subject_kind, alarm.subject) },
    });
    this.#alarms.changed.on((before, after) => {
      if (!before || !after) this.turned.emit((after ?? before)!, after !== undefined);
    });
  }

  get active(): Iterable<AlarmRecord> {
    return this.#alarms.now.values();
  }

  get activeCount(): number {
    return this.#alarms.now.size;
  }

  find(rule_id: string, subject_kind: string, subject: string): AlarmRecord | undefined {
    const [found] = this.#alarms.by('subject', keyOf(rule_id, subject_kind, subject));
    return found;
  }

  byId(id: string): AlarmRecord | undefined {
    return this.#alarms.get(id);
  }

  rule(id: string): CompiledRule | undefined {
    return this.#byId.get(id);
  }

  /** Reads what has changed. Rejects while the database is unavailable. */
  fresh(): Promise<void> {
    return this.head.fresh();
  }
}

async function allAfter(alarms: AlarmStore, version: number): Promise<AlarmRecord[]> {
  const changed = await alarms.changedAfter(version, maxChanges);
  return changed.length < maxChanges ? changed : [...changed, ...(await allAfter(alarms, changed.at(-1)!.version))];
}

function keyOf(rule_id: string, subject_kind: string, subject: string): string {
  return `${rule_id}\n${subject_kind}\n${subject}`;
}

/** The time zones of sites: each has its own, or that of the nearest one above it. */
export class SiteZones {
  readonly replica: Replica<number, string, { path: string; time_zone: string }>;

  constructor(database: SqlQueries, store: Pick<SiteStore, 'zones'>) {
    this.replica = wholeReplica(headOf(database, { ...fleetHead, column: 'sites' }), () => store.zones(), {
      keyOf: ({ path }) => path,
      toRow: ({ time_zone }) => time_zone,
    });
  }

  readonly of = (site: string | null): string | undefined => {
    const nearest = site === null ? undefined : pathsAbove(site).findLast((path) => this.replica.get(path));
    return nearest && this.replica.get(nearest);
  };
}
