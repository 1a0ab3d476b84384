// Where devices are attached, as it outlives a restart and as other nodes read it: under pseudonyms, never addresses.
import type { SqlQueries } from '../../storage/sql-database.ts';

export interface DeviceLinkRecord {
  device: string;
  ap_id: string;
  since: number;
  /** The time of the newest list that decided about it. */
  seen: number;
  /** Null while it is attached. */
  left_at: number | null;
  is_randomised: boolean;
}

export interface StoredDeviceLink extends DeviceLinkRecord {
  /** When the row was written, by the clock of the node that did. */
  updated_at: number;
}

/** The newest list of an access point, with the values of its devices. */
export interface DeviceListRecord {
  ap_id: string;
  /** By the clock of the access point, or of its model. */
  ts: number;
  /** When Weft heard it, by its own clock. */
  heard_at: number;
  /** JSON; written and read by `registry/device-values`. */
  device_values: string;
}

/** Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. */
export interface DeviceStore {
  /** All links, also those that have ended; ordered by device and ap_id; at most `limit` after the given one. */
  links(after: { device: string; ap_id: string } | undefined, limit: number): Promise<StoredDeviceLink[]>;
  /** All lists, ordered by ap_id; at most `limit` after the given one. */
  lists(after: string, limit: number): Promise<DeviceListRecord[]>;
  /** The links that were written at this time or later, and the lists that other nodes wrote then. */
  changedSince(updatedMs: number): Promise<{ links: StoredDeviceLink[]; lists: DeviceListRecord[] }>;
  /**
   * Creates or replaces these links, in the transaction of the caller. One that is older than what is stored is left out.
   * Resolves those that were in the same state already, attached or not, as another node has written it.
   */
  write(tx: SqlQueries, links: readonly DeviceLinkRecord[]): Promise<DeviceLinkRecord[]>;
  /**
   * Creates or replaces these lists; durable when it resolves. One that is older than what is stored is left out, and so is
   * one with a device that was erased after it came.
   */
  saveLists(lists: readonly DeviceListRecord[]): Promise<void>;
  /** Forgets everything that an access point said; repeated calls are harmless. */
  removeAgent(ap_id: string): Promise<void>;
  /** Forgets a device and the lists it is in, in the transaction of the caller; repeated calls are harmless. */
  remove(tx: SqlQueries, devices: readonly string[]): Promise<void>;
  /**
   * Removes ended links: those that were written before `goneMs`, and those from before `movedMs` of devices that were seen
   * elsewhere since. At most `limit`; resolves whether there may be more.
   */
  prune(before: { goneMs: number; movedMs: number }, limit: number): Promise<boolean>;
}
