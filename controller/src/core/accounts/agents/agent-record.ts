// An agent as it is stored, how a new one is inserted, and the rules for its configuration.
import { nameKey } from '@weft/contract/ap-id';
import { ConflictError } from '../../base/errors.ts';
import { invalidValue } from '../../base/input/value-rules.ts';
import type { VisibleAgent } from '../../base/rights/rights.ts';
import type { SqlQueries, SqlValue } from '../../base/storage/sql-database.ts';
import { inParts, runRows } from '../../base/storage/sql-rows.ts';
import { RecordTable } from '../../base/storage/sql-store.ts';
import { fleetHead, raiseRevision } from '../../base/storage/table-revision.ts';
import { VISIBLE } from '../../network/agent-row-store.ts';

export interface AgentRecord extends VisibleAgent {
  id: string;
  password_hash: string;
  configuration: Record<string, unknown>;
  /** False until the agent's first successful login. */
  onboard: boolean;
  ver: string;
  created_at: number;
  /** Each once, ordered. */
  tags: string[];
}

export type AgentLabels = Pick<AgentRecord, 'display_name' | 'site' | 'tags'>;

export const noLabels: Readonly<AgentLabels> = { display_name: null, site: null, tags: [] };

/** The prefix of a stored generated password, followed by its SHA-256. */
export const generatedHashPrefix = 'sha256:';

/** What `create` throws if the ap_id is taken. */
export function agentExists(): ConflictError {
  return new ConflictError('agent_exists', 'An agent with this ap_id exists');
}

/** Inside a transaction. Names from before the comparison get what they are compared by; some of them may be alike. */
export async function fillNameKeys(tx: SqlQueries): Promise<void> {
  const rows = await tx.query<{ ap_id: string }>('SELECT ap_id FROM agents WHERE name_key IS NULL');
  await runRows(
    tx,
    'UPDATE agents SET name_key = v.column2 FROM (VALUES {{rows}}) AS v WHERE agents.ap_id = v.column1',
    rows.map(({ ap_id }) => [ap_id, nameKey(ap_id)]),
  );
}

export type AgentChange = Partial<Pick<AgentRecord, 'password_hash' | 'configuration' | 'onboard' | 'ver'>> & {
  /** Somebody else than the agent changes the password: the one before is that of a machine that was replaced. */
  isReplaced?: boolean;
  /** What an If-Match says that the record still is. */
  ifMatch?: string | undefined;
};

const COLUMNS = `id, password_hash, configuration, onboard, ver, created_at, ${VISIBLE}`;
export const agentTable = new RecordTable<AgentRecord>('agents', COLUMNS, {
  json: ['configuration', 'tags'],
  flags: ['onboard'],
});
const INSERT = `INSERT INTO agents (id, ap_id, password_hash, configuration, onboard, emulated_for, ver, created_at,
  display_name, site_id, tags, name_key, revision) VALUES {{rows}}`;
const INSERTED = '(?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT sites.id FROM sites WHERE sites.path = ?), ?, ?, ?)';

/** Throws UniqueViolation if the ap_id is taken. Enrolment creates agents inside its own transaction. */
export async function insertAgent(tx: SqlQueries, agent: AgentRecord): Promise<void> {
  await insertAgents(tx, [agent], await raiseRevision(tx, fleetHead));
}

/** Nobody else changes agents while this transaction holds the revision, so that a look before the write is enough. */
export async function insertAgents(tx: SqlQueries, agents: readonly AgentRecord[], revision: number): Promise<void> {
  const keys = agents.map(({ ap_id }) => nameKey(ap_id));
  for (const { marks, values } of inParts(keys)) {
    const sql = `SELECT ap_id FROM agents WHERE name_key IN (${marks}) LIMIT 1`;
    const [alike] = await tx.query<{ ap_id: string }>(sql, values);
    if (alike && !agents.some(({ ap_id }) => ap_id === alike.ap_id))
      throw new ConflictError('agent_exists', 'An agent exists whose ap_id looks like this one');
  }
  const rows = agents.map((agent, index) => [...toValues(agent), keys[index]!, revision]);
  await runRows(tx, INSERT, rows, INSERTED);
}

function toValues(agent: AgentRecord): SqlValue[] {
  const { id, ap_id, password_hash, emulated_for, ver, created_at, display_name, site } = agent;
  const configuration = JSON.stringify(agent.configuration);
  const tags = JSON.stringify(agent.tags);
  const onboard = Number(agent.onboard);
  return [id, ap_id, password_hash, configuration, onboard, emulated_for, ver, created_at, display_name, site, tags];
}

/** The limit for a configuration in a request (input/formats.ts) and after a merge. */
const maxConfigurationBytes = 64 * 1024;

/** With these top-level keys. Throws ValidationError if it would become too large. */
export function mergedConfiguration(
  configuration: Record<string, unknown>,
  keys: Record<string, unknown>,
): Record<string, unknown> {
  const merged = { ...configuration, ...withoutReadOnlyKeys(keys) };
  if (Buffer.byteLength(JSON.stringify(merged)) <= maxConfigurationBytes) return merged;
  throw invalidValue(
    ['body', 'configuration'],
    `configuration should have at most ${maxConfigurationBytes} bytes as JSON`,
  );
}

/** Only Weft sets `emulated`. */
export function withoutReadOnlyKeys(configuration: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(configuration).filter(([key]) => key !== 'emulated'));
}
