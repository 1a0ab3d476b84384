// Devices that were moved by a command a moment ago, as it outlives a restart and as every node reads it.
import type { SqlQueries } from '../../storage/sql-database.ts';

export interface SteeredRecord {
  device: string;
  /** The access point that it was attached to. */
  ap_id: string;
  target: string;
  /** Whether it comes back is watched until then. */
  until: number;
}

/** Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. */
export interface SteeredStore {
  /** Creates or replaces what is known about these devices, in the transaction of the caller. */
  put(tx: SqlQueries, steered: readonly SteeredRecord[]): Promise<void>;
  /** Those that have not ended; the one that ends first comes first. */
  list(nowMs: number): Promise<SteeredRecord[]>;
  /** In the transaction of the caller; resolves whether this very move was known, so that one of several nodes tells of it. */
  remove(tx: SqlQueries, steered: SteeredRecord): Promise<boolean>;
}
