// Changes of callers' records: the change, its audit entry and everything that ends with it are one transaction; those who
// keep something of the caller in memory are told once it is durable.
import type { CallerChange } from '../../base/caller.ts';
import type { InSameTransaction, SqlQueries } from '../../base/storage/sql-database.ts';
import type { ChangeEvent, StepOutcome } from '../../event-kinds.ts';
import type { NewAuditEntry } from './audit-entry.ts';
import type { AuditLog } from './audit-store.ts';

/** Undefined where nothing is to be logged, or nothing of the caller is affected. */
export interface DescribedChange {
  entry?: NewAuditEntry | undefined;
  change?: CallerChange | undefined;
}

export class CallerChanges {
  readonly #log: Pick<AuditLog, 'append'>;
  readonly #event: ChangeEvent<CallerChange>;

  constructor(log: Pick<AuditLog, 'append'>, event: ChangeEvent<CallerChange>) {
    this.#log = log;
    this.#event = event;
  }

  /**
   * `write` changes the record and passes on the `also`. `describe` must be pure, because the transaction may be retried.
   * Resolves what `write` resolves, once everybody has been told.
   */
  async make<Item, Result>(
    describe: (changed: { before?: Item; after?: Item }) => DescribedChange,
    write: (also: InSameTransaction<Item>) => Promise<Result>,
  ): Promise<Result> {
    let committed = () => {};
    const result = await write(async (tx, changed) => {
      committed = await this.#record(tx, describe(changed));
    });
    committed();
    return result;
  }

  /**
   * The consequences of a change alone, in a transaction of the caller's own, who writes the entries and calls `committed` once
   * all is durable.
   */
  async within(tx: SqlQueries, change: CallerChange): Promise<Required<StepOutcome>> {
    const { entries, committed } = await this.#event.run(tx, change);
    return {
      entries,
      committed: () => {
        committed();
        this.tell(change);
      },
    };
  }

  /** Of a change that is durable, of a caller that owns nothing. */
  tell(change: CallerChange): void {
    this.#event.emit(change);
  }

  async #record(tx: SqlQueries, { entry, change }: DescribedChange): Promise<() => void> {
    const outcome = change && (await this.within(tx, change));
    // Last, because the lock on the end of the log lasts until the transaction ends.
    await this.#log.append(tx, [...(entry ? [entry] : []), ...(outcome?.entries ?? [])]);
    return () => outcome?.committed();
  }
}
