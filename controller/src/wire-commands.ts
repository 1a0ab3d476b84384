// The command path, put together: ledger, decisions, dispatcher, guards, roll-outs. Part of the composition root; wire.ts
// starts and stops what stands here.
import type { Broker } from '@weft/broker';
import type { LoginType } from '@weft/contract';
import type { AgentService } from './agents/agent-service.ts';
import { createAuditLog } from './audit/audit-store.sql.ts';
import type { PrincipalSource } from './caller.ts';
import { BatchService } from './commands/api/batch-service.ts';
import { CommandIntake } from './commands/api/command-intake.ts';
import { commandRoutes } from './commands/api/command-routes.ts';
import { CommandService } from './commands/api/command-service.ts';
import { conflictRoutes } from './commands/api/conflict-routes.ts';
import { ConflictService } from './commands/api/conflict-service.ts';
import { BlastRadius } from './commands/arbitration/blast-radius.ts';
import { FleetMap } from './commands/arbitration/fleet-map.ts';
import { CommandDispatcher } from './commands/delivery/command-dispatcher.ts';
import { CommandDecision } from './commands/ledger/command-decision.ts';
import { CommandLedger } from './commands/ledger/command-ledger.ts';
import { CommandOperations } from './commands/ledger/command-operations.ts';
import { CommandStateMachine } from './commands/ledger/command-state-machine.ts';
import { createCommandStore } from './commands/ledger/command-store.sql.ts';
import { RulesKeeper } from './commands/ledger/rules-keeper.ts';
import { CommandUpkeep } from './commands/upkeep/command-upkeep.ts';
import { GuardWatch } from './commands/upkeep/guard-watch.ts';
import type { Config } from './config.ts';
import type { Logger } from './http/request/log.ts';
import { RateLimiter } from './rate-limiter.ts';
import type { SqlDatabase } from './storage/sql-database.ts';
import type { Sample } from './telemetry/store/telemetry-store.ts';
import type { JobPath } from './wire-jobs.ts';

const minute = 60_000;
const hour = 3_600_000;
const resendMs = 15_000;
/** Of one caller. */
const maxOpenCommands = 20_000;
const agentsPerNews = 100;

export interface CommandPathParts {
  config: Config;
  database: SqlDatabase;
  broker: Broker;
  principals: Record<LoginType, PrincipalSource>;
  agents: AgentService;
  jobParts: JobPath['parts'];
  log: Logger;
}

export type CommandPath = ReturnType<typeof createCommandPath>;

export function createCommandPath({ config, database, broker, principals, agents, jobParts, log }: CommandPathParts) {
  const onError = (err: unknown, message: string) => log.warn({ err }, message);
  const onChange = (message: string, err?: unknown) => (err ? log.warn({ err }, message) : log.info(message));
  const { jobStore, mailboxStore, mailbox, outbox } = jobParts;
  const retentionMs = config.jobs.retentionHours * hour;
  const isShared = database.dialect === 'postgres';
  // The embedded broker has nobody else to carry messages to.
  const isPublished = config.amqpUrl !== undefined;
  const store = createCommandStore(database);
  const audit = createAuditLog(database);
  const rules = new RulesKeeper(store, (changed) => fleet.rulesChanged(changed));
  const fleet = new FleetMap(rules.current);
  const life = new CommandStateMachine({ retentionMs, resendMs });
  const decision = new CommandDecision({ fleet, blast: new BlastRadius(), life });
  const operations = new CommandOperations({ store, decision, life, maxOpen: maxOpenCommands, isPublished });
  let decided = 0;
  const ledger = new CommandLedger({
    ...{ database, store, jobs: jobStore, mailbox: mailboxStore, audit, rules },
    onCommitted: ({ jobs, messages, released, frozen, hasGuards }) => {
      decided += jobs.length;
      if (isPublished) for (const { job_number } of jobs) dispatcher.created(job_number);
      dispatcher.dispatch(released);
      mailbox.tell(messages);
      if (isPublished) for (const job of jobs) outbox.publish(job);
      if (isShared) tellNodes([...new Set(released.map(({ ap_id }) => ap_id))]);
      for (const parameter of frozen) log.warn(parameter, 'a parameter goes back and forth and is frozen');
      if (hasGuards) guards.refresh().catch((error) => onError(error, 'guards could not be read'));
    },
  });
  const dispatcher = new CommandDispatcher({ store, ledger, operations, isShared, onError });
  const rate = new RateLimiter('too_many_commands', { max: config.limits.commandsPerApp, windowMs: minute });
  const intake = new CommandIntake({ agents, fleet, rate });
  const commands = new CommandService({ store, ledger, operations, intake });
  const guards = new GuardWatch({ store, ledger, operations, agents, onError });
  const batches = new BatchService({
    ...{ store, ledger, operations, intake, agents, onError },
    callerNow: async (kind, name, id) => {
      const caller = (await principals[kind].principal(name))?.caller;
      return caller?.id === id ? caller : undefined;
    },
  });
  const reloadFleet = () => fleet.load((after, limit) => agents.page(after, limit));
  const upkeep = new CommandUpkeep({
    ...{ store, ledger, operations, dispatcher, guards, batches, retentionMs, onChange },
    reloadFleet: isShared ? reloadFleet : undefined,
  });

  function tellNodes(ap_ids: string[]): void {
    for (let start = 0; start < ap_ids.length; start += agentsPerNews) {
      broker.tell(JSON.stringify({ commands_of: ap_ids.slice(start, start + agentsPerNews) }));
    }
  }

  return {
    routes: [
      ...commandRoutes({ commands, batches, delivery: dispatcher }),
      ...conflictRoutes(new ConflictService({ database, audit, rules, ledger })),
    ],
    delivery: dispatcher,
    metrics: {
      weft_commands_total: { help: 'Commands that this process has accepted', value: () => decided },
    },
    cancelJob: commands.cancelJob.bind(commands),
    configured: (agent: { ap_id: string; configuration: Record<string, unknown> }) => fleet.set(agent),
    /** Before the agent's record goes. */
    async agentRemoved(ap_id: string): Promise<void> {
      fleet.remove(ap_id);
      const open = await store.listOpen(ap_id);
      if (open.length > 0 || (await store.hasTraces(ap_id))) await ledger.do(operations.agentRemoved(ap_id, open));
    },
    recorded: (ap_id: string, samples: readonly Sample[]) => guards.recorded(ap_id, samples),
    /** Once the tables are there. */
    async prepare(): Promise<void> {
      await rules.refresh(database);
      await reloadFleet();
      await guards.refresh();
    },
    async start(): Promise<void> {
      if (!config.roles.includes('api')) return;
      broker.listen(
        (news) => dispatcher.lookFor(parseNews(news)),
        () => {},
      );
      await broker.consume('send_command', { prefetch: 200 }, async ({ id, body }) => {
        const ap_id = parseAgent(body);
        if (ap_id !== undefined) dispatcher.onBrokerMessage(id, ap_id);
      });
      upkeep.start();
    },
    async stop(): Promise<void> {
      await upkeep.stop();
      await dispatcher.stop();
      await ledger.idle();
    },
  };
}

/** The agents that another node has commands for. */
function parseNews(text: string): string[] {
  try {
    const { commands_of } = JSON.parse(text);
    return Array.isArray(commands_of) ? commands_of.map(String) : [];
  } catch {
    return [];
  }
}

function parseAgent(body: Uint8Array): string | undefined {
  try {
    const { data } = JSON.parse(Buffer.from(body).toString());
    return typeof data?.agent_id === 'string' ? data.agent_id : undefined;
  } catch {
    return undefined;
  }
}
