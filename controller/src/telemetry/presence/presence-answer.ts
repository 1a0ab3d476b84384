// What leaves of the presence of one agent.
import type { AgentPresence } from '@weft/contract';
import { type AgentPresenceTracker, defaultIntervalMs } from './presence.ts';

type Told = Pick<AgentPresence, 'channel' | 'command_ready' | 'report_budget'>;

export function toNeverConnected(ap_id: string, configuredMs: number | undefined, told: Told): AgentPresence {
  const { channel, command_ready } = told;
  return {
    ap_id,
    presence: 'offline',
    last_seen: null,
    since: null,
    reason: 'Never connected.',
    report_interval_seconds: (configuredMs ?? defaultIntervalMs) / 1000,
    channel,
    command_ready,
  };
}

export function toAgentPresence(
  ap_id: string,
  tracker: AgentPresenceTracker,
  nowMs: number,
  told: Told,
): AgentPresence {
  const { presence, sinceMs, reason } = tracker.stateAt(nowMs);
  const { channel, command_ready, report_budget } = told;
  return {
    ap_id,
    presence,
    last_seen: new Date(tracker.record.last_seen).toISOString(),
    since: sinceMs === null ? null : new Date(sinceMs).toISOString(),
    reason,
    report_interval_seconds: tracker.intervalMs / 1000,
    channel,
    command_ready,
    ...(report_budget && { report_budget }),
  };
}
