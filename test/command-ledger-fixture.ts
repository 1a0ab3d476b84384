// A ledger of commands on a database, without a server: what one node has.
import { createAuditLog } from '../controller/src/audit/audit-store.sql.ts';
import { BlastRadius } from '../controller/src/commands/arbitration/blast-radius.ts';
import type { Intent } from '../controller/src/commands/arbitration/conflict-intent.ts';
import { FleetMap } from '../controller/src/commands/arbitration/fleet-map.ts';
import { CommandDispatcher } from '../controller/src/commands/delivery/command-dispatcher.ts';
import { CommandDecision } from '../controller/src/commands/ledger/command-decision.ts';
import { CommandLedger } from '../controller/src/commands/ledger/command-ledger.ts';
import { CommandOperations } from '../controller/src/commands/ledger/command-operations.ts';
import { CommandStateMachine } from '../controller/src/commands/ledger/command-state-machine.ts';
import { createCommandStore } from '../controller/src/commands/ledger/command-store.sql.ts';
import type { NewCommand } from '../controller/src/commands/ledger/new-command.ts';
import { RulesKeeper } from '../controller/src/commands/ledger/rules-keeper.ts';
import { createMailboxStore } from '../controller/src/jobs/mailbox/mailbox-store.sql.ts';
import { createJobStore } from '../controller/src/jobs/store/job-store.sql.ts';
import type { SqlDatabase } from '../controller/src/storage/sql-database.ts';

export type LedgerNode = ReturnType<typeof openLedger>;

export function openLedger(database: SqlDatabase, now: () => number = Date.now) {
  const store = createCommandStore(database);
  const rules = new RulesKeeper(store, () => {});
  const fleet = new FleetMap(rules.current);
  const life = new CommandStateMachine({ retentionMs: 86_400_000, resendMs: 15_000 });
  const decision = new CommandDecision({ fleet, blast: new BlastRadius(), life });
  const operations = new CommandOperations({ store, decision, life, maxOpen: 20_000, isPublished: true });
  const jobs = createJobStore(database);
  const mailbox = createMailboxStore(database);
  const ledger = new CommandLedger({
    ...{ database, store, jobs, mailbox, audit: createAuditLog(database), rules, now },
    onCommitted: (committed) => {
      for (const { job_number } of committed.jobs) dispatcher.created(job_number);
      dispatcher.dispatch(committed.released);
    },
  });
  const onError = (error: unknown) => {
    throw error;
  };
  const isShared = database.dialect === 'postgres';
  const dispatcher = new CommandDispatcher({ store, ledger, operations, isShared, onError, now });
  const send = (intent: Intent, more: Partial<NewCommand> = {}) => ledger.do(operations.send(newCommand(intent, more)));
  return { store, ledger, operations, dispatcher, jobs, mailbox, send };
}

/** A command to the agent whose record is `agent-1`. */
export function newCommand(intent: Intent, more: Partial<NewCommand> = {}): NewCommand {
  const { caller_id: owner_id, caller_name: owner_name } = intent;
  return {
    ...{ intent, agent_id: 'agent-1', owner_kind: 'third_party_app', owner_id, owner_name },
    ...{ idempotency_key: null, guard: null, settle_ms: null, batch_id: null, inverse_of: null, ...more },
  };
}
