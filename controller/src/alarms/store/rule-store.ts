// Rules and silences. Who changes them takes `nextVersion` of the alarm store first, in the same transaction.
import type { SilenceInput } from '@weft/contract';
import { ConflictError } from '../../errors.ts';
import { type SqlQueries, UniqueViolation } from '../../storage/sql-database.ts';
import type { RowOf } from '../../storage/sql-rows.ts';
import { SqlStore } from '../../storage/sql-store.ts';
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

type RuleRow = RowOf<RuleRecord, 'rule', 'is_adjusted'>;
type SilenceRow = RowOf<SilenceRecord, 'silence'>;

const RULE = 'id, name, product, is_adjusted, rule, created_at, updated_at';
const SILENCE = 'id, silence, created_by, created_at, ends_at';

/** Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. */
export class RuleStore extends SqlStore {
  /** By name. */
  async list(tx: SqlQueries = this.db): Promise<RuleRecord[]> {
    return (await tx.query<RuleRow>(`SELECT ${RULE} FROM alarm_rules ORDER BY name`)).map(toRule);
  }

  async get(id: string, tx: SqlQueries = this.db): Promise<RuleRecord | undefined> {
    const [row] = await tx.query<RuleRow>(`SELECT ${RULE} FROM alarm_rules WHERE id = ?`, [id]);
    return row && toRule(row);
  }

  /** Throws ConflictError `alarm_rule_exists` if the name is taken; the transaction has failed then. */
  async create(tx: SqlQueries, { id, rule, product, is_adjusted, created_at, updated_at }: RuleRecord): Promise<void> {
    const values = [id, rule.name, product, Number(is_adjusted), JSON.stringify(rule), created_at, updated_at];
    await tx.query(`INSERT INTO alarm_rules (${RULE}) VALUES (?, ?, ?, ?, ?, ?, ?)`, values).catch(throwRuleExists);
  }

  /** The same; the rule must be there. */
  async update(tx: SqlQueries, { id, rule, product, is_adjusted, updated_at }: RuleRecord): Promise<void> {
    const sql = 'UPDATE alarm_rules SET name = ?, product = ?, is_adjusted = ?, rule = ?, updated_at = ? WHERE id = ?';
    const values = [rule.name, product, Number(is_adjusted), JSON.stringify(rule), updated_at, id];
    await tx.query(sql, values).catch(throwRuleExists);
  }

  /** Resolves the rule that was removed, or undefined. */
  async remove(tx: SqlQueries, id: string): Promise<RuleRecord | undefined> {
    const [row] = await tx.query<RuleRow>(`DELETE FROM alarm_rules WHERE id = ? RETURNING ${RULE}`, [id]);
    return row && toRule(row);
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
    return (await tx.query<SilenceRow>(`SELECT ${SILENCE} FROM silences ORDER BY created_at, id`)).map(toSilence);
  }

  async get(id: string, tx: SqlQueries = this.db): Promise<SilenceRecord | undefined> {
    const [row] = await tx.query<SilenceRow>(`SELECT ${SILENCE} FROM silences WHERE id = ?`, [id]);
    return row && toSilence(row);
  }

  async create(tx: SqlQueries, { id, silence, created_by, created_at, ends_at }: SilenceRecord): Promise<void> {
    const values = [id, JSON.stringify(silence), created_by, created_at, ends_at];
    await tx.query(`INSERT INTO silences (${SILENCE}) VALUES (?, ?, ?, ?, ?)`, values);
  }

  /** Resolves the silence before, or undefined if there is none. */
  async update(tx: SqlQueries, { id, silence, ends_at }: SilenceRecord): Promise<SilenceRecord | undefined> {
    const before = await this.get(id, tx);
    const values = [JSON.stringify(silence), ends_at, id];
    await tx.query('UPDATE silences SET silence = ?, ends_at = ? WHERE id = ?', values);
    return before;
  }

  /** Resolves the silence that was removed, or undefined. */
  async remove(tx: SqlQueries, id: string): Promise<SilenceRecord | undefined> {
    const [row] = await tx.query<SilenceRow>(`DELETE FROM silences WHERE id = ? RETURNING ${SILENCE}`, [id]);
    return row && toSilence(row);
  }

  /** Removes those that ended before this moment; resolves how many. */
  async prune(tx: SqlQueries, beforeMs: number): Promise<number> {
    return (await tx.query('DELETE FROM silences WHERE ends_at < ? RETURNING id', [beforeMs])).length;
  }
}

function throwRuleExists(error: unknown): never {
  if (error instanceof UniqueViolation) {
    throw new ConflictError('alarm_rule_exists', 'A rule with this name exists');
  }
  throw error;
}

function toRule({ id, rule, product, is_adjusted, created_at, updated_at }: RuleRow): RuleRecord {
  return { id, rule: JSON.parse(rule), product, is_adjusted: is_adjusted === 1, created_at, updated_at };
}

function toSilence(row: SilenceRow): SilenceRecord {
  return { ...row, silence: JSON.parse(row.silence) };
}
