// Commands as a part: ledger, decisions, dispatcher, guards, roll-outs. transports-part.ts brings commands to the agents.

import { parseObject } from '@weft/contract/is-object';
import type { AuditLog } from '../accounts/audit/audit-store.ts';
import type { EventLog } from '../accounts/event-log/event-log.ts';
import { callerNow, callersNow, type Principals } from '../base/caller.ts';
import { limitPerMinutes } from '../base/shares/rate-limiter.ts';
import type { DevicesPart } from '../devices/devices-part.ts';
import type { Events } from '../events.ts';
import type { JobsPart } from '../jobs/jobs-part.ts';
import type { AgentRowStore } from '../network/agent-row-store.ts';
import type { Network } from '../network/network.ts';
import type { Part, Platform } from '../part.ts';
import { BatchService } from './api/batch-service.ts';
import { CommandIntake } from './api/command-intake.ts';
import { commandRoutes } from './api/command-routes.ts';
import { CommandService } from './api/command-service.ts';
import { conflictRoutes } from './api/conflict-routes.ts';
import { ConflictService } from './api/conflict-service.ts';
import { GuardScope } from './api/guard-scope.ts';
import { RivalVisibility } from './api/rival-visibility.ts';
import { createCommandCore } from './command-core.ts';
import { DeviceDelivery } from './delivery/device-delivery.ts';
import type { SteeringOutcome } from './grammar/device-commands.ts';
import { CommandEnding } from './ledger/command-ending.ts';
import { CommandStore } from './ledger/command-store.ts';
import { DeviceErasure } from './ledger/device-erasure.ts';
import { commandableAmong, type PresentRights } from './ledger/present-rights.ts';
import { parameterOwner } from './parameter-owner.ts';
import { CommandUpkeep } from './upkeep/command-upkeep.ts';
import { GuardWatch } from './upkeep/guard-watch.ts';

const hour = 3_600_000;
const agentsPerNews = 100;

const pruneRows = 200;
const statesKeptMs = 30 * 86_400_000;

interface CommandsPartDeps extends Platform {
  principals: Principals;
  network: Network;
  agentRows: AgentRowStore;
  auditLog: AuditLog;
  eventLog: EventLog;
  jobs: Pick<JobsPart, 'kinds' | 'jobStore' | 'mailboxStore' | 'mailbox' | 'outbox'>;
  devices: Pick<DevicesPart, 'names' | 'addresses'>;
}

export type CommandsPart = ReturnType<typeof createCommandsPart>;

export function createCommandsPart(deps: CommandsPartDeps, events: Events) {
  const { config, database, broker, keyring, shares, principals, network, agentRows, auditLog: audit } = deps;
  const { log, retention, now, onError, onChange } = deps;
  const { jobStore, mailboxStore, mailbox, outbox } = deps.jobs;
  const retentionMs = config.jobRetentionHours * hour;
  const isShared = database.dialect === 'postgres';
  // The embedded broker has nobody else to carry messages to.
  const isPublished = config.amqpUrl !== undefined;
  const store = new CommandStore(database);
  const rights: PresentRights = {
    callers: (tx, refs) => callersNow(principals, tx, refs),
    commandable: commandableAmong(network),
  };
  const { names, addresses } = deps.devices;
  const devices = new DeviceDelivery({
    radiosOf: (ap_id) => network.get(ap_id)?.radios,
    identityAt: (ap_id, device) => addresses.identityAt(ap_id, device),
    withoutIdentities: (ap_id, value) => addresses.withoutIdentities(ap_id, value),
  });
  const { rules, surroundings, operations, ledger, dispatcher, committed } = createCommandCore({
    database,
    network,
    store,
    jobs: jobStore,
    mailbox: mailboxStore,
    audit,
    eventLog: deps.eventLog,
    onSteered: events.devicesSteering.run,
    keyring,
    devices,
    retentionMs,
    isPublished,
    rights,
    now,
    onError,
  });
  const rate = limitPerMinutes('too_many_commands', config.commandsPerApp, 1);
  const intake = new CommandIntake({ network, rate, keyring, names, now });
  const sight = new RivalVisibility(network);
  const { telemetryStore: telemetry } = deps;
  const parameters = parameterOwner();
  const scope = new GuardScope({
    ...{ network, agentRows, surroundings, rules, telemetry, parameters },
  });
  const commands = new CommandService({ store, ledger, operations, intake, sight, guards: scope, parameters, now });
  const guards = new GuardWatch({ store, ledger, operations, network, telemetry, now, onError });
  const batches = new BatchService({
    store,
    ledger,
    operations,
    intake,
    sight,
    keyring,
    network,
    shares,
    now,
    onError,
    callerNow: (ref) => callerNow(principals, database, ref),
  });
  const none = { nowMs: 0, commandsBefore: 0, statesBefore: 0 };
  retention.add(
    {
      name: 'commands',
      keptMs: retentionMs,
      remove: (nowMs) => store.prune({ ...none, commandsBefore: nowMs - retentionMs }, pruneRows),
    },
    {
      name: 'leases and parameters',
      keptMs: statesKeptMs,
      remove: (nowMs) => store.prune({ ...none, nowMs, statesBefore: nowMs - statesKeptMs }, pruneRows),
    },
  );
  const upkeep = new CommandUpkeep({
    store,
    ledger,
    operations,
    dispatcher,
    guards,
    batches,
    now,
    onChange,
    network,
    isShared,
  });

  let decided = 0;
  committed.on(({ jobs, messages, released, frozen, hasGuards, steered }) => {
    decided += jobs.length;
    mailbox.tell(messages);
    if (steered.length > 0) events.devicesSteered.emit(steered);
    if (isPublished) for (const job of jobs) outbox.publish(job);
    if (isShared) tellNodes([...new Set(released.map(({ ap_id }) => ap_id))]);
    for (const parameter of frozen) log.warn(parameter, 'a parameter goes back and forth and is frozen');
    if (hasGuards) guards.refresh().catch((error) => onError(error, 'guards could not be read'));
  });

  function tellNodes(ap_ids: string[]): void {
    for (let start = 0; start < ap_ids.length; start += agentsPerNews) {
      deps.news.broadcast(JSON.stringify({ commands_of: ap_ids.slice(start, start + agentsPerNews) }));
    }
  }

  const ending = new CommandEnding({ store, ledger, operations, rights });
  events.callerChanged.within(ending.step);
  events.networkEnded.within(ending.network);
  events.deviceErased.within(new DeviceErasure({ store, ledger, operations }).step);
  events.recorded.on((ap_id, samples) => guards.recorded(ap_id, samples));
  events.agentRemoved.add('work', async (ap_id) => {
    const open = await store.listOpen(ap_id);
    if (open.length > 0 || (await store.hasTraces(ap_id))) await ledger.do(operations.agentRemoved(ap_id, open));
  });
  deps.jobs.kinds.set('send_command', { cancel: (caller, job) => commands.cancelJob(caller, job) });

  return {
    delivery: dispatcher,
    parameters,
    listUnderWay: (ap_ids: readonly string[]) => store.listUnderWay(ap_ids, now()),
    steering: {
      listAwaiting: (limit: number) => store.listAwaiting(limit),
      conclude: (command_id: string, outcome: SteeringOutcome) =>
        ledger.do(operations.steering.concluded(command_id, outcome)),
    },
    batches,
    routes: [
      ...commandRoutes({ commands, batches, sight, delivery: dispatcher }),
      ...conflictRoutes(new ConflictService({ audit, rules, ledger, sight })),
    ],
    replicas: { conflict_rules: rules.replica },
    metrics: {
      weft_commands_total: { help: 'Commands that this process has accepted', value: () => decided },
    },
    async prepare() {
      await rules.replica.fresh();
      await guards.refresh();
    },
    async start() {
      if (!config.roles.includes('api')) return;
      deps.news.listen(
        (news) => dispatcher.lookFor(parseNews(news)),
        () => {},
      );
      await broker.consume('send_command', { prefetch: 200 }, async ({ id, body }) => {
        const ap_id = parseAgent(body);
        if (ap_id !== undefined) dispatcher.onBrokerMessage(id, ap_id);
      });
      upkeep.start();
    },
    async stop() {
      await upkeep.stop();
      await dispatcher.stop();
      await ledger.idle();
    },
  } satisfies Part & Record<string, unknown>;
}

/** The agents that another node has commands for. */
function parseNews(text: string): string[] {
  const { commands_of } = parseObject(text) ?? {};
  return Array.isArray(commands_of) ? commands_of.map(String) : [];
}

function parseAgent(body: Uint8Array): string | undefined {
  const { data } = (parseObject(body) ?? {}) as { data?: { agent_id?: unknown } | null };
  return typeof data?.agent_id === 'string' ? data.agent_id : undefined;
}
