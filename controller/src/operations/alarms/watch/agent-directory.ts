// What alarms must know of every agent is in the index of all agents: what selectors ask, its site, and how often it reports.
import type { FleetIndex, IndexedAgent } from '../../../core/fleet/index/fleet-index.ts';

/** The same object for as long as nothing about the agent changes. */
export type KnownAgent = IndexedAgent;

export type AgentDirectory = Pick<FleetIndex, 'get' | 'agents' | 'refresh'>;
