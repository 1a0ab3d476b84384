// The start of a roll-out: what must hold for it, which access points it is about, and in which wave each of them is.
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { RolloutPlan } from '@weft/contract/operations';
import type { AuditLog } from '../../../core/accounts/audit/audit-store.ts';
import type { EventLog } from '../../../core/accounts/event-log/event-log.ts';
import type { Caller } from '../../../core/base/caller.ts';
import { ConflictError, PermissionError } from '../../../core/base/errors.ts';
import { invalidValue } from '../../../core/base/input/value-rules.ts';
import { requirePresentOwner } from '../../../core/base/storage/present-owner.ts';
import type { SqlDatabase, SqlQueries } from '../../../core/base/storage/sql-database.ts';
import type { AgentRow } from '../../../core/network/agent-rows.ts';
import { isTimeZone } from '../../alarms/silences/weekly-window.ts';
import type { LayersInForce } from '../layers-in-force.ts';
import { requireSettings } from '../model/settings.ts';
import { assignWaves, oneWave, requireWaves } from '../rollout/waves.ts';
import { createVersions, raise, takeLayers } from '../store/layer-store.ts';
import type { ChangeSetRecord, RolloutRecord, RolloutStore } from '../store/rollout-store.ts';
import { type ChangeSetService, notADraft } from './change-set-service.ts';

export interface RolloutStartOptions {
  database: SqlDatabase;
  rollouts: RolloutStore;
  changeSets: ChangeSetService;
  inForce: LayersInForce;
  auditLog: Pick<AuditLog, 'append'>;
  eventLog: Pick<EventLog, 'append'>;
  /** To be done soon. */
  onStarted: () => void;
  now: () => number;
}

export class RolloutStart {
  readonly #options: RolloutStartOptions;

  constructor(options: RolloutStartOptions) {
    this.#options = options;
  }

  /**
   * Begins to bring it into force. Throws ConflictError if a layer has changed since the draft was made, an access point cannot take
   * it, or another roll-out is under way at one of them; PermissionError unless the caller manages all that change.
   */
  async start(caller: Caller, id: string, plan: RolloutPlan): Promise<RolloutRecord> {
    const { database, rollouts, changeSets, auditLog, eventLog, inForce, now, onStarted } = this.#options;
    requirePlan(plan);
    const set = await changeSets.find(caller, id);
    if (set.state !== 'draft') throw notADraft();
    for (const { name, settings } of set.layers) requireSettings(settings, ['layers', name, 'settings']);
    const { own, hasOthers, managed } = await changeSets.effects(caller, set);
    if (hasOthers)
      throw new PermissionError(
        'not_permitted',
        'It is also about access points that you do not manage: the selector of each layer has to name a site, tag or name that you were granted',
      );
    // Who cannot be given what is in force already is no worse off, and holds nobody up.
    const refusing = own.filter(({ before, after }) => after.problems.length > 0 && before.problems.length === 0);
    if (refusing.length > 0) {
      const { agent, after } = refusing[0]!;
      const { leaf, detail } = after.problems[0]!;
      throw new ConflictError(
        'change_refused',
        `${refusing.length} access points cannot take it; ${agent.ap_id}: ${leaf}: ${detail}. Make the layer optional, or leave them out by its selector`,
        { refused: refusing.length },
      );
    }
    const affected = own
      .filter(({ before, after }) => before.hash !== after.hash && after.problems.length === 0)
      .map(({ agent }) => agent);
    const rollout_id = randomUUID();
    const waves = assignWaves(rollout_id, plan.waves ?? oneWave, affected);
    const owner = { owner_kind: caller.kind, owner_id: caller.id, owner_name: caller.name };
    const ending = (await inForce.current()).layers.filter(({ id: each }) => set.removed.includes(each));
    const rollout = await database.transaction(async (tx) => {
      await raise(tx);
      await requirePresentOwner(tx, database.dialect, { ...owner, owner_ver: caller.ver });
      requireSame(set, await rollouts.takeSet(tx, set.id, now()));
      await requireBase(tx, set);
      // The rights of who wrote it and who starts it may have changed since it was looked at.
      if (!isDeepStrictEqual(await changeSets.managed(tx, caller, set), managed))
        throw new ConflictError('rights_changed', 'What its writers may do has just changed: try again');
      await requireAlone(tx, await rollouts.open(tx), affected);
      // Those that are in force are changed, and are no more than before.
      await takeLayers(tx, caller, set.layers.filter(({ id: each }) => set.base[each] === 0).length);
      const made_by = { owner_kind: caller.kind, owner_id: caller.id };
      const base = { rollout_id, created_by: caller.name, created_at: now(), ...made_by };
      const made = await createVersions(
        tx,
        set.layers.map(({ id: layer_id, ...layer }) => ({ ...layer, ...base, layer_id, removed: false, reach: null })),
        managed,
      );
      const last = await createVersions(
        tx,
        ending.map(({ id: layer_id, version: _, ...layer }) => ({ ...layer, ...base, layer_id, removed: true })),
        managed,
      );
      const gone = Object.fromEntries(last.map(({ id, version }) => [id, version]));
      const record: RolloutRecord = {
        id: rollout_id,
        change_set_id: set.id,
        title: set.title,
        state: 'running',
        reason: null,
        plan,
        changes: { after: made, removed: set.removed, before: set.base, ends: gone, accepted_failures: 0 },
        wave: 0,
        wave_started_at: null,
        total: affected.length,
        measured: [],
        ...owner,
        created_at: now(),
        ended_at: null,
      };
      const agents = affected.map(({ id: agent_id, ap_id }, at) => ({ agent_id, ap_id, wave: waves[at]! }));
      await rollouts.create(tx, caller, record, agents);
      const detail = { title: set.title, change_set: set.id, access_points: affected.length };
      await auditLog.append(tx, [
        { actor: caller, action: 'rollout_started', target: { kind: 'rollout', name: rollout_id }, detail },
      ]);
      const text = `The roll-out "${set.title}" to ${affected.length} access point${affected.length === 1 ? '' : 's'} was started by ${caller.name}`;
      await eventLog.append(tx, [
        {
          kind: 'rollout.started',
          subject_kind: 'rollout',
          subject: rollout_id,
          text,
          data: { ...detail, by: caller.name },
        },
      ]);
      return record;
    });
    onStarted();
    return rollout;
  }
}

function requirePlan({ waves, gates = [], window }: RolloutPlan): void {
  if (waves) requireWaves(waves);
  for (const [at, { metric, worse_by, alarms, devices_back }] of gates.entries()) {
    const given = [metric !== undefined, alarms !== undefined, devices_back !== undefined].filter(Boolean).length;
    const loc = ['body', 'gates', at];
    if (given !== 1) throw invalidValue(loc, 'a gate has one of metric, alarms and devices_back');
    if (metric !== undefined && (worse_by === undefined || worse_by === 0))
      throw invalidValue(
        [...loc, 'worse_by'],
        'a gate on a metric says by how much it may be worse; below 0: lower is worse',
      );
  }
  const zone = window?.time_zone;
  if (zone !== undefined && zone !== 'site' && !isTimeZone(zone))
    throw invalidValue(['body', 'window', 'time_zone'], 'should be a name of IANA, or site');
}

/** What begins is what was looked at, and begins once. */
function requireSame(looked: ChangeSetRecord, taken: ChangeSetRecord | undefined): void {
  if (!taken) throw notADraft();
  const said = ({ title, layers, removed, base, writers }: ChangeSetRecord) =>
    JSON.stringify([title, layers, removed, base, writers]);
  if (said(looked) !== said(taken))
    throw new ConflictError('change_set_outdated', 'The draft was replaced meanwhile: look at it again');
}

async function requireBase(tx: SqlQueries, { base }: ChangeSetRecord): Promise<void> {
  for (const [id, version] of Object.entries(base)) {
    const [row] = await tx.query<{ version: number }>('SELECT version FROM config_layers WHERE id = ?', [id]);
    if ((row?.version ?? 0) !== version) {
      throw new ConflictError(
        'change_set_outdated',
        'A layer has changed since this draft was made: look at it again and replace the draft',
      );
    }
  }
}

/** Two roll-outs at one access point, or of one layer, could not be told apart. */
async function requireAlone(
  tx: SqlQueries,
  open: readonly RolloutRecord[],
  affected: readonly AgentRow[],
): Promise<void> {
  const ids = new Set(affected.map(({ id }) => id));
  for (const { id, title } of open) {
    const rows = await tx.query<{ agent_id: string; ap_id: string }>(
      'SELECT agent_id, ap_id FROM config_rollout_agents WHERE rollout_id = ?',
      [id],
    );
    const both = rows.find(({ agent_id }) => ids.has(agent_id));
    if (both)
      throw new ConflictError(
        'rollout_under_way',
        `The roll-out "${title}" is under way at ${both.ap_id}: it has to end first`,
        { rollout_id: id },
      );
  }
}
