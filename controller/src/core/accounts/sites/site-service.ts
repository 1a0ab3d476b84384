// Sites: creates, moves and removes them, and shows to each caller those of the access points that it may see.
import { randomUUID } from 'node:crypto';
import type { Site, SiteCreate, SitePage } from '@weft/contract';
import { isSitePath, maxSitePathLength } from '@weft/contract/label-rules';
import type { Actor, Caller } from '../../base/caller.ts';
import { notFound, orNotFound, tooMany } from '../../base/errors.ts';
import { invalidValue } from '../../base/input/value-rules.ts';
import { type PageQuery, readNameCursor, toNameCursor } from '../../base/lists/list-cursor.ts';
import type { SqlQueries } from '../../base/storage/sql-database.ts';
import type { Network } from '../../network/network.ts';
import type { NewAuditEntry } from '../audit/audit-entry.ts';
import type { AuditService } from '../audit/audit-service.ts';
import type { ListedSite, SiteRecord, SiteStore } from './site-store.ts';

export interface SiteServiceOptions {
  sites: SiteStore;
  audit: AuditService;
  maxSites: number;
  network: Pick<Network, 'visibleTo'>;
  /** Called after every change; must not throw. */
  onChanged: () => void;
}

export class SiteService {
  readonly #options: SiteServiceOptions;
  readonly #sites: SiteStore;

  constructor(options: SiteServiceOptions) {
    this.#options = options;
    this.#sites = options.sites;
  }

  /** Ordered by path. Throws ValidationError for a cursor that is none. */
  async list(caller: Caller, { path, cursor, limit }: PageQuery & { path?: string | undefined }): Promise<SitePage> {
    const show = await this.#sight(caller);
    if (path !== undefined) {
      const site = await this.#sites.find(path);
      const shown = site && show(site);
      return { items: shown ? [shown] : [], next: null };
    }
    const items: Site[] = [];
    for (let after = readNameCursor(cursor, 'sites', isSitePath) ?? ''; ; ) {
      const page = await this.#sites.page(after, limit);
      for (const site of page) {
        const shown = show(site);
        if (shown && items.push(shown) === limit) {
          const isLast = site === page.at(-1) && page.length < limit;
          return { items, next: isLast ? null : toNameCursor(site.path, 'sites') };
        }
      }
      if (page.length < limit) return { items, next: null };
      after = page.at(-1)!.path;
    }
  }

  /** Throws NotFoundError for a site that is unknown or that the caller may not see. */
  async get(id: string, caller: Caller): Promise<Site> {
    const site = await this.#sites.get(id);
    return orNotFound(site && (await this.#sight(caller))(site), 'Site');
  }

  async create(input: SiteCreate, by: Actor): Promise<Site> {
    this.#requireAtMost((await this.#sites.count()) + 1);
    const site = toNew(input);
    await this.#sites.create(site, this.#created(by));
    this.changed();
    return toSite({ ...site, access_points: 0 });
  }

  /** Those whose paths are free, in the caller's transaction, after which it calls `changed`. */
  async createMissing(tx: SqlQueries, inputs: readonly SiteCreate[], by: Actor): Promise<void> {
    const byPath = new Map(inputs.map((input) => [input.path, input]));
    const count = await this.#sites.createMissing(tx, [...byPath.values()].map(toNew), this.#created(by));
    this.#requireAtMost(count);
  }

  changed(): void {
    this.#options.onChanged();
  }

  #created(by: Actor) {
    return this.#options.audit.entry<SiteRecord>(({ after }) => siteCreated(by, after!));
  }

  #requireAtMost(count: number): void {
    if (count > this.#options.maxSites) throw tooMany('too_many_sites', this.#options.maxSites);
  }

  /** Replaces it; what is absent is empty afterwards. */
  async update(id: string, input: SiteCreate, by: Actor): Promise<Site> {
    const change = toChange(input);
    const also = this.#options.audit.entry<SiteRecord>(({ before, after }) => {
      if (after!.path.startsWith(`${before!.path}/`)) throw wrongPath('a site cannot be moved below itself');
      return siteUpdated(by, before!, after!);
    });
    const after = orNotFound(await this.#sites.update(id, change, checkPath, also), 'Site');
    this.changed();
    return toSite(after);
  }

  async remove(id: string, by: Actor): Promise<void> {
    const also = this.#options.audit.entry<SiteRecord>(({ before }) => siteRemoved(by, before!));
    if (!(await this.#sites.remove(id, also))) throw notFound('Site');
    this.changed();
  }

  /** Whoever sees only some access points sees their sites and those above them, and how many of its own are there. */
  async #sight(caller: Caller): Promise<(site: ListedSite) => Site | undefined> {
    const sight = await this.#options.network.visibleTo(caller);
    const visible = await sight.sites();
    if (!visible) return toSite;
    const paths = new Set<string>();
    for (const path of visible.keys()) {
      for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) paths.add(path.slice(0, end));
    }
    return (site) =>
      paths.has(site.path) ? toSite({ ...site, access_points: visible.get(site.path) ?? 0 }) : undefined;
  }
}

function toNew(input: SiteCreate): SiteRecord {
  checkPath(input.path);
  return { id: randomUUID(), ...toChange(input), created_at: Date.now() };
}

function toChange({ path, name, geolocation, time_zone, notes }: SiteCreate): Omit<SiteRecord, 'id' | 'created_at'> {
  return {
    path,
    name: name ?? path.slice(path.lastIndexOf('/') + 1),
    geolocation: geolocation ?? null,
    time_zone: time_zone ?? null,
    notes: notes ?? '',
  };
}

/** Also of the sites below one that is moved. */
function checkPath(path: string): void {
  if (isSitePath(path)) return;
  throw wrongPath(`a path has at most 10 steps and ${maxSitePathLength} characters, also those of the sites below it`);
}

function wrongPath(error: string) {
  return invalidValue(['body', 'path'], error);
}

function toSite(site: ListedSite): Site {
  const { id, path, name, geolocation, time_zone, notes, access_points, created_at } = site;
  return {
    id,
    path,
    name,
    geolocation,
    time_zone,
    notes,
    access_points,
    created_at: new Date(created_at).toISOString(),
  };
}

// The audit entries for changes of sites.
const fields = ['path', 'name', 'geolocation', 'time_zone', 'notes'] as const;

export function siteCreated(actor: Actor, site: SiteRecord): NewAuditEntry {
  const { name, time_zone } = site;
  return { actor, action: 'site_created', target: toTarget(site), detail: { name, time_zone } };
}

/** Undefined if nothing changed. */
export function siteUpdated(actor: Actor, before: SiteRecord, after: SiteRecord): NewAuditEntry | undefined {
  const changed = fields.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
  if (changed.length === 0) return undefined;
  const detail = {
    fields: changed,
    ...(before.path !== after.path && { path: { before: before.path, after: after.path } }),
  };
  return { actor, action: 'site_updated', target: toTarget(after), detail };
}

export function siteRemoved(actor: Actor, site: SiteRecord): NewAuditEntry {
  return { actor, action: 'site_removed', target: toTarget(site), detail: {} };
}

function toTarget({ path }: SiteRecord) {
  return { kind: 'site', name: path };
}
