// Roll-outs for callers: how they stand, and the words that stop them, let them go on or take them back.
import type { Rollout, RolloutAgentPage, RolloutPage, RolloutSeries, RolloutState } from '@weft/contract/operations';
import type { Caller } from '../../../core/base/caller.ts';
import { ConflictError, notFound, PermissionError } from '../../../core/base/errors.ts';
import { type PageQuery, readNameCursor, toNameCursor } from '../../../core/base/lists/list-cursor.ts';
import { rightsOf } from '../../../core/base/rights/rights.ts';
import type { SqlQueries } from '../../../core/base/storage/sql-database.ts';
import { managedSelectors, mayConfigure, mayRollOut, seesAllConfig } from '../config-rights.ts';
import { isSuccess } from '../model/agent-config.ts';
import type { StoredMeasured } from '../model/gates.ts';
import type { RolloutDriverOptions } from '../rollout/rollout-driver.ts';
import { failed, inWords, rolloutEvent } from '../rollout/rollout-words.ts';
import { narrowVersion, putInForce, raise, takeLayers } from '../store/layer-store.ts';
import type { LayerChanges, RolloutRecord, StandingAgent } from '../store/rollout-store.ts';
import { readTimeCursor, toTimeCursor } from './change-set-service.ts';

type OfDriver = 'database' | 'rollouts' | 'network' | 'gates' | 'auditLog' | 'eventLog' | 'now';

export interface RolloutServiceOptions extends Pick<RolloutDriverOptions, OfDriver> {
  onChanged: () => void;
}

export class RolloutService {
  readonly #options: RolloutServiceOptions;

  constructor(options: RolloutServiceOptions) {
    this.#options = options;
  }

  /** Newest first. */
  async list(caller: Caller, { cursor, limit }: PageQuery): Promise<RolloutPage> {
    const records = await this.#options.rollouts.page(readTimeCursor(cursor, 'rollouts'), limit);
    const items: Rollout[] = [];
    for (const record of records) {
      const agents = await this.#options.rollouts.agents(record.id);
      if (this.#isSeen(caller, record, agents)) items.push(await this.#tell(caller, record, agents));
    }
    return { items, next: records.length === limit ? toTimeCursor(records.at(-1)!, 'rollouts') : null };
  }

  async get(caller: Caller, id: string): Promise<Rollout> {
    const { record, agents } = await this.#find(caller, id);
    return this.#tell(caller, record, agents);
  }

  /** A metric where the change is and where it is not. */
  async series(caller: Caller, id: string, metric: string): Promise<RolloutSeries> {
    const { record, agents } = await this.#find(caller, id);
    const sight = await this.#options.network.visibleTo(caller);
    return this.#options.gates.pictured(record, agents, metric, (agent) => sight.sees(agent));
  }

  async agents(caller: Caller, id: string, { cursor, limit }: PageQuery): Promise<RolloutAgentPage> {
    const { agents } = await this.#find(caller, id);
    const after = readNameCursor(cursor, 'rollout_agents', () => true) ?? '';
    const left = this.#shown(caller, agents).filter(({ ap_id }) => ap_id > after);
    const items = left.slice(0, limit).map(({ ap_id, wave, treated, treated_at, state, detail }) => ({
      ap_id,
      display_name: this.#options.network.get(ap_id)?.display_name ?? null,
      wave: wave + 1,
      state: treated ? state : ('pending' as const),
      detail: treated ? detail : null,
      treated_at: treated_at === null ? null : new Date(treated_at).toISOString(),
    }));
    return { items, next: left.length > limit ? toNameCursor(items.at(-1)!.ap_id, 'rollout_agents') : null };
  }

  pause(caller: Caller, id: string): Promise<Rollout> {
    return this.#change(caller, id, ['running'], 'paused', `paused by ${caller.name}`);
  }

  /** What has failed so far is accepted. */
  async resume(caller: Caller, id: string): Promise<Rollout> {
    const { record, agents } = await this.#find(caller, id);
    const accepted_failures = agents.filter(({ treated, state }) => treated && failed.has(state)).length;
    const { kind: owner_kind, id: owner_id, name: owner_name } = caller;
    const resumed_by = { owner_kind, owner_id, owner_name };
    const accepted = { accepted_failures, accepted_at: this.#options.now(), resumed_by };
    return this.#change(caller, id, ['paused', 'stopped'], 'running', null, { ...record.changes, ...accepted });
  }

  /** Everybody goes back to what they were, also after the roll-out is complete, unless one of its layers has changed since. */
  async revert(caller: Caller, id: string): Promise<Rollout> {
    const { record } = await this.#find(caller, id);
    const wasComplete = record.state === 'completed';
    return this.#change(
      caller,
      id,
      // One that is completed meanwhile is in force, and taken back in another way.
      wasComplete ? ['completed'] : ['running', 'paused', 'stopped'],
      'reverting',
      `taken back by ${caller.name}`,
      record.changes,
      async (tx) => {
        if (!wasComplete) return;
        await raise(tx);
        for (const { id: layer, version } of record.changes.after) await requireInForce(tx, layer, version);
        for (const layer of record.changes.removed) await requireInForce(tx, layer, undefined);
        const before = Object.entries(record.changes.before).map(
          ([layer, version]) => [layer, version === 0 ? undefined : version] as const,
        );
        await takeLayers(tx, caller, record.changes.removed.length);
        // Who takes it back names again what the versions before name.
        const managed = managedSelectors(caller);
        for (const [layer, version] of before)
          await narrowVersion(tx, layer, version ?? 0, managed.includes('') ? [] : [managed]);
        await putInForce(tx, new Map(before));
        await tx.query('UPDATE config_rollouts SET ended_at = NULL WHERE id = ?', [id]);
      },
    );
  }

  /** Nobody else gets it. Those that have it keep it, and count as drifted. */
  abort(caller: Caller, id: string): Promise<Rollout> {
    return this.#change(
      caller,
      id,
      ['running', 'paused', 'stopped', 'reverting'],
      'aborted',
      `given up by ${caller.name}`,
    );
  }

  async #change(
    caller: Caller,
    id: string,
    from: readonly RolloutState[],
    state: RolloutState,
    reason: string | null,
    changes?: LayerChanges,
    within?: (tx: SqlQueries) => Promise<void>,
  ): Promise<Rollout> {
    const { database, rollouts, auditLog, eventLog, onChanged, now } = this.#options;
    const { record, agents } = await this.#find(caller, id);
    this.#requireAll(caller, agents);
    const isOver = state === 'aborted';
    await database.transaction(async (tx) => {
      const after = await rollouts.change(tx, id, from, {
        state,
        reason,
        ...(changes && { changes }),
        ...(isOver && { ended_at: now() }),
      });
      if (!after)
        throw new ConflictError(
          'rollout_state',
          `The roll-out is ${(await rollouts.get(id, tx))?.state ?? record.state}: this cannot be done now`,
        );
      await within?.(tx);
      if (isOver) await rollouts.forgetDevices(tx, id);
      await auditLog.append(tx, [
        {
          actor: caller,
          action: `rollout_${state}`,
          target: { kind: 'rollout', name: id },
          detail: { title: record.title },
        },
      ]);
      await eventLog.append(tx, [rolloutEvent(after)]);
    });
    onChanged();
    return this.get(caller, id);
  }

  async #tell(caller: Caller, record: RolloutRecord, agents: readonly StandingAgent[]): Promise<Rollout> {
    const { network } = this.#options;
    const moment = await network.moment({ state: true });
    const isAway = ({ ap_id }: StandingAgent) => {
      const agent = network.get(ap_id);
      return agent !== undefined && ['offline', 'never'].includes(moment.stateOf(agent));
    };
    return toRollout(caller, record, this.#shown(caller, agents), isAway, this.#mayChange(caller, agents));
  }

  async #find(caller: Caller, id: string): Promise<{ record: RolloutRecord; agents: StandingAgent[] }> {
    const record = await this.#options.rollouts.get(id);
    const agents = record ? await this.#options.rollouts.agents(id) : [];
    if (!record || !this.#isSeen(caller, record, agents)) throw notFound('Roll-out', 'rollout');
    return { record, agents };
  }

  /** One's own, and those at access points that one manages all of: a roll-out says what its layers say. */
  #isSeen(caller: Caller, record: RolloutRecord, agents: readonly StandingAgent[]): boolean {
    return (
      seesAllConfig(caller) || rightsOf(caller).owns(record) || (agents.length > 0 && this.#managesAll(caller, agents))
    );
  }

  /** Without those of its own that it may not see any more. */
  #shown(caller: Caller, agents: readonly StandingAgent[]): StandingAgent[] {
    const { network } = this.#options;
    const sight = network.sight(caller);
    return agents.filter(({ ap_id }) => !network.get(ap_id) || sight.has(ap_id));
  }

  #requireAll(caller: Caller, agents: readonly StandingAgent[]): void {
    if (this.#managesAll(caller, agents)) return;
    throw new PermissionError('not_permitted', 'The roll-out is at access points that you do not manage');
  }

  #mayChange(caller: Caller, agents: readonly StandingAgent[]): boolean {
    return mayRollOut(caller) && this.#managesAll(caller, agents);
  }

  #managesAll(caller: Caller, agents: readonly StandingAgent[]): boolean {
    const { network } = this.#options;
    return agents.every(({ ap_id }) => {
      const agent = network.get(ap_id);
      return !agent || mayConfigure(caller, agent);
    });
  }
}

async function requireInForce(tx: SqlQueries, id: string, version: number | undefined): Promise<void> {
  const [row] = await tx.query<{ version: number }>('SELECT version FROM config_layers WHERE id = ?', [id]);
  if (row?.version === version) return;
  throw new ConflictError(
    'layer_changed',
    'One of its layers has changed since: make a change set that says what shall be',
  );
}

/** Of access points that a caller may not see it is told no mean, and no difference from which it follows. */
function toMeasured(caller: Caller, { seen_by, ...measured }: StoredMeasured): Rollout['measured'][number] {
  if (rightsOf(caller).seesAll || seen_by === caller.id) return measured;
  return { ...measured, untreated_before: null, untreated_after: null, worse_by: null };
}

function toRollout(
  caller: Caller,
  record: RolloutRecord,
  agents: readonly StandingAgent[],
  isAway: (agent: StandingAgent) => boolean,
  may_change: boolean,
): Rollout {
  const { id, change_set_id, title, state, reason, plan, wave, measured, owner_name, created_at, ended_at } = record;
  const waves = Array.from({ length: plan.waves?.length ?? 1 }, () => ({
    access_points: 0,
    treated: 0,
    succeeded: 0,
    failed: 0,
  }));
  const states: Record<string, number> = {};
  for (const agent of agents) {
    const each = waves[agent.wave]!;
    each.access_points++;
    const standing = agent.treated ? agent.state : 'pending';
    states[standing] = (states[standing] ?? 0) + 1;
    if (!agent.treated) continue;
    each.treated++;
    if (isSuccess(agent.state)) each.succeeded++;
    if (failed.has(agent.state)) each.failed++;
  }
  return {
    id,
    change_set_id,
    title,
    state,
    reason,
    sentence: inWords(state, agents, isAway),
    may_change,
    plan,
    wave: wave + 1,
    waves,
    // Of one that goes on without those whose network has ended.
    total: agents.length,
    states,
    measured: measured.map((each) => toMeasured(caller, each)),
    created_by: owner_name,
    created_at: new Date(created_at).toISOString(),
    ended_at: ended_at === null ? null : new Date(ended_at).toISOString(),
  };
}
