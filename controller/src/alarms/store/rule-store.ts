// Rules and silences. Who changes them takes `nextVersion` of the alarm store first, in the same transaction.
import type { SilenceInput } from '@weft/contract';
import type { SqlQueries } from '../../storage/sql-database.ts';
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

/** Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. */
export interface RuleStore {
  /** By name. */
  list(tx?: SqlQueries): Promise<RuleRecord[]>;
  get(id: string, tx?: SqlQueries): Promise<RuleRecord | undefined>;
  /** Throws ConflictError `alarm_rule_exists` if the name is taken; the transaction has failed then. */
  create(tx: SqlQueries, rule: RuleRecord): Promise<void>;
  /** The same; the rule must be there. */
  update(tx: SqlQueries, rule: RuleRecord): Promise<void>;
  /** Resolves the rule that was removed, or undefined. */
  remove(tx: SqlQueries, id: string): Promise<RuleRecord | undefined>;
  /** Those of these keys that were never given out before; from now on they are. */
  newProducts(tx: SqlQueries, products: readonly string[]): Promise<string[]>;
}

/** The same holds. */
export interface SilenceStore {
  /** Oldest first. */
  list(tx?: SqlQueries): Promise<SilenceRecord[]>;
  get(id: string, tx?: SqlQueries): Promise<SilenceRecord | undefined>;
  create(tx: SqlQueries, silence: SilenceRecord): Promise<void>;
  /** Resolves the silence before, or undefined if there is none. */
  update(tx: SqlQueries, silence: SilenceRecord): Promise<SilenceRecord | undefined>;
  /** Resolves the silence that was removed, or undefined. */
  remove(tx: SqlQueries, id: string): Promise<SilenceRecord | undefined>;
  /** Removes those that ended before this moment; resolves how many. */
  prune(tx: SqlQueries, beforeMs: number): Promise<number>;
}
