// How each access point stands to what it shall be, one row each. Evidence is applied inside of a transaction that holds the
// row, so that two nodes never decide from the same past.

import { BatchQueue } from '@weft/contract/batch-queue';
import type { ConfigState } from '@weft/contract/operations';
import type { EventLog } from '../../../core/accounts/event-log/event-log.ts';
import type { NewEvent } from '../../../core/accounts/event-log/event-record.ts';
import { ENDED } from '../../../core/base/storage/ended-agents.ts';
import { afterCommit } from '../../../core/base/storage/open-transaction.ts';
import type { SqlDatabase, SqlQueries } from '../../../core/base/storage/sql-database.ts';
import { putRecord } from '../../../core/base/storage/sql-rows.ts';
import { RecordTable, SqlStore } from '../../../core/base/storage/sql-store.ts';
import {
  type AgentConfig,
  advance,
  differingLeaves,
  type Evidence,
  isAsked,
  newAgentConfig,
} from '../model/agent-config.ts';
import { leavesOf, type Settings } from '../model/settings.ts';

const COLUMNS =
  'agent_id, ap_id, text, hash, sources, rollout_id, config_id, is_due, trial_seconds, state, detail, deadline_at, trial_connection, trial_at, is_back, running_hash, running, running_at, overridden, updated_at';
/** Its network has not ended. */
const PRESENT = `EXISTS (SELECT 1 FROM agents WHERE agents.id = agent_configs.agent_id AND NOT ${ENDED})`;
const table = new RecordTable<AgentConfig>('agent_configs', COLUMNS, { flags: ['is_due', 'is_back'] });

export interface AgentKey {
  agent_id: string;
  ap_id: string;
}

export interface Given {
  agent: AgentKey;
  evidence: Evidence;
}

/** Evidence of many access points that comes within this time is one commit. */
const gatherMs = 25;

export interface Advanced {
  before: AgentConfig;
  after: AgentConfig;
}

/** Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. */
export class AgentConfigStore extends SqlStore {
  readonly #eventLog: Pick<EventLog, 'append'>;
  readonly #onChanged: (changed: readonly Advanced[]) => void;
  /** The first of a while is written at once. */
  readonly #queue = new BatchQueue<Given & { nowMs: number }, boolean>({
    pauseMs: () => this.#writtenAt + gatherMs - performance.now(),
    write: async (given) => {
      this.#writtenAt = performance.now();
      const changed = new Set((await this.advance(given, given[0]!.nowMs)).map(({ after }) => after.agent_id));
      return given.map(({ agent }) => changed.has(agent.agent_id));
    },
  });
  #writtenAt = Number.NEGATIVE_INFINITY;

  /** `onChanged` is called once it is durable; must not throw. */
  constructor(db: SqlDatabase, eventLog: Pick<EventLog, 'append'>, onChanged: (changed: readonly Advanced[]) => void) {
    super(db);
    this.#eventLog = eventLog;
    this.#onChanged = onChanged;
  }

  async get(ap_id: string): Promise<AgentConfig | undefined> {
    return table.get(this.db, 'WHERE ap_id = ?', [ap_id]);
  }

  /** What the agent says that it runs, by leaf; undefined if it has said nothing. */
  async runningOf(ap_id: string): Promise<Map<string, unknown> | undefined> {
    const running = (await this.get(ap_id))?.running;
    return running ? leavesOf(JSON.parse(running) as Settings) : undefined;
  }

  async byAgentIds(agent_ids: readonly string[]): Promise<Map<string, AgentConfig>> {
    const found = await table.byIds(this.db, agent_ids, 'agent_id');
    return new Map(found.map((config) => [config.agent_id, config]));
  }

  /** Hashes of all agents that have a row, by their ids; `impossible` where what it shall be was, when it was looked at last. */
  async hashes(): Promise<Map<string, string>> {
    const rows = await this.db.query<{ agent_id: string; hash: string }>(
      `SELECT agent_id, CASE WHEN state = 'refused' AND is_due = 0 THEN 'impossible' ELSE hash END AS hash FROM agent_configs`,
    );
    return new Map(rows.map(({ agent_id, hash }) => [agent_id, hash]));
  }

  /** Of all agents that a layer is about, by their ids. */
  async states(): Promise<Map<string, ConfigState>> {
    const rows = await this.db.query<{ agent_id: string; state: ConfigState }>(
      `SELECT agent_id, state FROM agent_configs WHERE (hash <> '' OR state = 'refused') AND ${PRESENT}`,
    );
    return new Map(rows.map(({ agent_id, state }) => [agent_id, state]));
  }

  /** What these said last that they run, of those that have said it, and the hash of what they were given; by ap_id. */
  async running(ap_ids: readonly string[]): Promise<Record<string, { hash: string | null; settings: Settings }>> {
    const said = (await table.byIds(this.db, ap_ids, 'ap_id')).filter(({ running }) => running !== null);
    return Object.fromEntries(
      said.map((row) => [row.ap_id, { hash: row.running_hash, settings: JSON.parse(row.running!) }]),
    );
  }

  /** With how many leaves; at least one, also if its hash is all that differs. */
  async drifted(): Promise<{ ap_id: string; leaves: number }[]> {
    const found = await table.list(this.db, `WHERE hash <> '' AND state = 'drifted' AND ${PRESENT} ORDER BY ap_id`);
    return found.map((config) => ({ ap_id: config.ap_id, leaves: differingLeaves(config).length || 1 }));
  }

  /** Those whose time is over. */
  async late(nowMs: number, limit: number): Promise<AgentConfig[]> {
    return table.list(this.db, `WHERE deadline_at IS NOT NULL AND deadline_at < ? AND ${PRESENT} LIMIT ?`, [
      nowMs,
      limit,
    ]);
  }

  /**
   * Applies each evidence to its agent, in order; agents without a row get one. All or nothing, durable when it resolves, with an event for
   * each change that people want to hear of. Agents that do not exist any more, or whose network has ended, are left out.
   */
  async advance(
    given: readonly Given[],
    nowMs: number,
    within?: (tx: SqlQueries) => Promise<void>,
  ): Promise<Advanced[]> {
    return this.db.transaction(async (tx) => {
      const changed: Advanced[] = [];
      const byAgent = ({ agent: a }: Given, { agent: b }: Given) =>
        a.agent_id < b.agent_id ? -1 : a.agent_id > b.agent_id ? 1 : 0;
      const sorted = [...given].sort(byAgent);
      for (const { agent, evidence } of sorted) {
        const before = (await this.#lock(tx, agent)) ?? newAgentConfig(agent);
        const after = advance(before, evidence, nowMs);
        if (after === before) continue;
        const lock = this.db.dialect === 'postgres' ? ' FOR SHARE' : '';
        const [present] = await tx.query(`SELECT id FROM agents WHERE id = ? AND NOT ${ENDED}${lock}`, [
          agent.agent_id,
        ]);
        if (!present) continue;
        await putRecord(tx, 'agent_configs', COLUMNS, after);
        changed.push({ before, after });
      }
      await within?.(tx);
      await this.#eventLog.append(tx, changed.flatMap(toEvent));
      if (changed.length > 0) afterCommit(tx, () => this.#onChanged(changed));
      return changed;
    });
  }

  /** As `advance`, for one of many that speak at the same time: a commit for each would keep everybody else waiting. */
  advanceOne(given: Given, nowMs: number): Promise<boolean> {
    return this.#queue.add({ ...given, nowMs });
  }

  async #lock(tx: SqlQueries, { agent_id }: AgentKey): Promise<AgentConfig | undefined> {
    const lock = this.db.dialect === 'postgres' ? ' FOR UPDATE' : '';
    return table.get(tx, `WHERE agent_id = ?${lock}`, [agent_id]);
  }
}

const told: Partial<
  Record<ConfigState, { kind: string; severity: NewEvent['severity']; text: (name: string) => string }>
> = {
  refused: { kind: 'config.refused', severity: 'warning', text: (name) => `${name} refused its settings` },
  reverted: { kind: 'config.reverted', severity: 'warning', text: (name) => `${name} went back to its old settings` },
  substituted: {
    kind: 'config.substituted',
    severity: 'warning',
    text: (name) => `${name} runs other values than it was given`,
  },
  drifted: { kind: 'config.drifted', severity: 'warning', text: (name) => `${name} has drifted from its settings` },
  overridden: {
    kind: 'config.overridden',
    severity: 'info',
    text: (name) => `A command lies over the settings of ${name}`,
  },
  unreachable: {
    kind: 'config.unreachable',
    severity: 'warning',
    text: (name) => `${name} has not been heard of since it got its settings`,
  },
  confirmed: { kind: 'config.confirmed', severity: 'info', text: (name) => `The settings of ${name} are confirmed` },
  in_sync: { kind: 'config.in_sync', severity: 'info', text: (name) => `${name} is as it shall be` },
};

function toEvent({ before, after }: Advanced): NewEvent[] {
  const { ap_id, state, detail, hash, rollout_id } = after;
  const event = told[state];
  if (!event || (state === before.state && detail === before.detail) || !isAsked(after)) return [];
  // What is said at every step of a good way: once is enough.
  if (state === 'in_sync' && before.state === 'confirmed') return [];
  const text = detail === null ? event.text(ap_id) : `${event.text(ap_id)}: ${detail}`;
  const { kind, severity } = event;
  return [{ kind, subject_kind: 'agent', subject: ap_id, severity, text, data: { hash, rollout_id, state, detail } }];
}
