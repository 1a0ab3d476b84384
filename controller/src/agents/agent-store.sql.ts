// Agents in SQL.
import { noteRemoved, raiseRevision, readRevision } from '../storage/fleet-revision.sql.ts';
import {
  type InSameTransaction,
  type SqlDatabase,
  type SqlQueries,
  type SqlValue,
  UniqueViolation,
} from '../storage/sql-database.ts';
import { inParts, runRows } from '../storage/sql-rows.ts';
import {
  type AgentChange,
  type AgentLabels,
  type AgentRecord,
  type AgentStore,
  agentExists,
  revokedHash,
  UnknownSite,
} from './agent-store.ts';
import type { VisibleAgent } from './agent-visibility.ts';
import { freeNames } from './free-names.ts';

type AgentRow = {
  id: string;
  ap_id: string;
  password_hash: string;
  configuration: string;
  onboard: number;
  emulated_for: string | null;
  ver: string;
  created_at: number;
  display_name: string | null;
  site: string | null;
  tags: string;
};

const VISIBLE = `ap_id, emulated_for, display_name,
  (SELECT sites.path FROM sites WHERE sites.id = agents.site_id) AS site, tags`;
const COLUMNS = `id, password_hash, configuration, onboard, ver, created_at, ${VISIBLE}`;
const INSERT = `INSERT INTO agents (id, ap_id, password_hash, configuration, onboard, emulated_for, ver, created_at,
  display_name, site_id, tags, revision) VALUES {{rows}}`;
const INSERTED = '(?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT sites.id FROM sites WHERE sites.path = ?), ?, ?)';

export function createAgentStore(db: SqlDatabase): AgentStore {
  return new SqlAgentStore(db);
}

class SqlAgentStore implements AgentStore {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  async get(ap_id: string): Promise<AgentRecord | undefined> {
    return getAgent(this.#db, ap_id);
  }

  async byIds(tx: SqlQueries, ids: readonly string[]): Promise<AgentRecord[]> {
    const found: AgentRecord[] = [];
    for (const { marks, values } of inParts(ids)) {
      const rows = await tx.query<AgentRow>(`SELECT ${COLUMNS} FROM agents WHERE id IN (${marks})`, values);
      found.push(...rows.map(toRecord));
    }
    return found;
  }

  async list(): Promise<AgentRecord[]> {
    const rows = await this.#db.query<AgentRow>(`SELECT ${COLUMNS} FROM agents ORDER BY ap_id`);
    return rows.map(toRecord);
  }

  async page(afterApId: string, limit: number): Promise<AgentRecord[]> {
    const rows = await this.#db.query<AgentRow>(
      `SELECT ${COLUMNS} FROM agents WHERE ap_id > ? ORDER BY ap_id LIMIT ?`,
      [afterApId, limit],
    );
    return rows.map(toRecord);
  }

  async count(): Promise<number> {
    const [row] = await this.#db.query<{ count: number }>('SELECT COUNT(*) AS count FROM agents');
    return row?.count ?? 0;
  }

  revision(): Promise<number> {
    return readRevision(this.#db);
  }

  async visible(ap_ids: readonly string[], tx: SqlQueries = this.#db): Promise<VisibleAgent[]> {
    const found: VisibleAgent[] = [];
    for (const { marks, values } of inParts(ap_ids)) {
      const rows = await tx.query<Pick<AgentRow, keyof VisibleAgent>>(
        `SELECT ${VISIBLE} FROM agents WHERE ap_id IN (${marks})`,
        values,
      );
      found.push(...rows.map((row) => ({ ...row, tags: JSON.parse(row.tags) as string[] })));
    }
    return found;
  }

  async create(agent: AgentRecord, also?: InSameTransaction<AgentRecord>): Promise<void> {
    await this.#db
      .transaction(async (tx) => {
        await insertAgent(tx, agent);
        await also?.(tx, { after: agent });
      })
      .catch(throwAgentExists);
  }

  async createAll(tx: SqlQueries, agents: readonly AgentRecord[]): Promise<void> {
    if (agents.length > 0) await insertAgents(tx, agents, await raiseRevision(tx));
  }

  async createNamed(tx: SqlQueries, agents: readonly AgentRecord[], stems: readonly string[]): Promise<void> {
    if (agents.length === 0) return;
    const revision = await raiseRevision(tx);
    const rows = await tx.query<{ display_name: string }>(
      'SELECT display_name FROM agents WHERE display_name IS NOT NULL',
    );
    const taken = rows.map(({ display_name }) => display_name);
    const names = freeNames(stems, taken);
    const named = agents.map((agent, index) => ({ ...agent, display_name: names[index]! }));
    await insertAgents(tx, named, revision);
  }

  async revokeAll(tx: SqlQueries, ap_ids: readonly string[], ver: string) {
    const revoked: Pick<AgentRecord, 'id' | 'ap_id'>[] = [];
    if (ap_ids.length === 0) return revoked;
    const revision = await raiseRevision(tx);
    for (const part of inParts(ap_ids)) {
      const rows = await tx.query<{ id: string; ap_id: string }>(
        `UPDATE agents SET password_hash = ?, ver = ?, revision = ? WHERE ap_id IN (${part.marks}) RETURNING id, ap_id`,
        [revokedHash, ver, revision, ...part.values],
      );
      for (const { id, ap_id } of rows) revoked.push({ id, ap_id });
    }
    return revoked;
  }

  async update(
    ap_id: string,
    change: AgentChange,
    also?: InSameTransaction<AgentRecord>,
  ): Promise<AgentRecord | undefined> {
    const { password_hash = null, configuration, onboard, ver = null } = change;
    return this.#db.transaction(async (tx) => {
      const revision = await raiseRevision(tx);
      const before = await getAgent(tx, ap_id);
      if (!before) return undefined;
      const [row] = await tx.query<AgentRow>(
        `UPDATE agents SET password_hash = COALESCE(?, password_hash), configuration = COALESCE(?, configuration),
           onboard = COALESCE(?, onboard), ver = COALESCE(?, ver), revision = ?
         WHERE ap_id = ? RETURNING ${COLUMNS}`,
        [
          password_hash,
          configuration === undefined ? null : JSON.stringify(configuration),
          onboard === undefined ? null : Number(onboard),
          ver,
          revision,
          ap_id,
        ],
      );
      const after = toRecord(row!);
      await also?.(tx, { before, after });
      return after;
    });
  }

  async changeConfiguration(
    ap_id: string,
    change: (record: AgentRecord) => Record<string, unknown>,
    also?: InSameTransaction<AgentRecord>,
  ): Promise<AgentRecord | undefined> {
    return this.#db.transaction(async (tx) => {
      const revision = await raiseRevision(tx);
      const before = await getAgent(tx, ap_id);
      if (!before) return undefined;
      const [row] = await tx.query<AgentRow>(
        `UPDATE agents SET configuration = ?, revision = ? WHERE ap_id = ? RETURNING ${COLUMNS}`,
        [JSON.stringify(change(before)), revision, ap_id],
      );
      const after = toRecord(row!);
      await also?.(tx, { before, after });
      return after;
    });
  }

  async changeLabels(
    ap_id: string,
    change: (record: AgentRecord) => AgentLabels,
    also?: InSameTransaction<AgentRecord>,
  ): Promise<AgentRecord | undefined> {
    return this.#db.transaction(async (tx) => {
      const revision = await raiseRevision(tx);
      const before = await getAgent(tx, ap_id);
      if (!before) return undefined;
      const { display_name, site, tags } = change(before);
      if (isSame(before, { display_name, site, tags })) return before;
      const site_id = site === null ? null : await siteId(tx, site);
      await tx.query('UPDATE agents SET display_name = ?, site_id = ?, tags = ?, revision = ? WHERE ap_id = ?', [
        display_name,
        site_id,
        JSON.stringify(tags),
        revision,
        ap_id,
      ]);
      const after = { ...before, display_name, site, tags };
      await also?.(tx, { before, after });
      return after;
    });
  }

  async remove(ap_id: string, also?: InSameTransaction<AgentRecord>): Promise<boolean> {
    return this.#db.transaction(async (tx) => {
      const revision = await raiseRevision(tx);
      const before = await getAgent(tx, ap_id);
      if (!before) return false;
      await tx.query('DELETE FROM agents WHERE ap_id = ?', [ap_id]);
      await noteRemoved(tx, revision, ap_id);
      await also?.(tx, { before });
      return true;
    });
  }
}

/** In a transaction that holds the revision of the fleet, nobody changes it meanwhile. */
async function getAgent(tx: SqlQueries, ap_id: string): Promise<AgentRecord | undefined> {
  const [row] = await tx.query<AgentRow>(`SELECT ${COLUMNS} FROM agents WHERE ap_id = ?`, [ap_id]);
  return row && toRecord(row);
}

/** Throws UniqueViolation if the ap_id is taken. Enrolment creates agents inside its own transaction. */
export async function insertAgent(tx: SqlQueries, agent: AgentRecord): Promise<void> {
  await insertAgents(tx, [agent], await raiseRevision(tx));
}

async function insertAgents(tx: SqlQueries, agents: readonly AgentRecord[], revision: number): Promise<void> {
  const rows = agents.map((agent) => [...toValues(agent), revision]);
  await runRows(tx, INSERT, rows, INSERTED);
}

/** Changes of sites hold the revision of the fleet too, so that it is not removed meanwhile. */
async function siteId(tx: SqlQueries, path: string): Promise<string> {
  const [row] = await tx.query<{ id: string }>('SELECT id FROM sites WHERE path = ?', [path]);
  if (!row) throw new UnknownSite(`there is no site ${path}`);
  return row.id;
}

function isSame(a: AgentLabels, b: AgentLabels): boolean {
  return a.display_name === b.display_name && a.site === b.site && JSON.stringify(a.tags) === JSON.stringify(b.tags);
}

function toValues(agent: AgentRecord): SqlValue[] {
  const { id, ap_id, password_hash, emulated_for, ver, created_at, display_name, site } = agent;
  const configuration = JSON.stringify(agent.configuration);
  const tags = JSON.stringify(agent.tags);
  const onboard = Number(agent.onboard);
  return [id, ap_id, password_hash, configuration, onboard, emulated_for, ver, created_at, display_name, site, tags];
}

export function throwAgentExists(error: unknown): never {
  if (error instanceof UniqueViolation) throw agentExists();
  throw error;
}

function toRecord(row: AgentRow): AgentRecord {
  const { id, ap_id, password_hash, emulated_for, ver, created_at, display_name, site } = row;
  return {
    id,
    ap_id,
    password_hash,
    configuration: JSON.parse(row.configuration) as Record<string, unknown>,
    onboard: row.onboard === 1,
    emulated_for,
    ver,
    created_at,
    display_name,
    site,
    tags: JSON.parse(row.tags) as string[],
  };
}
