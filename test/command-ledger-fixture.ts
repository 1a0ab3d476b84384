// The ledger of commands on a database, without a server: what one node has.
import { AuditLog } from '../controller/src/core/accounts/audit/audit-store.ts';
import { generateSecret, Keyring } from '../controller/src/core/base/secrets.ts';
import type { SqlDatabase } from '../controller/src/core/base/storage/sql-database.ts';
import type { Intent } from '../controller/src/core/commands/arbitration/conflict-intent.ts';
import { createCommandCore } from '../controller/src/core/commands/command-core.ts';
import { CommandStore } from '../controller/src/core/commands/ledger/command-store.ts';
import type { NewCommand } from '../controller/src/core/commands/ledger/new-command.ts';
import { MailboxStore } from '../controller/src/core/jobs/mailbox/mailbox-store.ts';
import { JobStore } from '../controller/src/core/jobs/store/job-store.ts';
import { AgentRowStore } from '../controller/src/core/network/agent-row-store.ts';
import { Network } from '../controller/src/core/network/network.ts';

export type LedgerNode = ReturnType<typeof openLedger>;

export function openLedger(database: SqlDatabase, now: () => number = Date.now) {
  const store = new CommandStore(database);
  const jobs = new JobStore(database);
  const mailbox = new MailboxStore(database);
  const { ledger, operations, dispatcher } = createCommandCore({
    database,
    network: new Network(new AgentRowStore(database)),
    store,
    jobs,
    mailbox,
    audit: new AuditLog(database),
    keyring: new Keyring(generateSecret()),
    retentionMs: 86_400_000,
    isPublished: true,
    onError: (error) => {
      throw error;
    },
    now,
  });
  const send = (intent: Intent, more: Partial<NewCommand> = {}) => ledger.do(operations.send(newCommand(intent, more)));
  return { store, ledger, operations, dispatcher, jobs, mailbox, send };
}

/** A command to the agent whose record is `agent-1`. */
export function newCommand(intent: Intent, more: Partial<NewCommand> = {}): NewCommand {
  const { caller_id: owner_id, caller_name: owner_name } = intent;
  return {
    intent,
    text: null,
    sealed: null,
    agent_id: 'agent-1',
    owner_kind: 'third_party_app',
    owner_id,
    owner_name,
    idempotency_key: null,
    guard: null,
    settle_ms: null,
    batch_id: null,
    inverse_of: null,
    ...more,
  };
}
