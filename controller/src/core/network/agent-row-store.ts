// What has changed among agents and sites since a revision: with it a node keeps all of them in memory without reading
// them again and again.
import type { VisibleAgent } from '../base/rights/rights.ts';
import { ENDED } from '../base/storage/ended-agents.ts';
import type { SqlQueries } from '../base/storage/sql-database.ts';
import { inParts } from '../base/storage/sql-rows.ts';
import { RecordTable, SqlStore } from '../base/storage/sql-store.ts';
import { type AgentFacts, readFacts } from './agent-facts.ts';

/** An agent without its configuration, which may be large: only what of it is asked of every agent. */
export interface StoredAgent extends AgentFacts {
  id: string;
  ap_id: string;
  display_name: string | null;
  site_id: string | null;
  /** Each once, ordered. */
  tags: readonly string[];
  onboard: boolean;
  /** The id of the caller that created the emulated network; null for a real agent. */
  emulated_for: string | null;
  /** It is emulated, and its run is over. */
  isEnded: boolean;
  created_at: number;
}

export interface FleetRevision {
  /** Of the newest change of agents or sites. */
  revision: number;
  /** Of the newest change of sites. */
  sites: number;
  /** Removals up to here are forgotten. */
  forgotten: number;
}

/** Where to go on in `changed`. */
export interface ChangePosition {
  revision: number;
  ap_id: string;
}

type Row = Pick<StoredAgent, 'id' | 'ap_id' | 'display_name' | 'site_id' | 'emulated_for' | 'created_at'> & {
  tags: string;
  configuration: string;
  onboard: number;
  is_ended: number;
  revision: number;
};

const COLUMNS = `id, ap_id, display_name, site_id, tags, configuration, onboard, emulated_for,
  CASE WHEN ${ENDED} THEN 1 ELSE 0 END AS is_ended, created_at, revision`;
const noTags: readonly string[] = [];
export const VISIBLE = `ap_id, emulated_for, display_name,
  (SELECT sites.path FROM sites WHERE sites.id = agents.site_id) AS site, tags`;
const visibleTable = new RecordTable<VisibleAgent>('agents', VISIBLE, { json: ['tags'] });

/** Every method throws TryLaterError (503) while the database is unavailable. */
export class AgentRowStore extends SqlStore {
  /** A change that was durable before the call has this revision or an earlier one. */
  async revision(): Promise<FleetRevision> {
    const [row] = await this.db.query<FleetRevision & Record<string, number>>(
      'SELECT revision, sites, forgotten FROM fleet_revision WHERE id = 1',
    );
    return { revision: row!.revision, sites: row!.sites, forgotten: row!.forgotten };
  }

  /** Up to `limit` agents whose ap_id comes after this one, in byte order. */
  async page(afterApId: string, limit: number): Promise<StoredAgent[]> {
    const rows = await this.db.query<Row>(`SELECT ${COLUMNS} FROM agents WHERE ap_id > ? ORDER BY ap_id LIMIT ?`, [
      afterApId,
      limit,
    ]);
    return rows.map(toAgent);
  }

  /**
   * Up to `limit` agents that were created or changed after this position, in the order of revisions, and where to go
   * on; undefined if these are all.
   */
  async changed({ revision, ap_id }: ChangePosition, limit: number) {
    const rows = await this.db.query<Row>(
      `SELECT ${COLUMNS} FROM agents WHERE revision >= ? AND (revision > ? OR ap_id > ?)
       ORDER BY revision, ap_id LIMIT ?`,
      [revision, revision, ap_id, limit],
    );
    const last = rows.length === limit ? rows.at(-1) : undefined;
    return { agents: rows.map(toAgent), next: last && { revision: last.revision, ap_id: last.ap_id } };
  }

  /** The names of agents that were removed after this revision; others may have them now. Complete from `forgotten` on. */
  async removed(afterRevision: number): Promise<string[]> {
    const rows = await this.db.query<{ ap_id: string }>('SELECT ap_id FROM removed_agents WHERE revision > ?', [
      afterRevision,
    ]);
    return rows.map(({ ap_id }) => ap_id);
  }

  /** What decides who may see and command these agents, of those that exist; in the caller's transaction. */
  visible(tx: SqlQueries, ap_ids: readonly string[]): Promise<VisibleAgent[]> {
    return visibleTable.byIds(tx, ap_ids, 'ap_id');
  }

  /** The paths of all sites by their ids. */
  async sites(): Promise<Map<string, string>> {
    const rows = await this.db.query<{ id: string; path: string }>('SELECT id, path FROM sites');
    return new Map(rows.map(({ id, path }) => [id, path]));
  }

  /** The configurations of these agents, as JSON; those that do not exist are left out. */
  async configurations(ap_ids: readonly string[]): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    // A statement of the embedded database keeps everybody waiting.
    for (const { marks, values } of inParts(ap_ids, this.db.dialect === 'sqlite' ? 32 : undefined)) {
      const rows = await this.db.query<{ ap_id: string; configuration: string }>(
        `SELECT ap_id, configuration FROM agents WHERE ap_id IN (${marks})`,
        values,
      );
      for (const { ap_id, configuration } of rows) found.set(ap_id, configuration);
    }
    return found;
  }
}

function toAgent(row: Row): StoredAgent {
  const { id, ap_id, display_name, site_id, tags, emulated_for, created_at } = row;
  return {
    id,
    ap_id,
    display_name,
    site_id,
    tags: tags === '[]' ? noTags : (JSON.parse(tags) as string[]),
    ...readFacts(JSON.parse(row.configuration) as Record<string, unknown>),
    onboard: row.onboard === 1,
    emulated_for,
    isEnded: row.is_ended === 1,
    created_at,
  };
}
