// All changes of commands go through the ledger: operations that wait are run in one transaction and share its commit. The
// transaction locks the audit log at its beginning, so decisions are made one after the other on all nodes, and what is read
// after that is current.

import type { ConflictRules } from '@weft/contract';
import { BatchQueue } from '@weft/contract/batch-queue';
import type { AuditLog } from '../../accounts/audit/audit-store.ts';
import type { EventLog } from '../../accounts/event-log/event-log.ts';
import { TryLaterError, WeftError } from '../../base/errors.ts';
import type { SqlDatabase, SqlQueries } from '../../base/storage/sql-database.ts';
import type { MailboxStore, MessageRecord } from '../../jobs/mailbox/mailbox-store.ts';
import type { NewJob } from '../../jobs/store/job-record.ts';
import type { JobStore } from '../../jobs/store/job-store.ts';
import { commandEvents } from './command-events.ts';
import type { CommandRecord } from './command-record.ts';
import type { CommandStore } from './command-store.ts';
import { LedgerBatch, ReadSet, type SteeredDevice } from './ledger-batch.ts';
import type { PresentRights } from './present-rights.ts';
import type { RulesKeeper } from './rules-keeper.ts';

/** The embedded database works on this thread: larger batches would block everything else for too long. */
const maxBatch = 192;
const maxWaiting = 20_000;

/** One change. It may run more than once, each time on a batch of its own, and must have no other effect. */
export interface Operation<T> {
  readSet(reads: ReadSet, rules: ConflictRules): void;
  /** An error rejects this operation only; it must not have changed anything before it throws. */
  run(batch: LedgerBatch): Promise<T>;
}

/** What has become durable. */
export interface Committed {
  jobs: NewJob[];
  messages: MessageRecord[];
  /** Commands that can be sent now, oldest first. */
  released: CommandRecord[];
  /** Commands that have ended: nothing of them may be sent any more. */
  ended: string[];
  hasGuards: boolean;
  steered: SteeredDevice[];
  frozen: LedgerBatch['frozen'];
}

export interface CommandLedgerOptions {
  database: Pick<SqlDatabase, 'transaction'>;
  store: CommandStore;
  jobs: Pick<JobStore, 'createAll'>;
  mailbox: Pick<MailboxStore, 'appendAll'>;
  audit: Pick<AuditLog, 'lock' | 'append'>;
  /** Default: nothing is logged. */
  eventLog?: Pick<EventLog, 'append'> | undefined;
  /** Steps of the transaction in which steering commands end. */
  onSteered?: ((tx: SqlQueries, steered: readonly SteeredDevice[]) => Promise<void>) | undefined;
  rules: RulesKeeper;
  /** After the operations of a batch, before it is written. */
  afterwards: (batch: LedgerBatch) => Promise<void>;
  /** What callers may do now; default: what they may is not looked at again. */
  rights?: PresentRights | undefined;
  /** What it throws goes to `onError`: the commands are stored. */
  onCommitted: (committed: Committed) => void;
  onError: (error: unknown, message: string) => void;
  now?: () => number;
}

type Outcome = { value: unknown } | { error: unknown };

interface Run {
  outcomes: Outcome[];
  /** All that were read or created. */
  commands: Iterable<CommandRecord>;
  /** See OpenCommands. */
  changes: number;
  committed: Committed;
}

export class CommandLedger {
  readonly #options: CommandLedgerOptions;
  readonly #now: () => number;
  readonly #open = new OpenCommands();
  readonly #queue = new BatchQueue<Operation<unknown>, Outcome>({
    take: (waiting) => Math.min(waiting.length, maxBatch),
    write: (operations) => this.#commit(operations),
  });

  constructor(options: CommandLedgerOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Durable when it resolves. Throws TryLaterError (503) if the database is away or too much is waiting for it. */
  async do<T>(operation: Operation<T>): Promise<T> {
    if (this.#queue.size >= maxWaiting) {
      throw new TryLaterError(503, 'ledger_busy', 'Too many commands wait to be stored', 1);
    }
    return outcomeValue<T>(await this.#queue.add(operation));
  }

  /** In a transaction of somebody else: until it ends, no other one stores or changes commands. */
  lock(tx: SqlQueries): Promise<void> {
    return this.#options.audit.lock(tx);
  }

  /**
   * Runs an operation in a transaction of somebody else. `committed` is to be called once that is durable. Throws what the
   * operation throws.
   */
  async within<T>(tx: SqlQueries, operation: Operation<T>): Promise<{ value: T; committed: () => void }> {
    this.#open.changedElsewhere();
    const { outcomes, committed } = await this.#run(tx, [operation]);
    return { value: outcomeValue<T>(outcomes[0]!), committed: () => this.#tell(committed) };
  }

  /** Resolves when nothing waits any more. */
  async idle(): Promise<void> {
    await this.#queue.idle();
  }

  /** Never throws. */
  async #commit(operations: readonly Operation<unknown>[]): Promise<Outcome[]> {
    try {
      const run = await this.#options.database.transaction((tx) => this.#run(tx, operations));
      this.#open.keep(run.commands, run.changes);
      this.#tell(run.committed);
      return run.outcomes;
    } catch (error) {
      this.#open.clear();
      if (operations.length === 1 || error instanceof WeftError) return operations.map(() => ({ error }));
    }
    // An operation that the database refuses must not fail the others.
    const outcomes: Outcome[] = [];
    for (const operation of operations) outcomes.push(...(await this.#commit([operation])));
    return outcomes;
  }

  /** What is durable stays so, whatever becomes of the news about it. */
  #tell(committed: Committed): void {
    try {
      this.#options.onCommitted(committed);
    } catch (error) {
      this.#options.onError(error, 'not everybody was notified of commands that are stored');
    }
  }

  async #run(tx: SqlQueries, operations: readonly Operation<unknown>[]): Promise<Run> {
    const { store, jobs, mailbox, audit, eventLog, rules, rights } = this.#options;
    const { changes } = this.#open;
    await audit.lock(tx);
    await rules.replica.fresh(tx);
    const batch = new LedgerBatch({
      tx,
      store,
      rules: rules.current,
      nowMs: this.#now(),
      rights,
      open: this.#open.at(await store.version(tx)),
    });
    const reads = new ReadSet();
    for (const operation of operations) operation.readSet(reads, batch.rules);
    await batch.load(reads);
    const outcomes: Outcome[] = [];
    for (const operation of operations) {
      try {
        outcomes.push({ value: await operation.run(batch) });
      } catch (error) {
        outcomes.push({ error });
      }
    }
    await this.#options.afterwards(batch);
    await jobs.createAll(tx, batch.jobs);
    await batch.flush();
    const messages = await mailbox.appendAll(tx, batch.messages);
    if (batch.steered.length > 0) await this.#options.onSteered?.(tx, batch.steered);
    await audit.append(tx, batch.entries);
    await eventLog?.append(tx, commandEvents(batch));
    const { jobs: newJobs, commands, released, ended, frozen, hasGuards, steered } = batch;
    const committed = { jobs: newJobs, messages, released, ended, frozen, hasGuards, steered };
    return { outcomes, commands, changes, committed };
  }
}

function outcomeValue<T>(outcome: Outcome): T {
  if ('error' in outcome) throw outcome.error;
  return outcome.value as T;
}

// Open commands as this node committed them last, so that the agent's answer need not read them from the database again.
// They are used only while no other connection has written to the database.

/** Beyond this the least recently used are dropped; they are read again. */
const maxCommands = 20_000;

export class OpenCommands {
  readonly #commands = new Map<string, CommandRecord>();
  #version: number | undefined;
  /** Counts changes that were made past this memory. */
  #changes = 0;

  get changes(): number {
    return this.#changes;
  }

  /** What is known of this version of the database: see CommandStore.version. */
  at(version: number | undefined): ReadonlyMap<string, CommandRecord> {
    if (version === undefined || version !== this.#version) this.#commands.clear();
    this.#version = version;
    return this.#commands;
  }

  /** These were read or written by a transaction that is committed now; `changes` is how many there were when it began. */
  keep(commands: Iterable<CommandRecord>, changes: number): void {
    if (this.#version === undefined || changes !== this.#changes) return;
    for (const command of commands) {
      this.#commands.delete(command.command_id);
      if (command.ended_at === null) this.#commands.set(command.command_id, command);
    }
    for (const oldest of this.#commands.keys()) {
      if (this.#commands.size <= maxCommands) break;
      this.#commands.delete(oldest);
    }
  }

  /** Another transaction of this process is changing some of them. */
  changedElsewhere(): void {
    this.#changes++;
    this.#commands.clear();
  }

  /** A transaction failed that may have changed them. */
  clear(): void {
    this.#commands.clear();
  }
}
