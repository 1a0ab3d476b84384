// What every change of commands goes through, on one database: the store, the rules, the decision, the ledger and the
// dispatcher. The part (commands-part.ts) puts intake, transports and upkeep around it.
import { BoundedMap } from '@weft/contract/bounded-map';
import type { AuditLog } from '../accounts/audit/audit-store.ts';
import type { Keyring } from '../base/secrets.ts';
import type { SqlDatabase } from '../base/storage/sql-database.ts';
import { Event } from '../event-kinds.ts';
import type { MailboxStore } from '../jobs/mailbox/mailbox-store.ts';
import type { JobStore } from '../jobs/store/job-store.ts';
import type { Network } from '../network/network.ts';
import { BlastRadius } from './arbitration/blast-radius.ts';
import { Surroundings } from './arbitration/surroundings.ts';
import { CommandDispatcher } from './delivery/command-dispatcher.ts';
import type { DeviceDelivery } from './delivery/device-delivery.ts';
import { CommandDecision } from './ledger/command-decision.ts';
import { CommandLedger, type CommandLedgerOptions, type Committed } from './ledger/command-ledger.ts';
import { CommandOperations } from './ledger/command-operations.ts';
import { CommandStateMachine } from './ledger/command-state-machine.ts';
import { RulesKeeper } from './ledger/rules-keeper.ts';

const resendMs = 15_000;
/** Of one caller. */
const maxOpenCommands = 20_000;
const maxUnwritten = 50_000;

type OfLedger = 'store' | 'eventLog' | 'onSteered' | 'rights' | 'onError' | 'now';

export interface CommandCoreOptions extends Pick<CommandLedgerOptions, OfLedger> {
  database: SqlDatabase;
  network: Pick<Network, 'agents' | 'taken' | 'gone'>;
  jobs: JobStore;
  mailbox: MailboxStore;
  audit: AuditLog;
  keyring: Pick<Keyring, 'decrypt'>;
  /** See CommandDispatcher. */
  devices?: DeviceDelivery;
  retentionMs: number;
  /** Whether jobs of commands are published on a broker that other nodes read. */
  isPublished: boolean;
}

export function createCommandCore(options: CommandCoreOptions) {
  const { database, store, jobs, mailbox, audit, eventLog, keyring, retentionMs, isPublished, rights } = options;
  const { onError, now } = options;
  const rules = new RulesKeeper(database);
  const surroundings = new Surroundings(options.network, rules.current);
  rules.replica.changed.on(() => surroundings.rulesChanged(rules.current));
  const life = new CommandStateMachine({ retentionMs, resendMs });
  // Sent to agents, but not yet recorded in the database. Beyond the limit the oldest are dropped and sent once more.
  const unwritten = new BoundedMap<string>(maxUnwritten);
  const isSent = (command_id: string) => unwritten.has(command_id);
  const decision = new CommandDecision({ surroundings, blast: new BlastRadius(), life, isSent });
  const operations = new CommandOperations({ store, decision, life, maxOpen: maxOpenCommands, isPublished });
  const committed = new Event<[Committed]>();
  const ledger = new CommandLedger({
    database,
    store,
    jobs,
    mailbox,
    audit,
    eventLog,
    onSteered: options.onSteered,
    rules,
    afterwards: operations.guards.concludeRollBacks,
    rights,
    onCommitted: committed.emit,
    onError,
    now,
  });
  const isShared = database.dialect === 'postgres';
  const dispatcher = new CommandDispatcher({
    store,
    ledger,
    operations,
    keyring,
    devices: options.devices,
    unwritten,
    isShared,
    onError,
    now,
  });
  committed.on(({ jobs, released, ended }) => {
    dispatcher.ended(ended);
    if (isPublished) for (const { job_number } of jobs) dispatcher.created(job_number);
    dispatcher.dispatch(released);
  });
  return { rules, surroundings, operations, ledger, dispatcher, committed };
}
