// Agents in SQL.
import {
  type InSameTransaction,
  type SqlDatabase,
  type SqlQueries,
  type SqlValue,
  UniqueViolation,
} from '../storage/sql-database.ts';
import { inParts, runRows } from '../storage/sql-rows.ts';
import { type AgentChange, type AgentRecord, type AgentStore, agentExists, revokedHash } from './agent-store.ts';

type AgentRow = {
  id: string;
  ap_id: string;
  password_hash: string;
  configuration: string;
  onboard: number;
  emulated_for: string | null;
  ver: string;
  created_at: number;
};

const COLUMNS = 'id, ap_id, password_hash, configuration, onboard, emulated_for, ver, created_at';

export function createAgentStore(db: SqlDatabase): AgentStore {
  return new SqlAgentStore(db);
}

class SqlAgentStore implements AgentStore {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  async get(ap_id: string): Promise<AgentRecord | undefined> {
    const [row] = await this.#db.query<AgentRow>(`SELECT ${COLUMNS} FROM agents WHERE ap_id = ?`, [ap_id]);
    return row && toRecord(row);
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

  async emulatedFor(caller_id: string, ap_ids: readonly string[], tx: SqlQueries = this.#db): Promise<Set<string>> {
    const own = new Set<string>();
    for (const part of inParts(ap_ids)) {
      const rows = await tx.query<{ ap_id: string }>(
        `SELECT ap_id FROM agents WHERE emulated_for = ? AND ap_id IN (${part.marks})`,
        [caller_id, ...part.values],
      );
      for (const { ap_id } of rows) own.add(ap_id);
    }
    return own;
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
    await runRows(tx, `INSERT INTO agents (${COLUMNS}) VALUES {{rows}}`, agents.map(toValues));
  }

  async revokeAll(tx: SqlQueries, ap_ids: readonly string[], ver: string) {
    const revoked: Pick<AgentRecord, 'id' | 'ap_id'>[] = [];
    for (const part of inParts(ap_ids)) {
      const rows = await tx.query<{ id: string; ap_id: string }>(
        `UPDATE agents SET password_hash = ?, ver = ? WHERE ap_id IN (${part.marks}) RETURNING id, ap_id`,
        [revokedHash, ver, ...part.values],
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
      const before = await lockAgent(tx, ap_id);
      if (!before) return undefined;
      const [row] = await tx.query<AgentRow>(
        `UPDATE agents SET password_hash = COALESCE(?, password_hash), configuration = COALESCE(?, configuration),
           onboard = COALESCE(?, onboard), ver = COALESCE(?, ver)
         WHERE ap_id = ? RETURNING ${COLUMNS}`,
        [
          password_hash,
          configuration === undefined ? null : JSON.stringify(configuration),
          onboard === undefined ? null : Number(onboard),
          ver,
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
      const before = await lockAgent(tx, ap_id);
      if (!before) return undefined;
      const [row] = await tx.query<AgentRow>(
        `UPDATE agents SET configuration = ? WHERE ap_id = ? RETURNING ${COLUMNS}`,
        [JSON.stringify(change(before)), ap_id],
      );
      const after = toRecord(row!);
      await also?.(tx, { before, after });
      return after;
    });
  }

  async remove(ap_id: string, also?: InSameTransaction<AgentRecord>): Promise<boolean> {
    return this.#db.transaction(async (tx) => {
      const [row] = await tx.query<AgentRow>(`DELETE FROM agents WHERE ap_id = ? RETURNING ${COLUMNS}`, [ap_id]);
      if (row === undefined) return false;
      await also?.(tx, { before: toRecord(row) });
      return true;
    });
  }
}

/** An update instead of a select, because it locks the row until the end of the transaction on both databases. */
async function lockAgent(tx: SqlQueries, ap_id: string): Promise<AgentRecord | undefined> {
  const [row] = await tx.query<AgentRow>(`UPDATE agents SET ver = ver WHERE ap_id = ? RETURNING ${COLUMNS}`, [ap_id]);
  return row && toRecord(row);
}

/** Throws UniqueViolation if the ap_id is taken. Enrolment creates agents inside its own transaction. */
export async function insertAgent(queries: SqlQueries, agent: AgentRecord): Promise<void> {
  await queries.query(`INSERT INTO agents (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, toValues(agent));
}

function toValues(agent: AgentRecord): SqlValue[] {
  const { id, ap_id, password_hash, emulated_for, ver, created_at } = agent;
  const configuration = JSON.stringify(agent.configuration);
  return [id, ap_id, password_hash, configuration, Number(agent.onboard), emulated_for, ver, created_at];
}

export function throwAgentExists(error: unknown): never {
  if (error instanceof UniqueViolation) throw agentExists();
  throw error;
}

function toRecord(row: AgentRow): AgentRecord {
  const { id, ap_id, password_hash, emulated_for, ver, created_at } = row;
  const configuration = JSON.parse(row.configuration) as Record<string, unknown>;
  return { id, ap_id, password_hash, configuration, onboard: row.onboard === 1, emulated_for, ver, created_at };
}
