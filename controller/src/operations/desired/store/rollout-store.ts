// Change sets, and the roll-outs that bring them into force, in SQL.

import type { ChangeSet, Rollout, RolloutState } from '@weft/contract/operations';
import type { Actor } from '../../../core/base/caller.ts';
import { owned, TotalShare } from '../../../core/base/shares/total-share.ts';
import { ENDED } from '../../../core/base/storage/ended-agents.ts';
import type { SqlQueries } from '../../../core/base/storage/sql-database.ts';
import { insertRecord, runList, runRows } from '../../../core/base/storage/sql-rows.ts';
import { RecordTable, SqlStore } from '../../../core/base/storage/sql-store.ts';
import type { AgentConfig } from '../model/agent-config.ts';
import type { StoredMeasured } from '../model/gates.ts';
import type { Layer } from '../model/layer.ts';
import { unusableOf } from '../model/render.ts';

export interface Owned {
  owner_kind: 'user' | 'agent' | 'third_party_app';
  owner_id: string;
  owner_name: string;
}

export interface ChangeSetRecord extends Owned, Pick<ChangeSet, 'id' | 'title' | 'state' | 'base'> {
  /** Who else has written it. */
  writers: Pick<Owned, 'owner_kind' | 'owner_id'>[];
  /** As they shall be; each with an id, also a new one. */
  layers: Omit<Layer, 'version' | 'reach'>[];
  removed: string[];
  created_at: number;
  updated_at: number;
}

/** What a roll-out does to the layers. */
export interface LayerChanges {
  /** With the versions that it makes. */
  after: Layer[];
  removed: string[];
  /** Which versions were in force; 0: none. */
  before: Record<string, number>;
  /** Those that are removed end with these versions. */
  ends: Record<string, number>;
  /** Failures that whoever resumed it has accepted. */
  accepted_failures: number;
  /** When that was: gates look at what has changed since. */
  accepted_at?: number | undefined;
  /** In whose name it goes on, in place of its owner's. */
  resumed_by?: Owned | undefined;
}

type StoredRollout = Pick<Rollout, 'id' | 'change_set_id' | 'title' | 'state' | 'reason' | 'plan' | 'total'>;

export interface RolloutRecord extends Owned, StoredRollout {
  changes: LayerChanges;
  /** Counts from 0. */
  wave: number;
  /** When the last of the wave was treated. */
  wave_started_at: number | null;
  measured: StoredMeasured[];
  created_at: number;
  ended_at: number | null;
}

export interface RolloutAgentRecord {
  agent_id: string;
  ap_id: string;
  wave: number;
  treated: boolean;
  treated_at: number | null;
  /** The devices that it served then, hashed for this roll-out; null unless a gate asks for them. */
  devices: string[] | null;
}

/** With how it stands. */
export type StandingAgent = RolloutAgentRecord & Pick<AgentConfig, 'state' | 'detail' | 'rollout_id' | 'trial_at'>;

/** Who was asked for new settings, and when. */
export interface RolloutTreatment {
  ap_id: string;
  rollout_id: string;
  treated_at: number;
}

const draftShare = new TotalShare(
  'too_many_change_sets',
  'drafts',
  100,
  owned(`config_change_sets WHERE state = 'draft'`),
);
const UNDER_WAY = 'config_rollouts WHERE ended_at IS NULL';
const rolloutShare = new TotalShare('too_many_rollouts', 'roll-outs under way', 10, owned(UNDER_WAY));

const SET =
  'id, title, state, layers, removed, base, owner_kind, owner_id, owner_name, created_at, updated_at, writers';
const sets = new RecordTable<ChangeSetRecord>('config_change_sets', SET, {
  json: ['layers', 'removed', 'base', 'writers'],
});
const ROLLOUT =
  'id, change_set_id, title, state, reason, plan, changes, wave, wave_started_at, total, measured, owner_kind, owner_id, owner_name, created_at, ended_at';
const rollouts = new RecordTable<RolloutRecord>('config_rollouts', ROLLOUT, { json: ['plan', 'changes', 'measured'] });
const AGENT = 'rollout_id, agent_id, ap_id, wave, treated';

/** Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. */
export class RolloutStore extends SqlStore {
  async getSet(id: string): Promise<ChangeSetRecord | undefined> {
    return sets.get(this.db, 'WHERE id = ?', [id]);
  }

  /** Newest first, after this one. */
  async pageSets(before: Before, limit: number): Promise<ChangeSetRecord[]> {
    return sets.list(this.db, ...newestFirst(before, limit));
  }

  /** Throws ConflictError `too_many_change_sets`. */
  async createSet(set: ChangeSetRecord, by: Actor, also: (tx: SqlQueries) => Promise<void>): Promise<void> {
    await this.db.transaction(async (tx) => {
      await draftShare.take(tx, by);
      await insertRecord(tx, 'config_change_sets', SET, set);
      await also(tx);
    });
  }

  /** Resolves whether there was a draft. */
  async replaceSet(set: ChangeSetRecord, also: (tx: SqlQueries) => Promise<void>): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      const { title, layers, removed, base, updated_at, writers, id } = set;
      const columns = { title, layers, removed, base, updated_at, writers };
      const found = await sets.change(tx, columns, `WHERE id = ? AND state = 'draft'`, [id]);
      if (found) await also(tx);
      return found !== undefined;
    });
  }

  async removeSet(id: string, also: (tx: SqlQueries) => Promise<void>): Promise<boolean> {
    return this.removeRecord(sets, `WHERE id = ? AND state = 'draft'`, [id], (tx) => also(tx));
  }

  async get(id: string, tx: SqlQueries = this.db): Promise<RolloutRecord | undefined> {
    return rollouts.get(tx, 'WHERE id = ?', [id]);
  }

  async page(before: Before, limit: number): Promise<RolloutRecord[]> {
    return rollouts.list(this.db, ...newestFirst(before, limit));
  }

  /** Those that have not ended. */
  async open(tx: SqlQueries = this.db): Promise<RolloutRecord[]> {
    return rollouts.list(tx, 'WHERE ended_at IS NULL ORDER BY created_at, id');
  }

  /** In a transaction: the draft is none any more, and belongs to its roll-out. Resolves it as it was; undefined: it is no draft. */
  async takeSet(tx: SqlQueries, id: string, nowMs: number): Promise<ChangeSetRecord | undefined> {
    const rolledOut = { state: 'rolled_out', updated_at: nowMs } as const;
    return sets.change(tx, rolledOut, `WHERE id = ? AND state = 'draft'`, [id]);
  }

  /** In a transaction: the roll-out of a draft that was taken, with its agents. Throws ConflictError `too_many_rollouts`. */
  async create(
    tx: SqlQueries,
    by: Actor,
    rollout: RolloutRecord,
    agents: readonly Pick<RolloutAgentRecord, 'agent_id' | 'ap_id' | 'wave'>[],
  ): Promise<void> {
    await rolloutShare.take(tx, by);
    await insertRecord(tx, 'config_rollouts', ROLLOUT, rollout);
    const rows = agents.map(({ agent_id, ap_id, wave }) => [rollout.id, agent_id, ap_id, wave, 0]);
    await runRows(tx, `INSERT INTO config_rollout_agents (${AGENT}) VALUES {{rows}}`, rows);
  }

  /** In a transaction: what is given; undefined if it is not in one of these states any more. */
  async change(
    tx: SqlQueries,
    id: string,
    from: readonly RolloutState[],
    change: Partial<
      Pick<RolloutRecord, 'state' | 'reason' | 'wave' | 'wave_started_at' | 'changes' | 'measured' | 'ended_at'>
    >,
  ): Promise<RolloutRecord | undefined> {
    const isIn = `state IN (${from.map(() => '?').join(', ')})`;
    return rollouts.change(tx, change, `WHERE id = ? AND ${isIn}`, [id, ...from]);
  }

  /** All of its agents with how they stand, ordered by ap_id; of one that goes on without those whose network has ended. */
  async agents(rollout_id: string): Promise<StandingAgent[]> {
    const goesOn = 'EXISTS (SELECT 1 FROM config_rollouts WHERE id = a.rollout_id AND ended_at IS NULL)';
    const ended = `EXISTS (SELECT 1 FROM agents WHERE agents.id = a.agent_id AND ${ENDED})`;
    const which = `a.rollout_id = ? AND NOT (${goesOn} AND ${ended})`;
    return this.#standing(`WHERE ${which} ORDER BY a.ap_id`, [rollout_id]);
  }

  async agent(rollout_id: string, agent_id: string): Promise<StandingAgent | undefined> {
    return (await this.#standing('WHERE a.rollout_id = ? AND a.agent_id = ?', [rollout_id, agent_id]))[0];
  }

  async #standing(where: string, params: readonly string[]): Promise<StandingAgent[]> {
    const rows = await this.db.query<Record<string, string | number | null>>(
      `SELECT a.agent_id, a.ap_id, a.wave, a.treated, a.treated_at, a.devices,
         c.state, c.detail, c.rollout_id, c.trial_at
       FROM config_rollout_agents a LEFT JOIN agent_configs c ON c.agent_id = a.agent_id ${where}`,
      params,
    );
    return rows.map((row) => {
      const devices = typeof row.devices === 'string' ? row.devices.split(',').filter(Boolean) : null;
      return { ...row, devices, treated: row.treated === 1, state: row.state ?? 'pending' } as StandingAgent;
    });
  }

  /** Notes in a transaction that these were asked for. */
  async treat(
    tx: SqlQueries,
    rollout_id: string,
    agent_ids: readonly string[],
    nowMs: number,
    devices?: ReadonlyMap<string, readonly string[]>,
  ): Promise<void> {
    for (const agent_id of agent_ids) {
      await tx.query(
        'UPDATE config_rollout_agents SET treated = 1, treated_at = ?, devices = ? WHERE rollout_id = ? AND agent_id = ?',
        [nowMs, devices?.get(agent_id)?.join(',') ?? null, rollout_id, agent_id],
      );
    }
  }

  /** It has ended: which devices were where is not to be kept. */
  async forgetDevices(tx: SqlQueries, rollout_id: string): Promise<void> {
    await tx.query('UPDATE config_rollout_agents SET devices = NULL WHERE rollout_id = ?', [rollout_id]);
  }

  /** Which of these access points were asked for new settings from this time on, before another; by access point. */
  async treatments(
    ap_ids: readonly string[],
    fromMs: number,
    untilMs: number,
  ): Promise<Map<string, RolloutTreatment[]>> {
    const found = new Map<string, RolloutTreatment[]>();
    const sql = `SELECT ap_id, rollout_id, treated_at FROM config_rollout_agents
      WHERE treated = 1 AND treated_at >= ? AND treated_at < ? AND ap_id IN ({{list}})`;
    type Row = { ap_id: string; rollout_id: string; treated_at: number };
    for (const row of await runList<Row>(this.db, sql, ap_ids, [fromMs, untilMs])) {
      found.set(row.ap_id, [...(found.get(row.ap_id) ?? []), row]);
    }
    return found;
  }

  /** Whose change each agent, or each of these, has before it is in force, or although it was given up: the newest usable one that has treated it. */
  async treatedBy(tx: SqlQueries = this.db, agents?: readonly { id: string }[]): Promise<Map<string, RolloutRecord>> {
    const isAhead = `state IN ('running', 'paused', 'stopped', 'aborted')`;
    const ahead = await rollouts.list(tx, `WHERE ${isAhead} ORDER BY created_at, id`);
    const found = new Map<string, RolloutRecord>();
    const ids = agents?.map(({ id }) => id);
    const all = 'SELECT agent_id FROM config_rollout_agents WHERE rollout_id = ? AND treated = 1';
    for (const rollout of ahead) {
      if (unusableOf(rollout.changes.after).length > 0) continue;
      const rows = await (ids
        ? runList<{ agent_id: string }>(tx, `${all} AND agent_id IN ({{list}})`, ids, [rollout.id])
        : tx.query<{ agent_id: string }>(all, [rollout.id]));
      for (const { agent_id } of rows) found.set(agent_id, rollout);
    }
    return found;
  }
}

/** In the transaction that ends a caller: its drafts go, and its roll-outs stop where they are. Resolves these. */
export async function endOwner(
  tx: SqlQueries,
  { kind, id }: { kind: string; id: string },
  nowMs: number,
): Promise<RolloutRecord[]> {
  await tx.query(`DELETE FROM config_change_sets WHERE state = 'draft' AND owner_kind = ? AND owner_id = ?`, [
    kind,
    id,
  ]);
  const isTheirs = `state IN ('running', 'paused') AND owner_kind = ? AND owner_id = ? AND created_at <= ?`;
  const stopped: RolloutRecord[] = [];
  for (const rollout of await rollouts.list(tx, `WHERE ${isTheirs}`, [kind, id, nowMs])) {
    const change = `state = 'stopped', reason = 'whoever started it is gone' WHERE id = ?`;
    stopped.push((await rollouts.update(tx, change, [rollout.id]))!);
  }
  return stopped;
}

export interface Before {
  created_at: number;
  id: string;
}

function newestFirst({ created_at, id }: Before, limit: number): [rest: string, params: (string | number)[]] {
  const rest = 'WHERE created_at < ? OR (created_at = ? AND id < ?) ORDER BY created_at DESC, id DESC LIMIT ?';
  return [rest, [created_at, created_at, id, limit]];
}
