// Goes on with roll-outs, wave by wave, on the node that holds the lease; everything it decides from is in rows, so that another
// node goes on where it was.
import type { RolloutPlan, RolloutState } from '@weft/contract/operations';
import type { AuditLog } from '../../../core/accounts/audit/audit-store.ts';
import type { EventLog } from '../../../core/accounts/event-log/event-log.ts';
import { type Caller, system } from '../../../core/base/caller.ts';
import { PeriodicTask } from '../../../core/base/periodic-task.ts';
import type { NodeLease } from '../../../core/base/storage/node-lease.ts';
import type { SqlDatabase, SqlQueries } from '../../../core/base/storage/sql-database.ts';
import type { AgentRow } from '../../../core/network/agent-rows.ts';
import type { Network } from '../../../core/network/network.ts';
import { weeklyWindowAt } from '../../alarms/silences/weekly-window.ts';
import { mayConfigure, mayRollOut } from '../config-rights.ts';
import { graceMs, isSuccess } from '../model/agent-config.ts';
import type { StoredMeasured } from '../model/gates.ts';
import { leftOut, unusableOf } from '../model/render.ts';
import { defaultTrialSeconds, Overtaken, type Reconciler } from '../reconciler.ts';
import type { AgentConfigStore } from '../store/agent-config-store.ts';
import { putInForce } from '../store/layer-store.ts';
import type { Owned, RolloutRecord, RolloutStore, StandingAgent } from '../store/rollout-store.ts';
import type { GateReader } from './gate-reader.ts';
import { brokenInWords, failed, rolloutEvent } from './rollout-words.ts';

const everyMs = 1_000;
/** Their words come back at once; others are to be heard too. */
const atOnce = 25;
const lateAtOnce = 200;
const betweenLooksMs = 5_000;

export interface RolloutDriverOptions {
  database: SqlDatabase;
  rollouts: RolloutStore;
  configs: AgentConfigStore;
  reconciler: Reconciler;
  network: Network;
  gates: GateReader;
  lease: Pick<NodeLease, 'isHeld' | 'require'>;
  /** In a transaction, with its rights of now; undefined if it is gone. */
  present: (tx: SqlQueries, owner: Pick<Owned, 'owner_kind' | 'owner_id'>) => Promise<Caller | undefined>;
  /** Of the site of an access point; UTC where nobody has said. */
  timeZoneOf: (site: string | null) => string;
  auditLog: Pick<AuditLog, 'append'>;
  eventLog: Pick<EventLog, 'append'>;
  onError: (error: unknown, message: string) => void;
  now: () => number;
}

/** Whoever started it, or let it go on, is gone or may not do this any more: nor did anything of this step. */
class NotAllowed extends Error {}

export class RolloutDriver extends PeriodicTask {
  readonly #options: RolloutDriverOptions;
  /** When the metrics of a roll-out were looked at last. */
  readonly #lookedAt = new Map<string, number>();

  constructor(options: RolloutDriverOptions) {
    super({ everyMs, what: 'the work on roll-outs', run: () => this.goOn(), onError: options.onError });
    this.#options = options;
  }

  /** Does what is due. */
  async goOn(): Promise<void> {
    const { rollouts, lease, onError } = this.#options;
    if (!lease.isHeld) return;
    await this.#noteTime();
    const open = await rollouts.open();
    for (const id of this.#lookedAt.keys()) if (!open.some((each) => each.id === id)) this.#lookedAt.delete(id);
    for (const rollout of open) {
      if (this.isStopped) return;
      // One that fails does not hold up the others.
      await this.#step(rollout).catch((error) => {
        if (!(error instanceof Overtaken)) onError(error, `roll-out ${rollout.id} did not go on`);
      });
    }
  }

  async #noteTime(): Promise<void> {
    const { configs, now } = this.#options;
    const late = await configs.late(now(), lateAtOnce);
    if (late.length > 0)
      await configs.advance(
        late.map((agent) => ({ agent, evidence: { kind: 'time' } })),
        now(),
      );
  }

  async #step(rollout: RolloutRecord): Promise<void> {
    const agents = await this.#options.rollouts.agents(rollout.id);
    if (rollout.state === 'reverting') return this.#revert(rollout, agents);
    const [unusable] = unusableOf(rollout.changes.after);
    if (unusable) return this.#end(rollout, 'reverting', leftOut(unusable));
    await this.#confirm(rollout, agents);
    if (rollout.state !== 'running') return;
    const failures = agents.filter((agent) => agent.treated && failed.has(agent.state));
    const limit = (rollout.plan.failure_limit?.agents ?? 0) + rollout.changes.accepted_failures;
    if (failures.length > limit) {
      const { ap_id, state, detail } = failures[0]!;
      return this.#end(
        rollout,
        'stopped',
        `${failures.length} failed, more than ${limit}: ${ap_id} ${state}${detail === null ? '' : ` (${detail})`}`,
      );
    }
    const alarms = await this.#options.gates.tooManyAlarms(rollout, agents);
    if (alarms !== undefined) return this.#end(rollout, 'stopped', alarms);
    if (await this.#isWorse(rollout, agents)) return;
    const wave = agents.filter((agent) => agent.wave === rollout.wave);
    const untreated = wave.filter(({ treated }) => !treated);
    if (untreated.length > 0) return this.#treat(rollout, wave, untreated);
    if (await this.#isWaveOver(wave)) await this.#endWave(rollout, agents);
  }

  /** Asks those of the wave whose time has come. */
  async #treat(
    rollout: RolloutRecord,
    wave: readonly StandingAgent[],
    untreated: readonly StandingAgent[],
  ): Promise<void> {
    const { network, reconciler, rollouts, now, gates, lease, present } = this.#options;
    const { at_once_per_site: perSite, window, trial_seconds = defaultTrialSeconds } = rollout.plan;
    await network.fresh();
    const busy = new Map<string | null, number>();
    const siteOf = (agent: StandingAgent) => network.get(agent.ap_id)?.site ?? null;
    for (const agent of wave) {
      const isUnderWay =
        agent.treated && (agent.state === 'pending' || agent.state === 'sent' || agent.state === 'on_trial');
      if (isUnderWay) busy.set(siteOf(agent), (busy.get(siteOf(agent)) ?? 0) + 1);
    }
    const chosen: AgentRow[] = [];
    for (const standing of untreated) {
      const agent = network.get(standing.ap_id);
      const site = agent?.site ?? null;
      // Who is gone needs nothing any more.
      if (!agent || agent.id !== standing.agent_id) {
        await this.#options.database.transaction((tx) => rollouts.treat(tx, rollout.id, [standing.agent_id], now()));
        continue;
      }
      if (window && !this.#isOpen(window, site)) continue;
      const under = busy.get(site) ?? 0;
      if (perSite !== undefined && site !== null && under >= perSite) continue;
      busy.set(site, under + 1);
      chosen.push(agent);
      if (chosen.length === atOnce) break;
    }
    if (chosen.length === 0) return;
    const devices = gates.devicesOf(rollout, chosen);
    const step = async (tx: SqlQueries) => {
      await lease.require(tx);
      const owner = await present(tx, rollout.changes.resumed_by ?? rollout);
      const mayAll = owner && mayRollOut(owner) && chosen.every((agent) => mayConfigure(owner, agent));
      if (!mayAll) throw new NotAllowed();
      await rollouts.treat(
        tx,
        rollout.id,
        chosen.map(({ id }) => id),
        now(),
        devices,
      );
      // Somebody has paused it or taken it back.
      if (!(await rollouts.change(tx, rollout.id, ['running'], { wave_started_at: now() }))) throw new Overtaken();
    };
    const wanted = { overlay: rollout.changes, rollout_id: rollout.id, trial_seconds };
    await reconciler.want(chosen, wanted, step).catch((error) => {
      if (!(error instanceof NotAllowed)) throw error;
      return this.#end(rollout, 'stopped', 'whoever started it may not do this any more');
    });
  }

  /** Agents that are back with their new settings, where more than that is asked for. */
  async #confirm(rollout: RolloutRecord, agents: readonly StandingAgent[]): Promise<void> {
    const { configs, gates, now } = this.#options;
    const onTrial = agents.filter(({ treated, state }) => treated && state === 'on_trial');
    if (onTrial.length === 0) return;
    const rows = await configs.byAgentIds(onTrial.map(({ agent_id }) => agent_id));
    const passed = onTrial.flatMap((standing) => {
      const config = rows.get(standing.agent_id);
      if (!config?.is_back || !gates.mayConfirm(rollout, standing)) return [];
      return [{ agent: config, evidence: { kind: 'passed' as const, config_id: config.config_id } }];
    });
    if (passed.length > 0) await configs.advance(passed, now());
  }

  /** Offline ones get it when they return, and hold nobody up. */
  async #isWaveOver(wave: readonly StandingAgent[]): Promise<boolean> {
    const isAway = await this.#away();
    return wave.every((agent) => {
      const { state } = agent;
      // One that has drifted was confirmed before.
      if (isSuccess(state) || failed.has(state) || state === 'drifted') return state !== 'confirmed';
      return state === 'pending' && isAway(agent);
    });
  }

  /** Who is not there to take anything. Of one that never reports it is unknown before it had the time to ask. */
  async #away(): Promise<(agent: StandingAgent) => boolean> {
    const { network, now } = this.#options;
    const moment = await network.moment({ state: true });
    return ({ ap_id, treated_at }) => {
      const agent = network.get(ap_id);
      const state = agent ? moment.stateOf(agent) : 'ended';
      const isSilent = state === 'never' && now() - (treated_at ?? 0) > graceMs;
      return state === 'offline' || state === 'ended' || isSilent;
    };
  }

  /** Gates are looked at all the time, not only at the end of a wave. Resolves whether it has stopped. */
  async #isWorse(rollout: RolloutRecord, agents: readonly StandingAgent[]): Promise<boolean> {
    const { gates, now } = this.#options;
    if (now() - (this.#lookedAt.get(rollout.id) ?? 0) < betweenLooksMs) return false;
    this.#lookedAt.set(rollout.id, now());
    const worse = await gates.worse(rollout, agents);
    if (!worse) return false;
    const measured = [...rollout.measured, worse];
    await this.#end({ ...rollout, measured }, 'stopped', brokenInWords(worse, rollout.plan));
    return true;
  }

  async #endWave(rollout: RolloutRecord, agents: readonly StandingAgent[]): Promise<void> {
    const { gates, rollouts, now } = this.#options;
    const measured = await gates.judge(rollout, agents);
    // Its time is not over yet.
    if (measured === undefined) return;
    const all: StoredMeasured[] = [...rollout.measured, ...measured];
    const broken = measured.find(({ passed }) => !passed);
    if (broken) return this.#end({ ...rollout, measured: all }, 'stopped', brokenInWords(broken, rollout.plan));
    const waves = rollout.plan.waves?.length ?? 1;
    if (rollout.wave + 1 >= waves) return this.#end({ ...rollout, measured: all }, 'completed', null);
    await this.#options.database.transaction(async (tx) => {
      await this.#options.lease.require(tx);
      await rollouts.change(tx, rollout.id, ['running'], {
        wave: rollout.wave + 1,
        wave_started_at: now(),
        measured: all,
      });
    });
  }

  async #revert(rollout: RolloutRecord, agents: readonly StandingAgent[]): Promise<void> {
    const { network, reconciler } = this.#options;
    await network.fresh();
    const treated = agents.filter((agent) => agent.treated);
    const behind = treated.filter(({ rollout_id }) => rollout_id === rollout.id).slice(0, atOnce);
    if (behind.length > 0) {
      const present = behind.flatMap(({ ap_id }) => network.get(ap_id) ?? []);
      const trial_seconds = rollout.plan.trial_seconds ?? defaultTrialSeconds;
      await reconciler.want(present, { overlay: undefined, rollout_id: null, trial_seconds });
      return;
    }
    const isAway = await this.#away();
    const isOver = treated.every((agent) => {
      const { state } = agent;
      return isSuccess(state) || failed.has(state) || state === 'drifted' || (state === 'pending' && isAway(agent));
    });
    if (isOver) await this.#end(rollout, 'reverted', rollout.reason);
  }

  async #end(rollout: RolloutRecord, state: RolloutState, reason: string | null): Promise<void> {
    const { database, rollouts, lease, now, auditLog, eventLog } = this.#options;
    await database.transaction(async (tx) => {
      await lease.require(tx);
      const isOver = state === 'completed' || state === 'reverted';
      const change = { state, reason, measured: rollout.measured, ...(isOver && { ended_at: now() }) };
      const after = await rollouts.change(tx, rollout.id, [rollout.state], change);
      if (!after) return;
      if (state === 'completed') await inForceAfter(tx, rollout);
      if (isOver) await rollouts.forgetDevices(tx, rollout.id);
      const entry = {
        actor: system,
        action: `rollout_${state}`,
        target: { kind: 'rollout', name: rollout.id },
        detail: { title: rollout.title, reason },
      };
      await auditLog.append(tx, [entry]);
      await eventLog.append(tx, [rolloutEvent(after)]);
    });
  }

  #isOpen(window: NonNullable<RolloutPlan['window']>, site: string | null): boolean {
    const { now, timeZoneOf } = this.#options;
    const zone = window.time_zone === undefined || window.time_zone === 'site' ? timeZoneOf(site) : window.time_zone;
    const { fromMs, untilMs } = weeklyWindowAt(window, zone, now());
    return fromMs <= now() && now() < untilMs;
  }
}

/** What the roll-out changes is what is in force. */
export async function inForceAfter(tx: SqlQueries, { changes }: RolloutRecord): Promise<void> {
  const inForce = new Map<string, number | undefined>(changes.after.map(({ id, version }) => [id, version]));
  for (const id of changes.removed) inForce.set(id, undefined);
  await putInForce(tx, inForce);
}
