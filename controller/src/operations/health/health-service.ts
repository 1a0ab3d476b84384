// Health for callers: of the network as far as they may see it, and of one access point with its service levels.
import type { AlarmSeverity } from '@weft/contract';
import type { AgentHealthReport, NetworkHealth, ServiceLevel } from '@weft/contract/operations';
import type { SiteStore } from '../../core/accounts/sites/site-store.ts';
import type { Caller } from '../../core/base/caller.ts';
import type { FairTurns } from '../../core/base/shares/fair-turns.ts';
import { principalOf, type Shares } from '../../core/base/shares/shares.ts';
import { endInSlices, inSlices } from '../../core/base/time-slices.ts';
import type { AgentRow } from '../../core/network/agent-rows.ts';
import type { Network, NetworkMoment } from '../../core/network/network.ts';
import type { NetworkSight } from '../../core/network/sight.ts';
import { defaultIntervalMs } from '../../core/telemetry/presence/presence.ts';
import type { TelemetryStore } from '../../core/telemetry/store/telemetry-store.ts';
import { agentOf, asOfNow, canSeeAlarm } from '../alarms/api/alarm-rights.ts';
import type { AlarmRecord } from '../alarms/store/alarm-store.ts';
import type { ActiveAlarms } from '../alarms/watch/active-alarms.ts';
import { agentHealths, type HealthAgent, type HealthAlarm, isWorse, networkHealth } from './network-health.ts';
import { countMinutes, isBelowGoal, serviceMetrics, slotMsOf, toSlots } from './service-levels.ts';

const windowMinutes = 24 * 60;
const minuteMs = 60_000;
const nobody: ReadonlyMap<string, number> = new Map();
const turns = { slots: 4, perPrincipal: 2, maxWaiting: 200 };

export interface HealthServiceOptions {
  network: Network;
  alarms: Pick<ActiveAlarms, 'active' | 'rule'>;
  sites: Pick<SiteStore, 'namesOf'>;
  telemetry: Pick<TelemetryStore, 'query'>;
  shares: Shares;
}

export class HealthService {
  readonly #options: HealthServiceOptions;
  readonly #turns: FairTurns;

  constructor(options: HealthServiceOptions) {
    this.#options = options;
    this.#turns = options.shares.turns('health_queries', turns);
  }

  /** Counts, sites and the worst ones of what the caller may see. */
  async network(caller: Caller): Promise<NetworkHealth> {
    const { network } = this.#options;
    const moment = await network.moment({ state: true });
    const affected = (await network.columns.devicesAffected?.()) ?? nobody;
    const sight = moment.sightOf(caller);
    const agents: HealthAgent[] = [];
    await inSlices(moment.agents, (agent) => {
      if (!agent.isEnded && sight.sees(agent)) agents.push(toHealthAgent(agent, moment, affected));
    });
    const alarms = this.#alarms(sight);
    const names = await this.#options.sites.namesOf([...agents, ...alarms].flatMap(({ site }) => site ?? []));
    return endInSlices(networkHealth(agents, alarms, names));
  }

  /** Throws NotFoundError for an agent that is unknown or that the caller may not see. */
  async agent(caller: Caller, ap_id: string): Promise<AgentHealthReport> {
    const { network } = this.#options;
    const moment = await network.moment({ state: true });
    const sight = moment.sightOf(caller);
    const agent = sight.require(ap_id);
    const alarms = this.#alarms(sight).filter((alarm) => alarm.ap_id === ap_id && !alarm.isMuted);
    const own = toHealthAgent(agent, moment, (await network.columns.devicesAffected?.()) ?? nobody);
    const health = agentHealths([own], alarms).next().value?.health;
    const service = await this.#turns.run(principalOf(caller), () => this.#service(agent));
    const { state: _, ...labels } = own;
    const ended = { ...labels, health: 'unknown' as const, causes: ['Its emulated network has ended'] };
    const word = health ?? { ...ended, alarms: 0, severity: null };
    const below = service.filter(isBelowGoal);
    const causes = [...word.causes, ...below.map(inWords)].slice(0, 5);
    return {
      ...word,
      health: word.health === 'good' && below.length > 0 ? 'degraded' : word.health,
      causes,
      window_minutes: windowMinutes,
      service,
    };
  }

  /** The worst alarm of each access point that has one; muted alarms do not count. */
  severities(): Map<string, AlarmSeverity> {
    const worst = new Map<string, AlarmSeverity>();
    const nowMs = Date.now();
    for (const alarm of this.#options.alarms.active) {
      if (alarm.ap_id === null || isMuted(alarm, nowMs)) continue;
      const known = worst.get(alarm.ap_id);
      if (known === undefined || isWorse(alarm.severity, known)) worst.set(alarm.ap_id, alarm.severity);
    }
    return worst;
  }

  async #service(agent: AgentRow): Promise<ServiceLevel[]> {
    const endMs = Date.now();
    const slotMs = slotMsOf(agent.configuredMs ?? defaultIntervalMs);
    const startMs = endMs - windowMinutes * minuteMs;
    const { ts, columns } = await this.#options.telemetry.query({
      ap_id: agent.ap_id,
      startMs,
      endMs,
      metrics: serviceMetrics,
      maxPoints: windowMinutes,
      aggregate: 'mean',
    });
    const slots = toSlots(ts, columns, slotMs);
    // One that reports nothing of this is not measured by it.
    if (slots.length === 0) return [];
    const firstMs = ts[0]!;
    return countMinutes(slots, Math.max(1, Math.floor((endMs - firstMs) / slotMs)), slotMs);
  }

  #alarms(sight: NetworkSight): HealthAlarm[] {
    const { alarms } = this.#options;
    const nowMs = Date.now();
    return [...alarms.active]
      .filter((alarm) => canSeeAlarm(sight, alarm))
      .map((alarm) => ({
        ...asOfNow(alarm, agentOf(sight, alarm)),
        product: alarms.rule(alarm.rule_id)?.record.product ?? null,
        isMuted: isMuted(alarm, nowMs),
        isInhibited: alarm.inhibited_by !== null,
      }));
  }
}

/** Planned work, or put aside by somebody. */
function isMuted({ silenced_by, shelved_until }: AlarmRecord, nowMs: number): boolean {
  return silenced_by !== null || (shelved_until !== null && shelved_until > nowMs);
}

function toHealthAgent(agent: AgentRow, moment: NetworkMoment, affected: ReadonlyMap<string, number>): HealthAgent {
  const { ap_id, display_name, site } = agent;
  return { ap_id, display_name, site, devices_affected: affected.get(ap_id) ?? 0, state: moment.stateOf(agent) };
}

const words: Record<ServiceLevel['level'], string> = {
  availability: 'It reported',
  coverage: 'Its signal was strong enough',
  capacity: 'It had room for more',
  latency: 'Data waited less than 100 ms',
  handover: 'Hand-overs succeeded',
  energy: 'It drew no more power than expected',
};

function inWords({ level, good_minutes, minutes }: ServiceLevel): string {
  return `${words[level]} in ${Math.floor((100 * good_minutes) / minutes)} % of the time`;
}
