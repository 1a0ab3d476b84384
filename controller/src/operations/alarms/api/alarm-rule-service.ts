// Rules for administrators. Whoever removes or disables one clears its alarms, in the same transaction.
import { randomUUID } from 'node:crypto';
import type { AlarmRule, AlarmRuleInput } from '@weft/contract/operations';
import { matchesSelector, parseSelector } from '@weft/contract/selector';
import { changedKeys, type NewAuditEntry } from '../../../core/accounts/audit/audit-entry.ts';
import type { Actor, Caller } from '../../../core/base/caller.ts';
import { ConflictError, orNotFound, TryLaterError } from '../../../core/base/errors.ts';
import type { SqlQueries } from '../../../core/base/storage/sql-database.ts';
import { parseRule, type RuleText } from '../rules/parse-rule.ts';
import { alarmEvent } from '../store/alarm-events.ts';
import type { RuleRecord, RuleStore } from '../store/rule-store.ts';
import type { AlarmServiceOptions } from './alarm-service.ts';

const maxRules = 500;

export interface AlarmRuleServiceOptions extends AlarmServiceOptions {
  rules: RuleStore;
  /** The names of readings of Weft. */
  readings: () => readonly string[];
  /** The rules that come with Weft, by key. */
  products: () => ReadonlyMap<string, AlarmRuleInput>;
}

export class AlarmRuleService {
  readonly #options: AlarmRuleServiceOptions;
  readonly #now: () => number;

  constructor(options: AlarmRuleServiceOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Those that watch access points which the caller may see, and those that come with Weft. */
  async list(caller: Caller): Promise<{ items: AlarmRule[]; next: null }> {
    await this.#options.network.fresh();
    const items: AlarmRule[] = [];
    for (const record of await this.#options.rules.list()) {
      const shown = await this.#shown(record, caller);
      if (shown) items.push(shown);
    }
    return { items, next: null };
  }

  async get(id: string, caller: Caller): Promise<AlarmRule> {
    return orNotFound(await this.#shown(await this.#require(id), caller), 'Alarm rule');
  }

  async #shown(record: RuleRecord, caller: Caller): Promise<AlarmRule | undefined> {
    const rule = toAlarmRule(record);
    const text = rule.selector ?? '';
    if (text === '' || (record.product !== null && !record.is_adjusted)) return rule;
    const selector = parseSelector(text);
    const sight = await this.#options.network.visibleTo(caller);
    const share = await sight.share((agent) => matchesSelector(selector, agent));
    if (share !== 'part') return share === 'all' ? rule : undefined;
    const { selector: _, ...rest } = rule;
    return rest;
  }

  async create(input: AlarmRuleInput, by: Actor): Promise<AlarmRule> {
    const rule = this.parse(input);
    const nowMs = this.#now();
    const record: RuleRecord = {
      id: randomUUID(),
      rule,
      product: null,
      is_adjusted: false,
      created_at: nowMs,
      updated_at: nowMs,
    };
    await this.#change(async (tx) => {
      if ((await this.#options.rules.list(tx)).length >= maxRules) {
        throw new TryLaterError(
          429,
          'too_many_alarm_rules',
          `There are at most ${maxRules} rules; remove some first`,
          3600,
        );
      }
      await this.#options.rules.create(tx, record);
      return entry(by, 'alarm_rule_created', record, { rule });
    });
    return toAlarmRule(record);
  }

  async update(id: string, input: AlarmRuleInput, by: Actor): Promise<AlarmRule> {
    const rule = this.parse(input);
    return this.#update(id, by, 'alarm_rule_updated', (before) => ({
      ...before,
      rule,
      is_adjusted: before.product !== null,
    }));
  }

  /** Restores the original of a rule that comes with Weft. Throws ConflictError for any other. */
  async reset(id: string, by: Actor): Promise<AlarmRule> {
    return this.#update(id, by, 'alarm_rule_reset', (before) => {
      const product = before.product === null ? undefined : this.#options.products().get(before.product);
      if (!product) throw new ConflictError('not_a_product_rule', 'This rule did not come with Weft');
      return { ...before, rule: this.parse(product), is_adjusted: false };
    });
  }

  async remove(id: string, by: Actor): Promise<void> {
    await this.#change(async (tx, version) => {
      const removed = orNotFound(await this.#options.rules.remove(tx, id), 'Alarm rule');
      await this.#clearAll(tx, id, version, by);
      return entry(by, 'alarm_rule_removed', removed, { product: removed.product });
    });
  }

  /** Rules that come with Weft and are new in this version; those that were removed before stay removed. Like a migration, nobody did it. */
  async seed(): Promise<void> {
    const { rules } = this.#options;
    const products = this.#options.products();
    const nowMs = this.#now();
    await this.#change(async (tx) => {
      const fresh = await rules.newProducts(tx, [...products.keys()]);
      const taken = new Set((await rules.list(tx)).map(({ rule }) => rule.name));
      const added = fresh.filter((product) => !taken.has(products.get(product)!.name));
      for (const product of added) {
        const rule = this.parse(products.get(product)!);
        const record = { id: randomUUID(), rule, product, is_adjusted: false, created_at: nowMs, updated_at: nowMs };
        await rules.create(tx, record);
      }
      return undefined;
    });
  }

  /** Throws ValidationError with every problem. */
  parse(input: AlarmRuleInput): RuleText {
    return parseRule(input, this.#options.readings());
  }

  async #update(id: string, by: Actor, action: string, change: (before: RuleRecord) => RuleRecord): Promise<AlarmRule> {
    const { rules } = this.#options;
    let after!: RuleRecord;
    await this.#change(async (tx, version) => {
      const before = orNotFound(await rules.get(id, tx), 'Alarm rule');
      // Later than before in any case: nodes see by it that the rule is another one.
      after = { ...change(before), updated_at: Math.max(this.#now(), before.updated_at + 1) };
      await rules.update(tx, after);
      if (!after.rule.enabled) await this.#clearAll(tx, id, version, by);
      const keys = changedKeys({ ...before.rule }, { ...after.rule });
      return entry(by, action, after, { keys, before: before.rule, after: after.rule });
    });
    return toAlarmRule(after);
  }

  async #clearAll(tx: SqlQueries, rule_id: string, version: number, by: Actor): Promise<void> {
    const { alarms, eventLog } = this.#options;
    const change = { state: 'cleared', cleared_at: this.#now(), cleared_by: by.name } as const;
    const active = (await alarms.listActive(tx)).filter((alarm) => alarm.rule_id === rule_id);
    const cleared = [];
    for (const { id } of active) cleared.push(await alarms.updateActive(tx, id, change, version));
    const told = cleared.filter((alarm) => alarm?.is_announced);
    await eventLog.append(
      tx,
      told.map((alarm) => alarmEvent('cleared', alarm!, by.name)),
    );
  }

  async #change(work: (tx: SqlQueries, version: number) => Promise<NewAuditEntry | undefined>): Promise<void> {
    const { database, alarms, auditLog, activeAlarms } = this.#options;
    await database.transaction(async (tx) => {
      const version = await alarms.nextVersion(tx, 'rules');
      const made = await work(tx, version);
      if (made) await auditLog.append(tx, [made]);
    });
    await activeAlarms.fresh();
  }

  async #require(id: string): Promise<RuleRecord> {
    return orNotFound(await this.#options.rules.get(id), 'Alarm rule');
  }
}

function entry(actor: Actor, action: string, record: RuleRecord, detail: Record<string, unknown>): NewAuditEntry {
  return {
    actor,
    action,
    target: { kind: 'alarm_rule', name: record.rule.name },
    detail: { id: record.id, ...detail },
  };
}

export function toAlarmRule({ id, rule, product, is_adjusted, created_at, updated_at }: RuleRecord): AlarmRule {
  const { clear, ...rest } = rule;
  return {
    id,
    ...rest,
    ...(clear && { clear }),
    product,
    adjusted: is_adjusted,
    created_at: new Date(created_at).toISOString(),
    updated_at: new Date(updated_at).toISOString(),
  };
}
