// Sites: where access points stand, as a tree of paths.
import { ConflictError } from '../errors.ts';
import type { InSameTransaction } from '../storage/sql-database.ts';

export interface SiteRecord {
  id: string;
  /** Steps separated by slashes. What is above it need not exist. */
  path: string;
  name: string;
  geolocation: { latitude: number; longitude: number } | null;
  /** A name of IANA. */
  time_zone: string | null;
  notes: string;
  created_at: number;
}

/** With the number of access points that are directly in it. */
export interface ListedSite extends SiteRecord {
  access_points: number;
}

/** What `create` and `update` throw if a path is taken. */
export function siteExists(): ConflictError {
  return new ConflictError('site_exists', 'A site with this path exists');
}

/**
 * Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. `also` runs with the
 * change, see InSameTransaction.
 */
export interface SiteStore {
  /** The record, or undefined. */
  get(id: string): Promise<ListedSite | undefined>;
  /** By its path. */
  find(path: string): Promise<ListedSite | undefined>;
  /** Up to `limit` sites whose path comes after this one, in byte order. */
  page(afterPath: string, limit: number): Promise<ListedSite[]>;
  count(): Promise<number>;
  /** Durable when it resolves. Throws ConflictError `site_exists` if the path is taken. */
  create(site: SiteRecord, also?: InSameTransaction<SiteRecord>): Promise<void>;
  /**
   * Replaces what the site says; another path moves all sites below it too, and so the access points in them. Resolves the
   * record as it is now, or undefined if there is none. Throws ConflictError `site_exists` if one of the new paths is taken, and what
   * `check` throws for one of them; then nothing was changed.
   */
  update(
    id: string,
    change: Omit<SiteRecord, 'id' | 'created_at'>,
    check: (path: string) => void,
    also?: InSameTransaction<SiteRecord>,
  ): Promise<ListedSite | undefined>;
  /**
   * Resolves whether it existed. Throws ConflictError `site_not_empty` if there are sites below it or access points in it;
   * then nothing was changed.
   */
  remove(id: string, also?: InSameTransaction<SiteRecord>): Promise<boolean>;
}
