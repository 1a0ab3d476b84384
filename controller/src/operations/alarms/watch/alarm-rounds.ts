// What time alone brings: states, absences and shares of sites become alarms, silences and shelves end. One
// node does it for all, every few seconds, and each look begins with what the database says.
import { PeriodicTask } from '../../../core/base/periodic-task.ts';
import { type NodeLease, NodeLeaseLost } from '../../../core/base/storage/node-lease.ts';
import type { SqlQueries } from '../../../core/base/storage/sql-database.ts';
import { inSlices } from '../../../core/base/time-slices.ts';
import type { AgentRow } from '../../../core/network/agent-rows.ts';
import type { Network } from '../../../core/network/network.ts';
import type { AlarmCriteria } from '../engine/metric-condition.ts';
import { type Finding, findTimed, SiteShares } from '../engine/timed-condition.ts';
import type { AlarmRecord } from '../store/alarm-store.ts';
import type { ActiveAlarms } from './active-alarms.ts';
import type { AgentStateView } from './agent-states.ts';
import type { AlarmOperation, AlarmWriter } from './alarm-writer.ts';
import { type CompiledRule, toMessage } from './compiled-rule.ts';
import { causeOf, type MutingView, silencedBy } from './muting.ts';
import type { ReadingWatch } from './reading-watch.ts';

const everyMs = 3_000;

const neverHeardOf = {
  state: 'never',
  sinceMs: 0,
  lastSeenMs: null,
  isAsleep: false,
  isUncertain: false,
  changesMs: [],
} as const;

export interface AlarmRoundsOptions {
  lease: Pick<NodeLease, 'isHeld' | 'require'>;
  activeAlarms: ActiveAlarms;
  network: Network;
  writer: Pick<AlarmWriter, 'writeAll'>;
  muting: () => MutingView;
  agentStates: (nowMs: number) => Promise<AgentStateView>;
  readings: ReadingWatch;
  /** Clears what is about agents whose network has ended, if anything was left. */
  clearLeft: () => Promise<void>;
  /** Called when it begins to fail, and when it works again; not for each round. */
  onChange: (message: string, error?: unknown) => void;
  now?: () => number;
}

export class AlarmRounds extends PeriodicTask {
  readonly #options: AlarmRoundsOptions;
  readonly #now: () => number;

  constructor(options: AlarmRoundsOptions) {
    const { onChange } = options;
    super({ everyMs, what: 'the look at alarms', run: () => this.#run(), onChange });
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  async #run(): Promise<void> {
    const { lease, activeAlarms, network, readings, writer } = this.#options;
    try {
      await network.fresh();
      await activeAlarms.fresh();
      await writer.writeAll(await readings.find(true, this.#now()));
      if (lease.isHeld) await this.#runForAll();
    } catch (error) {
      if (!(error instanceof NodeLeaseLost)) throw error;
    }
  }

  async #runForAll(): Promise<void> {
    const { activeAlarms, agentStates, readings, clearLeft } = this.#options;
    const nowMs = this.#now();
    await clearLeft();
    const isTimed = ({ condition, kind }: CompiledRule) => condition === undefined && kind !== 'weft';
    const rules = activeAlarms.rules.filter(isTimed);
    if (rules.length > 0) {
      const all = await agentStates(nowMs);
      // Sites first: what is below them has their alarm as its cause.
      const isOfSite = ({ kind }: CompiledRule) => kind === 'share_of_site';
      await this.#write(await this.#ofRules(rules.filter(isOfSite), all, nowMs));
      const others = rules.filter((rule) => !isOfSite(rule));
      await this.#write(await this.#ofRules(others, all, nowMs));
    }
    await this.#write(await readings.find(false, nowMs));
    await this.#write([...this.#orphans(), ...this.#shelves(nowMs)]);
    await this.#write(this.#muted(nowMs));
  }

  async #write(operations: readonly AlarmOperation[]): Promise<void> {
    const { writer, lease } = this.#options;
    await writer.writeAll(operations, (tx: SqlQueries) => lease.require(tx));
  }

  async #ofRules(
    rules: readonly CompiledRule[],
    agentStates: AgentStateView,
    nowMs: number,
  ): Promise<AlarmOperation[]> {
    const operations: AlarmOperation[] = [];
    for (const rule of rules) operations.push(...(await this.#ofRule(rule, agentStates, nowMs)));
    return operations;
  }

  async #ofRule(rule: CompiledRule, agentStates: AgentStateView, nowMs: number): Promise<AlarmOperation[]> {
    const { network, activeAlarms } = this.#options;
    const active = [...activeAlarms.active].filter(
      ({ rule_id, subject_kind }) => rule_id === rule.id && subject_kind !== 'storm',
    );
    const findings: Finding[] = [];
    const chosen = candidatesOf(rule.record.rule, agentStates, new Set(active.map(({ subject }) => subject)));
    const shares = rule.kind === 'share_of_site' ? new SiteShares(rule.record.rule) : undefined;
    const judge = (agent: AgentRow | undefined) => {
      if (!agent || agent.isEnded || !rule.selector.test(agent)) return;
      const standing = { ...(agentStates.of(agent.ap_id) ?? neverHeardOf), ap_id: agent.ap_id, site: agent.site };
      if (shares) shares.add(standing);
      else findings.push(...findTimed(rule.record.rule, [standing], nowMs));
    };
    // Of 100,000 agents in small pieces, so that others have their turns.
    if (chosen) await inSlices(chosen, (ap_id) => judge(network.get(ap_id)));
    else await inSlices(network.agents, judge);
    const isActive = (site: string) => activeAlarms.find(rule.id, 'site', site) !== undefined;
    if (shares) findings.push(...shares.find(nowMs, isActive));
    return this.#toOperations(rule, active, findings);
  }

  #toOperations(rule: CompiledRule, active: readonly AlarmRecord[], findings: readonly Finding[]): AlarmOperation[] {
    const operations: AlarmOperation[] = [];
    // What the rule does not mean any more is no alarm.
    const unmeant = new Map(active.map((alarm) => [`${alarm.subject_kind}\n${alarm.subject}`, alarm]));
    for (const finding of findings) {
      const { subject_kind, subject, fires, value } = finding;
      unmeant.delete(`${subject_kind}\n${subject}`);
      if (fires === undefined) continue;
      const firing = this.#options.activeAlarms.find(rule.id, subject_kind, subject);
      if (fires && !firing) operations.push({ fire: this.#toAlarm(rule, finding) });
      if (!fires && firing) operations.push({ clear: firing, value });
    }
    return [...operations, ...Array.from(unmeant.values(), (clear) => ({ clear }))];
  }

  #toAlarm(rule: CompiledRule, { subject_kind, subject, site, sinceMs, value, of }: Finding) {
    const agent = subject_kind === 'agent' ? this.#options.network.get(subject) : undefined;
    const ap_id = agent?.ap_id ?? null;
    const name = agent?.display_name ?? subject;
    const message = toMessage(rule.record, { name, ap_id: ap_id ?? '', site: site ?? '', value, of });
    return { rule, subject_kind, subject, ap_id, site, sinceMs, value, message };
  }

  /** Alarms of rules or agents that are no more, and storms that are over. */
  #orphans(): AlarmOperation[] {
    const { activeAlarms, network } = this.#options;
    const operations: AlarmOperation[] = [];
    const causes = new Set<string>();
    for (const { inhibited_by } of activeAlarms.active) if (inhibited_by !== null) causes.add(inhibited_by);
    for (const alarm of activeAlarms.active) {
      const rule = activeAlarms.rule(alarm.rule_id);
      const known = alarm.ap_id === null ? undefined : network.get(alarm.ap_id);
      const agent = known?.isEnded ? undefined : known;
      const isOver = alarm.subject_kind === 'storm' && !causes.has(alarm.id);
      // Whoever raised it clears it, and it ends with them.
      if (alarm.subject_kind === 'app' && agent) continue;
      if (!rule || isOver || (alarm.ap_id !== null && !(agent && rule.selector.test(agent))))
        operations.push({ clear: alarm });
    }
    return operations;
  }

  #shelves(nowMs: number): AlarmOperation[] {
    const operations: AlarmOperation[] = [];
    for (const alarm of this.#options.activeAlarms.active) {
      if (alarm.shelved_until === null || alarm.shelved_until > nowMs) continue;
      operations.push({ change: alarm, to: { shelved_until: null, shelved_by: null }, event: 'unshelved' });
    }
    return operations;
  }

  /** Silences and causes come and go. Once there is neither, people are told of what is still firing. */
  #muted(nowMs: number): AlarmOperation[] {
    const { activeAlarms, muting } = this.#options;
    const view = muting();
    const operations: AlarmOperation[] = [];
    for (const alarm of activeAlarms.active) {
      const silenced_by = silencedBy(alarm, view, nowMs);
      const isOfStorm = alarm.inhibited_by !== null && activeAlarms.byId(alarm.inhibited_by)?.subject_kind === 'storm';
      const inhibited_by = causeOf(alarm, view) ?? (isOfStorm ? alarm.inhibited_by : null);
      const isFree = silenced_by === null && inhibited_by === null && alarm.shelved_until === null;
      const isNews = isFree && !alarm.is_announced;
      if (!isNews && silenced_by === alarm.silenced_by && inhibited_by === alarm.inhibited_by) continue;
      const to = { silenced_by, inhibited_by, ...(isNews && { is_announced: true }) };
      operations.push({ change: alarm, to, ...(isNews && { event: 'fired' as const }) });
    }
    return operations;
  }
}

// Whom a rule on states has to look at. Most access points are online and have no alarm: a rule finds nothing new about them. Pure.

/** `active`: the subjects of its alarms. Undefined: all access points. */
export function candidatesOf(
  rule: AlarmCriteria,
  agentStates: AgentStateView,
  active: ReadonlySet<string>,
): ReadonlySet<string> | undefined {
  const { state, state_changes, share_of_site: ofSite } = rule.condition;
  if (isAway(state)) return new Set([...agentStates.away, ...active]);
  if (state_changes !== undefined) return new Set([...agentStates.unsteady(state_changes), ...active]);
  if (!ofSite || !isAway(ofSite.state) || active.size > 0 || !SiteShares.isQuietAtNone(rule)) return undefined;
  for (const ap_id of agentStates.away) if (agentStates.of(ap_id)?.state === ofSite.state) return undefined;
  return new Set();
}

function isAway(state: string | undefined): boolean {
  return state === 'late' || state === 'offline';
}
