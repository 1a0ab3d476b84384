// Sites in SQL. Every change holds the revision of the fleet, so that no agent gets a site that is being removed.
import { ConflictError } from '../errors.ts';
import { raiseRevision } from '../storage/fleet-revision.sql.ts';
import { type InSameTransaction, type SqlDatabase, type SqlQueries, UniqueViolation } from '../storage/sql-database.ts';
import { type ListedSite, type SiteRecord, type SiteStore, siteExists } from './site-store.ts';

type SiteRow = {
  id: string;
  path: string;
  name: string;
  latitude: number | null;
  longitude: number | null;
  time_zone: string | null;
  notes: string;
  created_at: number;
  access_points: number;
};

const COLUMNS = 'id, path, name, latitude, longitude, time_zone, notes, created_at';
const LISTED = `${COLUMNS}, (SELECT COUNT(*) FROM agents WHERE agents.site_id = sites.id) AS access_points`;
/** The paths below one: in byte order they stand between its name with a slash, and with the character after the slash. */
const BELOW = 'path > ? AND path < ?';

export function createSiteStore(db: SqlDatabase): SiteStore {
  return new SqlSiteStore(db);
}

class SqlSiteStore implements SiteStore {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  async get(id: string): Promise<ListedSite | undefined> {
    return getSite(this.#db, id);
  }

  async find(path: string): Promise<ListedSite | undefined> {
    const [row] = await this.#db.query<SiteRow>(`SELECT ${LISTED} FROM sites WHERE path = ?`, [path]);
    return row && toListed(row);
  }

  async page(afterPath: string, limit: number): Promise<ListedSite[]> {
    const rows = await this.#db.query<SiteRow>(`SELECT ${LISTED} FROM sites WHERE path > ? ORDER BY path LIMIT ?`, [
      afterPath,
      limit,
    ]);
    return rows.map(toListed);
  }

  async count(): Promise<number> {
    const [row] = await this.#db.query<{ count: number }>('SELECT COUNT(*) AS count FROM sites');
    return row?.count ?? 0;
  }

  async create(site: SiteRecord, also?: InSameTransaction<SiteRecord>): Promise<void> {
    await this.#db
      .transaction(async (tx) => {
        await raiseRevision(tx, 'sites');
        const { id, path, name, geolocation, time_zone, notes, created_at } = site;
        await tx.query(`INSERT INTO sites (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, [
          id,
          path,
          name,
          geolocation?.latitude ?? null,
          geolocation?.longitude ?? null,
          time_zone,
          notes,
          created_at,
        ]);
        await also?.(tx, { after: site });
      })
      .catch(throwSiteExists);
  }

  async update(
    id: string,
    change: Omit<SiteRecord, 'id' | 'created_at'>,
    check: (path: string) => void,
    also?: InSameTransaction<SiteRecord>,
  ): Promise<ListedSite | undefined> {
    return this.#db
      .transaction(async (tx) => {
        await raiseRevision(tx, 'sites');
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
      .catch(throwSiteExists);
  }

  async remove(id: string, also?: InSameTransaction<SiteRecord>): Promise<boolean> {
    return this.#db.transaction(async (tx) => {
      await raiseRevision(tx, 'sites');
      const before = await getSite(tx, id);
      if (!before) return false;
      const [below] = await tx.query<{ count: number }>(
        `SELECT COUNT(*) AS count FROM sites WHERE ${BELOW}`,
        rangeBelow(before.path),
      );
      const children = below!.count;
      const { access_points } = before;
      if (children > 0 || access_points > 0) throw notEmpty(children, access_points);
      await tx.query('DELETE FROM sites WHERE id = ?', [id]);
      await also?.(tx, { before });
      return true;
    });
  }
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

function throwSiteExists(error: unknown): never {
  if (error instanceof UniqueViolation) throw siteExists();
  throw error;
}

function toListed(row: SiteRow): ListedSite {
  const { id, path, name, latitude, longitude, time_zone, notes, created_at, access_points } = row;
  const geolocation = latitude === null || longitude === null ? null : { latitude, longitude };
  return { id, path, name, geolocation, time_zone, notes, created_at, access_points };
}
