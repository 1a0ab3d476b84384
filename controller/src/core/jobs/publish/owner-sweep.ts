// Ends what is left of callers that are gone or disabled, of apps whose permissions have expired, and of those whose access
// points were labelled otherwise: what no change of the caller itself ends. Part of the upkeep of jobs; every node does it.
import type { CallerChanges } from '../../accounts/audit/caller-changes.ts';
import {
  type CallerChange,
  callerKey,
  callerNow,
  callersNow,
  ownerRef,
  type Principals,
  refOf,
  system,
} from '../../base/caller.ts';
import { type Rights, rightsOf } from '../../base/rights/rights.ts';
import type { SqlDatabase, SqlQueries } from '../../base/storage/sql-database.ts';
import type { JobOwner, OwnedJobs } from '../store/owned-jobs.ts';

const ownersPerRound = 100;
/** What such a caller keeps after a round is nothing that could be ended: commands that agents are at, what Weft takes back. */
const settledMs = 30_000;

export interface OwnerSweepOptions {
  owned: Pick<OwnedJobs, 'listEndedOwners' | 'listLimited'>;
  principals: Principals;
  changes: CallerChanges;
  database: SqlDatabase;
  now?: (() => number) | undefined;
}

export class OwnerSweep {
  readonly #options: OwnerSweepOptions;
  readonly #now: () => number;
  readonly #settledUntil = new Map<string, number>();
  #isRelabelled = false;

  constructor(options: OwnerSweepOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Labels or sites have changed: rights that depend on them may have gone. */
  relabelled(): void {
    this.#isRelabelled = true;
  }

  /** One round. Throws while the database is away. */
  async run(): Promise<void> {
    const now = this.#now();
    for (const [key, until] of this.#settledUntil) if (until <= now) this.#settledUntil.delete(key);
    const { owned } = this.#options;
    await this.#endNarrowed();
    const expired = await this.#limitedBy((rights) => rights.hasExpired(now));
    const found = [...(await owned.listEndedOwners(ownersPerRound)), ...expired];
    for (const owner of found) {
      const key = callerKey(ownerRef(owner));
      if (this.#settledUntil.has(key)) continue;
      await this.#end(owner);
      this.#settledUntil.set(key, now + settledMs);
    }
  }

  /** Those that own something and whose rights are limited in this way. */
  async #limitedBy(isLimited: (rights: Rights) => boolean): Promise<JobOwner[]> {
    const { owned, principals, database } = this.#options;
    const owners = await owned.listLimited();
    const limited = new Set<string>();
    for (const caller of await callersNow(principals, database, owners.map(ownerRef)))
      if (isLimited(rightsOf(caller))) limited.add(callerKey(refOf(caller)));
    return owners.filter((owner) => limited.has(callerKey(ownerRef(owner))));
  }

  async #endNarrowed(): Promise<void> {
    if (!this.#isRelabelled) return;
    this.#isRelabelled = false;
    try {
      for (const owner of await this.#limitedBy((rights) => rights.dependsOnLabels)) await this.#end(owner);
    } catch (error) {
      this.#isRelabelled = true;
      throw error;
    }
  }

  async #end(owner: JobOwner): Promise<void> {
    const { changes, database } = this.#options;
    await changes.make<CallerChange, void>(
      ({ after }) => ({ change: after }),
      (also) =>
        database.transaction(async (tx) => {
          const after = await this.#look(tx, owner);
          if (after) await also(tx, { after });
        }),
    );
  }

  /** Again inside of the transaction: it may have been enabled, or its time extended. */
  async #look(tx: SqlQueries, owner: JobOwner) {
    const ref = ownerRef(owner);
    const caller = await callerNow(this.#options.principals, tx, ref);
    const head = { ...ref, name: owner.owner_name, isRevoked: false, by: system };
    if (!caller) return { ...head, what: 'removed' } as const;
    const rights = rightsOf(caller);
    if (rights.hasExpired(this.#now())) return { ...head, what: 'expired', caller } as const;
    return rights.dependsOnLabels ? ({ ...head, what: 'changed', caller } as const) : undefined;
  }
}
