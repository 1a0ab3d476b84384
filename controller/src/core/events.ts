// What the parts of Weft tell and ask one another. A part listens to what others emit without knowing them, so that parts
// can be created one after the other and none refers to a later one.
import type { NewAuditEntry } from './accounts/audit/audit-entry.ts';
import type { CallerChange } from './base/caller.ts';
import type { EndingNetwork } from './base/storage/ended-agents.ts';
import type { SteeredDevice } from './commands/ledger/ledger-batch.ts';
import type { DeviceChange } from './devices/registry/device-changes.ts';
import { ChangeEvent, Cleanup, Event, TransactionStep } from './event-kinds.ts';
import type { PresenceChange } from './telemetry/presence/presence-transitions.ts';
import type { Sample } from './telemetry/store/telemetry-store.ts';

export type Events = ReturnType<typeof createEvents>;

export function createEvents() {
  return {
    /** A caller's record changed in a way that touches its tokens, its rights or what it owns. */
    callerChanged: new ChangeEvent<CallerChange>(),
    /** An emulated network ends: what is open about its agents ends in the same transaction. */
    networkEnded: new ChangeEvent<EndingNetwork>(),
    /** This node has learned that the network of an agent has ended, now or at its start. */
    agentEnded: new Event<[ap_id: string]>(),
    /** Entries were appended to the audit log; further steps of the same transaction. */
    audited: new TransactionStep<[entries: readonly NewAuditEntry[]]>(),
    /** Another process has changed the database; it is unknown what. */
    recordsChanged: new Event<[]>(),
    /** An agent is new or has another configuration than before. */
    agentConfigured: new Event<[agent: { ap_id: string; configuration: Record<string, unknown> }]>(),
    /** Sites were created, changed, moved or removed. */
    sitesChanged: new Event<[]>(),
    /** The labels of an agent have changed. */
    labelsChanged: new Event<[ap_id: string]>(),
    /** An agent is about to be removed: whoever gets its name next must not find anything of it. */
    agentRemoved: new Cleanup<[ap_id: string]>(),
    /** Samples of an agent are durable; also for a report without any. */
    recorded: new Event<[ap_id: string, samples: readonly Sample[], receivedMs: number]>(),
    /** Devices joined, left or moved; this node has made it durable. */
    devicesChanged: new Event<[changes: readonly DeviceChange[]]>(),
    /** An access point has said which devices it serves. */
    devicesListed: new Event<[ap_id: string]>(),
    /** Steering commands end, by what the network saw: steps of the transaction in which they do, and afterwards. */
    devicesSteering: new TransactionStep<[steered: readonly SteeredDevice[]]>(),
    devicesSteered: new Event<[steered: readonly SteeredDevice[]]>(),
    /** A device is erased, with all names that stood for it. */
    deviceErased: new ChangeEvent<{ names: readonly string[] }>(),
    /** Agents are in another state than before, as the one node found that looks after the whole network; only there. */
    presenceChanged: new Event<[changes: readonly PresenceChange[]]>(),
    /** This node has appended to the event log; what it appended is durable. */
    logged: new Event<[]>(),
    /** The broker has created a queue again; whatever was in the old one is lost. */
    queueLost: new Event<[queue: string, agoMs?: number]>(),
  };
}
