// Agents in SQL.
import { ConflictError } from '../errors.ts';
import { type SqlDatabase, type SqlQueries, UniqueViolation } from '../storage/sql-database.ts';
import type { AgentChange, AgentRecord, AgentStore } from './agent-store.ts';

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

  async list(): Promise<AgentRecord[]> {
    const rows = await this.#db.query<AgentRow>(`SELECT ${COLUMNS} FROM agents ORDER BY ap_id`);
    return rows.map(toRecord);
  }

  async count(): Promise<number> {
    const [row] = await this.#db.query<{ count: number }>('SELECT COUNT(*) AS count FROM agents');
    return row?.count ?? 0;
  }

  async create(agent: AgentRecord): Promise<void> {
    await insertAgent(this.#db, agent).catch(throwAgentExists);
  }

  async update(ap_id: string, change: AgentChange): Promise<AgentRecord | undefined> {
    const { password_hash = null, configuration, onboard, ver = null } = change;
    const [row] = await this.#db.query<AgentRow>(
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
    return row && toRecord(row);
  }

  async changeConfiguration(
    ap_id: string,
    change: (record: AgentRecord) => Record<string, unknown>,
  ): Promise<AgentRecord | undefined> {
    return this.#db.transaction(async (tx) => {
      // An update rather than a look, because it holds the row until the end of the transaction on both databases.
      const [before] = await tx.query<AgentRow>(
        `UPDATE agents SET configuration = configuration WHERE ap_id = ? RETURNING ${COLUMNS}`,
        [ap_id],
      );
      if (!before) return undefined;
      const [after] = await tx.query<AgentRow>(
        `UPDATE agents SET configuration = ? WHERE ap_id = ? RETURNING ${COLUMNS}`,
        [JSON.stringify(change(toRecord(before))), ap_id],
      );
      return after && toRecord(after);
    });
  }

  async remove(ap_id: string): Promise<boolean> {
    const rows = await this.#db.query('DELETE FROM agents WHERE ap_id = ? RETURNING id', [ap_id]);
    return rows.length === 1;
  }
}

/** Throws UniqueViolation if the ap_id is taken. Enrolment creates agents inside a transaction of its own. */
export async function insertAgent(queries: SqlQueries, agent: AgentRecord): Promise<void> {
  await queries.query(`INSERT INTO agents (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, [
    agent.id,
    agent.ap_id,
    agent.password_hash,
    JSON.stringify(agent.configuration),
    Number(agent.onboard),
    agent.emulated_for,
    agent.ver,
    agent.created_at,
  ]);
}

export function throwAgentExists(error: unknown): never {
  if (error instanceof UniqueViolation) throw new ConflictError('agent_exists', 'An agent with this ap_id exists');
  throw error;
}

function toRecord(row: AgentRow): AgentRecord {
  const { id, ap_id, password_hash, emulated_for, ver, created_at } = row;
  const configuration = JSON.parse(row.configuration) as Record<string, unknown>;
  return { id, ap_id, password_hash, configuration, onboard: row.onboard === 1, emulated_for, ver, created_at };
}
