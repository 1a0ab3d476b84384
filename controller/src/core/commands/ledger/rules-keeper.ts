// The conflict rules in force: the defaults until an operator has stored others. The ledger reads new ones at the beginning
// of every transaction, so that no node decides by old ones.
import type { ConflictRules } from '@weft/contract';
import { isObject } from '@weft/contract/is-object';
import type { SqlQueries } from '../../base/storage/sql-database.ts';
import { parseConflictRules } from '../arbitration/conflict-rules.ts';
import { defaultConflictRules } from '../arbitration/parameter-groups.ts';
import type { CommandStore } from './command-store.ts';

export class RulesKeeper {
  readonly #store: Pick<CommandStore, 'newRules' | 'putRules'>;
  readonly #onChange: (rules: ConflictRules) => void;
  #rules = defaultConflictRules;
  #version = 0;

  /** `onChange` is called for every new set of rules; it must not throw. */
  constructor(store: Pick<CommandStore, 'newRules' | 'putRules'>, onChange: (rules: ConflictRules) => void) {
    this.#store = store;
    this.#onChange = onChange;
  }

  get current(): ConflictRules {
    return this.#rules;
  }

  /** How often they were changed; 0 for those that ship. */
  get version(): number {
    return this.#version;
  }

  /** Takes over what another node, or an earlier process, has stored. */
  async refresh(db: SqlQueries): Promise<void> {
    const stored = await this.#store.newRules(db, this.#version);
    if (stored) this.#take(parseConflictRules(withRanges(stored.rules)), stored.version);
  }

  /** Inside a transaction of the ledger; they are in force when it is durable, and `refresh` finds them. */
  async store(tx: SqlQueries, rules: ConflictRules): Promise<number> {
    const version = this.#version + 1;
    await this.#store.putRules(tx, version, rules);
    return version;
  }

  #take(rules: ConflictRules, version: number): void {
    this.#rules = rules;
    this.#version = version;
    this.#onChange(rules);
  }
}

/** Rules that were stored before a technology was known say nothing of it. */
function withRanges(rules: unknown): unknown {
  if (!isObject(rules) || !isObject(rules.interference_range_m)) return rules;
  const interference_range_m = { ...defaultConflictRules.interference_range_m, ...rules.interference_range_m };
  return { ...rules, interference_range_m };
}
