// Ends what is left of callers that are gone or disabled, and of apps whose permissions have expired: the time of which
// nobody writes down, and what another program did to the database. Part of the upkeep of jobs; every node does it.
import type { LoginType } from '@weft/contract';
import type { CallerChanges } from '../../audit/caller-changes.ts';
import { hasExpired } from '../../auth/permissions.ts';
import { type CallerChange, type PrincipalSource, system } from '../../caller.ts';
import type { SqlDatabase, SqlQueries } from '../../storage/sql-database.ts';
import type { JobOwner, OwnedJobs } from '../store/owned-jobs.ts';

const ownersPerRound = 100;
/** What such a caller keeps after a round is nothing that could be ended: commands that agents are at, what Weft takes back. */
const settledMs = 30_000;

export interface OwnerSweepOptions {
  owned: Pick<OwnedJobs, 'listEndedOwners' | 'listApps'>;
  principals: Record<LoginType, PrincipalSource>;
  changes: CallerChanges;
  database: SqlDatabase;
  now?: (() => number) | undefined;
}

export class OwnerSweep {
  readonly #options: OwnerSweepOptions;
  readonly #now: () => number;
  readonly #settledUntil = new Map<string, number>();

  constructor(options: OwnerSweepOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** One round. Throws while the database is away. */
  async run(): Promise<void> {
    const now = this.#now();
    for (const [id, until] of this.#settledUntil) if (until <= now) this.#settledUntil.delete(id);
    const { owned } = this.#options;
    const found = [...(await owned.listEndedOwners(ownersPerRound)), ...(await this.#expiredApps(now))];
    for (const owner of found) {
      if (this.#settledUntil.has(owner.owner_id)) continue;
      await this.#end(owner);
      this.#settledUntil.set(owner.owner_id, now + settledMs);
    }
  }

  async #expiredApps(now: number): Promise<JobOwner[]> {
    const { owned, principals, database } = this.#options;
    const apps = await owned.listApps();
    const present = await principals.third_party_app.present(
      database,
      apps.map(({ owner_id }) => owner_id),
    );
    const expired = new Set(present.filter((caller) => hasExpired(caller, now)).map(({ id }) => id));
    return apps.filter(({ owner_id }) => expired.has(owner_id));
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
  async #look(tx: SqlQueries, { owner_kind: kind, owner_id: id, owner_name: name }: JobOwner) {
    const [caller] = await this.#options.principals[kind].present(tx, [id]);
    const head = { kind, id, name, isRevoked: false, by: system };
    if (!caller) return { ...head, what: 'removed' } as const;
    return hasExpired(caller, this.#now()) ? ({ ...head, what: 'expired', caller } as const) : undefined;
  }
}
