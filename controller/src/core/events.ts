// What the parts of Weft tell and ask one another. A part listens to what others emit without knowing them, so that parts
// can be created one after the other and none refers to a later one.
import type {
  AlarmSeverity,
  ConfigConfirmMessage,
  ConfigMessage,
  ConfigResultMessage,
  ConfigRunningMessage,
  EmulatorLease,
} from '@weft/contract';
import type { ConfigState } from '@weft/contract/selector';
import type { NewAuditEntry } from './accounts/audit/audit-entry.ts';
import type { AgentCaller, Caller, CallerChange } from './base/caller.ts';
import type { AgentSight } from './base/rights/rights.ts';
import type { EndingNetwork } from './base/storage/ended-agents.ts';
import type { SteeredDevice } from './commands/ledger/ledger-batch.ts';
import type { DeviceChange } from './devices/registry/device-changes.ts';
import { ChangeEvent, Cleanup, Event, Question, TransactionStep } from './event-kinds.ts';
import type { JobRecord } from './jobs/store/job-record.ts';
import type { DeviceList } from './telemetry/ingest/device-list.ts';
import type { IgnoredFields } from './telemetry/ingest/ignored-fields.ts';
import type { CommandTransports } from './telemetry/presence/presence-service.ts';
import type { PresenceChange } from './telemetry/presence/presence-transitions.ts';
import type { Sample } from './telemetry/store/telemetry-store.ts';

type ConfigDown = ConfigMessage | ConfigConfirmMessage;
type ConfigUp = ConfigResultMessage | ConfigRunningMessage;

/** The labels of an agent that settings depend on, as they were and as they are or would be. */
export interface Relabelled {
  ap_id: string;
  before: { site: string | null; tags: readonly string[] };
  after: { site: string | null; tags: readonly string[] };
}

export type Events = ReturnType<typeof createEvents>;

export function createEvents() {
  return {
    /** A caller's record changed in a way that touches its tokens, its rights or what it owns. */
    callerChanged: new ChangeEvent<CallerChange>(),
    /** An emulated network ends: what is open about its agents ends in the same transaction. */
    networkEnded: new ChangeEvent<EndingNetwork>(),
    /** This node has learned that the network of an agent has ended, now or at its start. */
    agentEnded: new Event<[ap_id: string]>(),
    /** Whether the network of an agent has ended, as this node knows it. */
    hasEnded: new Question<[ap_id: string], boolean>(),
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
    /** The sites of the access points that a caller may see, each with how many there are; undefined: all. */
    visibleSites: new Question<[caller: Caller], Promise<ReadonlyMap<string, number> | undefined>>(),
    /** An agent is about to be removed: whoever gets its name next must not find anything of it. */
    agentRemoved: new Cleanup<[ap_id: string]>(),
    /** Samples of an agent are durable; also for a report without any. */
    recorded: new Event<[ap_id: string, samples: readonly Sample[], receivedMs: number]>(),
    /** Takes the devices of a report, in the order of time; resolves once what changed is durable, with what was left out. */
    devicesReported: new Question<[ap_id: string, lists: readonly DeviceList[]], Promise<IgnoredFields | undefined>>(),
    /** Devices joined, left or moved; this node has made it durable. */
    devicesChanged: new Event<[changes: readonly DeviceChange[]]>(),
    /** An access point has said which devices it serves. */
    devicesListed: new Event<[ap_id: string]>(),
    /** Steering commands end, by what the network saw: steps of the transaction in which they do, and afterwards. */
    devicesSteering: new TransactionStep<[steered: readonly SteeredDevice[]]>(),
    devicesSteered: new Event<[steered: readonly SteeredDevice[]]>(),
    /** A device is erased, with all names that stood for it. */
    deviceErased: new ChangeEvent<{ names: readonly string[] }>(),
    /** What a caller sees of the network now, and what of it matches a selector. */
    agentSight: new Question<[caller: Caller, selector: string], Promise<AgentSight>>(),
    /** Agents are in another state than before, as the one node found that looks after the whole network; only there. */
    presenceChanged: new Event<[changes: readonly PresenceChange[]]>(),
    /** This node has appended to the event log; what it appended is durable. */
    logged: new Event<[]>(),
    /** The broker has created a queue again; whatever was in the old one is lost. */
    queueLost: new Event<[queue: string, agoMs?: number]>(),
    /** The path of the site of an agent, as this node knows it. */
    siteOf: new Question<[ap_id: string], { site: string | null }>(),
    /** The worst alarm of each agent that has one, as far as somebody wants to hear of it. */
    agentSeverities: new Question<[], ReadonlyMap<string, AlarmSeverity>>(),
    /** How many devices lost service because of an access point, in incidents that are open. */
    devicesAffected: new Question<[], Promise<ReadonlyMap<string, number>>>(),
    /** The ids of the agents with this display name, in any case. */
    agentsCalled: new Question<[display_name: string], Promise<string[]>>(),
    /** How commands reach an agent now. */
    commandTransports: new Question<[ap_id: string, configuration: Record<string, unknown>], CommandTransports>(),
    /** What is to be said to an agent about its settings; with `isFresh`, over a new connection. */
    configDue: new Question<[agent: AgentCaller, isFresh: boolean], Promise<ConfigDown | undefined>>(),
    /** An agent says something about its settings, over this connection; resolves what is to be said to it, once all is durable. */
    configHeard: new Question<
      [agent: AgentCaller, message: ConfigUp, connection: string],
      Promise<ConfigDown | undefined>
    >(),
    /** How agents stand to what they shall be, by their ids; not in it: no layer is about it. */
    configStates: new Question<[], Promise<ReadonlyMap<string, ConfigState>>>(),
    /** The settings of an agent, of those that it shall have, which commands set by this parameter. */
    settingsOf: new Question<[ap_id: string, parameter: string], Promise<string[]>>(),
    /** What the agent says that it runs, by leaf; undefined: it has said nothing. */
    settingsRun: new Question<[ap_id: string], Promise<ReadonlyMap<string, unknown> | undefined>>(),
    /** What these agents said last that they run, and the hash of what they were given; by ap_id. */
    settingsGiven: new Question<[ap_ids: readonly string[]], Promise<NonNullable<EmulatorLease['settings']>>>(),
    /** Whose settings these labels change; of all of them, the ap_ids. */
    reconfigured: new Question<[changes: readonly Relabelled[]], Promise<ReadonlySet<string>>>(),
    /** Something may be due for the agent. */
    configWoken: new Event<[ap_id: string]>(),
    /** Cancels a job that is more than a job, and resolves whether it was one; undefined for another part's kind of job. */
    cancelJob: new Question<[caller: Caller, job: JobRecord], Promise<boolean>>(),
  };
}
