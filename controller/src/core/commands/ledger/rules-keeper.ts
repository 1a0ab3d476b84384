// The conflict rules in force: the defaults until an operator has stored others. The ledger looks at the beginning of
// every transaction whether there are new ones, so that no node decides by old ones.
import type { ConflictRules } from '@weft/contract';
import { isObject } from '@weft/contract/is-object';
import { headOf, type Replica, wholeReplica } from '../../base/storage/replica.ts';
import type { SqlDatabase, SqlQueries } from '../../base/storage/sql-database.ts';
import { raiseRevision } from '../../base/storage/table-revision.ts';
import { parseConflictRules } from '../arbitration/conflict-rules.ts';
import { defaultConflictRules } from '../arbitration/parameter-groups.ts';

const head = { table: 'conflict_rules', column: 'version' };
/** What ships has the version 0. */
const STORED = 'SELECT rules FROM conflict_rules WHERE version > 0';

export class RulesKeeper {
  readonly replica: Replica<number, ConflictRules, { rules: string }>;

  constructor(database: SqlDatabase) {
    this.replica = wholeReplica(headOf(database, head), (tx = database) => tx.query<{ rules: string }>(STORED), {
      keyOf: () => 'rules',
      toRow: ({ rules }) => parseConflictRules(withRanges(JSON.parse(rules))),
    });
  }

  get current(): ConflictRules {
    return this.replica.get('rules') ?? defaultConflictRules;
  }

  /** Inside a transaction of the ledger: they are in force when it is durable. Resolves how often they were changed. */
  async store(tx: SqlQueries, rules: ConflictRules): Promise<number> {
    const version = await raiseRevision(tx, head);
    await tx.query('UPDATE conflict_rules SET rules = ?', [JSON.stringify(rules)]);
    return version;
  }
}

/** Rules that were stored before a technology was known say nothing of it. */
function withRanges(rules: unknown): unknown {
  if (!isObject(rules) || !isObject(rules.interference_range_m)) return rules;
  const interference_range_m = { ...defaultConflictRules.interference_range_m, ...rules.interference_range_m };
  return { ...rules, interference_range_m };
}
