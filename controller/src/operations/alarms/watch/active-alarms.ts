// Rules, silences and active alarms in memory. The database is the truth: every change has a version there, and each node reads
// what it has not seen yet, at once after its own changes and every second for those of others.
import { Event } from '../../../core/event-kinds.ts';
import { type CompiledSilence, compileSilence } from '../silences/active-silence.ts';
import type { AlarmRecord, AlarmStore } from '../store/alarm-store.ts';
import type { RuleStore, SilenceStore } from '../store/rule-store.ts';
import { type CompiledRule, compileRule } from './compiled-rule.ts';

const maxChanges = 1_000;

export interface ActiveAlarmsOptions {
  alarms: AlarmStore;
  rules: RuleStore;
  silences: SilenceStore;
}

export class ActiveAlarms {
  readonly #options: ActiveAlarmsOptions;
  /** An alarm is active that was not, or the reverse. */
  readonly turned = new Event<[alarm: AlarmRecord, isActive: boolean]>();
  /** The rules in force are others. */
  readonly rulesChanged = new Event<[]>();
  readonly #active = new Map<string, AlarmRecord>();
  readonly #ids = new Map<string, AlarmRecord>();
  #rules: CompiledRule[] = [];
  #rulesById = new Map<string, CompiledRule>();
  #silences: CompiledSilence[] = [];
  #seen = { all: -1, rules: -1 };
  #round: Promise<void> = Promise.resolve();

  constructor(options: ActiveAlarmsOptions) {
    this.#options = options;
  }

  /** Those that are enabled. */
  get rules(): readonly CompiledRule[] {
    return this.#rules;
  }

  get silences(): readonly CompiledSilence[] {
    return this.#silences;
  }

  get active(): Iterable<AlarmRecord> {
    return this.#active.values();
  }

  get activeCount(): number {
    return this.#active.size;
  }

  find(rule_id: string, subject_kind: string, subject: string): AlarmRecord | undefined {
    return this.#active.get(keyOf(rule_id, subject_kind, subject));
  }

  byId(id: string): AlarmRecord | undefined {
    return this.#ids.get(id);
  }

  rule(id: string): CompiledRule | undefined {
    return this.#rulesById.get(id);
  }

  /** Reads what has changed; one read after the other. Rejects while the database is unavailable. */
  sync(): Promise<void> {
    const round = this.#round.then(() => this.#read());
    this.#round = round.catch(() => {});
    return round;
  }

  /** The alarms of an agent are removed: it is no more. */
  forget(ap_id: string): void {
    for (const alarm of [...this.#active.values()]) if (alarm.ap_id === ap_id) this.#drop(alarm);
  }

  async #read(): Promise<void> {
    const { alarms, rules, silences } = this.#options;
    const { all, rules: rulesVersion } = await alarms.version();
    if (rulesVersion !== this.#seen.rules) {
      const records = (await rules.list()).filter(({ rule }) => rule.enabled);
      this.#silences = (await silences.list()).map(compileSilence);
      const known = this.#rulesById;
      // One that did not change stays the same object, and what is pending with it.
      this.#rules = records.map((record) => {
        const before = known.get(record.id);
        return before && before.record.updated_at === record.updated_at ? before : compileRule(record);
      });
      this.#rulesById = new Map(this.#rules.map((rule) => [rule.id, rule]));
      this.#seen.rules = rulesVersion;
      this.rulesChanged.emit();
    }
    if (this.#seen.all < 0) {
      for (const alarm of await alarms.listActive()) this.#take(alarm);
      this.#seen.all = all;
      return;
    }
    while (this.#seen.all < all) {
      const changed = await alarms.changedAfter(this.#seen.all, maxChanges);
      for (const alarm of changed) this.#take(alarm);
      this.#seen.all = changed.length < maxChanges ? all : changed.at(-1)!.version;
    }
  }

  #take(alarm: AlarmRecord): void {
    const key = keyOf(alarm.rule_id, alarm.subject_kind, alarm.subject);
    if (alarm.cleared_at !== null) {
      const known = this.#ids.get(alarm.id);
      if (known) this.#drop(known, alarm);
      return;
    }
    const isNew = !this.#ids.has(alarm.id);
    this.#active.set(key, alarm);
    this.#ids.set(alarm.id, alarm);
    if (isNew) this.turned.emit(alarm, true);
  }

  #drop(known: AlarmRecord, after = known): void {
    this.#ids.delete(known.id);
    const key = keyOf(known.rule_id, known.subject_kind, known.subject);
    if (this.#active.get(key)?.id !== known.id) return;
    this.#active.delete(key);
    this.turned.emit(after, false);
  }
}

function keyOf(rule_id: string, subject_kind: string, subject: string): string {
  return `${rule_id}\n${subject_kind}\n${subject}`;
}
