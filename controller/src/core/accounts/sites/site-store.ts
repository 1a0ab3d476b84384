// Sites: where access points stand, as a tree of paths.
// Every change holds the revision of the fleet, so that no agent gets a site that is being removed.
import type { Site } from '@weft/contract';
import { ConflictError } from '../../base/errors.ts';
import { ENDED } from '../../base/storage/ended-agents.ts';
import type { InSameTransaction, SqlQueries } from '../../base/storage/sql-database.ts';
import { countRows, insertRecord, runList } from '../../base/storage/sql-rows.ts';
import { type InMs, ifTaken, SqlStore } from '../../base/storage/sql-store.ts';
import { fleetHead, raiseRevision } from '../../base/storage/table-revision.ts';

/** What is above its path need not exist. */
export type SiteRecord = InMs<Omit<Site, 'access_points'>, 'created_at'>;

/** With the number of access points that are directly in it, without those whose emulated network has ended. */
export interface ListedSite extends SiteRecord {
  access_points: number;
}

/** What `create` and `update` throw if a path is taken. */
export function siteExists(): ConflictError {
  return new ConflictError('site_exists', 'A site with this path exists');
}

type SiteRow = Omit<ListedSite, 'geolocation'> & { latitude: number | null; longitude: number | null };

const COLUMNS = 'id, path, name, latitude, longitude, time_zone, notes, created_at';
const LISTED = `${COLUMNS}, (SELECT COUNT(*) FROM agents WHERE agents.site_id = sites.id AND NOT ${ENDED}) AS access_points`;
/** The paths below one: in byte order they stand between its name with a slash, and with the character after the slash. */
const BELOW = 'path > ? AND path < ?';

/**
 * Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. `also` runs with the
 * change, see InSameTransaction.
 */
export class SiteStore extends SqlStore {
  /** The record, or undefined. */
  async get(id: string): Promise<ListedSite | undefined> {
    return getSite(this.db, id);
  }

  /** By its path. */
  async find(path: string): Promise<ListedSite | undefined> {
    const [row] = await this.db.query<SiteRow>(`SELECT ${LISTED} FROM sites WHERE path = ?`, [path]);
    return row && toListed(row);
  }

  /** Up to `limit` sites whose path comes after this one, in byte order. */
  async page(afterPath: string, limit: number): Promise<ListedSite[]> {
    const rows = await this.db.query<SiteRow>(`SELECT ${LISTED} FROM sites WHERE path > ? ORDER BY path LIMIT ?`, [
      afterPath,
      limit,
    ]);
    return rows.map(toListed);
  }

  /** What people call these and those above them, by path. */
  async namesOf(sites: Iterable<string>): Promise<Map<string, string>> {
    const ends = (path: string) => [...path.matchAll(/\/|$/g)].map(({ index }) => path.slice(0, index));
    const paths = [...new Set([...new Set(sites)].flatMap(ends))];
    const rows = await runList<SiteRow>(this.db, 'SELECT path, name FROM sites WHERE path IN ({{list}})', paths);
    return new Map(rows.map(({ path, name }) => [path, name]));
  }

  /** Those that have a time zone of their own. */
  async zones(): Promise<{ path: string; time_zone: string }[]> {
    return this.db.query('SELECT path, time_zone FROM sites WHERE time_zone IS NOT NULL');
  }

  async count(): Promise<number> {
    return this.countRows('sites');
  }

  /** Durable when it resolves. Throws ConflictError `site_exists` if the path is taken. */
  async create(site: SiteRecord, also?: InSameTransaction<SiteRecord>): Promise<void> {
    await this.db
      .transaction(async (tx) => {
        await raiseRevision(tx, fleetHead, 'sites');
        await insert(tx, site);
        await also?.(tx, { after: site });
      })
      .catch(ifTaken(siteExists));
  }

  /** Those whose paths are free, in the caller's transaction; resolves how many sites there are then. */
  async createMissing(tx: SqlQueries, sites: readonly SiteRecord[], also: InSameTransaction<SiteRecord>) {
    await raiseRevision(tx, fleetHead, 'sites');
    for (const site of sites) {
      const known = await tx.query('SELECT id FROM sites WHERE path = ?', [site.path]);
      if (known.length > 0) continue;
      await insert(tx, site);
      await also(tx, { after: site });
    }
    return countRows(tx, 'sites');
  }

  /**
   * Replaces what the site says; another path moves all sites below it too, and so the access points in them. Resolves the
   * record as it is now, or undefined if there is none. Throws ConflictError `site_exists` if one of the new paths is taken, and what
   * `check` throws for one of them; then nothing was changed.
   */
  async update(
    id: string,
    change: Omit<SiteRecord, 'id' | 'created_at'>,
    check: (path: string) => void,
    also?: InSameTransaction<SiteRecord>,
  ): Promise<ListedSite | undefined> {
    return this.db
      .transaction(async (tx) => {
        await raiseRevision(tx, fleetHead, 'sites');
        const before = await getSite(tx, id);
        if (!before) return undefined;
        const { path, name, geolocation, time_zone, notes } = change;
        check(path);
        if (path !== before.path) await move(tx, before, path, check);
        await tx.query(
          'UPDATE sites SET name = ?, latitude = ?, longitude = ?, time_zone = ?, notes = ? WHERE id = ?',
          [name, geolocation?.latitude ?? null, geolocation?.longitude ?? null, time_zone, notes, id],
        );
        const after = { ...before, ...change };
        await also?.(tx, { before, after });
        return after;
      })
      .catch(ifTaken(siteExists));
  }

  /**
   * Resolves whether it existed. Throws ConflictError `site_not_empty` if there are sites below it or access points in it;
   * then nothing was changed.
   */
  async remove(id: string, also?: InSameTransaction<SiteRecord>): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      const revision = await raiseRevision(tx, fleetHead, 'sites');
      const before = await getSite(tx, id);
      if (!before) return false;
      const children = await countRows(tx, `sites WHERE ${BELOW}`, rangeBelow(before.path));
      const { access_points } = before;
      if (children > 0 || access_points > 0) throw notEmpty(children, access_points);
      // Those that have ended do not keep it.
      await tx.query('UPDATE agents SET site_id = NULL, revision = ? WHERE site_id = ?', [revision, id]);
      await tx.query('DELETE FROM sites WHERE id = ?', [id]);
      await also?.(tx, { before });
      return true;
    });
  }
}

async function insert(tx: SqlQueries, site: SiteRecord): Promise<void> {
  const { latitude = null, longitude = null } = site.geolocation ?? {};
  await insertRecord(tx, 'sites', COLUMNS, { ...site, latitude, longitude });
}

/** In two steps: while paths change one after the other, one could take a path that another has not left yet. */
async function move(tx: SqlQueries, site: SiteRecord, path: string, check: (path: string) => void): Promise<void> {
  const rows = await tx.query<{ path: string }>(`SELECT path FROM sites WHERE ${BELOW}`, rangeBelow(site.path));
  for (const row of rows) check(path + row.path.slice(site.path.length));
  // No path begins with a slash.
  await tx.query(`UPDATE sites SET path = '/' || path WHERE id = ? OR (${BELOW})`, [site.id, ...rangeBelow(site.path)]);
  // Cut off what was there: SQL counts characters from 1, and the slash is one more.
  const rest = [...site.path].length + 2;
  await tx.query(
    `UPDATE sites SET path = CAST(? AS TEXT) || substr(path, CAST(? AS INTEGER)) WHERE path >= '/' AND path < '0'`,
    [path, rest],
  );
}

async function getSite(tx: SqlQueries, id: string): Promise<ListedSite | undefined> {
  const [row] = await tx.query<SiteRow>(`SELECT ${LISTED} FROM sites WHERE id = ?`, [id]);
  return row && toListed(row);
}

function rangeBelow(path: string): [from: string, until: string] {
  return [`${path}/`, `${path}0`];
}

function notEmpty(children: number, access_points: number): ConflictError {
  return new ConflictError('site_not_empty', 'The site has sites below it or access points in it', {
    children,
    access_points,
  });
}

function toListed({ latitude, longitude, ...row }: SiteRow): ListedSite {
  return { ...row, geolocation: latitude === null || longitude === null ? null : { latitude, longitude } };
}
