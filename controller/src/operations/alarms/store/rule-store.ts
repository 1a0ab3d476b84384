// Rules and silences. Who changes them takes `nextVersion` of the alarm store first, in the same transaction.
import type { SilenceInput } from '@weft/contract/operations';
import type { Actor } from '../../../core/base/caller.ts';
import { ConflictError } from '../../../core/base/errors.ts';
import { TotalShare } from '../../../core/base/shares/total-share.ts';
import type { SqlQueries } from '../../../core/base/storage/sql-database.ts';
import { insertRecord } from '../../../core/base/storage/sql-rows.ts';
import { ifTaken, RecordTable, SqlStore } from '../../../core/base/storage/sql-store.ts';
import type { RuleText } from '../rules/parse-rule.ts';

export interface RuleRecord {
  id: string;
  rule: RuleText;
  /** The key of a rule that comes with Weft; null for those of administrators. */
  product: string | null;
  /** A rule that comes with Weft was changed. */
  is_adjusted: boolean;
  created_at: number;
  updated_at: number;
}

/** What a silence says. `within`: one of a manager applies only there. */
export type SilenceText = SilenceInput & { within?: string[] };

export interface SilenceRecord {
  id: string;
  silence: SilenceText;
  created_by: string;
  created_at: number;
  /** Null for one that goes on. */
  ends_at: number | null;
}

const RULE = 'id, product, is_adjusted, rule, created_at, updated_at';
const rules = new RecordTable<RuleRecord>('alarm_rules', RULE, { json: ['rule'], flags: ['is_adjusted'] });
const SILENCE = 'id, silence, created_by, created_at, ends_at';
const silences = new RecordTable<SilenceRecord>('silences', SILENCE, { json: ['silence'] });
const MADE = `SELECT CASE WHEN users.id IS NULL THEN NULL ELSE 'user' END AS kind, users.id AS id
  FROM silences LEFT JOIN users ON users.username = silences.created_by`;
const share = new TotalShare('too_many_silences', 'silences', 1_000, MADE, 3600);
const throwRuleExists = ifTaken(() => new ConflictError('alarm_rule_exists', 'A rule with this name exists'));

/** Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. */
export class RuleStore extends SqlStore {
  /** By name. */
  async list(tx: SqlQueries = this.db): Promise<RuleRecord[]> {
    return rules.list(tx, 'ORDER BY name');
  }

  async get(id: string, tx: SqlQueries = this.db): Promise<RuleRecord | undefined> {
    return rules.get(tx, 'WHERE id = ?', [id]);
  }

  /** Throws ConflictError `alarm_rule_exists` if the name is taken; the transaction has failed then. */
  async create(tx: SqlQueries, record: RuleRecord): Promise<void> {
    const named = { ...record, name: record.rule.name };
    await insertRecord(tx, 'alarm_rules', `${RULE}, name` as const, named).catch(throwRuleExists);
  }

  /** The same; the rule must be there. */
  async update(tx: SqlQueries, { id, rule, product, is_adjusted, updated_at }: RuleRecord): Promise<void> {
    const columns = { name: rule.name, product, is_adjusted, rule, updated_at };
    await rules.change(tx, columns, 'WHERE id = ?', [id]).catch(throwRuleExists);
  }

  /** Resolves the rule that was removed, or undefined. */
  async remove(tx: SqlQueries, id: string): Promise<RuleRecord | undefined> {
    return (await rules.remove(tx, 'WHERE id = ?', [id]))[0];
  }

  /** Those of these keys that were never given out before; from now on they are. */
  async newProducts(tx: SqlQueries, products: readonly string[]): Promise<string[]> {
    const fresh: string[] = [];
    for (const product of products) {
      const added = await tx.query(
        'INSERT INTO alarm_products (product) VALUES (?) ON CONFLICT (product) DO NOTHING RETURNING product',
        [product],
      );
      if (added.length > 0) fresh.push(product);
    }
    return fresh;
  }
}

/** The same holds. */
export class SilenceStore extends SqlStore {
  /** Oldest first. */
  async list(tx: SqlQueries = this.db): Promise<SilenceRecord[]> {
    return silences.list(tx, 'ORDER BY created_at, id');
  }

  async get(id: string, tx: SqlQueries = this.db): Promise<SilenceRecord | undefined> {
    return silences.get(tx, 'WHERE id = ?', [id]);
  }

  /** Throws TryLaterError `too_many_silences`. */
  async create(tx: SqlQueries, record: SilenceRecord, by: Actor): Promise<void> {
    await share.take(tx, by);
    await insertRecord(tx, 'silences', SILENCE, record);
  }

  /** Resolves the silence before, or undefined if there is none. */
  async update(tx: SqlQueries, { id, silence, ends_at }: SilenceRecord): Promise<SilenceRecord | undefined> {
    const before = await this.get(id, tx);
    await silences.change(tx, { silence, ends_at }, 'WHERE id = ?', [id]);
    return before;
  }

  /** Resolves the silence that was removed, or undefined. */
  async remove(tx: SqlQueries, id: string): Promise<SilenceRecord | undefined> {
    return (await silences.remove(tx, 'WHERE id = ?', [id]))[0];
  }

  /** Removes those that ended before this moment; resolves how many. */
  async prune(tx: SqlQueries, beforeMs: number): Promise<number> {
    return (await tx.query('DELETE FROM silences WHERE ends_at < ? RETURNING id', [beforeMs])).length;
  }
}
