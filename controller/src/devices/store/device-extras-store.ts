// What people and Weft note about single devices: who would not be moved, whose history is kept, which names are one device, and
// whether clear addresses are allowed. All of it is small and held in memory by every node.
import type { SqlQueries } from '../../storage/sql-database.ts';

export interface StickyDevice {
  device: string;
  reason: 'refused' | 'moved_back';
  /** Where it would not stay. */
  target: string;
  until: number;
}

export interface DeviceWatch {
  device: string;
  until: number;
  /** Who asked for it; it ends with them. */
  caller_kind: string;
  caller_id: string;
}

export interface DeviceIdentity {
  /** A pseudonym that stands for the device. */
  identity: string;
  device: string;
}

export interface DeviceExtrasRecords {
  version: number;
  clearAddresses: boolean;
  sticky: StickyDevice[];
  watches: DeviceWatch[];
  identities: DeviceIdentity[];
  /** Those that were erased a moment ago, and when. */
  erased: { device: string; at: number }[];
}

/** Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. */
export interface DeviceExtrasStore {
  /** Everything, if it is not of this version; else undefined. */
  readIfNew(version: number): Promise<DeviceExtrasRecords | undefined>;
  putSticky(tx: SqlQueries, sticky: StickyDevice): Promise<void>;
  /**
   * Replaces the watch of the device. Throws ConflictError `too_many_watches` if there are `total` others that have not ended, or
   * `perCaller` of this caller.
   */
  putWatch(tx: SqlQueries, watch: DeviceWatch, max: { total: number; perCaller: number }, nowMs: number): Promise<void>;
  /** Resolves whether there was one. */
  removeWatch(tx: SqlQueries, device: string): Promise<boolean>;
  /** Ends what a caller asked for that is gone. */
  removeWatchesOf(tx: SqlQueries, caller_kind: string, caller_id: string): Promise<void>;
  /** `identity` and all that stood for it stand for `device` from now on, links too. Throws ConflictError `too_many_identities`. */
  link(tx: SqlQueries, identity: string, device: string, max: number): Promise<void>;
  setClearAddresses(tx: SqlQueries, isAllowed: boolean): Promise<void>;
  /** Forgets a device in all of it, and that it was erased `at` is known for a while; resolves the names that stood for it. */
  remove(tx: SqlQueries, device: string, at: number): Promise<string[]>;
  /** Removes what has ended. */
  prune(nowMs: number): Promise<void>;
}
